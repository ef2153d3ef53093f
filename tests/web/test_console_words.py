"""Both consoles and the theme editor in another language: nothing is left in English."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from app.games import GAMES, own
from app.web import words
from tests.api.service import ADA, BOB, OPERATOR, Service, Table, ok, serving

from .test_console import Console, enter

STAFF = "88888888-0000-4000-8000-000000000008"
SPANISH = {"Accept-Language": "es"}
READ = ("placeholder", "aria-label", "title", "alt")
"""Attributes that people read."""
ALIKE = {"Peril", "Table", "Peril Table", "UTC", "CSV", "JSON", "English", "Español"} | {
    *("Scripts", "Prims", "Token", "Tokens", "HUD", "bot", "Bots", "normal", "robot", "bang"),
    *("operator", "owner", "read", "harness", "Ada", "Bob", "Mina", "Zed"),
}
"""What is the same in both languages: names, and words that Spanish took over."""
TEXTURES = {line.name for game in GAMES for line in own.lines(game) if line.section == "pictures"}
"""Their names as they stand in the table's prim."""
NO_WORDS = re.compile(r"[^A-Za-z]*|[#{].*|[0-9a-f-]{8,36}|PERIL_\S+|\d{4}-.*|[a-z_]+_[a-z0-9_]+")


class _Reader(HTMLParser):
    """What a page says, piece by piece; what is in the table's language is left out."""

    EMPTY = ("input", "link", "meta", "img", "br", "rect", "circle", "image", "use", "path")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self._inside: list[bool] = []
        """Whether the page itself speaks in each element that is open."""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        ours = not self._inside or self._inside[-1]
        ours = ours and tag not in ("script", "style", "bdi", "code")
        ours = ours and (tag == "html" or given.get("lang") is None)
        if ours:
            self.said += [value for name in READ if (value := given.get(name))]
        if tag not in self.EMPTY:
            self._inside.append(ours)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if self._inside and self._inside[-1] and data.strip():
            self.said.append(" ".join(data.split()))


def sentences(page: str) -> set[str]:
    return {said for said in _Reader(page).said if not NO_WORDS.fullmatch(said)}


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as service:
        yield service


async def operated(service: Service) -> None:
    answer = await service.client.post("/operator/enter", data={"token": OPERATOR})
    assert answer.status_code == 303


async def same(client: httpx.AsyncClient, path: str) -> set[str]:
    """What a page says in Spanish as it does in English."""
    client.cookies.delete("lang")
    english = await client.get(path, headers={"Accept-Language": "en"})
    spanish = await client.get(path, headers=SPANISH)
    assert english.status_code == spanish.status_code
    assert '<html lang="es">' in spanish.text
    assert spanish.headers["vary"] == "Accept-Language, Cookie"
    assert len(sentences(english.text)) > 5
    return (sentences(english.text) & sentences(spanish.text)) - ALIKE - TEXTURES


async def busy(service: Service) -> Table:
    """A table with all that the pages may show: staff, bans, a device with troubles, a match."""
    table = await service.table()
    console = Console(await enter(service), table)
    await console.done("staff", key=STAFF, name="Mina", may_matches="on", may_options="on")
    await console.done("ban", key=BOB["key"], name="Bob")
    await console.done("pardon", key=BOB["key"])
    await console.done("ban", key="99999999-0000-4000-8000-000000000009", name="Zed")
    hello = {
        "o": "11111111-0000-4000-8000-000000000001",
        "owner": service.tables.hot[table.id].owner,
        "table": table.id,
        "prims": "Status:0:0:8",
        "region": "Da Boom",
    }
    ok(await service.client.post("/lsl/v1/hello", data=hello))
    await operated(service)
    return table


@pytest.mark.parametrize("stage", ["lobby", "playing"])
async def test_no_page_of_the_consoles_says_anything_in_english_to_a_spaniard(
    service: Service, stage: str
) -> None:
    table = await busy(service)
    if stage == "playing":
        await table.start(ADA, BOB)
        ok(await table.owner("lock"))
    here = f"/owner/t/{table.id}"
    themes = [f"/owner/{table.id}/theme?game={game}" for game in GAMES]
    for path in ("/owner", here, f"{here}/log", *themes):
        assert await same(service.client, path) == set(), path
    for path in ("/operator", "/operator/tables", "/operator/tables?search=zzz"):
        assert await same(service.client, path) <= {table.id}, path
    assert await same(service.client, "/operator/tokens") <= {table.id}


@pytest.mark.parametrize("path", ["/owner", "/owner/enter?code=x", "/operator"])
async def test_nor_do_their_doors(service: Service, path: str) -> None:
    assert await same(service.client, path) == set()


async def test_what_is_refused_there_is_said_in_spanish(service: Service) -> None:
    table = await service.table()
    console = Console(await enter(service), table)
    service.client.headers.update(SPANISH)
    assert await console.refused("close", 422) == (
        "No se ha hecho nada: la casilla no estaba marcada."
    )
    assert (await console.refused("start", 409)).startswith("Hacen falta al menos 2 jugadores.")
    said = await console.refused("options", 409, turn_s="4")
    assert said == "Esa opción no sirve: turn_s tiene que estar entre 5 y 3600."
    said = await console.refused("ban", 422, key="Ada")
    assert said.startswith("«Ada» no es la clave de un avatar, que se escribe como 0000")
    answer = await service.client.get("/owner/t/nobodys1")
    assert "No hay ninguna mesa tuya así." in answer.text


async def test_a_faulty_theme_is_explained_in_spanish_at_its_fields(service: Service) -> None:
    """Also while it is typed."""
    table = await service.table()
    client = await enter(service)
    client.headers.update(SPANISH)
    path = f"/owner/{table.id}/theme"
    form = re.findall(r'name="form" value="(\w+)"', ok(await client.get(path)).text)[0]
    faulty = {
        "form": form,
        "game": "peril",
        "say.left": "{who}",
        "colors.marked": "red",
        "status.lobby_1": "{",
        "dice.won": "x" * 99,
        "pictures.title": "cat",
    }
    page = await client.post(path, data=faulty)
    assert page.status_code == 422
    assert "No se ha guardado nada: 5 líneas no pueden quedar" in page.text
    draft = (await client.post(f"{path}/preview", data=faulty)).json()["faults"]
    assert draft == {
        "say.left": "Aquí no se puede rellenar {who}; sí {name}.",
        "colors.marked": "Un color se escribe como #ff8800.",
        "status.lobby_1": (
            "Las llaves van por parejas: {name}. Una llave que deba verse se escribe dos veces: {{."
        ),
        "dice.won": "Tiene 99 caracteres; como máximo 60.",
        "pictures.title": (
            "La clave de una textura se escribe como 5748decc-f629-461c-9a36-a35a221fe21f."
        ),
    }
    for fault in draft.values():
        assert fault in page.text
    too_long = {"form": form, "game": "chess"}
    assert "Aquí no existe el juego «chess»." in (await client.post(path, data=too_long)).text


async def test_each_page_leads_to_itself_in_the_other_languages(service: Service) -> None:
    """Also one that answers a form; what was asked for stays in the address."""
    table = await busy(service)
    client = service.client
    for path in (f"/owner/{table.id}/theme?game=roulette", "/operator/tables?search=a"):
        page = ok(await client.get(path)).text
        way = re.findall(r'(?:href|formaction)="(\?[^"]*lang=es)"', page)[0].replace("&amp;", "&")
        assert way.startswith(path[path.index("?") :])
        spanish = ok(await client.get(path.partition("?")[0] + way)).text
        assert '<html lang="es">' in spanish
        assert '<html lang="es">' in ok(await client.get(path)).text, "it is remembered"
        client.cookies.delete("lang")
    for path in ("/operator/enter", "/operator/leave"):
        answer = await client.post(path, data={"token": "wrong"})
        assert answer.status_code in (401, 403)
        assert 'href="?lang=es"' in answer.text
        again = await client.get(path, params={"lang": "es"})
        assert (again.status_code, again.headers["location"]) == (303, "/operator")
        assert "lang=es" in again.headers["set-cookie"]
        client.cookies.delete("lang")


def test_what_scripts_of_the_consoles_say_is_handed_to_them() -> None:
    assert words.LANGUAGES["es"].script["1 line cannot be so."] == "Una línea no puede quedar así."
