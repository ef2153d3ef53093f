"""`make region`: the page of a table in the region, over HTTP."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from .shown import Stage, listen, playing

ANN = {"key": "a0000000-0000-4000-8000-000000000001", "name": "Ann"}
BOB = {"key": "b0000000-0000-4000-8000-000000000002", "name": "Bøb 🎲"}
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


def test_a_port_that_is_taken_is_an_error() -> None:
    with listen(0) as taken, pytest.raises(OSError), playing(taken.getsockname()[1]):  # noqa: PT011
        pass
