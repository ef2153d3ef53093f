"""The page on which an owner changes the theme of his table."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from app import consoles
from app.games import GAMES, own
from app.games.core import Key
from app.table import themes
from app.table.database import open_log
from app.table.service import Tables
from app.web import moments
from tests.api.service import OWNER, Service, Table, ok
from tests.api.service import serving as service_of

from .conftest import OPERATOR, serving

FORM = re.compile(r'name="form" value="([0-9a-f]{64})"')


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with service_of(tmp_path) as service:
        yield service


async def enter(service: Service, key: str = OWNER["key"]) -> None:
    """The browser of this owner from now on."""
    link = await consoles.link(service.tables, Key(key))
    session = await consoles.enter(service.tables, link.partition("code=")[2])
    assert session
    service.client.cookies.set("owner", session)


def page_of(table: Table) -> str:
    return f"/owner/{table.id}/theme"


async def send(service: Service, table: Table, to: str = "", **fields: str) -> httpx.Response:
    form = FORM.findall(ok(await service.client.get(page_of(table))).text)[0]
    fields = {"form": form, "game": "peril", **{k.replace("__", "."): v for k, v in fields.items()}}
    return await service.client.post(page_of(table) + to, data=fields)


def drawn(page: str) -> str:
    """The board on a page."""
    return page.partition('class="board-place"')[2].partition('id="draft-state"')[0]


async def status(table: Table) -> str:
    rows = ok(await table.get("/frames")).json()["frames"]["Status"]["rows"]
    return str(rows[0]).strip()


async def test_what_is_saved_is_shown_and_stands_in_the_fields(service: Service) -> None:
    table = await service.table()
    await enter(service)
    answer = await send(service, table, status__lobby_1="DARE", colors__status="#ff8800")
    assert answer.status_code == 303
    page = ok(await service.client.get(answer.headers["location"])).text
    assert "Saved. The table shows it." in page
    assert 'name="status.lobby_1" value="DARE"' in page
    assert await status(table) == "DARE"


async def test_what_cannot_be_is_told_at_its_field_and_nothing_is_saved(service: Service) -> None:
    table = await service.table()
    await enter(service)
    answer = await send(
        service, table, status__lobby_1="{count.x}", dice__won="Well done", colors__marked="red"
    )
    assert answer.status_code == 422
    assert "Nothing was saved: 2 lines cannot be as written." in answer.text
    assert "{count.x} cannot be filled in here; there is nothing." in answer.text
    assert "A colour looks like #ff8800." in answer.text
    assert 'value="Well done"' in answer.text, "what was typed is not lost"
    assert await status(table) == "JOIN THE PERIL!"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("sign", ["ש", "夢", "🎲"])
async def test_a_theme_may_be_as_long_as_may_be_in_every_script(
    service: Service, game: str, sign: str
) -> None:
    """A form writes each sign as up to twelve; nothing else is read that is as large."""
    table = await service.table()
    await enter(service)
    written, left = {}, themes.MOST
    for line in own.lines(game):
        if line.section not in ("colors", "pictures") and line.longest <= left:
            written[f"{line.section}.{line.name}"] = sign * line.longest
            left -= line.longest
    answer = await send(service, table, game=game, **written)
    assert answer.status_code == 303, answer.text
    drafted = await send(service, table, "/preview", game=game, **written)
    assert ok(drafted).json()["faults"] == {}
    elsewhere = await service.client.post(f"/owner/t/{table.id}", data=written)
    assert elsewhere.status_code == 413


async def test_a_theme_that_is_too_long_in_all_is_still_there_to_be_cut(service: Service) -> None:
    table = await service.table()
    await enter(service)
    written = {f"say.{n}": "x" * 300 for n in own.load("werewolf").lines("say")}
    for do in ("save", "look"):
        answer = await send(service, table, game="werewolf", do=do, **written)
        assert answer.status_code == 422
        assert "12000 are the most." in answer.text
        assert answer.text.count("x" * 300 + "</textarea>") == len(written)


async def test_a_draft_is_shown_and_changes_nothing(service: Service) -> None:
    table = await service.table()
    await enter(service)
    answer = ok(
        await send(
            service,
            table,
            "/preview",
            status__lobby_1="DARE",
            say__joined="{name}, at last!",
            say__left="{nobody}",
        )
    ).json()
    assert "DARE" in answer["board"]["Status"]["rows"][0]
    assert answer["said"]["say.joined"] == "Ada, at last!"
    assert list(answer["faults"]) == ["say.left"]
    assert answer["said"]["say.left"] == "Ada has left the table."
    assert await status(table) == "JOIN THE PERIL!"


async def test_all_of_it_can_be_taken_back_by_who_ticks_the_box(service: Service) -> None:
    table = await service.table()
    await enter(service)
    await send(service, table, status__lobby_1="DARE")
    answer = await send(service, table, do="reset")
    assert (answer.status_code, "the box was not ticked" in answer.text) == (422, True)
    assert (await status(table)).startswith("DARE")
    await send(service, table, do="reset", sure="on")
    assert await status(table) == "JOIN THE PERIL!"


async def test_every_game_has_a_page_of_its_own(service: Service) -> None:
    table = await service.table()
    await enter(service)
    answer = ok(await service.client.get(page_of(table), params={"game": "roulette"}))
    assert "TAKE A SEAT" in drawn(answer.text)
    assert 'name="say.loaded"' in answer.text
    assert (await service.client.get(page_of(table), params={"game": "x"})).status_code == 404


@pytest.mark.parametrize("game", GAMES)
async def test_every_moment_of_every_game_has_a_board_of_its_own(
    service: Service, game: str
) -> None:
    table = await service.table()
    await enter(service)
    boards = {}
    for moment in moments.names(game):
        where = {"game": game, "moment": moment}
        page = ok(await service.client.get(page_of(table), params=where)).text
        assert f'<option value="{moment}" selected>' in page
        boards[drawn(page)] = moment
    assert list(boards.values()) == list(moments.names(game))
    assert len(boards) > 4


async def test_moments_are_states_of_a_match_that_went_on_by_the_rules() -> None:
    def lives(moment: str) -> list[int]:
        return [seat.lives for seat in moments.of("peril")[moment].seats]

    assert lives(moments.EMPTY) == []
    assert lives(moments.LOBBY) == [3] * 6
    assert sorted(lives("A life is lost")) == [2, 3, 3, 3, 3, 3]
    assert lives("Somebody is eliminated").count(0) == 1
    won = moments.of("peril")["Somebody has won"]
    assert [seat.lives > 0 for seat in won.seats].count(True) == 1
    assert [seat.winner for seat in won.seats] == [seat.lives > 0 for seat in won.seats]


async def test_a_draft_is_shown_at_the_moment_that_is_looked_at(service: Service) -> None:
    table = await service.table()
    await enter(service)
    moment = "Somebody has won"
    fields = {"status__victory_1": "WHAT A MATCH", "colors__winner": "#123456", "moment": moment}
    board = ok(await send(service, table, "/preview", **fields)).json()["board"]
    assert "WHAT A MATCH" in board["Status"]["rows"][0]
    profiles = [frame for name, frame in board.items() if name.startswith("profile")]
    colors = [frame["color"] for frame in profiles if "color" in frame]
    assert pytest.approx([0x12 / 255, 0x34 / 255, 0x56 / 255], abs=0.01) in colors
    elsewhere = ok(await send(service, table, "/preview", **{**fields, "moment": "nonsense"}))
    assert "JOIN THE PERIL!" in elsewhere.json()["board"]["Status"]["rows"][0]


async def test_without_scripts_a_draft_is_looked_at_and_not_saved(service: Service) -> None:
    table = await service.table()
    await enter(service)
    fields = {"moment": "The throw", "status__rolled_1": "IT FELL", "say__left": "{nobody}"}
    page = ok(await send(service, table, do="look", **fields)).text
    assert "IT FELL" in drawn(page)
    assert 'name="status.rolled_1" value="IT FELL"' in page
    assert "{nobody} cannot be filled in here" in page
    assert "A draft: not saved yet." in page
    assert "Nothing was saved" not in page
    saved = await send(service, table, moment="The throw", status__rolled_1="IT FELL")
    page = ok(await service.client.get(saved.headers["location"])).text
    assert '<option value="The throw" selected>' in page
    assert "IT FELL" in drawn(page)


async def test_it_is_for_the_owner_in_his_session_alone(service: Service) -> None:
    table = await service.table()
    assert (await service.client.get(page_of(table))).status_code == 403
    await enter(service, "11111111-0000-4000-8000-000000000001")
    assert (await service.client.get(page_of(table))).status_code == 404
    await enter(service)
    answer = await service.client.post(page_of(table), data={"status.lobby_1": "DARE"})
    assert answer.status_code == 403
    assert "That form is an old one." in answer.text
    assert await status(table) == "JOIN THE PERIL!"


async def test_hostile_lines_are_text_on_the_page(service: Service) -> None:
    table = await service.table()
    await enter(service)
    line = "</textarea><script>alert(1)</script>"
    await send(service, table, say__joined=line, status__lobby_1='"><script>alert(2)</script>')
    page = ok(await service.client.get(page_of(table))).text
    assert "<script>alert" not in page
    assert "&lt;/textarea&gt;&lt;script&gt;alert(1)" in page


# ---- in a browser -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    with serving(folder) as base:
        yield base


def session(folder: Path, key: str = OWNER["key"], way: Any = consoles) -> str:
    """What a cookie holds: `owner` of the console, `me` (`way`: `people`) of somebody's data."""

    async def make() -> str | None:
        tables = Tables(open_log(folder / "peril.db"))
        link = await way.link(tables, Key(key))
        made = await way.enter(tables, link.partition("code=")[2])
        tables.store.close()
        return made

    # A thread of its own: in this one the browser's loop runs.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(make())).result() or ""


@pytest.fixture
def scripts() -> bool:
    """Whether the browser runs them."""
    return True


@pytest.fixture
def page(server: str, folder: Path, browser: Browser, scripts: bool) -> Iterator[Page]:
    """The editor of a new table."""
    body: dict[str, Any] = {"name": "The Rooftop", "owner": OWNER}
    bearer = {"Authorization": f"Bearer {OPERATOR}"}
    made = httpx.post(f"{server}/api/v1/tables", json=body, headers=bearer).raise_for_status()
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, java_script_enabled=scripts
    )
    context.add_cookies([{"name": "owner", "value": session(folder), "url": server}])
    page = context.new_page()
    page.goto(f"{server}/owner/{made.json()['id']}/theme")
    yield page
    context.close()


def test_the_board_follows_while_the_owner_types(page: Page) -> None:
    page.get_by_text("Status display").click()
    field = page.locator('[name="status.lobby_1"]')
    field.fill("COME AND DARE")
    expect(page.locator(".text-status text").first).to_contain_text("COME AND DARE")
    expect(page.locator("#draft-state")).to_have_text("A draft: not saved yet.")
    field.fill("{count.__class__}")
    problem = page.locator('[id="status.lobby_1-help"] .problem')
    expect(problem).to_have_text("{count.__class__} cannot be filled in here; there is nothing.")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".text-status text").first).to_contain_text("JOIN THE PERIL!")
    field.fill("DARE")
    expect(problem).to_be_empty()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved. The table shows it.")).to_be_visible()
    expect(page.locator(".text-status text").first).to_contain_text("DARE")


def test_a_line_is_shown_as_it_would_be_said(page: Page) -> None:
    page.locator('[name="say.joined"]').fill("Welcome, {name}!")
    expect(page.locator('[id="say.joined-help"] .said')).to_have_text("Welcome, Ada!")


def test_the_owner_chooses_a_moment_and_the_draft_is_shown_in_it(page: Page) -> None:
    expect(page.get_by_role("button", name="Look")).to_have_count(0)
    page.get_by_text("Status display").click()
    page.locator('[name="status.victory_1"]').fill("WHAT A MATCH")
    page.get_by_label("Moment").select_option("Somebody has won")
    expect(page.locator(".text-status text").first).to_contain_text("WHAT A MATCH")
    page.locator('[name="status.victory_1"]').fill("AND WHAT AN END")
    expect(page.locator(".text-status text").first).to_contain_text("AND WHAT AN END")
    page.locator('[name="status.victory_1"]').press("Enter")
    expect(page.get_by_text("Saved. The table shows it.")).to_be_visible()
    expect(page.get_by_label("Moment")).to_have_value("Somebody has won")


@pytest.mark.parametrize("scripts", [True, False])
def test_who_changes_the_language_loses_nothing_he_typed(page: Page) -> None:
    page.get_by_text("Status display").click()
    page.locator('[name="say.joined"]').fill("Come in, {nobody}!")
    page.locator('[name="status.victory_1"]').fill("WHAT A MATCH")
    page.get_by_label("Moment").select_option("Somebody has won")
    for language, told in (("Español", "no se puede rellenar {nobody}"), ("English", "cannot be")):
        page.get_by_role("button", name=language).click()
        expect(page.locator("html")).to_have_attribute("lang", language[:2].lower())
        expect(page.locator('[name="say.joined"]')).to_have_value("Come in, {nobody}!")
        expect(page.locator('[id="say.joined-help"] .problem')).to_contain_text(told)
        expect(page.locator('[name="status.victory_1"]')).to_be_visible()
        expect(page.locator('[name="status.victory_1"]')).to_have_value("WHAT A MATCH")
        expect(page.locator(".text-status text").first).to_contain_text("WHAT A MATCH")
    page.locator('[name="say.joined"]').fill("Come in!")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved. The table shows it.")).to_be_visible()


def test_who_leaves_with_a_draft_is_asked_first(page: Page) -> None:
    """Not who has saved, and not who typed nothing."""
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    here = page.url
    page.locator('[name="say.joined"]').fill("Come in, {nobody}!")
    page.get_by_role("button", name="Español").click()
    expect(page.locator("html")).to_have_attribute("lang", "es")
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert asked == []
    page.locator("h1").click()
    page.get_by_role("link", name="Russian Roulette").click(no_wait_after=True)
    expect(page.locator('[name="say.joined"]')).to_have_value("Come in, {nobody}!")
    assert asked == ["beforeunload"]
    page.locator('[name="say.joined"]').fill("Come in!")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Russian Roulette").click()
    expect(page.get_by_role("link", name="Russian Roulette")).to_have_attribute(
        "aria-current", "page"
    )
    assert page.url != here
    assert len(asked) == 1


@pytest.mark.parametrize("width", [360, 1280])
def test_the_field_that_the_keyboard_comes_to_is_not_behind_the_button(
    page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    page.locator('[name="say.locked"]').focus()
    lowest = "document.activeElement.getBoundingClientRect().bottom"
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
        button = page.get_by_role("button", name="Save").bounding_box()
        assert button is not None
        assert page.evaluate(lowest) <= button["y"]


def test_it_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for summary in page.locator("summary").all()[1:]:
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
