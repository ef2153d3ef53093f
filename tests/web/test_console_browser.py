"""The owner's console in a real browser: in by the link of his table, and through a match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import OPERATOR, serving
from .test_browser import ANSWERS, OWNER, QUICK

BEARER = {"Authorization": f"Bearer {OPERATOR}"}
NAME = 'The <b>Rooftop</b> "&amp;\u202e'
INES = {"key": "00000000-0000-4000-8000-000000000001", "name": "<img src=x onerror=alert(1)>"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("data")) as base:
        yield base


class Table:
    """A table of the owner, where he and others also act in-world."""

    def __init__(self, base: str) -> None:
        body = {"name": NAME, "owner": OWNER, "options": QUICK}
        self.base = base
        self.id = self._post(f"{base}/api/v1/tables", body)["id"]
        self.path = f"/owner/t/{self.id}"

    def _post(self, address: str, body: dict[str, Any]) -> Any:
        return httpx.post(address, json=body, headers=BEARER).raise_for_status().json()

    def do(self, noun: str, avatar: dict[str, str], **body: Any) -> Any:
        return self._post(f"{self.base}/api/v1/tables/{self.id}/{noun}", {"avatar": avatar, **body})

    def link(self) -> str:
        """What the table whispers to its owner who presses 🖥️ Console."""
        dialog = self.do("touches", OWNER)["dialog"]
        for button in ("Owner Menu", "🖥️ Console"):
            answer = self.do("presses", OWNER, token=dialog["token"], button=button)
            dialog = answer["dialog"]
        return self.base + str(re.findall(r"/owner/enter\?code=\S+", answer["lines"][0])[0])


@pytest.fixture
def table(server: str) -> Table:
    return Table(server)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(15_000)
    page = context.new_page()
    complaints: list[str] = []

    def note(kind: str, text: str) -> None:
        if kind == "error" and not ANSWERS.search(text):
            complaints.append(text)

    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: note(said.type, said.text))
    yield page
    context.close()
    assert complaints == []


def focus(page: Page, name: str, most: int = 80) -> None:
    """Go on with the Tab key until the thing of this name has the focus, which shows."""
    for _ in range(most):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "(document.activeElement.labels?.[0] ?? document.activeElement).innerText.trim()"
        )
        if found.split("\n")[0] == name:
            shown = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(shown) == "solid"
            return
    raise AssertionError(f"the keyboard does not come to {name}")


def test_an_owner_enters_by_the_link_of_his_table_and_runs_a_match_by_keyboard_alone(
    page: Page, table: Table
) -> None:
    """Bots, start, and what happens is seen as it happens, until the table is open again."""
    page.goto(table.link())
    focus(page, "Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your tables")).to_be_visible()
    focus(page, NAME.replace("\u202e", ""))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(table.path))
    for number in (1, 2):
        focus(page, "Add a bot")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name=f"Kick Bot{number}")).to_be_visible()
    focus(page, "Start the game")
    page.keyboard.press("Enter")
    seats = page.locator("[data-fresh=seats]")
    expect(seats.get_by_text("winner")).to_be_visible(timeout=20_000)
    expect(seats.get_by_text("Open for players")).to_be_visible(timeout=20_000)
    page.goto(f"{table.base}{table.path}/log?match={table.id}-1")
    for did in ("add bot", "start"):
        rows = page.get_by_role("row").filter(has=page.get_by_role("cell", name=did, exact=True))
        expect(rows.first).to_contain_text(OWNER["name"])


def test_the_page_follows_the_table_and_shows_names_as_text(page: Page, table: Table) -> None:
    page.goto(table.link())
    page.get_by_role("button", name="Enter").click()
    page.goto(table.base + table.path)
    expect(page.get_by_role("heading", level=1)).to_contain_text("<b>Rooftop</b>")
    table.do("commands", INES, command={"type": "join"})
    seat = page.get_by_role("listitem").filter(has_text=INES["name"])
    expect(seat).to_contain_text("may start")
    seat.get_by_role("button", name="Ban").click()
    expect(page.get_by_text("Nobody sits at the table yet.")).to_be_visible()
    page.goto(f"{table.base}/owner")
    expect(page.get_by_role("listitem").filter(has_text="banned since")).to_contain_text(
        INES["name"]
    )
    page.get_by_role("button", name="Lift the ban").click()
    expect(page.get_by_text("Nobody is banned.")).to_be_visible()


def test_the_page_follows_on_after_a_proxy_had_no_server_to_ask(
    browser: Browser, table: Table
) -> None:
    """A browser gives a stream up that is answered with 503; what happened meanwhile is shown."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(table.link())
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("heading", name="Your tables")).to_be_visible()
    page.route("**/stream?*", lambda route: route.fulfill(status=503), times=1)
    with page.expect_response("**/stream?*"):
        page.goto(table.base + table.path)
    table.do("commands", {**INES, "name": "Ines"}, command={"type": "join"})
    expect(page.locator("[data-fresh=seats]")).to_contain_text("Ines", timeout=15_000)
    context.close()


def test_the_page_says_of_when_it_is_while_the_server_is_away_or_the_session_over(
    browser: Browser, tmp_path: Path
) -> None:
    context = browser.new_context()
    page = context.new_page()
    fresh = page.locator("#fresh")
    with serving(tmp_path) as base:
        table = Table(base)
        page.goto(table.link())
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_role("heading", name="Your tables")).to_be_visible()
        page.goto(base + table.path)
        expect(fresh).to_have_text("live")
    expect(fresh).to_contain_text("offline, as of ", timeout=15_000)
    expect(page.locator("body")).to_have_class("text-page stale")
    with serving(tmp_path, int(base.rpartition(":")[2])):
        expect(fresh).to_have_text("live", timeout=15_000)
        context.clear_cookies()
        table.do("commands", {**INES, "name": "Ines"}, command={"type": "join"})
        expect(fresh).to_contain_text("session over, as of ", timeout=15_000)
    context.close()


def test_nothing_moves_under_who_is_about_to_press_and_it_is_made_up_for(
    page: Page, table: Table
) -> None:
    page.goto(table.link())
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("heading", name="Your tables")).to_be_visible()
    page.goto(table.base + table.path)
    page.get_by_role("button", name="Lock", exact=True).focus()
    table.do("commands", OWNER, command={"type": "add_bot"})
    expect(page.locator("[data-fresh=seats]")).to_contain_text("Bot1")
    removal = page.get_by_role("button", name="Remove a bot")
    expect(removal).to_have_count(0)
    expect(page.get_by_role("button", name="Lock", exact=True)).to_be_focused()
    page.get_by_role("link", name="Watch the board").focus()
    expect(removal).to_be_visible()


def test_a_number_that_cannot_be_is_shown_although_its_part_was_closed(
    page: Page, table: Table
) -> None:
    """Else a browser sends nothing, and does not say why."""
    page.goto(table.link())
    page.get_by_role("button", name="Enter").click()
    page.goto(table.base + table.path)
    pauses = page.get_by_text("Pauses of the show")
    pauses.click()
    page.locator("#o-victory_s").fill("9999")
    pauses.click()
    page.get_by_role("button", name="Set the options").click()
    expect(page.locator("#o-victory_s")).to_be_visible()
    expect(page.locator("#o-victory_s")).to_be_focused()


def test_without_scripts_all_can_be_done_as_well(browser: Browser, table: Table) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 640})
    page = context.new_page()
    page.goto(table.link())
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("link", name="Rooftop").first.click()
    page.get_by_role("button", name="Lock", exact=True).click()
    page.get_by_label("Lives").select_option("2")
    page.get_by_role("button", name="Set the options").click()
    expect(page.get_by_label("Lives")).to_have_value("2")
    expect(page.get_by_role("button", name="Unlock")).to_be_visible()
    page.get_by_text("Wipe the ranking", exact=True).first.click()
    page.get_by_label("I mean it").locator("visible=true").check()
    page.get_by_role("button", name="Wipe the ranking").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    context.close()


def test_the_link_is_good_once_and_a_strangers_browser_sees_nothing(
    browser: Browser, page: Page, table: Table
) -> None:
    link = table.link()
    page.goto(link)
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("heading", name="Your tables")).to_be_visible()
    context = browser.new_context()
    stranger = context.new_page()
    for address in (link, f"{table.base}/owner", table.base + table.path):
        stranger.goto(address)
        expect(stranger.get_by_role("heading", name="The console is closed")).to_be_visible()
        assert "Rooftop" not in stranger.content()
    context.close()
    page.get_by_role("button", name="Sign out").click()
    page.goto(table.base + table.path)
    expect(page.get_by_role("heading", name="The console is closed")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_no_page_is_wider_than_the_screen(page: Page, table: Table, width: int) -> None:
    table.do("commands", {**INES, "name": "W" * 63}, command={"type": "join"})
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(table.link())
    page.get_by_role("button", name="Enter").click()
    for path in ("/owner", table.path, f"{table.path}/log"):
        page.goto(table.base + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


@pytest.mark.parametrize("width", [360, 2560])
def test_the_operator_enters_by_keyboard_and_announces_a_restart(
    page: Page, table: Table, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{table.base}/operator")
    focus(page, "Token")
    page.keyboard.type(OPERATOR)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Server", exact=True)).to_be_visible()
    focus(page, "Text")
    page.keyboard.type("Restart at 14:00")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Announced now: Restart at 14:00")).to_be_visible()
    for path in ("", "/tables", "/tokens"):
        page.goto(f"{table.base}/operator{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page.goto(f"{table.base}/t/{table.id}")
    expect(page.locator("#board")).to_contain_text("Restart at 14:00")
    page.goto(f"{table.base}/operator")
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("Nothing is announced.")).to_be_visible()
