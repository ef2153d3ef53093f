"""Themes: every line people read and every picture's texture, one TOML file per game and theme.

Lines are templates of `str.format`; the rules name them, nobody else writes sentences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from app.games.core import Refusal

_HERE = Path(__file__).parent

CLASSIC = "classic"


class Theme:
    """Lines and textures of one game in one theme.  Sections: see `themes/lobby.toml`."""

    def __init__(self, name: str, sections: Mapping[str, Mapping[str, str]]) -> None:
        self.name = name
        self._sections = sections
        self.pictures = sections.get("pictures", {})

    def has(self, section: str, name: str) -> bool:
        return name in self._sections.get(section, {})

    def say(self, section: str, name: str, /, **args: Any) -> str:
        """The line `name` of `section`, filled in.  KeyError if the theme lacks it."""
        return self._sections[section][name].format_map(args)

    def maybe(self, section: str, name: str, /, **args: Any) -> str:
        """The same, or '' if the theme has nothing to say there."""
        line = self._sections.get(section, {}).get(name, "")
        return line.format_map(args) if line else ""

    def refusal(self, refusal: Refusal) -> str:
        """The sentence for a refusal."""
        args = {
            k: ", ".join(v) if isinstance(v, list | tuple) else v for k, v in refusal.args.items()
        }
        return self.say("refusal", refusal.code, **args)


@cache
def load(game: str, name: str = CLASSIC) -> Theme:
    """The theme `name` of `game`, or its classic one where it has none of that name.

    A table keeps its theme when another game is chosen on it.  A theme file may say
    `based_on = "classic"`; the words of the lobby lie under all of them.
    """
    sections: dict[str, dict[str, str]] = {}
    known = name if name in names(game) else CLASSIC
    for path in reversed(_chain(folder(game) / "themes", known)):
        with path.open("rb") as file:
            for section, lines in tomllib.load(file).items():
                if isinstance(lines, dict):
                    sections.setdefault(section, {}).update(lines)
    return Theme(name, sections)


def _chain(folder: Path, name: str) -> list[Path]:
    path = folder / f"{name}.toml"
    with path.open("rb") as file:
        base = tomllib.load(file).get("based_on")
    return [path, *(_chain(folder, base) if base else [_HERE / "themes" / "lobby.toml"])]


def folder(game: str) -> Path:
    """Where a game keeps its themes, its rules page and its pictures."""
    return _HERE / game


def names(game: str) -> list[str]:
    """The themes that `game` comes with."""
    return sorted(p.stem for p in (folder(game) / "themes").glob("*.toml"))
