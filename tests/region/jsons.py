"""LSL's JSON functions that lummao 0.5.2 lacks (set) or gets wrong on arrays (get, type)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from lummao.vendor.lslopt.lsljson import InternalElement2Json, InternalJsonUnquote

INVALID, OBJECT, ARRAY, NUMBER, STRING, NULL, TRUE, FALSE, DELETE = map(chr, range(0xFDD0, 0xFDD9))
APPEND = -1
TYPES = {"{": OBJECT, "[": ARRAY, '"': STRING, "t": TRUE, "f": FALSE, "n": NULL}
WORDS = {"true": TRUE, "false": FALSE, "null": NULL}

_decode = json.JSONDecoder(strict=False).raw_decode


def _after_space(text: str, i: int) -> int:
    while i < len(text) and text[i] in " \t\r\n\v\f":
        i += 1
    return i


def _children(text: str, i: int) -> Iterator[tuple[str | int, int, int]]:
    """(key or index, start, end) of each member of the object or array that starts at `i`."""
    is_object = text[i] == "{"
    close, count = "}" if is_object else "]", 0
    i = _after_space(text, i + 1)
    while text[i] != close:
        key: str | int = count
        if is_object:
            _, end = _decode(text, i)
            key = InternalJsonUnquote(text[i:end])
            i = _after_space(text, _after_space(text, end) + 1)
        _, end = _decode(text, i)
        yield key, i, end
        count, i = count + 1, _after_space(text, end)
        if text[i] == ",":
            i = _after_space(text, i + 1)


def _find(text: str, path: Sequence[str | int]) -> str | None:
    try:
        start = _after_space(text, 0)
        _, end = _decode(text, start)
        if _after_space(text, end) != len(text):
            return None
        for step in path:
            if text[start] not in "{[" or (text[start] == "[") != isinstance(step, int):
                return None
            spans = [(a, b) for key, a, b in _children(text, start) if key == step]
            if not spans:
                return None
            start, end = spans[-1]
        return text[start:end]
    except (ValueError, IndexError):
        return None


def get_value(text: str, path: Sequence[str | int]) -> str:
    raw = _find(text, path)
    if raw is None:
        return INVALID
    if raw[0] == '"':
        return str(InternalJsonUnquote(raw))
    return WORDS.get(raw, raw)


def value_type(text: str, path: Sequence[str | int]) -> str:
    raw = _find(text, path)
    return INVALID if raw is None else TYPES.get(raw[0], NUMBER)


def set_value(text: str, path: Sequence[str | int], value: str) -> str:
    def put(node: Any, path: Sequence[str | int]) -> Any:
        if not path:
            return json.loads(InternalElement2Json(value, ParseNumbers=True))
        head, rest = path[0], path[1:]
        gone = value == DELETE and not rest
        if isinstance(head, int):
            node = node if isinstance(node, list) else []
            if head in (APPEND, len(node)):
                return [*node, put(None, rest)]
            if gone:
                return node[:head] + node[head + 1 :]
            return [*node[:head], put(node[head], rest), *node[head + 1 :]]
        node = dict(node) if isinstance(node, dict) else {}
        if gone:
            node.pop(head, None)
        else:
            node[head] = put(node.get(head), rest)
        return node

    try:
        made = put(json.loads(text) if text else None, list(path))
    except (ValueError, IndexError):
        return INVALID
    return json.dumps(made, separators=(",", ":"), ensure_ascii=False)
