"""Today's LSL: every function, constant and event, from `lsl/definitions`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lummao import Key, Quaternion, Vector

FILE = Path(__file__).parents[2] / "lsl" / "definitions" / "definitions.json"

# Where the definitions and the wiki differ, the slower figure holds.
DELAY_S = {"llTextBox": 1.0}


@dataclass(frozen=True)
class Function:
    """What a script may call."""

    name: str
    returns: str
    takes: tuple[str, ...]
    delay_s: float = 0.0
    """The forced delay: the whole script sleeps that long after each call."""
    deprecated: str | None = None
    """What to use instead ('' if nothing), or None if the function is well."""
    private: bool = False
    """Not for residents' scripts."""


@dataclass(frozen=True)
class Constant:
    name: str
    type: str
    value: Any
    """As a script sees it; a key counts as string."""
    literal: str
    """As a script would write it."""
    deprecated: str | None = None


def _constant(name: str, kind: str, value: Any, deprecated: str | None = None) -> Constant:
    if kind == "string":
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return Constant(name, kind, value, f'"{escaped}"', deprecated)
    if kind in ("vector", "rotation"):
        numbers = tuple(float(part) for part in value.strip("<>").split(","))
        made = Vector(numbers) if kind == "vector" else Quaternion(numbers)
        return Constant(name, kind, made, value, deprecated)
    return Constant(name, kind, value, repr(value), deprecated)


def _function(name: str, entry: dict[str, Any]) -> Function:
    takes = tuple(entry["takes"])
    delay_s = DELAY_S.get(name, entry.get("delay_s", 0.0))
    private = entry.get("private", False)
    return Function(name, entry["returns"], takes, delay_s, entry.get("deprecated"), private)


_DATA = json.loads(FILE.read_text("utf-8"))
FUNCTIONS = {name: _function(name, entry) for name, entry in _DATA["functions"].items()}
CONSTANTS = {name: _constant(name, *entry) for name, entry in _DATA["constants"].items()}
EVENTS: dict[str, tuple[str, ...]] = {n: tuple(takes) for n, takes in _DATA["events"].items()}


class _Constants:
    """`LSL.CHANGED_OWNER`: the value of a constant."""

    def __getattr__(self, name: str) -> Any:
        try:
            value = CONSTANTS[name].value
        except KeyError:
            raise AttributeError(f"LSL has no constant {name}") from None
        setattr(self, name, value)
        return value


LSL: Any = _Constants()
NULL_KEY = Key("00000000-0000-0000-0000-000000000000")
