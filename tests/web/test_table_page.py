"""The page of a table as the server draws it, and the picture that goes with a link to it."""

from __future__ import annotations

import re
import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app import people
from app.games.core import Key
from app.web import preview
from tests.api.service import ADA, BOB, QUICK, Service, ok, serving


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path, public_url="https://table.example.org") as service:
        yield service


def size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


async def test_a_link_to_a_table_brings_a_picture_of_its_board(service: Service) -> None:
    table = await service.table(name='The <b>Rooftop</b> & "co"')
    page = ok(await service.client.get(f"/t/{table.id}")).text
    address = f"https://table.example.org/t/{table.id}"
    assert (
        f'<meta property="og:image" content="{address}/board.png?seq={await table.seq()}">' in page
    )
    assert '<meta property="og:image:width" content="1200">' in page
    assert "The &lt;b&gt;Rooftop&lt;/b&gt; &amp; &#34;co&#34; · Peril Dice" in page
    assert "Open for players: 0 at the table." in page
    answer = ok(await service.client.get(f"/t/{table.id}/board.png"))
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["cache-control"] == "public, max-age=60"
    assert size(answer.content) == (1200, 630)
    assert len(answer.content) < 600_000


async def test_links_to_the_front_page_and_to_matches_bring_pictures_too(service: Service) -> None:
    """Of a match that is over the board at its end, else the table as it stands."""
    table = await service.table(options=QUICK | {"lives": 1, "victory_s": 0})
    await table.play(ADA, BOB)
    await table.until(lambda state: state["stage"] == "lobby")
    match = f"/m/{table.id}-1"
    told = [("/", "/cover.png"), (match, f"{match}/board.png")]
    for path, picture in (*told, (f"/m/{table.id}-2", f"/t/{table.id}/board.png")):
        page = ok(await service.client.get(path, headers={"Accept-Language": "es"})).text
        shown = f'<meta property="og:image" content="https://table.example.org{picture}">'
        assert shown in page
        assert "Una mesa" in page or 'og:title" content="Partida ' in page
        answer = ok(await service.client.get(picture))
        assert size(answer.content) == (1200, 630)
    assert (await service.client.get(f"/m/{table.id}-9/board.png")).status_code == 404


async def test_it_is_drawn_once_for_a_state_and_not_again_at_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    async def draw(picture: str) -> bytes:
        drawn.append(picture)
        return str(len(drawn)).encode()

    monkeypatch.setattr(preview, "_draw", draw)
    table = await service.table()
    address = f"/t/{table.id}/board.png"
    assert [(await service.client.get(address)).content for _ in range(3)] == [b"1"] * 3
    ok(await table.command(ADA, "join"))
    assert (await service.client.get(address)).content == b"1", "a moment later"
    monkeypatch.setattr(preview, "AGAIN_S", 0.0)
    assert (await service.client.get(address)).content == b"2"
    assert "1/10 at the table" in drawn[1]


async def test_the_words_under_the_link_say_how_the_table_stands(service: Service) -> None:
    table = await service.table()
    await table.start(ADA, BOB)
    page = ok(await service.client.get(f"/t/{table.id}")).text
    assert '<meta name="description" content="A game is on, 2 still in. Waiting for ' in page


async def test_the_page_says_without_scripts_what_happened_last_and_how_long_one_is_waited_for(
    service: Service,
) -> None:
    table = await service.table(options={**QUICK, "turn_s": 90})
    await table.start(ADA, BOB)
    page = ok(await service.client.get(f"/t/{table.id}")).text
    assert "<li>⚡ THE KILLING GAME BEGINS! ⚡</li>" in page
    assert re.search(r'id="waiting-left" role="timer">1:(30|29)</span>', page)
    assert "plot twist" in page
    ok(await table.owner("set_language", language="es"))
    page = ok(await service.client.get(f"/t/{table.id}")).text
    assert '<div class="board-place" lang="es">' in page
    assert "🌐 La mesa habla ahora español." in page


async def test_a_picture_that_cannot_be_drawn_is_an_error_and_no_hang(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await service.table()
    monkeypatch.setattr(preview, "svg", lambda _: "<svg")
    assert (await service.client.get(f"/t/{table.id}/board.png")).status_code == 503


async def test_a_table_that_is_not_there_has_no_picture(service: Service) -> None:
    assert (await service.client.get("/t/nowhere/board.png")).status_code == 404


# ---- names lead to players ---------------------------------------------------------------------


def led(page: str) -> list[str]:
    """Whose names in a page lead to a page of theirs."""
    return re.findall(r'<a href="/p/([^"]*)"><bdi>', page)


async def test_names_at_a_table_lead_to_players_and_those_of_bots_do_not(service: Service) -> None:
    table = await service.table()
    ok(await table.owner("add_bot"))
    ok(await table.command(ADA, "join"))
    assert led(ok(await service.client.get(f"/t/{table.id}")).text) == [ADA["key"]]
    answer = await service.client.get(f"/p/{ADA['key']}")
    assert (answer.status_code, "Nothing is known here of this player" in answer.text) == (
        404,
        True,
    )


async def test_names_in_a_match_lead_to_those_who_are_shown_alone(service: Service) -> None:
    """Not to who hides, nor to the key that stands in place of who deleted his data."""
    table = await service.table(options=QUICK | {"lives": 1, "victory_s": 0})
    winner = await table.play(ADA, BOB)
    await table.until(lambda state: state["stage"] == "lobby")
    address = f"/m/{table.id}-1"
    seats = [ADA["key"], BOB["key"]]
    assert led(ok(await service.client.get(address)).text) == [*seats, winner]
    for key in (seats if winner == seats[1] else seats[::-1])[:1]:
        await people.hide(service.tables, Key(key), True)
    assert led(ok(await service.client.get(address)).text) == [winner, winner]
    await people.forget(service.tables, Key(winner))
    page = ok(await service.client.get(address)).text
    assert ("Somebody" in page, led(page)) == (True, [])


async def test_the_picture_of_an_empty_table_names_its_game_as_the_table_does(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    async def draw(picture: str) -> bytes:
        drawn.append(picture)
        return b"1"

    monkeypatch.setattr(preview, "_draw", draw)
    table = await service.table()
    ok(await table.owner("set_language", language="es"))
    ok(await service.client.get(f"/t/{table.id}/board.png", headers={"Accept-Language": "en"}))
    assert "Dados del Peligro" in drawn[0]
