"""Logs bent in one place, for those who must find the place."""

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

Log = dict[str, Any]
Path = tuple[str | int, ...]


class Bend(NamedTuple):
    """A log with one thing changed.  `index`: the entry where that was; `path`: what, in it."""

    log: Log
    index: int
    path: Path
    how: str

    @property
    def line(self) -> int:
        """The number that the bent line bears, or if it bears none the one that is due."""
        entries = self.log["entries"]
        index = min(self.index, len(entries) - 1)
        seq = entries[index].get("seq")
        return seq if type(seq) is int else int(self.log["match"]["first_seq"]) + index


def _other(value: Any, keys: list[str]) -> list[tuple[str, Any]]:
    """Other values of the same type, and one of another type."""
    match value:
        case bool():
            return [("turned", not value), ("text", str(value))]
        case int() | float():
            return [("more", value + 1), ("less", value - 1), ("text", str(value))]
        case str():
            someone = next((k for k in keys if k != value), "x")
            return [("someone", someone), ("longer", value + "x"), ("nothing", None)]
        case list():
            shorter = [("shorter", value[:-1])] if value else []
            turned = [("reversed", value[::-1])] if value[::-1] != value else []
            return [*shorter, *turned, ("longer", [*value, value[0] if value else "x"])]
    return [("something", "x")]


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every field below `value`, lists of plain values as one."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _leaves(below, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, below in enumerate(value):
            yield from _leaves(below, (*path, index))
    else:
        yield path, value


def _put(log: Log, index: int, path: Path, value: Any) -> Log:
    bent = {**log, "entries": list(log["entries"])}
    at = bent["entries"][index] = deepcopy(log["entries"][index])
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return bent


def fields(log: Log) -> Iterator[Bend]:
    """Each field of each entry changed, left out, and one too many beside it."""
    keys = [e["key"] for line in log["entries"] for e in line["events"] if e["type"] == "joined"]
    for index, entry in enumerate(log["entries"]):
        for path, value in _leaves(entry):
            for how, other in _other(value, keys):
                yield Bend(_put(log, index, path, other), index, path, how)
        for where in ((), ("command",), *(("events", n) for n in range(len(entry["events"])))):
            at: Any = entry
            for step in where:
                at = at[step]
            if at is None:
                continue
            yield Bend(_put(log, index, (*where, "more"), 1), index, (*where, "more"), "added")
            for name in at:
                bent = _put(log, index, (*where, "more"), 1)
                into = bent["entries"][index]
                for step in where:
                    into = into[step]
                del into["more"], into[name]
                yield Bend(bent, index, (*where, name), "left out")


def events(log: Log) -> Iterator[Bend]:
    """Each event left out, doubled, and changed for the next one."""
    for index, entry in enumerate(log["entries"]):
        told = entry["events"]
        for n, event in enumerate(told):
            others = {
                "left out": [*told[:n], *told[n + 1 :]],
                "doubled": [*told[: n + 1], event, *told[n + 1 :]],
            }
            if n and told[n - 1] != event:
                swapped = [event, told[n - 1]]
                others["before its time"] = [*told[: n - 1], *swapped, *told[n + 1 :]]
            for how, other in others.items():
                yield Bend(_put(log, index, ("events",), other), index, ("events", n), how)


def entries(log: Log) -> Iterator[Bend]:
    """Each line left out, doubled, and changed for the next one."""
    lines = log["entries"]
    for index, line in enumerate(lines):
        fewer = [*lines[:index], *lines[index + 1 :]]
        yield Bend({**log, "entries": fewer}, index, (), "left out")
        more = [*lines[: index + 1], *lines[index:]]
        yield Bend({**log, "entries": more}, index + 1, (), "doubled")
        if index:
            swapped = [*lines[: index - 1], line, lines[index - 1], *lines[index + 1 :]]
            yield Bend({**log, "entries": swapped}, index - 1, (), "before its time")


def bends(log: Log) -> Iterator[Bend]:
    yield from fields(log)
    yield from events(log)
    yield from entries(log)


def by_sort(log: Log, chance: random.Random) -> dict[tuple[Any, ...], Bend]:
    """One bend of each sort: of this kind of command or event, at this field, in this way."""
    sorts: dict[tuple[Any, ...], list[Bend]] = {}
    for bend in bends(log):
        line = log["entries"][min(bend.index, len(log["entries"]) - 1)]
        kind = (line["command"] or {}).get("type", "")
        if bend.path[:1] == ("events",) and len(bend.path) > 1:
            kind = line["events"][bend.path[1]]["type"]
        names = tuple(step for step in bend.path if isinstance(step, str))
        sorts.setdefault((kind, names, bend.how), []).append(bend)
    return {sort: chance.choice(some) for sort, some in sorts.items()}
