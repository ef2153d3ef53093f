"""The words of the pages in another language: all there, chosen by the visitor."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from app import games, people, verify
from app.display import TEXT_SETS
from app.games import GAMES, lobby, texts
from app.games.core import SERVER, Game, RankingPage
from app.web import boards, console_beside, me, pages, rankings, sessions, words
from tests.api.service import ADA, BOB, Service, ok, serving
from tests.games.walks import fixed_walk

from .said import in_consoles, in_errors

TEMPLATES = pages.HERE / "templates"
SCRIPTS = pages.STATIC / "js"
SAID = re.compile(r'(?<![\w.])t\(((?:"[^"]*"|[^()"]|\([^()]*\))*)\)')
TOLD = re.compile(r'\b(?:say|wrong)\(((?:"[^"]*"|[^()"{]|\((?:"[^"]*"|[^()"])*\))*)')
"""A line that a script says, up to what is filled into it."""
BY_CODE = re.compile(
    r"""(?:\b_?t|error_page)\((?:request, \d+, )?("[^"]*"(?: if [^()]* else "[^"]*")?|'[^']*')"""
)
JOINED = re.compile(r'"\s*\+\s*"')
LITERAL = re.compile(r'"([^"]+)"')
OF_CONSOLES = ("console", "operator", "theme")
MARKS = {
    *("winner", "eliminated", "ready", "not ready", "may start", "bot plays"),
    *("in peril", "in turn", "pass", "sheriff", "{n} vote", "{n} votes"),
    *("wolf", "villager", "seer", "witch", "guard", "elder", "cupid", "piper"),
    *("camp: wolves", "camp: villagers", "camp: piper", "camp: lovers", "crazed"),
}
CHANCES = {"plot twist", "direct hit", "no shield", "the gun fires", "click"}
PICTURES = {
    *("title", "peril selected", "plot twist", "direct hit", "no shield", "elimination"),
    *("punishment", "victory", "roulette title", "roulette victory", "bang", "click", "pass"),
    *("steal", "duel", "finals", "chamber {n}", "chamber many", "werewolf title"),
    *("village day", "village dusk", "village night"),
    *("won wolves", "won villagers", "won piper", "won lovers"),
}
STATES = {"connecting…", "live", "reconnecting…", "offline", "table gone"}
MESSAGES = {
    *(line for heading, text, _ in pages.ERRORS.values() for line in (heading, text)),
    *verify.NOT_COVERED,
    *verify.NOT_COVERED.values(),
    *(boards.NO_TABLE, rankings.NOTHING_KNOWN, people.Seated("").line),
    *(me.CLOSED.line, me.NOT_TYPED, me.CONFIRMATION, sessions.OLD_FORM.line),
}
BESIDE = {*console_beside.LINES, "matches", "options"}
FROM_CODE = {*pages.STAGES.values()} | MARKS | CHANCES | PICTURES | STATES | MESSAGES | BESIDE
"""Lines that templates and scripts get from elsewhere."""
NOT_SAID = {"over", "lobby"}
"""Words inside of the brackets that decide which line it is."""


def in_words(kind: str) -> str:
    return kind.rpartition(".")[2].replace("_", " ")


def of_the_log() -> set[str]:
    """What a log consists of: commands, events, their words, and what is drawn."""
    found = {SERVER}
    for kind in (*games.COMMANDS, *lobby.SERVER_COMMANDS, *games.EVENTS):
        found.add(in_words(kind.__struct_config__.tag))
        for name, hint in get_type_hints(kind).items():
            if name in kind.__struct_fields__ and get_origin(hint) is Literal:
                found |= {in_words(str(value)) for value in get_args(hint)}
    for file in (pages.HERE.parent / "games").rglob("*.py"):
        found |= set(
            re.findall(r'\.(?:roll|choose|sample)\(.*, "(\w+)"\)', file.read_text("utf-8"))
        )
    return found


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as service:
        yield service


def in_templates() -> set[str]:
    found = set()
    for folder in (TEMPLATES, *(game / "templates" for game in pages.GAME_FOLDERS)):
        for file in folder.rglob("*.html"):
            for call in SAID.findall(file.read_text("utf-8")):
                found |= set(LITERAL.findall(call))
    return found - NOT_SAID


def in_code() -> set[str]:
    found = set()
    for file in pages.HERE.glob("*.py"):
        if not file.name.startswith(OF_CONSOLES):
            for call in BY_CODE.findall(file.read_text("utf-8")):
                found |= set(LITERAL.findall(call.replace("'", '"')))
    return found


def in_scripts(*, checks: bool) -> set[str]:
    """`checks`: those that only the page of a match loads, or the others."""
    found = set()
    for file in SCRIPTS.rglob("*.js"):
        if (
            file.name in ("match.js", "replay.js", "verify.js") or file.parent != SCRIPTS
        ) == checks:
            for call in TOLD.findall(JOINED.sub("", file.read_text("utf-8"))):
                found |= set(LITERAL.findall(call))
    return found - NOT_SAID - {"{n}"}


@pytest.mark.parametrize("language", [code for code in words.LANGUAGES if code != "en"])
def test_a_language_says_all_that_pages_do_and_nothing_else(language: str) -> None:
    spoken = words.LANGUAGES[language]
    scripts, checks = in_scripts(checks=False), in_scripts(checks=True)
    wanted = in_templates() | in_code() | scripts | checks | FROM_CODE | of_the_log()
    wanted |= in_errors() | in_consoles()
    titles = {game.title for game in GAMES.values()}
    known = set(spoken._lines) - set(words.notices(language))
    assert wanted - known == set()
    assert known - wanted - titles == set()
    assert scripts | MARKS | CHANCES | PICTURES | STATES | titles <= set(spoken.script)
    assert checks | of_the_log() <= set(spoken.script) | set(spoken.check)


@pytest.mark.parametrize("language", [code for code in words.LANGUAGES if code != "en"])
def test_a_line_has_the_same_filled_in_in_every_language(language: str) -> None:
    for line, said in words.LANGUAGES[language]._lines.items():
        assert sorted(re.findall(r"{\w+}", line)) == sorted(re.findall(r"{\w+}", said)), line
        assert said == said.strip() != ""


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_what_games_show_of_themselves_has_a_line(game: Game[Any]) -> None:
    """Marks beside names, odds and pictures, in whatever happens in random matches."""
    theme, seen = texts.load(game.name), set()
    for seed in range(40):
        for step in fixed_walk(game, seed, 80).steps:
            shown = game.public(step.after, RankingPage())
            seen |= {mark for seat in shown.seats for mark in seat.marks}
            seen |= {chance.what for chance in shown.chances}
            board = game.board(shown, theme, TEXT_SETS)
            seen.add(board["TitleAction:0:0"].picture.replace("_", " "))
    said = {words.LANGUAGES["es"].each(line) for line in seen}
    assert {re.sub(r"\d+", "{n}", line) for one in seen for line in one.split(", ")} <= (
        MARKS | CHANCES | PICTURES
    )
    assert len(said) == len(seen) > 4


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("es", "es"),
        ("es-MX,es;q=0.9,en;q=0.8", "es"),
        ("en-GB,en;q=0.9,es;q=0.8", "en"),
        ("de,fr;q=0.9,es;q=0.5,en;q=0.4", "es"),
        ("es;q=0", "en"),
        ("es;q=banana", "en"),
        ("," * 5000 + "es", "en"),
        ("ES", "es"),
        ("../../etc/passwd", "en"),
    ],
)
def test_the_browser_says_what_it_likes_best(header: str, language: str) -> None:
    assert words._wished(header).language == language


async def test_the_front_page_speaks_what_is_asked_for_and_remembers_it(service: Service) -> None:
    get = service.client.get
    assert '<html lang="en">' in ok(await get("/")).text
    page = ok(await get("/", headers={"Accept-Language": "es"}))
    assert '<html lang="es">' in page.text
    assert "Últimas partidas" in page.text
    assert page.headers["vary"] == "Accept-Language, Cookie"
    assert "set-cookie" not in page.headers
    ok(await get("/", params={"lang": "es"}))
    assert '<html lang="es">' in ok(await get("/")).text
    ok(await get("/", params={"lang": "tlh"}))
    assert '<html lang="es">' in ok(await get("/", headers={"Accept-Language": "en"})).text


async def test_the_page_of_a_table_speaks_to_its_visitor_and_the_board_as_the_table_does(
    service: Service,
) -> None:
    table = await service.table()
    await table.start(ADA, BOB)
    page = ok(await service.client.get(f"/t/{table.id}", headers={"Accept-Language": "es"})).text
    assert "Se espera a <b" in page
    assert "giro inesperado" in page
    assert "3 vidas" in page
    assert "PICKING NUMBERS" in page
    told = json.loads(unescape(re.findall(r'data-words="([^"]*)"', page)[0]))
    assert told["live"] == "en directo"


async def test_a_face_of_a_prim_speaks_what_its_table_does(service: Service) -> None:
    table = await service.table()
    await table.start(ADA, BOB)
    ok(await table.owner("set_language", language="es"))
    page = ok(await service.client.get(f"/t/{table.id}", params={"media": ""})).text
    assert '<html lang="es">' in page
    assert "Se espera a" in page
    assert "en peligro" in page
