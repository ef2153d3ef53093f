"""How much of its 64 KB a script takes: an estimate from its intermediate code and its globals."""

from __future__ import annotations

from collections import Counter
from typing import Any

import lummao
from lummao import Key, Quaternion, Vector

LIMIT_BYTES = 65_536

# Bytes of Mono assembly per feature: fitted to assemblies made with tailslide's CIL and ilasm;
# off by 450 bytes (one standard deviation), at worst by 1.4 KB.
COST = {
    "CALL": 7.7, "DUP": 2.94, "JUMP": 6.67, "PUSH_ARG": 6.24, "PUSH_EMPTY": 2.15,
    "PUSH_GLOBAL": 2.96, "PUSH_LOCAL": 0.71, "REPLACE_MEMBER": 10.07,
    "STORE_DEFAULT_LOCAL": 33.43, "STORE_GLOBAL": 18.63, "STORE_RETURN": 7.02,
    "TAKE_MEMBER": 21.55, "UN_OP": 7.31, "args": 0.02, "bin_num": 3.36, "bin_num_cmp": 5.19,
    "bin_obj": 14.12, "bin_obj_cmp": 23.26, "cast": 16.62, "cast_num": 4.48, "flt": 10.91,
    "func": 19.45, "globals": 18.54, "handler": 58.7, "lib": 9.71, "libnames": 0.38,
    "libs": 30.63, "list": 16.4, "list_elem": 15.98, "names": 1.52, "strchars": 2.03,
    "uniqstr": 3.07, "one": 1753.36,
}  # fmt: skip

# What llGetUsedMemory shows per byte of assembly: fits five known figures within 3 KB.
USED_PER_ASSEMBLY = 1.7

EMPTY = "default { state_entry() { } }"


def static_bytes(source: str, besides: str = "") -> int:
    """What a script takes when it has just started, before its lists grow; good to ± 3 KB.

    `besides` is a part of it that does not count: declarations which only our compiler needs.
    """
    size = _assembly(source) - (_assembly(besides + EMPTY) - _assembly(EMPTY) if besides else 0)
    return round(USED_PER_ASSEMBLY * size)


def _assembly(source: str) -> float:
    features = _features(lummao.convert_script_to_ir(source))
    return sum(COST.get(feature, 0.0) * count for feature, count in features.items())


def value_bytes(value: Any) -> int:
    """What a value takes on the heap: figures measured by residents in 2013."""
    if isinstance(value, list):
        return sum(16 + value_bytes(item) for item in value)
    if isinstance(value, Key):
        return 102
    if isinstance(value, str):
        return 18 + 2 * len(value)
    return {Vector: 24, Quaternion: 28}.get(type(value), 16)


def _features(ir: dict[str, Any]) -> Counter[str]:
    count: Counter[str] = Counter(one=1, globals=len(ir["globals"]))
    strings: set[str] = set()
    libraries: set[str] = set()

    def body(function: dict[str, Any], kind: str) -> None:
        count[kind] += 1
        count["args"] += len(function["args"])
        for op in function["code"]:
            operation(op)

    def operation(op: dict[str, Any]) -> None:
        kind = op.get("op")
        if kind is None:
            return
        if kind == "PUSH_CONSTANT":
            if op["type"] in ("string", "key"):
                strings.add(op["value"])
            elif op["type"] != "integer":
                count["flt"] += 1
        elif kind in ("PUSH", "STORE", "STORE_DEFAULT"):
            count[f"{kind}_{op['whence']}"] += 1
        elif kind == "BUILD_LIST":
            count["list"] += 1
            count["list_elem"] += op["num_elems"]
        elif kind == "CALL_LIB":
            count["lib"] += 1
            libraries.add(op["name"])
        elif kind == "BIN_OP":
            number = {op["left_type"], op["right_type"]} <= {"integer", "float"}
            compared = op["operation"] in ("LEQ", "GEQ", "NEQ")
            count["bin_" + ("num" if number else "obj") + ("_cmp" if compared else "")] += 1
        elif kind == "CAST":
            number = {op["from_type"], op["to_type"]} == {"integer", "float"}
            count["cast_num" if number else "cast"] += 1
        else:
            count[kind] += 1

    for op in ir["init_code"]:
        operation(op)
    for function in ir["functions"]:
        body(function, "func")
        count["names"] += len(function["name"])
    for state in ir["states"]:
        for handler in state["handlers"]:
            body(handler, "handler")
    count["uniqstr"] = len(strings)
    count["strchars"] = sum(len(s.encode("utf-16-le")) // 2 for s in strings)
    count["libs"] = len(libraries)
    count["libnames"] = sum(map(len, libraries))
    return count
