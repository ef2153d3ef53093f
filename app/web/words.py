"""The words of the pages themselves in other languages: `words/XX.toml`, English line → line.

A page is in the language that its address, a cookie or the browser asks for, as far as there is
one; what the files `XX.toml` and `XX.*.toml` do not say is said in English.  What tables say has
files of its own, `app.games.texts`, and so have long texts: `templates/NAME.XX.html`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response

from app.errors import NOTICES
from app.games import GAMES, texts

FOLDER: Final = Path(__file__).resolve().parent / "words"
COOKIE: Final = "lang"
KEPT_S: Final = 365 * 24 * 60 * 60
_WISH = re.compile(r"\s*([A-Za-z]{1,8})[A-Za-z0-9-]*\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*")
MOST_WISHES: Final = 16


_COUNTED = re.compile(r"\d+")


class Words:
    """`words("English line")` in one language.  `name`: what it calls itself.

    `script`: what scripts say, too.  `check`: what only the page of a match does, of its log.
    """

    def __init__(
        self,
        language: str,
        name: str,
        lines: Mapping[str, str],
        script: Mapping[str, str],
        check: Mapping[str, str],
    ) -> None:
        self.language = language
        self.name = name
        self.script = script
        self.check = check
        self._lines = {**lines, **script, **check}

    def __call__(self, line: str) -> str:
        return self._lines.get(line, line)

    def each(self, lines: str) -> str:
        """Several with commas between them; of “3 votes” there is “{n} votes”."""
        return ", ".join(map(self._counted, lines.split(", ")))

    def _counted(self, line: str) -> str:
        if line in self._lines:
            return self._lines[line]
        found = _COUNTED.search(line)
        return self(_COUNTED.sub("{n}", line, count=1)).replace("{n}", found[0]) if found else line


def _read(language: str) -> Words:
    """A language from its files, what games call themselves and tables are told in it."""
    files = [tomllib.loads(f.read_text("utf-8")) for f in sorted(FOLDER.glob(f"{language}.*"))]
    name = next(file["name"] for file in files if "name" in file)

    def section(which: str) -> dict[str, str]:
        return {line: said for file in files for line, said in file.get(which, {}).items()}

    script = {**_titles(language), **section("script")}
    return Words(
        language, name, {**notices(language), **section("lines")}, script, section("check")
    )


def _titles(language: str) -> dict[str, str]:
    return {
        game.title: texts.load(game.name, language=language).say("game", "name")
        for game in GAMES.values()
    }


def notices(language: str) -> dict[str, str]:
    """Errors that are told in-world as well: there they have their words."""
    said = texts.lobby(language).lines("notice")
    return {line: said[name] for name, line in NOTICES.items()}


ENGLISH: Final = Words("en", "English", {}, {}, {})
_CODES: Final = sorted({file.name.partition(".")[0] for file in FOLDER.glob("*.toml")})
LANGUAGES: Final = {"en": ENGLISH, **{code: _read(code) for code in _CODES}}


def of(request: Request) -> Words:
    """What this page is to speak."""
    chosen = request.query_params.get("lang") or request.cookies.get(COOKIE, "")
    return LANGUAGES.get(chosen) or _wished(request.headers.get("accept-language", ""))


def _wished(header: str) -> Words:
    """The language that a browser likes best of those there are."""
    best, words = 0.0, ENGLISH
    for wish in header.split(",")[:MOST_WISHES]:
        found = _WISH.fullmatch(wish)
        weight = float(found[2] or 1) if found else 0.0
        if found and weight > best and found[1].lower() in LANGUAGES:
            best, words = weight, LANGUAGES[found[1].lower()]
    return words


class Choice(NamedTuple):
    """A way to the same page in a language."""

    language: str
    name: str
    address: str


def choices(request: Request) -> Sequence[Choice]:
    """The languages there are, and where this page speaks them."""
    asked = [(k, v) for k, v in request.query_params.multi_items() if k != "lang"]
    return [
        Choice(code, words.name, "?" + urlencode([*asked, ("lang", code)]))
        for code, words in LANGUAGES.items()
    ]


def told(request: Request, response: Response) -> Response:
    """The answer with what it depends on; a language chosen in the address is remembered."""
    response.headers["Vary"] = "Accept-Language, Cookie"
    chosen = request.query_params.get("lang", "")
    if chosen in LANGUAGES:
        response.set_cookie(COOKIE, chosen, max_age=KEPT_S, httponly=True, samesite="lax")
    return response
