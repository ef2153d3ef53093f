"""The page of a match in a real browser: the log checks itself there, as `app.verify` does."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from bent import Bend, by_sort
from played import play, rig
from playwright.sync_api import Browser, Page, Route, expect
from table.house import House

from app import verify
from app.table.database import open_log
from app.verify.check import ILL_WRITTEN

from .conftest import OPERATOR, serving

OWNER = {"key": "0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b", "name": "Olga <b>🎲</b>"}
PAUSES = {
    "peril": (
        "draw_shown_s",
        "bot_pick_s",
        "bot_roll_s",
        "roll_shown_s",
        "outcome_shown_s",
        "elimination_shown_s",
    ),
    "roulette": ("bot_turn_s", "shown_s"),
}
# The page of a table asks whom it may play, and hears no.
ANSWERS = re.compile(r"Failed to load resource: .* (401|403|429)")
BENDS_PER_LOG = 250

# Checks bent logs in the page and tells of each the line that lies and the sentence.  Of each come
# only its lines, a number where it is that line of the true log.
CHECK = """async ([log, bends]) => {
  const { verify } = await import("/static/js/verify.js");
  const out = [];
  for (const bend of bends) {
    const entries = bend.map((line) => (typeof line === "number" ? log.entries[line] : line));
    out.push(await verify({ ...log, entries }));
  }
  return out.map(({ lie, sentences }) => [lie?.line ?? null, sentences]);
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("data")) as base:
        yield base


class Table:
    """A table whose owner adds bots and starts a match."""

    def __init__(self, base: str, game: str = "peril", **options: Any) -> None:
        self.base, self.api = base, f"{base}/api/v1"
        quick = {**dict.fromkeys(PAUSES[game], 0), "victory_s": 0, **options}
        body = {"name": "The Rooftop", "owner": OWNER, "game": game, "options": quick}
        bearer = {"Authorization": f"Bearer {OPERATOR}"}
        made = httpx.post(f"{self.api}/tables", json=body, headers=bearer).raise_for_status()
        self.id, self.token = made.json()["id"], made.json()["owner_token"]
        self.match = f"{self.id}-1"
        self.page = f"{base}/m/{self.match}"

    def send(self, command: str, **words: Any) -> None:
        httpx.post(
            f"{self.api}/tables/{self.id}/commands",
            json={"avatar": OWNER, "command": {"type": command, **words}},
            headers={"Authorization": f"Bearer {self.token}"},
        ).raise_for_status()

    def start(self, bots: int = 3) -> Table:
        for _ in range(bots):
            self.send("add_bot")
        self.send("start")
        return self

    def log(self) -> Any:
        return httpx.get(f"{self.api}/matches/{self.match}").raise_for_status().json()

    def played(self) -> Table:
        """A match of bots alone, to its end."""
        self.start()
        until = time.monotonic() + 30
        while self.log()["match"]["closed_ms"] is None:
            assert time.monotonic() < until, "the bots do not come to an end"
            time.sleep(0.05)
        return self


@pytest.fixture(scope="module", params=["peril", "roulette"])
def over(request: pytest.FixtureRequest, server: str) -> Table:
    return Table(server, request.param).played()


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens pages, and sees to it that none of them had anything to complain about."""
    contexts, complaints = [], []

    def note(message: Any) -> None:
        if message.type in ("error", "warning") and not ANSWERS.search(message.text):
            complaints.append(message.text)

    def open_page(
        address: str,
        *,
        width: int = 1280,
        log: Any = None,
        before: str = "",
        **how: Any,
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, **how)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if before:
            page.add_init_script(before)
        if log is not None:

            def answer(route: Route) -> None:
                route.fulfill(json=log)

            page.route("**/api/v1/matches/*", answer)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def good(page: Page) -> int:
    return page.locator("#log [data-state=good]").count()


# ---- the page -------------------------------------------------------------------------------


def test_a_match_that_is_over_checks_itself_and_every_line_turns_green(
    open_page: Open, over: Table
) -> None:
    """The page says what `app.verify` says, and marks each line as fitting."""
    page = open_page(over.page)
    report = verify.verify(over.log())
    expect(page.locator("#verdict")).to_have_attribute("data-state", "good")
    assert page.locator("#verdict p").all_text_contents() == report.sentences
    assert good(page) == page.locator("#log li").count() == report.lines
    expect(page.locator(".people-list [data-how=winner]")).to_have_count(1)
    expect(page.locator(".mark").first).to_have_attribute("aria-label", "fits")


def test_a_bent_line_turns_red_and_the_ones_after_it_stay_unchecked(
    open_page: Open, over: Table
) -> None:
    """A forged roll is found where it stands; lines before it are green, later ones unmarked."""
    log = over.log()
    kinds = ("dice_rolled", "roulette.rolled")
    index, event = next(
        (i, e)
        for i, line in enumerate(log["entries"])
        for e in line["events"]
        if e["type"] in kinds
    )
    event["number" if "number" in event else "roll"] += 1
    page = open_page(over.page, log=log)
    expect(page.locator("#verdict")).to_have_attribute("data-state", "bad")
    line = log["entries"][index]["seq"]
    lie = page.locator("#log [data-state=bad]")
    expect(lie).to_have_attribute("id", f"line-{line}")
    expect(lie.locator(".lie")).to_contain_text("follows")
    expect(page.get_by_role("link", name=f"Line {line} lies.")).to_have_attribute(
        "href", f"#line-{line}"
    )
    assert good(page) == index
    assert page.locator("#log li:not([data-state])").count() == len(log["entries"]) - index - 1


def test_a_false_seed_turns_the_line_that_shows_it_red(open_page: Open, over: Table) -> None:
    """A seed that was not committed is the lie, though it is the draws that contradict it."""
    log = over.log()
    at, shown = next(
        (line["seq"], e)
        for line in log["entries"]
        for e in line["events"]
        if e["type"] == "seed_shown"
    )
    shown["seed"] = "00" * 32
    page = open_page(over.page, log=log)
    expect(page.locator("#log [data-state=bad]")).to_have_attribute("id", f"line-{at}")


def test_while_a_match_runs_the_page_says_when_it_can_be_checked(
    open_page: Open, server: str
) -> None:
    """A running match shows its commitment and no seed, and loads no script."""
    table = Table(server, bot_pick_s=60).start()
    page = open_page(table.page)
    expect(page.locator("#verdict")).to_contain_text("This match is not over.")
    expect(page.locator(".facts")).to_contain_text("secret till then")
    commitment = table.log()["entries"][0]["events"][0]["commitment"]
    expect(page.locator(".facts code").first).to_have_text(commitment)
    assert page.locator("script").count() == 0


def test_without_a_secure_context_the_page_says_why_it_cannot_check(
    open_page: Open, over: Table
) -> None:
    """Where a browser lends no cryptography a sentence says so, and how to check elsewhere."""
    none = "Object.defineProperty(crypto, 'subtle', { value: undefined })"
    page = open_page(over.page, before=none)
    expect(page.locator("#verdict")).to_contain_text("did not come by https")
    expect(page.locator("#verdict")).to_contain_text(f"peril verify {over.page}")
    assert good(page) == 0


def test_without_javascript_the_match_and_its_log_can_be_read(open_page: Open, over: Table) -> None:
    """The server writes everything but the marks."""
    page = open_page(over.page, java_script_enabled=False)
    assert page.locator("#log li").count() == len(over.log()["entries"])
    expect(page.locator("#log")).to_contain_text("draw 1: ")
    expect(page.locator("#verdict code")).to_have_text("peril verify")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(
    open_page: Open, over: Table, scheme: str
) -> None:
    """At 360 px neither the log nor a commitment of 64 digits makes the page scroll sideways."""
    page = open_page(over.page, width=360, color_scheme=scheme)
    expect(page.locator("#verdict")).to_have_attribute("data-state", "good")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_log_can_be_downloaded_and_checked_elsewhere(open_page: Open, over: Table) -> None:
    """The link gives the JSON that `peril verify` takes."""
    page = open_page(over.page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the log").click()
    report = verify.verify(json.loads(Path(download.value.path()).read_bytes()))
    assert (report.over, report.lie) == (True, None)


def test_the_page_of_the_fair_dice_lists_what_is_not_proven(open_page: Open, server: str) -> None:
    """What the verifier does not cover stands on the page, each with its reason."""
    page = open_page(f"{server}/fairness")
    for what, why in verify.NOT_COVERED.items():
        expect(page.locator("#content")).to_contain_text(f"{what}. {why}")


def test_there_is_a_page_for_no_match_too(open_page: Open, server: str) -> None:
    """An unknown match is told in a sentence."""
    answer = httpx.get(f"{server}/m/nowhere-1")
    assert answer.status_code == 404
    assert "There is no such match here." in answer.text


def test_the_table_shows_its_commitment_and_leads_to_the_log(open_page: Open, server: str) -> None:
    """“Fair dice” on the page of a table has the running match's commitment, later a link."""
    table = Table(server)
    page = open_page(f"{server}/t/{table.id}")
    page.get_by_text("Fair dice").click()
    commitment = table.log()["entries"][0]["events"][0]["commitment"]
    expect(page.locator("#commitment")).to_have_text(commitment)
    expect(page.locator("#match-before")).to_be_hidden()
    table.played()
    expect(page.locator("#commitment")).not_to_have_text(commitment)
    page.get_by_role("link", name="Check the match before").click()
    expect(page).to_have_url(table.page)
    expect(page.locator("#verdict")).to_have_attribute("data-state", "good")


def test_an_open_table_leads_to_the_match_that_was_played_last(
    open_page: Open, server: str
) -> None:
    """By the link among the players: live, drawn by the server, and when the game is another."""
    table = Table(server)
    page = open_page(f"{server}/t/{table.id}")
    again = page.get_by_role("link", name="Watch the last match again")
    expect(again).to_be_hidden()
    table.played()
    expect(again).to_have_attribute("href", f"/m/{table.match}")
    expect(again).to_be_visible()
    table.send("choose_game", game="roulette")
    page = open_page(f"{server}/t/{table.id}?lang=es", java_script_enabled=False)
    page.get_by_role("link", name="Volver a ver la última partida").click()
    expect(page).to_have_url(table.page)


def test_a_lobby_that_became_one_of_another_game_is_no_match_to_watch(
    open_page: Open, server: str
) -> None:
    """Nothing was played in it."""
    table = Table(server)
    table.send("choose_game", game="roulette")
    page = open_page(f"{server}/t/{table.id}")
    expect(page.get_by_role("link", name="Watch the last match again")).to_be_hidden()


# ---- the replay -----------------------------------------------------------------------------


# The board as it is drawn: every element with its attributes.
DRAWN = """() => [...document.querySelectorAll("#board svg *, #board-text")].map((element) => [
  element.tagName,
  element.children.length ? "" : element.textContent,
  ...[...element.attributes].map(({name, value}) => `${name}=${value.trim()}`).sort(),
].join(" "))"""


def at_step(page: Page, step: int) -> None:
    expect(page.locator("#at")).to_have_text(str(step))
    expect(page.locator("#log [aria-current=step]")).to_have_count(1)
    expect(page.locator("#log li").nth(step - 1)).to_have_attribute("aria-current", "step")


def test_step_by_step_the_page_draws_what_the_server_draws(open_page: Open, over: Table) -> None:
    """Forwards, backwards and in jumps each board is the one of that step, as without scripts."""
    steps = len(over.log()["entries"])
    plain = open_page(over.page, java_script_enabled=False)
    drawn = {}
    for step in (1, 2, steps // 2, steps):
        plain.goto(f"{over.page}?step={step}")
        drawn[step] = plain.evaluate(DRAWN)
    page = open_page(f"{over.page}?step=1")
    page.locator("#on").click()
    at_step(page, 2)
    assert page.evaluate(DRAWN) == drawn[2]
    page.locator("#slider").fill(str(steps // 2))
    at_step(page, steps // 2)
    assert page.evaluate(DRAWN) == drawn[steps // 2]
    page.locator("#last").click()
    at_step(page, steps)
    assert page.evaluate(DRAWN) == drawn[steps]
    page.locator("#first").click()
    at_step(page, 1)
    assert page.evaluate(DRAWN) == drawn[1]
    expect(page).to_have_url(f"{over.page}?step=1")


def test_every_step_of_the_api_is_one_that_the_server_draws(over: Table) -> None:
    """Asked for in parts, the differences add up to what all at once gives, and no step is left."""
    address = f"{over.api}/matches/{over.match}/replay"
    log = over.log()["entries"]
    boards, frames = [], {}
    while len(boards) < len(log):
        part = httpx.get(address, params={"step": len(boards) + 1, "limit": 7}).json()
        assert (part["first"], part["steps"]) == (len(boards) + 1, len(log))
        for step in part["boards"]:
            frames = step["frames"] if step["kind"] == "whole" else {**frames, **step["frames"]}
            boards.append((step["seq"], frames))
    assert [seq for seq, _ in boards] == [line["seq"] for line in log]
    last = httpx.get(address, params={"step": len(log), "limit": 1}).json()["boards"]
    assert last[0]["frames"] == boards[-1][1]


def test_without_javascript_links_lead_from_step_to_step(open_page: Open, over: Table) -> None:
    page = open_page(f"{over.page}?step=3", java_script_enabled=False)
    before = page.evaluate(DRAWN)
    page.get_by_role("link", name="One step on").click()
    expect(page.locator("#at")).to_have_text("4")
    page.get_by_role("link", name="One step back").click()
    expect(page.locator("#at")).to_have_text("3")
    assert page.evaluate(DRAWN) == before
    expect(page.locator("#play")).to_be_hidden()
    for odd in ("-1", "9" * 400, "²"):
        page.goto(f"{over.page}?step={odd}")
        expect(page.locator("#replay")).to_be_visible()


def test_played_it_runs_to_its_end_and_can_be_halted_by_keyboard(
    open_page: Open, over: Table
) -> None:
    """Space plays and pauses, the arrows go a step, End and Home to either end."""
    steps = len(over.log()["entries"])
    page = open_page(f"{over.page}?step=1")
    page.locator("#speed").select_option("8")
    page.get_by_role("group", name="The board at a step").focus()
    # The page's clock stands still, else a short match is over before it is halted.
    page.clock.install()
    page.clock.pause_at(time.time() + 1)
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause")
    while int(page.locator("#at").inner_text()) < 4:
        page.clock.run_for(20)
    page.keyboard.press("Space")
    page.clock.resume()
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    stopped = int(page.locator("#at").inner_text())
    assert stopped < steps
    page.keyboard.press("ArrowRight")
    at_step(page, stopped + 1)
    page.keyboard.press("ArrowLeft")
    at_step(page, stopped)
    said = page.locator("#log li").nth(stopped - 1).locator(".told p").all_text_contents()
    assert page.locator("#caption p").all_text_contents() == said
    page.locator("#slider").fill(str(steps - 3))
    page.locator("#play").click()
    at_step(page, steps)
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    page.locator("#log li").nth(1).locator("a.seq").click()
    at_step(page, 2)


def test_a_replay_that_cannot_be_loaded_says_so_and_goes_on_later(
    open_page: Open, over: Table
) -> None:
    page = open_page(f"{over.page}?step=1")
    away = "**/replay?*"
    page.route(away, lambda route: route.fulfill(status=429, json={}))
    page.locator("#on").click()
    expect(page.locator("#replay-problem")).to_contain_text("cannot be loaded now")
    expect(page.locator("#at")).to_have_text("1")
    page.unroute(away)
    page.locator("#on").click()
    at_step(page, 2)
    expect(page.locator("#replay-problem")).to_be_hidden()


def test_a_match_that_is_on_has_no_replay(open_page: Open, server: str) -> None:
    """Neither on its page nor by the API, which says why."""
    table = Table(server, bot_pick_s=60).start()
    page = open_page(table.page)
    expect(page.locator("#replay")).to_have_count(0)
    refused = httpx.get(f"{table.api}/matches/{table.match}/replay")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_over")


# ---- the same as in Python ------------------------------------------------------------------


def _log(folder: Path, game: str, number: int) -> Any:
    async def go() -> Any:
        open_log(folder / "peril.db").close()
        house = House(folder / "peril.db")
        try:
            with pytest.MonkeyPatch.context() as patch:
                return await play(house, game, rig(patch, number))
        finally:
            await house.close()

    with ThreadPoolExecutor(1) as elsewhere:  # this thread has a loop of the browser's
        return elsewhere.submit(asyncio.run, go()).result()


def _forgetting(log: Any, key: str) -> Any:
    """The log as it were if that player had deleted his data."""
    *before, last = log["entries"]
    told = [*last["events"], {"type": "forgotten", "key": key}]
    return {**log, "entries": [*before, {**last, "events": told}]}


def _some(log: Any, chance: random.Random) -> list[Bend]:
    """Bends of as many different sorts, and always that names are missing where one is due."""
    found = by_sort(log, chance)
    missing = [
        bend
        for sort, bend in found.items()
        if sort[0] in ("kick", "match_opened", "drawn") and sort[2] in ("nothing", "text")
    ]
    return missing + chance.sample(list(found.values()), BENDS_PER_LOG)


def _lines(bend: Bend, log: Any) -> list[Any]:
    numbers = {id(line): number for number, line in enumerate(log["entries"])}
    return [numbers.get(id(line), line) for line in bend.log["entries"]]


@pytest.mark.parametrize("game", ["peril", "roulette"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_browser_and_python_find_the_same_lies(
    open_page: Open, server: str, tmp_path: Path, game: str, number: int
) -> None:
    """On true and bent logs both name the same line, and for the same reason in the same words;
    only where a line is no line at all Python may stumble before it finds the words."""
    log = _log(tmp_path, game, number)
    keys = [log["entries"][0]["events"][0]["owner"], "nobody"]
    keys += [e["key"] for line in log["entries"] for e in line["events"] if e["type"] == "joined"]
    bent = [Bend(log, 0, (), "true"), *(Bend(_forgetting(log, k), 0, (), k) for k in keys)]
    bent += _some(log, random.Random(number))
    page = open_page(f"{server}/fairness")
    found = page.evaluate(CHECK, [log, [_lines(bend, log) for bend in bent]])
    for bend, (line, sentences) in zip(bent, found, strict=True):
        report = verify.verify(bend.log)
        where = (bend.index, bend.path, bend.how)
        assert line == (report.lie and report.lie.line), where
        if report.lie is None or report.lie.what != ILL_WRITTEN:
            assert sentences == report.sentences, where


def test_a_check_tells_what_it_found_in_the_language_of_the_page(
    open_page: Open, over: Table
) -> None:
    page = open_page(over.page, locale="es-ES")
    lines = len(over.log()["entries"])
    first = page.locator("#verdict p").first
    expect(first).to_have_text(f"Las {lines} líneas de la partida {over.match} encajan entre sí.")
    expect(page.locator(".mark").first).to_have_attribute("aria-label", "encaja")
    page.locator("#play").click()
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pausa")
    bent = over.log()
    bent["entries"][1]["events"][0]["bot"] = False
    page = open_page(over.page, locale="es-ES", log=bent)
    expect(page.locator("#log .lie")).to_have_text("«entró» dice bot: no, pero se sigue sí.")
    expect(page.locator("#verdict a")).to_have_text("La línea 2 miente.")
