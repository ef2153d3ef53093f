"""The words of the pages in another language: all there, chosen by the visitor."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path

import pytest

from app.web import console_beside, pages, words
from tests.api.service import ADA, BOB, Service, ok, serving

TEMPLATES = pages.HERE / "templates"
SCRIPTS = pages.STATIC / "js"
SAID = re.compile(r'(?<![\w.])t\(((?:"[^"]*"|[^()"]|\([^()]*\))*)\)')
LITERAL = re.compile(r'"([^"]+)"')
FROM_CODE = {*pages.STAGES.values(), "winner", "eliminated", "ready", "not ready", "may start"} | {
    *("bot plays", "in peril", "in turn", "pass"),
    *("plot twist", "direct hit", "no shield", "the gun fires", "click"),
    *("connecting…", "live", "reconnecting…", "offline", "table gone"),
    *console_beside.LINES,
}
"""Lines that templates and scripts get from elsewhere."""
NOT_SAID = {"over", "lobby"}
"""Words inside of the brackets that decide which line it is."""


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as service:
        yield service


def in_templates() -> set[str]:
    found = set()
    for file in TEMPLATES.glob("*.html"):
        for call in SAID.findall(file.read_text("utf-8")):
            found |= set(LITERAL.findall(call))
    return found - NOT_SAID


def in_scripts() -> set[str]:
    found = set()
    for file in SCRIPTS.glob("*.js"):
        for call in re.findall(r"\bsay\(([^)]*)\)", file.read_text("utf-8")):
            found |= set(LITERAL.findall(call))
    return found - NOT_SAID


@pytest.mark.parametrize("language", [code for code in words.LANGUAGES if code != "en"])
def test_a_language_says_all_that_pages_do_and_nothing_else(language: str) -> None:
    spoken = words.LANGUAGES[language]
    known = set(spoken._lines)
    assert (in_templates() | in_scripts() | FROM_CODE) - known == set()
    assert known - in_templates() - in_scripts() - FROM_CODE == set()
    assert in_scripts() <= set(spoken.script)


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
