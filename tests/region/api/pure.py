"""Functions of today's LSL that depend on nothing but their arguments, and that lummao lacks."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from lummao import Quaternion, Vector
from lummao.vendor.lslopt import lslfuncs

from .. import jsons

ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
MAX_SEPARATORS = 8


def _algorithm(name: str) -> str:
    if name not in ALGORITHMS:
        raise ValueError(f"no such hash algorithm: {name!r}")
    return name


def hmac_base64(key: str, text: str, algorithm: str) -> str:
    digest = hmac.new(key.encode(), text.encode(), _algorithm(algorithm)).digest()
    return base64.b64encode(digest).decode()


def compute_hash(text: str, algorithm: str) -> str:
    return hashlib.new(_algorithm(algorithm), text.encode()).hexdigest()


def replace_substring(text: str, old: str, new: str, count: int) -> str:
    """`count` replacements from the start, or from the end if it is negative; 0 is all."""
    if not old:
        return text
    if count < 0:
        return new.join(text.rsplit(old, -count))
    return text.replace(old, new, count or -1)


def parse(text: str, separators: list[Any], spacers: list[Any]) -> list[str]:
    return list(lslfuncs.llParseString2List(text, separators[:8], spacers[:8]))


def parse_keep_nulls(text: str, separators: list[Any], spacers: list[Any]) -> list[str]:
    return list(lslfuncs.llParseStringKeepNulls(text, separators[:8], spacers[:8]))


def _bounds(count: int, start: int, end: int) -> tuple[int, int]:
    """First and last index, negative ones counted from the end."""
    start = max(start + count if start < 0 else start, 0)
    end = end + count if end < 0 else end
    return start, min(end, count - 1)


def list_slice(items: list[Any], start: int, end: int, stride: int, index: int) -> list[Any]:
    """The `index`th of every `stride` items between start and end."""
    stride = max(stride, 1)
    index = index + stride if index < 0 else index
    first, last = _bounds(len(items), start, end)
    return [items[i] for i in range(first, last + 1) if i % stride == index]


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def _places(items: list[Any], wanted: list[Any], positions: range) -> list[int]:
    size = len(wanted)
    return [
        i
        for i in positions
        if i + size <= len(items) and all(map(_same, items[i : i + size], wanted))
    ]


def list_find_next(items: list[Any], wanted: list[Any], instance: int) -> int:
    found = _places(items, wanted, range(len(items)))
    try:
        return found[instance]
    except IndexError:
        return -1


def list_find_strided(
    items: list[Any], wanted: list[Any], start: int, end: int, stride: int
) -> int:
    first, last = _bounds(len(items), start, end)
    found = _places(items, wanted, range(first, last + 1, max(stride, 1)))
    return found[0] if found else -1


def list_sort_strided(items: list[Any], stride: int, index: int, ascending: int) -> list[Any]:
    """Blocks of `stride` items, ordered by the `index`th of each."""
    stride = max(stride, 1)
    index = index + stride if index < 0 else index
    if len(items) % stride or index >= stride:
        return list(items)
    blocks = [items[i : i + stride] for i in range(0, len(items), stride)]

    def compare(a: list[Any], b: list[Any]) -> int:
        x, y = a[index], b[index]
        if type(x) is not type(y):
            return 0
        if isinstance(x, Vector | Quaternion):
            x, y = lslfuncs.llVecMag(Vector(x[:3])), lslfuncs.llVecMag(Vector(y[:3]))
        return int(x > y) - int(x < y)

    blocks.sort(key=cmp_to_key(compare), reverse=not ascending)
    return [item for block in blocks for item in block]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "llComputeHash": compute_hash,
    "llHMAC": hmac_base64,
    "llJsonGetValue": jsons.get_value,
    "llJsonSetValue": jsons.set_value,
    "llJsonValueType": jsons.value_type,
    "llList2ListSlice": list_slice,
    "llListFindListNext": list_find_next,
    "llListFindStrided": list_find_strided,
    "llListSortStrided": list_sort_strided,
    "llParseString2List": parse,
    "llParseStringKeepNulls": parse_keep_nulls,
    "llReplaceSubString": replace_substring,
}
