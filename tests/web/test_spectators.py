"""Who watches: through a whole match and a restart of the server, and two hundred at a time."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Browser, expect

from .conftest import serving
from .test_browser import DRAWN
from .test_media import Table

SHOWN_S = 0.3
PACE = {
    "lives": 1,
    "victory_s": 120,
    **dict.fromkeys(
        (
            "draw_shown_s",
            "bot_pick_s",
            "bot_roll_s",
            "roll_shown_s",
            "outcome_shown_s",
            "elimination_shown_s",
        ),
        SHOWN_S,
    ),
}
STREAMS = 200
SOON_S = 10

# First, while no browser has its loop in this thread.


async def _watch(client: httpx.AsyncClient, table: Table, ready: asyncio.Event) -> None:
    """Until the news comes that somebody has joined."""
    params = {"since": 1}
    async with client.stream("GET", f"/api/v1/tables/{table.id}/stream", params=params) as stream:
        ready.set()
        async for line in stream.aiter_lines():
            if line.startswith("data: ") and "Bot1" in json.dumps(json.loads(line[6:])["lines"]):
                return
    raise AssertionError("the stream ended without the news")


async def _watched(base: str, table: Table) -> int:
    """How many hear the news, all in time."""
    limits = httpx.Limits(max_connections=STREAMS)
    async with httpx.AsyncClient(base_url=base, limits=limits, timeout=20) as client:
        ready = [asyncio.Event() for _ in range(STREAMS)]
        seen = [asyncio.ensure_future(_watch(client, table, event)) for event in ready]
        await asyncio.gather(*(event.wait() for event in ready))
        async with asyncio.timeout(SOON_S):
            await asyncio.to_thread(table.owner, "add_bot")
            return len(await asyncio.gather(*seen))


def test_two_hundred_watch_one_table(tmp_path: Path) -> None:
    """All of them hear the news before any of them would give up."""
    with serving(tmp_path) as base:
        table = Table(base, **PACE)
        assert table.get("/frames")["seq"] == 1
        assert asyncio.run(_watched(base, table)) == STREAMS
        assert httpx.get(f"{base}/t/{table.id}").status_code == 200, "others are still served"


def test_a_spectator_sees_a_whole_match_although_the_server_starts_anew(
    tmp_path: Path, browser: Browser
) -> None:
    page = browser.new_page()
    page.set_default_timeout(15_000)
    with serving(tmp_path) as base:
        port = urlsplit(base).port or 0
        table = Table(base, **PACE)
        page.goto(f"{base}/t/{table.id}")
        expect(page.locator("#state")).to_have_text("live")
        for _ in range(4):
            table.owner("add_bot")
        expect(page.locator("#players li")).to_have_count(4)
        table.owner("start")
        expect(page.locator("#chat")).to_contain_text("THE KILLING GAME BEGINS!")
        expect(page.locator("#waiting-names")).to_have_text(re.compile("^Bot[1-4]$"))
    expect(page.locator("#state")).to_have_text(re.compile("reconnecting…|offline"))
    with serving(tmp_path, port):
        expect(page.locator("#state")).to_have_text("live", timeout=20_000)
        expect(page.locator("#players [data-state=winner]")).to_have_count(1, timeout=60_000)
        expect(page.locator(".text-status")).to_contain_text("ULTIMATE VICTORY!")
        expect(page.locator("#chat")).to_contain_text("ULTIMATE VICTORY!")
        # What has been painted difference by difference is what is drawn anew.
        other = browser.new_page()
        other.goto(f"{base}/t/{table.id}")
        expect(other.locator("#state")).to_have_text("live")
        assert page.evaluate(DRAWN) == other.evaluate(DRAWN)
        other.close()
    page.close()
