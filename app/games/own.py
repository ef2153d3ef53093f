"""An owner's own lines, colours and textures over a theme: what he may change, and into what.

His lines are templates of `str.format` that somebody else wrote: only plain `{name}` of what the
line he replaces has may stand in them, written as it is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from string import Formatter
from typing import Any, NamedTuple

import msgspec

from app.games import GAMES, boards
from app.games.texts import CLASSIC, Changes, Theme, load

LONGEST = {"say": 300, "hover": 120, "status": 60, "dice": 60, "colors": 7, "pictures": 36}
"""What everybody sees and hears, section by section, and how many characters each may have."""

MOST_PLACES = 6
"""How often something may be filled into a line: names are long."""

JOINERS = "\u200d\u00a0"
"""What makes one picture of several, and a space that does not break."""

COLOR = re.compile("#[0-9a-fA-F]{6}")
KEY = re.compile("[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


class Line(msgspec.Struct, frozen=True):
    """Something that may be changed.  `standard`: as the theme has it, "" for a picture that is a
    texture in the table; `places`: what may be filled in, as it is written there."""

    section: str
    name: str
    standard: str
    places: tuple[str, ...]

    @property
    def longest(self) -> int:
        return LONGEST[self.section]


class Problem(NamedTuple):
    """A reason as a template of `str.format`, and what fills it.  An empty one is none."""

    line: str
    fields: Mapping[str, Any] = {}


NO_PROBLEM = Problem("")


class Fault(msgspec.Struct, frozen=True):
    """Why something cannot be as the owner wrote it."""

    section: str
    name: str
    problem: Problem

    def said(self, words: Callable[[str], str]) -> str:
        """The reason in a sentence, with `words` for another language's line."""
        line, fields = self.problem
        return words(line).format_map(fields)


@cache
def lines(game: str, theme: str = CLASSIC, language: str = "en") -> tuple[Line, ...]:
    """All that may be changed of a game."""
    standard = load(game, theme, language)
    out = [
        Line(section, name, text, _places(text))
        for section in LONGEST
        if section != "pictures"
        for name, text in standard.lines(section).items()
    ]
    pictures = dict.fromkeys((*boards.PICTURES, *GAMES[game].pictures))
    return (*out, *(Line("pictures", n, standard.pictures.get(n, ""), ()) for n in pictures))


def _places(text: str) -> tuple[str, ...]:
    found = [(name, how) for _, name, how, _ in Formatter().parse(text) if name is not None]
    return tuple(
        dict.fromkeys(f"{{{name}:{how}}}" if how else f"{{{name}}}" for name, how in found)
    )


def problem(line: Line, text: str) -> Problem:
    """Why `text` cannot stand in place of this line."""
    if line.section == "colors":
        return NO_PROBLEM if COLOR.fullmatch(text) else Problem("A colour looks like #ff8800.")
    if line.section == "pictures":
        like = "A texture key looks like 5748decc-f629-461c-9a36-a35a221fe21f."
        return NO_PROBLEM if KEY.fullmatch(text) else Problem(like)
    if len(text) > line.longest:
        fields = {"length": len(text), "most": line.longest}
        return Problem("It has {length} characters; {most} are the most.", fields)
    if not text.strip():
        return Problem("It is empty.")
    also = JOINERS + ("\n" if line.section == "hover" else "")
    if any(not c.isprintable() and c not in also for c in text):
        return Problem("It holds signs that cannot be shown, such as a line break.")
    return _misfilled(line, text)


def _misfilled(line: Line, text: str) -> Problem:
    """What is wrong with the braces of a line."""
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        return Problem(
            "Braces come in pairs: {{name}}. A brace to be shown is written twice: {{{{."
        )
    filled = 0
    for _, name, how, conversion in parts:
        if name is None:
            continue
        filled += 1
        written = f"{name}!{conversion}" if conversion else name
        place = f"{{{written}:{how}}}" if how else f"{{{written}}}"
        if place not in line.places:
            if not line.places:
                return Problem(
                    "{place} cannot be filled in here; there is nothing.", {"place": place[:40]}
                )
            fields = {"place": place[:40], "there": ", ".join(line.places)}
            return Problem("{place} cannot be filled in here; there is {there}.", fields)
    if filled > MOST_PLACES:
        return Problem("At most {most} things can be filled in.", {"most": MOST_PLACES})
    return NO_PROBLEM


def faults(game: str, changes: Changes) -> list[Fault]:
    """All that cannot be as it is written."""
    known = {(line.section, line.name): line for line in lines(game)}
    out = []
    for section, texts in changes.items():
        for name, text in texts.items():
            line = known.get((section, name))
            why = (
                problem(line, text) if line else Problem("There is nothing of that name to change.")
            )
            if why.line:
                out.append(Fault(section, name, why))
    return out


class Own:
    """The changes of one table, game by game, over whatever theme and language is asked for."""

    def __init__(self, changes: Mapping[str, Changes]) -> None:
        self.changes = changes
        self._over: dict[tuple[str, Theme], Theme] = {}

    def over(self, game: str, theme: Theme) -> Theme:
        changes = self.changes.get(game)
        if not changes:
            return theme
        if (game, theme) not in self._over:
            self._over[game, theme] = theme.changed(changes)
        return self._over[game, theme]


def read(written: str) -> Own | None:
    """The changes of a table as they are stored (JSON); None if there are none.

    What does not fit the lines of this version any more is left out.
    """
    stored: dict[str, dict[str, dict[str, str]]] = msgspec.json.decode(written) if written else {}
    kept = {game: _sound(game, changes) for game, changes in stored.items() if game in GAMES}
    kept = {game: changes for game, changes in kept.items() if changes}
    return Own(kept) if kept else None


def _sound(game: str, changes: Changes) -> dict[str, dict[str, str]]:
    wrong = {(fault.section, fault.name) for fault in faults(game, changes)}
    found = {
        section: {n: t for n, t in texts.items() if (section, n) not in wrong}
        for section, texts in changes.items()
    }
    return {section: texts for section, texts in found.items() if texts}


def write(changes: Mapping[str, Any]) -> str:
    return msgspec.json.encode(changes).decode()
