"""Themes: every line people read and every picture's texture, one TOML file per game and theme.

A language lies over a theme file by file: `classic.es.toml` over `classic.toml`, `lobby.es.toml`
over `lobby.toml`; what it does not say is said in English.  Where there is a `lobby.XX.toml`, the
language XX can be chosen.

Lines are templates of `str.format`; the rules name them, nobody else writes sentences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from app.display import Color
from app.games.core import Refusal

_HERE = Path(__file__).parent
_LOBBY = _HERE / "themes" / "lobby.toml"

Changes = Mapping[str, Mapping[str, str]]
"""Section → name → line."""

CLASSIC = "classic"
ENGLISH = "en"


class Theme:
    """Lines and textures of one game in one theme and language.

    Sections: see `themes/lobby.toml`.
    """

    def __init__(
        self, name: str, sections: Mapping[str, Mapping[str, str]], language: str = ENGLISH
    ) -> None:
        self.name = name
        self.language = language
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

    def value(self, value: Any) -> Any:
        """The value of an option in words; numbers as they are."""
        word = ("on" if value else "off") if isinstance(value, bool) else value
        return self._sections.get("value", {}).get(word, word)

    def color(self, name: str) -> Color:
        """A colour of the theme; its parts with two decimals, as tables are told them."""
        return self._colors[name]

    @cached_property
    def _colors(self) -> dict[str, Color]:
        colors = self._sections.get("colors", {})
        return {name: _rgb(color) for name, color in colors.items()}

    def changed(self, changes: Changes) -> Theme:
        """The theme with these lines, colours and textures over it."""
        sections = {
            section: {**self._sections.get(section, {}), **changes.get(section, {})}
            for section in {**self._sections, **changes}
        }
        return Theme(self.name, sections, self.language)

    def lines(self, section: str) -> Mapping[str, str]:
        """A section as it is written, not filled in."""
        return self._sections.get(section, {})

    def refusal(self, refusal: Refusal) -> str:
        """The sentence for a refusal."""
        args = {name: self._arg(arg) for name, arg in refusal.args.items()}
        return self.say("refusal", refusal.code, **args)

    def _arg(self, arg: Any) -> Any:
        if isinstance(arg, Refusal):  # the reason of a refusal
            return self.refusal(arg)
        return ", ".join(arg) if isinstance(arg, list | tuple) else arg


def _rgb(color: str) -> Color:
    red, green, blue = (round(int(color[i : i + 2], 16) / 255, 2) for i in (1, 3, 5))
    return red, green, blue


@cache
def lobby(language: str = ENGLISH) -> Theme:
    """The words of the table around the game alone."""
    sections: dict[str, dict[str, str]] = {}
    _lay_over(sections, _LOBBY, language if language in LANGUAGES else ENGLISH)
    return Theme(CLASSIC, sections, language)


@cache
def load(game: str, name: str = CLASSIC, language: str = ENGLISH) -> Theme:
    """The theme `name` of `game`, or its classic one where it has none of that name.

    A table keeps its theme when another game is chosen on it.  A theme file may say
    `based_on = "classic"`; the words of the lobby lie under all of them.
    """
    sections: dict[str, dict[str, str]] = {}
    known = name if name in names(game) else CLASSIC
    language = language if language in LANGUAGES else ENGLISH
    for path in reversed(_chain(folder(game) / "themes", known)):
        _lay_over(sections, path, language)
    return Theme(name, sections, language)


def _lay_over(sections: dict[str, dict[str, str]], path: Path, language: str) -> None:
    for file in (path, path.with_suffix(f".{language}.toml")):
        for section, lines in _read(file).items() if file.exists() else ():
            if isinstance(lines, dict):
                sections.setdefault(section, {}).update(lines)


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _chain(folder: Path, name: str) -> list[Path]:
    path = folder / f"{name}.toml"
    base = _read(path).get("based_on")
    return [path, *(_chain(folder, base) if base else [_LOBBY])]


def folder(game: str) -> Path:
    """Where a game keeps its themes, its rules page and its pictures."""
    return _HERE / game


def names(game: str) -> list[str]:
    """The themes that `game` comes with."""
    return sorted(p.stem for p in (folder(game) / "themes").glob("*.toml") if "." not in p.stem)


def _languages() -> dict[str, str]:
    found = sorted(_LOBBY.parent.glob("lobby*.toml"), key=lambda file: file.stem)
    files = {f.stem.partition(".")[2] or ENGLISH: f for f in found}
    return {code: _read(file)["language"]["name"] for code, file in files.items()}


LANGUAGES: Mapping[str, str] = _languages()
"""Code of each language → what it calls itself.  English comes first."""
