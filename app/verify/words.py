"""What the parts of the verifier share: how a contradiction is raised, compared and worded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NoReturn

Said = dict[str, Any]
"""An event or a command as it stands in the log."""

SERVER, NOBODY = "server", ""

NOT_COMPARED = dict.fromkeys(("joined", "renamed", "scored", "acted_for_owner"), ("name",))
"""Fields that nothing in the log decides; see `NOT_COVERED`."""


class Wrong(Exception):
    """A line says what does not follow.  Its text is a sentence."""


def wrong(what: str) -> NoReturn:
    raise Wrong(what)


def words(kind: str) -> str:
    """The type of an event or command as people read it."""
    return kind.rpartition(".")[2].replace("_", " ")


def show(value: Any, names: dict[str, str]) -> str:
    """A value in a sentence, players by their names."""
    if value is None or value in ("", [], {}):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(show(v, names) for v in value)
    if isinstance(value, dict):
        return ", ".join(f"{k} {show(v, names)}" for k, v in value.items())
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return names.get(str(value), str(value))


def same(one: Any, other: Any) -> bool:
    """Equal as JSON is: 60 is 60.0, but true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(v, other[k]) for k, v in one.items())
    return bool(one == other)


def kind_of(value: Any) -> str:
    """The type of a value of JSON."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


def compare(expected: Sequence[Said], told: Sequence[Said], names: dict[str, str]) -> None:
    """The events of a line against those that follow from the rules."""
    for want, said in zip_longest(expected, told):
        if want is None:
            wrong(f"“{words(said['type'])}” is too much here; it does not follow.")
        if said is None:
            wrong(f"The line lacks “{words(want['type'])}”, which follows.")
        if want["type"] != said["type"]:
            wrong(f"It says “{words(said['type'])}” where “{words(want['type'])}” follows.")
        _fields(want, said, names)


def _fields(want: Said, said: Said, names: dict[str, str]) -> None:
    kind = want["type"]
    for field in [*want, *(f for f in said if f not in want)]:
        if field in NOT_COMPARED.get(kind, ()) and isinstance(said.get(field), str):
            continue
        right, given = want.get(field), said.get(field)
        if field == "options" and isinstance(given, dict):
            right, given = _first_other(right, given)
        if not same(right, given) or field not in said:
            wrong(
                f"“{words(kind)}” says {field} {show(given, names)}, "
                f"but {show(right, names)} follows."
            )


def _first_other(right: Any, given: Said) -> tuple[Any, Any]:
    """Of the options that decide anything the first that differs, on either side."""
    for name, value in right.items():
        if name not in given or not same(value, given[name]):
            return {name: value}, {name: given.get(name)}
    return None, None
