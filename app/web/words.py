"""The words of the pages themselves in other languages: `words/XX.toml`, English line → line.

A page is in the language that its address, a cookie or the browser asks for, as far as there is
one; what a file does not say is said in English.  What tables say has files of its own:
`app.games.texts`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from fastapi import Request
from fastapi.responses import Response

FOLDER: Final = Path(__file__).resolve().parent / "words"
COOKIE: Final = "lang"
KEPT_S: Final = 365 * 24 * 60 * 60
_WISH = re.compile(r"\s*([A-Za-z]{1,8})[A-Za-z0-9-]*\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*")
MOST_WISHES: Final = 16


class Words:
    """`words("English line")` in one language.  `name`: what it calls itself."""

    def __init__(
        self, language: str, name: str, lines: Mapping[str, str], script: Mapping[str, str]
    ) -> None:
        self.language = language
        self.name = name
        self.script = script
        """What scripts say, too."""
        self._lines = {**lines, **script}

    def __call__(self, line: str) -> str:
        return self._lines.get(line, line)

    def each(self, lines: str) -> str:
        """Several with commas between them."""
        return ", ".join(map(self, lines.split(", ")))


def _read(file: Path) -> Words:
    found = tomllib.loads(file.read_text("utf-8"))
    return Words(file.stem, found["name"], found["lines"], found["script"])


ENGLISH: Final = Words("en", "English", {}, {})
LANGUAGES: Final = {"en": ENGLISH, **{f.stem: _read(f) for f in sorted(FOLDER.glob("*.toml"))}}


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


def told(request: Request, response: Response) -> Response:
    """The answer with what it depends on; a language chosen in the address is remembered."""
    response.headers["Vary"] = "Accept-Language, Cookie"
    chosen = request.query_params.get("lang", "")
    if chosen in LANGUAGES:
        response.set_cookie(COOKIE, chosen, max_age=KEPT_S, httponly=True, samesite="lax")
    return response
