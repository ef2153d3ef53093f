"""`make region`: the page of a table in the region, over HTTP."""

from __future__ import annotations

import contextlib
import json
import re
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import expect, sync_playwright

from .shown import listen, playing
from .stage import Stage
from .venue import QUICK

ANN = {"key": "a0000000-0000-4000-8000-000000000001", "name": "Ann"}
BOB = {"key": "b0000000-0000-4000-8000-000000000002", "name": "Bøb 🎲"}
OPERATOR = "operator-token-of-this-test"
PATIENCE_S = 20.0


class Page:
    """What a browser does with the page."""

    def __init__(self, address: str, stage: Stage) -> None:
        self.stage = stage
        base, _, _ = address.partition("/t/")
        self.client = httpx.Client(base_url=base, timeout=PATIENCE_S)
        self.table = "/api/v1/tables/region"

    def frames(self, *people: dict[str, str], **query: Any) -> dict[str, Any]:
        query["avatar"] = [who["key"] for who in people]
        return self.client.get(f"{self.table}/frames", params=query).raise_for_status().json()

    def post(self, noun: str, who: dict[str, str], **more: Any) -> httpx.Response:
        body = {"id": str(uuid.uuid4()), "avatar": who, **more}
        return self.client.post(f"{self.table}/{noun}", json=body)

    def until(self, true: Callable[[dict[str, Any]], Any], *people: dict[str, str]) -> Any:
        end = time.monotonic() + PATIENCE_S
        while not (found := true(self.frames(*people))):
            assert time.monotonic() < end, "not so"
            time.sleep(0.05)
        return found

    def dialog(self, who: dict[str, str], label: str) -> dict[str, Any]:
        """The dialog of somebody, as soon as it has that button."""

        def found(news: dict[str, Any]) -> Any:
            dialog = news["seats"].get(who["key"], {}).get("dialog")
            return dialog if dialog and label in dialog["buttons"] else None

        return self.until(found, who)


@pytest.fixture(scope="module")
def shown() -> Iterator[Page]:
    with playing() as (address, stage):
        shown = Page(address, stage)
        with shown.client:
            yield shown
        assert stage.problem is None
        assert stage.region.errors == []


def test_the_page_is_the_services_own(shown: Page) -> None:
    response = shown.client.get("/t/region").raise_for_status()
    assert "/static/js/main.js" in response.text
    assert "title.svg" in response.text
    assert shown.client.get("/static/js/main.js").status_code == 200
    assert shown.client.get("/").status_code == 200
    assert shown.client.get("/rules/peril").status_code == 200
    assert shown.client.get("/t/other").status_code == 404


def test_the_board_is_what_the_scripts_have_painted(shown: Page) -> None:
    news = shown.until(lambda n: n if n["frames"]["root"].get("text") else None)
    assert news["kind"] == "whole"
    assert news["frames"]["TitleAction:0:0"]["picture"] == "title"
    assert news["frames"]["profile:0:0"]["alpha"] == 0
    assert len(news["frames"]["Leaderboard"]["rows"]) == 10
    assert {len(row) for row in news["frames"]["Status"]["rows"]} == {24}
    owner = shown.client.get(shown.table).json()["owner"]
    assert owner["key"] == str(shown.stage.region.owner.key)


def test_people_join_by_touch_and_answer_dialogs_in_the_region(shown: Page) -> None:
    for who in (ANN, BOB):
        assert shown.post("touches", who).status_code == 200
        shown.dialog(who, "Leave Game")
    assert [a.display_name for a in shown.stage.region.avatars] == ["Olive Owner", "Ann", "Bøb 🎲"]
    dialog = shown.dialog(BOB, "Ready")
    start = shown.frames()["seq"]
    assert shown.post("presses", BOB, token=dialog["token"], button="Ready").status_code == 200
    news = shown.until(lambda _: (n := shown.frames(BOB, since=start))["lines"] and n)
    assert news["kind"] == "changes"
    assert news["lines"][0].startswith("⚔️ B")
    hud = shown.until(lambda n: n["seats"][ANN["key"]]["hud"], ANN)
    assert hud["text"].startswith("PERIL DICE\nAnn")
    assert len(shown.client.get(shown.table).json()["state"]["seats"]) == 2
    again = shown.post("presses", BOB, token=dialog["token"], button="Ready")
    assert again.status_code == 409
    assert again.json()["error"]["message"] == "That dialog is no longer open."


def test_the_stream_brings_what_happens(shown: Page) -> None:
    since = shown.frames()["seq"]
    query = {"since": since, "avatar": shown.client.get(shown.table).json()["owner"]["key"]}
    owner = {"key": query["avatar"], "name": "Olive"}
    with shown.client.stream("GET", f"{shown.table}/stream", params=query) as stream:
        assert shown.post("touches", owner).status_code == 200
        for line in stream.iter_lines():
            if line.startswith("data: "):
                seat = json.loads(line[6:])["seats"].get(owner["key"], {})
                if seat.get("dialog"):
                    break
    assert "Join Game" in seat["dialog"]["buttons"]


def test_the_ranking_can_be_touched_and_a_touch_sent_again_is_one(shown: Page) -> None:
    assert shown.post("touches", ANN, prim="Leaderboard", column=23, row=9).status_code == 200
    for _ in range(2):
        assert shown.post("touches", ANN, id="once").status_code == 200
    assert shown.post("touches", {"key": "x"}).status_code == 422


def test_a_whole_match_is_played_in_a_browser_by_touches_and_dialogs(
    chromium_path: str,
) -> None:
    """Two people, and a bot with its floater; the page shows who is waited for."""
    complaints: list[str] = []
    with playing(operator_token=OPERATOR) as (address, stage), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        expect(page.locator("#state")).to_have_text("live")
        hurry(stage)
        play(page)
        assert complaints == []
        assert stage.problem is None
        assert stage.region.errors == []
        assert stage.region.debug == []


def hurry(stage: Stage) -> None:
    """The owner sets the options for a short match."""
    tables = f"{stage.server}/api/v1/tables"
    table = httpx.get(tables).json()["tables"][0]["id"]
    owner = {"key": str(stage.region.owner.key), "name": "Olive Owner"}
    quick = {"lives": 1, **dict.fromkeys([*QUICK, "bot_pick_s", "bot_roll_s"], 0)}
    command = {"type": "set_options", "options": quick}
    said = {"avatar": owner, "command": command}
    bearer = {"Authorization": f"Bearer {OPERATOR}"}
    httpx.post(f"{tables}/{table}/commands", json=said, headers=bearer).raise_for_status()


def play(page: Any) -> None:
    def card(name: str) -> Any:
        return page.get_by_role("article", name=name, exact=True)

    def press(name: str, label: str) -> None:
        dialog = card(name).get_by_role("dialog")
        dialog.get_by_role("button", name=label, exact=True).click()

    page.get_by_role("button", name="Touch table as Olive Owner").click()
    press("Olive Owner", "Join Game")
    expect(card("Olive Owner").get_by_role("dialog")).to_contain_text("You start the game")
    page.get_by_label("Name of another avatar").fill("Ines")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Touch table as Ines").first.click()
    for label in ("Owner", "👥 Players", "Add Test Player", "⬅️ Back to Main", "⬅️ Back to Game"):
        press("Olive Owner", label)
    press("Ines", "Ready")
    expect(page.locator("#players .floater")).to_contain_text("Bot1")
    expect(page.locator("#players .floater image")).to_have_attribute("href", re.compile("hearts"))
    expect(card("Ines").locator(".hud image")).to_have_attribute("href", re.compile("hearts"))
    expect(page.locator("#players [data-state=ready]")).to_have_count(2)
    press("Olive Owner", "Start Game")
    expect(page.locator("#waiting-names")).to_have_text(re.compile("Olive Owner|Ines|Bot1"))
    won = page.locator("#players [data-state=winner]")
    choice = page.locator(".dialog button").filter(has_text=re.compile(r"^\d+$|Done|^ROLL"))
    end = time.monotonic() + 90
    while not won.count():
        assert time.monotonic() < end, page.locator("#board-text").text_content()
        done = choice.filter(has_text="Done")
        with contextlib.suppress(PlaywrightError):  # the moment passed while it was being clicked
            (done if done.count() else choice).first.click(timeout=3000)
    expect(page.locator("[data-prim='TitleAction:0:0'] image")).to_have_attribute(
        "href", "/static/art/victory.svg"
    )
    expect(page.locator("#chat")).to_contain_text("ULTIMATE VICTORY")
    expect(page.locator("#waiting")).to_be_hidden()


def test_a_port_that_is_taken_is_an_error() -> None:
    with listen(0) as taken, pytest.raises(OSError), playing(taken.getsockname()[1]):  # noqa: PT011
        pass
