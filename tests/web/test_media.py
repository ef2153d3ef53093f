"""The page for a face of a prim: all of it to be seen at once, from afar, for days."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import OPERATOR, serving
from .test_browser import QUICK

OWNER = {"key": "0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b", "name": "Olga"}
FACES = [(1024, 1024), (1024, 512), (2048, 1024), (512, 512)]
FAR = 0.03
"""Letters of a thirtieth of the face are two angular minutes high at ten metres, if it has two."""

TIME = """(() => {
  // Time that passes when the test says so.
  let now = 0, last = 0;
  const jobs = new Map();
  const put = (work, ms, every) => {
    jobs.set(++last, { work, at: now + (ms || 0), every });
    return last;
  };
  performance.now = () => now;
  window.setTimeout = (work, ms) => put(work, ms, 0);
  window.setInterval = (work, ms) => put(work, ms, ms);
  window.clearTimeout = window.clearInterval = (number) => { jobs.delete(number); };
  const settled = async () => { for (let i = 0; i < 12; i++) await null; };
  window.pass = async (ms) => {
    const end = now + ms;
    for (;;) {
      await settled();
      const due = [...jobs].filter(([, job]) => job.at <= end);
      const next = due.sort((a, b) => a[1].at - b[1].at)[0];
      if (!next) break;
      const [number, job] = next;
      now = job.at;
      if (job.every) job.at += job.every;
      else jobs.delete(number);
      job.work();
    }
    now = end;
  };
  window.jobs = () => jobs.size;
})()"""

SERVER = """(played) => {
  // A server that repeats a match that was played.
  window.at = 0;
  window.asked = 0;
  const one = () => played[at % played.length];
  const answer = (body) => ({ ok: true, status: 200, json: async () => structuredClone(body) });
  window.fetch = async (url) => {
    asked++;
    if (!url.includes("/frames")) return answer(one().view);
    const known = new URL(url, location.href).searchParams.get("since");
    const kind = Number(known) === at && known !== null ? "up_to_date" : "whole";
    return answer({ ...one().whole, kind, seq: at });
  };
  window.EventSource = class extends EventTarget {
    constructor() {
      super();
      window.source = this;
      queueMicrotask(() => this.dispatchEvent(new Event("open")));
    }
    close() { this.closed = true; }
  };
  window.events = async (count) => {
    while (count--) {
      at++;
      const data = JSON.stringify({ ...one().news, kind: "changes", seq: at });
      if (at % 97 === 0) source.dispatchEvent(new Event("error"));
      else if (!source.closed) source.dispatchEvent(new MessageEvent("news", { data }));
      await pass(1000);
    }
  };
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("data")) as base:
        yield base


def key(number: int) -> str:
    """Of an avatar."""
    return f"00000000-0000-4000-8000-{number:012}"


class Table:
    def __init__(
        self, base: str, game: str = "peril", name: str = "The Rooftop", **options: Any
    ) -> None:
        self.base = base
        body = {"name": name, "owner": OWNER, "game": game, "options": options}
        made = self.post("", body)
        self.id, self.token = made["id"], made["owner_token"]
        self.media = f"{base}/t/{self.id}?media"

    def post(self, path: str, body: dict[str, Any], token: str = OPERATOR) -> Any:
        bearer = {"Authorization": f"Bearer {token}"}
        answer = httpx.post(f"{self.base}/api/v1/tables{path}", json=body, headers=bearer)
        return answer.raise_for_status().json()

    def get(self, path: str = "", **params: Any) -> Any:
        answer = httpx.get(f"{self.base}/api/v1/tables/{self.id}{path}", params=params)
        return answer.raise_for_status().json()

    def owner(self, command: str, **words: Any) -> None:
        body = {"avatar": OWNER, "command": {"type": command, **words}}
        self.post(f"/{self.id}/commands", body, self.token)

    def patch(self, **settings: Any) -> None:
        bearer = {"Authorization": f"Bearer {self.token}"}
        where = f"{self.base}/api/v1/tables/{self.id}"
        httpx.patch(where, json=settings, headers=bearer).raise_for_status()

    def join(self, name: str, number: int) -> None:
        avatar = {"key": key(number), "name": name}
        for command in ("join", "ready")[: 1 + (number > 0)]:
            body = {"avatar": avatar, "command": {"type": command}}
            self.post(f"/{self.id}/commands", body)

    def finish(self) -> None:
        """Pick and roll for the people of the match that is on, until it is over."""
        state, seq = self.get()["state"], 0
        while state["stage"] != "lobby":
            for who in state["waiting_for"]:
                if who.startswith("bot:"):
                    continue
                command: dict[str, Any] = {"type": "roll"}
                if state["moment"] == "picking":
                    taken = {number for seat in state["seats"] for number in seat["picks"]}
                    free = [n for n in range(1, state["sides"] + 1) if n not in taken]
                    command = {"type": "pick", "numbers": free[: state["picks_each"]]}
                body = {"avatar": {"key": who, "name": "Ada"}, "command": command}
                self.post(f"/{self.id}/commands", body)
            seq = self.get("/frames", since=seq, wait_s=2)["seq"]
            state = self.get()["state"]

    def played(self) -> list[dict[str, Any]]:
        """A match of bots from its start to its end: each news, and what there was to know then."""
        for _ in range(9):
            self.owner("add_bot")
        seq, out = self.get("/frames")["seq"], []
        self.owner("start")
        while not out or out[-1]["view"]["stage"] == "playing":
            news = self.get("/frames", since=seq, wait_s=5)
            seq = news["seq"]
            out.append({"news": news, "whole": self.get("/frames"), "view": self.get()})
        return out


def crowd(base: str, game: str, seats: int) -> Table:
    table = Table(base, game)
    names = ["Wilhelmina Featherstonehaugh-Smythe the Third", "<b>夢</b> Zoë", "W" * 60]
    for number in range(3):
        table.join(names[number], number)
    for _ in range(seats - 3):
        table.owner("add_bot")
    table.owner("start")
    return table


@pytest.mark.parametrize(("game", "seats"), [("peril", 10), ("roulette", 30)])
def test_all_of_it_is_seen_at_once_and_nothing_scrolls(
    server: str, browser: Browser, game: str, seats: int
) -> None:
    table = crowd(server, game, seats)
    page = browser.new_page(viewport={"width": 1024, "height": 1024})
    page.goto(table.media)
    expect(page.locator("#state")).to_be_hidden()
    for width, height in FACES:
        page.set_viewport_size({"width": width, "height": height})
        root = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert root == [width, height]
        boxes = page.evaluate(
            "[...document.querySelectorAll('#players li, .aside, .text, .picture')]"
            ".map((e) => e.getBoundingClientRect()).map((b) => [b.left, b.top, b.right, b.bottom])"
        )
        assert len(boxes) == seats + 4
        for left, top, right, bottom in boxes:
            assert 0 <= left < right <= width + 0.5
            assert 0 <= top < bottom <= height + 0.5
    page.close()


def test_what_matters_can_be_read_from_afar(server: str, browser: Browser) -> None:
    table = crowd(server, "peril", 10)
    page = browser.new_page(viewport={"width": 1024, "height": 1024})
    page.goto(table.media)
    expect(page.locator("#waiting-names")).not_to_be_empty()
    for selector in ("#waiting-names", "#players bdi", "#said"):
        size = page.evaluate(
            f"parseFloat(getComputedStyle(document.querySelector('{selector}')).fontSize)"
        )
        assert size >= FAR * 1024, selector
    assert (
        page.evaluate("document.querySelector('.text-status').getBoundingClientRect().height") > 100
    )
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("document.querySelectorAll('a, button, input').length") == 0
    page.close()


def counted(page: Page) -> tuple[int, int, int]:
    """Nodes, listeners, and bytes of the heap when all that is forgotten is thrown away."""
    probe = page.context.new_cdp_session(page)
    counters: dict[str, int] = {}
    before = None
    while counters != before:  # nodes may go some time after the garbage was collected
        before = counters
        probe.send("HeapProfiler.collectGarbage")
        page.wait_for_timeout(100)
        counters = probe.send("Memory.getDOMCounters")
    used = probe.send("Runtime.getHeapUsage")["usedSize"]
    return counters["nodes"], counters["jsEventListeners"], int(used)


def test_thirty_minutes_of_events_leave_nothing_behind(server: str, browser: Browser) -> None:
    """An event a second, a break every minute and a half: as many nodes, listeners and timers."""
    table = Table(server, **QUICK)
    played = table.played()
    page = browser.new_page(viewport={"width": 1024, "height": 1024})
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.add_init_script(f"{TIME};({SERVER})({json.dumps(played)})")
    page.goto(table.media)
    # Compared at the same moment of the match that is repeated.
    rounds = -(-300 // len(played))
    page.evaluate(f"events({rounds * len(played)})")
    before, timers = counted(page), page.evaluate("jobs()")
    page.evaluate(f"events({-(-1500 // len(played)) * len(played)})")
    after, count = counted(page), page.evaluate("at")
    assert failed == []
    assert count >= 30 * 60
    assert after[0] <= before[0] + 20
    assert after[1] <= before[1] + 2
    assert after[2] - before[2] < 200_000
    assert page.evaluate("jobs()") <= timers + 1
    # Each event asks at most once, each break and each minute once more.
    assert page.evaluate("asked") < count * 1.1
    last = played[count % len(played)]
    assert page.locator("#players bdi").all_inner_texts() == [
        seat["name"] for seat in last["view"]["state"]["seats"]
    ]
    page.close()


def test_a_stream_that_died_without_a_word_is_noticed(server: str, browser: Browser) -> None:
    table = Table(server, **QUICK)
    played = table.played()
    page = browser.new_page()
    page.add_init_script(f"{TIME};({SERVER})({json.dumps(played)})")
    page.goto(table.media)
    page.evaluate("events(6)")
    page.evaluate("window.old = source; at += 3")
    page.evaluate("pass(61000)")
    assert page.evaluate("source !== old && old.closed")
    page.close()


def test_a_table_that_cannot_be_reached_is_asked_again_and_again(
    server: str, browser: Browser
) -> None:
    table = Table(server, **QUICK)
    page = browser.new_page()
    page.add_init_script(f"{TIME};({SERVER})({json.dumps(table.played())})")
    page.goto(table.media)
    page.evaluate("events(6)")
    page.evaluate(
        "window.works = fetch; window.tries = 0;"
        "window.fetch = async () => { tries++; throw new TypeError('no network'); };"
        "source.dispatchEvent(new Event('error'))"
    )
    page.evaluate("pass(60000)")
    assert page.locator("#state").inner_text() == "offline"
    assert 5 < page.evaluate("tries") < 40
    page.evaluate("window.fetch = works; pass(12000)")
    assert page.locator("#state").is_hidden()
    page.close()
