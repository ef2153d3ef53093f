"""Every page in every language: nothing of it in English, and ways to the others."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import msgspec
import pytest

from app import people
from app.games import GAMES, lobby
from app.games.core import SERVER, Game, Key
from app.table.history import Line
from app.web import matches, reading, words
from app.web.words import Words
from tests.api.service import ADA, BOB, QUICK, Service, ok, serving
from tests.games.walks import Walk, fixed_walk

SPOKEN = ("aria-label", "title", "alt", "placeholder", "aria-valuetext", "data-empty")
SILENT = {"code", "script", "style"}
VOID = {"meta", "link", "img", "input", "br", "hr"}
THE_SAME = re.compile(
    "((Ada|Bob|The Rooftop)( · Peril Table)?|Peril( Table)?|Table|English|Español"
    "|bot|Bot1|Bots|Error [0-9]+|[0-9: -]+ UTC|-1)"
)
"""What is called so in Spanish too."""
LONG = ("/fairness", "/privacy", *(f"/rules/{game}" for game in GAMES))
LANGUAGE = pytest.mark.parametrize("language", [code for code in words.LANGUAGES if code != "en"])


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as service:
        yield service


class Read(HTMLParser):
    """What a page says in its own language, by eye and by ear: not code, nor what says that it
    is in another one."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: set[str] = set()
        self.language = ""
        self._silent: list[bool] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "html":
            self.language = has["lang"]
        above = bool(self._silent and self._silent[-1])
        lang = has.get("lang", "")
        silent = tag in SILENT or (above if lang in ("",) else lang != self.language)
        if not silent:
            self.said |= {has[name] for name in SPOKEN if has.get(name)}
            if has.get("name") == "description" or has.get("property") == "og:description":
                self.said.add(has["content"])
        if tag not in VOID:
            self._silent.append(silent)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent[-1:] or not self._silent[-1]:
            self.said.add(" ".join(data.split()))


async def visited(service: Service) -> list[str]:
    """Pages of all kinds, with something on them."""
    over = await service.table(name="The Rooftop", options=QUICK | {"lives": 1, "victory_s": 0})
    await over.play(ADA, BOB)
    await over.until(lambda state: state["stage"] == "lobby")
    on = await service.table(name="The Rooftop")
    ok(await on.owner("add_bot"))
    await on.start(ADA, BOB)
    await service.client.patch(
        f"/api/v1/tables/{over.id}",
        json={"listed": True},
        headers={"Authorization": f"Bearer {over.owner_token}"},
    )
    whole = await people.link(service.tables, Key(ADA["key"]))
    await service.client.post("/me/open", data={"code": whole.partition("code=")[2]})
    again = await people.link(service.tables, Key(ADA["key"]))
    return [
        *("/", "/nowhere", "/me", f"/me/open?code={again.partition('code=')[2]}", "/rankings"),
        *(f"/t/{over.id}/ranking", *LONG),
        *(f"/p/{ADA['key']}", "/p/nobody", "/m/none-1", "/t/none", "/rules/none"),
        *(f"/t/{over.id}", f"/t/{on.id}", f"/m/{over.id}-1", f"/m/{on.id}-1"),
    ]


def in_(language: str) -> dict[str, str]:
    return {"Accept-Language": language}


@LANGUAGE
async def test_no_page_says_a_line_in_english(service: Service, language: str) -> None:
    left: dict[str, set[str]] = {}
    paths = await visited(service)
    ids = re.compile("|".join(re.findall(r"/t/(\w{8})", " ".join(paths))))
    for path in paths:
        english, other = [
            Read(ids.sub("", (await service.client.get(path, headers=in_(spoken))).text))
            for spoken in ("en", language)
        ]
        assert (english.language, other.language) == ("en", language)
        words_only = {line: re.findall(r"[^\W\d_]{3,}", line) for line in other.said}
        same = {line for line in english.said & other.said if words_only[line]}
        left[path] = {line for line in same if not THE_SAME.fullmatch(line)}
        assert len(other.said) > 10
    assert {path: lines for path, lines in left.items() if lines} == {}


async def test_without_a_visit_ones_own_data_says_so_in_the_language_asked_for(
    service: Service,
) -> None:
    closed = await service.client.get("/me", headers=in_("es"))
    assert closed.status_code == 403
    assert "Esta página se abre con un enlace que te da una mesa." in closed.text
    used = await service.client.get("/me/open", params={"code": "x"}, headers=in_("es"))
    assert '<html lang="es">' in used.text


async def test_what_is_deleted_is_confirmed_by_the_word_that_the_page_shows(
    service: Service,
) -> None:
    await visited(service)
    client = service.client
    client.headers["Accept-Language"] = "es"
    page = ok(await client.get("/me")).text
    assert "Escribe BORRAR para confirmarlo" in page
    form = {"form": re.findall(r'name="form" value="(\w+)"', page)[0], "do": "delete"}
    wrong = await client.post("/me", data={**form, "word": "NO"})
    assert "no se escribió la palabra BORRAR" in unescape(wrong.text)
    seated = await client.post("/me", data={**form, "word": "borrar"})
    assert "Aún tienes sitio en la partida de la mesa «The Rooftop»." in unescape(seated.text)


# ---- the ways to other languages --------------------------------------------------------------


async def test_every_page_leads_to_itself_in_other_languages(service: Service) -> None:
    for path in await visited(service):
        service.client.cookies.delete("lang")
        page = await service.client.get(path, params={"page": "1"})
        [way] = re.findall(r'<a href="([^"]*)" lang="es" hreflang="es">Español</a>', page.text)
        assert unescape(way) == "?page=1&lang=es"
        assert page.headers["vary"] == "Accept-Language, Cookie"
        assert "set-cookie" not in page.headers
        there = await service.client.get(path + unescape(way), headers=in_("en"))
        assert there.status_code == page.status_code
        assert '<html lang="es">' in there.text
        assert 'lang="es" hreflang="es" aria-current="true"' in there.text
        again = await service.client.get(path, headers=in_("en"))
        assert '<html lang="es">' in again.text


async def test_what_is_in_the_address_stays_an_address(service: Service) -> None:
    page = ok(await service.client.get("/rankings", params={"search": '"><b>&lang=es', "a": "é"}))
    [way] = re.findall(r'<a href="([^"]*)" lang="es"', page.text)
    asked = httpx.QueryParams(unescape(way)[1:])
    assert dict(asked) == {"search": '"><b>&lang=es', "a": "é", "lang": "es"}


@LANGUAGE
@pytest.mark.parametrize("path", LONG)
async def test_a_long_text_is_there_in_every_language(
    service: Service, path: str, language: str
) -> None:
    page = ok(await service.client.get(path, headers=in_(language))).text
    english = ok(await service.client.get(path)).text
    for part in (r"<h[123]", "<li>", "<tr>", "<dt>", "<img ", r'id="[\w-]+"'):
        assert len(re.findall(part, page)) == len(re.findall(part, english)), part


async def test_a_long_text_that_a_language_lacks_is_an_english_page(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = {"The log": "qonos", "Skip to the content": "maj"}
    monkeypatch.setitem(words.LANGUAGES, "tlh", Words("tlh", "tlhIngan Hol", lines, {}, {}))
    asked = {"lang": "tlh"}
    page = ok(await service.client.get("/fairness", params=asked)).text
    assert ('<html lang="en">' in page, "Skip to the content" in page) == (True, True)
    assert '<html lang="tlh">' in ok(await service.client.get("/", params=asked)).text


def test_a_preset_is_called_as_on_its_button() -> None:
    spanish = words.LANGUAGES["es"]
    assert reading.preset(GAMES["roulette"], "wild_west", spanish) == "Salvaje Oeste"
    assert reading.preset(GAMES["roulette"], "no_such_one", spanish) == "No Such One"


# ---- the log of a match -----------------------------------------------------------------------


class Asked(Words):
    """Notes what it has no words for."""

    def __init__(self, words: Words) -> None:
        super().__init__(words.language, words.name, {}, {}, {})
        self._lines = words._lines
        self.lacks: set[str] = set()

    def __call__(self, line: str) -> str:
        if line not in self._lines:
            self.lacks.add(line)
        return super().__call__(line)


def log_of(walk: Walk) -> list[Line]:
    """The log of a match when all of it may be known."""
    opening = msgspec.json.encode(walk.table.events[:1]).decode()
    lines = [Line("m-1", 1, 0, SERVER, "", "", opening)]
    for step in walk.steps:
        events = msgspec.json.encode([lobby.Drawn(1, "pick", 6, 3), *step.events]).decode()
        command = msgspec.json.encode(step.command).decode()
        if step.events:
            lines.append(Line("m-1", len(lines) + 1, 0, step.actor.key, "", command, events))
    return lines


@LANGUAGE
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_a_language_has_words_for_all_that_a_log_leaves_to_the_page(
    game: Game[Any], language: str
) -> None:
    asked = Asked(words.LANGUAGES[language])
    row = SimpleNamespace(id="m-1", table_id="m", number=1, opened_ms=0, closed_ms=1)
    told = 0
    for seed in range(12):
        shown = matches.view(row, log_of(fixed_walk(game, seed, 150)), "M", asked)
        told += sum(len(line.beside) for line in shown.rows)
    assert told > 300
    assert asked.lacks == set()
