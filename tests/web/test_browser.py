"""The page of a table in a real browser, against the real server: clicks in, pictures out."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import OPERATOR, serving

T = TypeVar("T")

OWNER = {"key": "0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b", "name": "Olga"}
OTHERS = ["Ines Varga", "Zoë ☕ <b>夢</b>"]
QUICK = {
    "lives": 1,
    "victory_s": 6,
    **dict.fromkeys(
        (
            "draw_shown_s",
            "bot_pick_s",
            "bot_roll_s",
            "roll_shown_s",
            "outcome_shown_s",
            "elimination_shown_s",
            "title_after_s",
        ),
        0,
    ),
}
# Refusals and missing rights are answers, which Chromium lists as failed loads all the same.
ANSWERS = re.compile(r"Failed to load resource: (.* (401|403|409)|net::ERR_INTERNET_DISCONNECTED)")


class LoadedDice:
    """The first of everything, and the rolls a test has put in `rolls`; then always a 1."""

    def __init__(self) -> None:
        self.rolls: list[int] = []

    def roll(self, sides: int, why: str) -> int:
        return self.rolls.pop(0) if self.rolls else 1

    def choose(self, options: Sequence[T], why: str) -> T:
        return options[0]

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        return list(options[:count])


# Each element of the board's drawings with its attributes, as lines of text.
DRAWN = """() => [
  ...document.querySelectorAll("#board > svg *, #board .ranking > svg *, #board .root > svg *")
].map((element) => [
  element.tagName,
  element.children.length ? "" : element.textContent,
  ...[...element.attributes].map(({name, value}) => `${name}=${value.trim()}`).sort()
].join(" "))"""


@pytest.fixture(scope="module")
def dice() -> LoadedDice:
    return LoadedDice()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, dice: LoadedDice) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("data"), dice=dice) as base:
        yield base


class Table:
    """A table on the server, which a test may also drive past the page."""

    def __init__(self, base: str, options: dict[str, Any]) -> None:
        self.api = f"{base}/api/v1/tables"
        body = {"name": "The Rooftop", "owner": OWNER, "options": options}
        bearer = {"Authorization": f"Bearer {OPERATOR}"}
        made = httpx.post(self.api, json=body, headers=bearer).raise_for_status().json()
        self.id, self.token = made["id"], made["owner_token"]
        self.watch = f"{base}/t/{self.id}"
        self.play = f"{self.watch}#token={self.token}"

    def send(self, command: str, **words: Any) -> None:
        """The owner sends a command."""
        httpx.post(
            f"{self.api}/{self.id}/commands",
            json={"avatar": OWNER, "command": {"type": command, **words}},
            headers={"Authorization": f"Bearer {self.token}"},
        ).raise_for_status()


@pytest.fixture
def table(server: str) -> Table:
    return Table(server, QUICK)


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens pages, and sees to it that none of them had anything to complain about."""
    contexts, complaints = [], []

    def note(message: Any) -> None:
        if message.type in ("error", "warning") and not ANSWERS.search(message.text):
            complaints.append(message.text)

    def open_page(address: str, *, width: int = 1280, live: bool = True, **how: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, **how)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        if live:
            expect(page.locator("#state")).to_have_text("live")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=name, exact=True)


def add(page: Page, name: str) -> None:
    page.get_by_label("Name of another avatar").fill(name)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(card(page, name)).to_be_visible()


def touch(page: Page, name: str) -> None:
    card(page, name).get_by_role("button", name=f"Touch table as {name}").click()
    expect(card(page, name).get_by_role("dialog")).to_be_visible()


def press(page: Page, name: str, label: str) -> None:
    card(page, name).get_by_role("dialog").get_by_role("button", name=label, exact=True).click()


def sit(page: Page, *others: str) -> None:
    """The owner and others take their seats, by clicks."""
    touch(page, "Olga")
    press(page, "Olga", "Join Game")
    for name in others:
        add(page, name)
        touch(page, name)


def play_to_the_end(page: Page) -> None:
    """Press what any dialog asks for, until somebody has won."""
    asked = page.locator(".dialog[data-name=pick], .dialog[data-name=roll]").first
    won = page.locator("#players [data-state=winner]")
    choice = asked.locator(".buttons button").filter(has_text=re.compile(r"^\d+$|Done|^ROLL"))
    until = time.monotonic() + 45
    while not won.count():
        assert time.monotonic() < until, page.locator("#board-text").text_content()
        try:
            done = choice.filter(has_text="Done")
            (done if done.count() else choice).first.click(timeout=300)
        except Exception:  # the moment passed while it was being clicked
            page.wait_for_timeout(20)
    expect(won).to_have_count(1)


# ---- playing --------------------------------------------------------------------------------


def test_three_people_on_one_laptop_and_a_bot_play_a_whole_match_by_clicks(
    open_page: Open, table: Table, dice: LoadedDice
) -> None:
    # Everybody picks the lowest numbers, the one in peril first: a twist, Ines is hit, Olga lacks
    # a shield, a twist, the bot is hit.
    dice.rolls = [4, 1, 12, 4, 1]
    page = open_page(table.play)
    sit(page, *OTHERS)
    for name in OTHERS:
        press(page, name, "Ready")
    for label in ("Owner", "👥 Players", "Add Test Player", "⬅️ Back to Main", "⬅️ Back to Game"):
        press(page, "Olga", label)
    expect(page.locator("#players li")).to_have_text(
        [re.compile(n) for n in ("Olga", *(re.escape(o) for o in OTHERS), "Bot1.*bot")]
    )
    expect(page.locator("[data-prim='profile:1:1'] image")).to_have_attribute(
        "href", "/static/art/robot.svg"
    )
    press(page, "Olga", "Start Game")
    expect(page.locator("#chat")).to_contain_text("⚡ THE KILLING GAME BEGINS! ⚡")

    play_to_the_end(page)
    expect(page.locator("[data-prim='TitleAction:0:0'] image")).to_have_attribute(
        "href", "/static/art/victory.svg"
    )
    expect(page.locator("#board")).to_have_attribute("data-effect", "confetti")
    expect(page.locator("canvas.confetti")).to_be_visible()
    expect(page.locator("[data-prim^=overlay]:not([display])")).to_have_count(3)
    expect(page.locator("[data-prim^=profile] image[filter='url(#tint-0-255-0)']")).to_have_count(1)
    expect(page.locator("#chat")).to_contain_text(f"ULTIMATE VICTORY! {OTHERS[1]}")
    for said in ("PLOT TWIST!", "DIRECT HIT!", "NO SHIELD!"):
        expect(page.locator("#chat")).to_contain_text(said)
    expect(card(page, OTHERS[1]).get_by_role("group")).to_contain_text("ULTIMATE SURVIVOR")
    expect(card(page, OTHERS[0]).get_by_role("group")).to_contain_text("ELIMINATED")
    expect(page.locator(".ranking text").first).to_contain_text(re.compile(r"1\. Zoë .*1/0"))

    for name in ("Olga", *OTHERS):
        press(page, name, "Play Again")
    expect(page.locator("#players li")).to_have_count(3)
    expect(page.locator("[data-prim^=profile]:not([display])")).to_have_count(3)


def test_a_dialog_that_was_ignored_comes_back_by_a_touch_of_the_board(
    open_page: Open, table: Table
) -> None:
    page = open_page(table.play)
    sit(page, "Ines")
    dialog = card(page, "Ines").get_by_role("dialog")
    dialog.get_by_role("button", name="Ignore").click()
    expect(dialog).to_have_count(0)
    page.locator(".board .picture").click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Ready").press("Escape")
    expect(dialog).to_have_count(0)
    # The focus has not been lost with the dialog, and the table can be touched from here.
    expect(page.get_by_role("button", name="Touch table as Ines").last).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()


def test_a_refused_press_says_why_to_its_presser_alone(open_page: Open, table: Table) -> None:
    page = open_page(table.play)
    sit(page, "Ines")
    press(page, "Olga", "Start Game")
    expect(card(page, "Olga").get_by_role("log")).to_have_text("Not ready yet: Ines.")
    expect(card(page, "Olga").get_by_role("dialog")).to_be_visible()
    expect(card(page, "Ines").get_by_role("log")).to_have_text("")
    expect(page.locator("#chat")).not_to_contain_text("Not ready yet")


def test_dialog_buttons_stand_in_rows_of_three_from_the_bottom_up(
    open_page: Open, table: Table
) -> None:
    page = open_page(table.play, reduced_motion="reduce")
    sit(page)
    dialog = card(page, "Olga").get_by_role("dialog")
    press(page, "Olga", "Owner")
    expect(dialog).to_have_attribute("data-name", "owner")
    with page.expect_response("**/presses") as answered:
        press(page, "Olga", "⚙️ Options")
    sent = answered.value.json()["dialog"]["buttons"]
    expect(dialog).to_have_attribute("data-name", "options")
    places: dict[float, list[tuple[float, str]]] = {}
    for button in dialog.locator(".buttons button").all():
        box = button.bounding_box()
        assert box is not None
        places.setdefault(box["y"], []).append((box["x"], button.text_content() or ""))
    rows = [[label for _, label in sorted(places[y])] for y in sorted(places, reverse=True)]
    assert len(sent) > 3
    assert rows == [sent[i : i + 3] for i in range(0, len(sent), 3)]


def test_avatars_are_there_again_after_a_reload_and_their_names_are_text(
    open_page: Open, table: Table
) -> None:
    page = open_page(table.play)
    assert "token" not in page.url
    sit(page, OTHERS[1])
    page.reload()
    expect(card(page, OTHERS[1])).to_be_visible()
    expect(card(page, OTHERS[1]).get_by_role("group")).to_contain_text("PERIL DICE")
    assert page.locator(".people b").count() == 0
    card(page, OTHERS[1]).get_by_role("button", name="Put").click()
    expect(card(page, OTHERS[1])).to_have_count(0)


def test_a_touch_of_the_ranking_turns_its_page_and_nothing_else(
    open_page: Open, table: Table
) -> None:
    page = open_page(table.play)
    with page.expect_request("**/touches") as sent:
        page.locator(".ranking").click(position={"x": 190, "y": 150})
    said = sent.value.post_data_json
    assert said["prim"] == "Leaderboard"
    assert (20 <= said["column"] <= 23, 7 <= said["row"] <= 9) == (True, True)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_my_data_is_a_link_for_its_avatar_alone_that_leads_to_a_page_of_its_own(
    open_page: Open, table: Table, server: str
) -> None:
    page = open_page(table.watch)
    for name in ("Ines", "Zoe"):
        add(page, name)
        touch(page, name)
    press(page, "Ines", "🔎 My Data")
    link = page.locator(".lines a")
    expect(link).to_have_count(1)
    expect(card(page, "Ines").locator(".lines a")).to_have_attribute("rel", "noopener noreferrer")
    expect(page.locator("#chat")).not_to_contain_text("/me/open")
    code = str(link.get_attribute("href")).partition("/me/open")[2]
    page.goto(f"{server}/me/open{code}")
    page.get_by_role("button", name="Open the page").click()
    page.wait_for_url(f"{server}/me")
    expect(page.locator("dd").nth(1)).to_have_text("Ines")
    page.get_by_role("button", name="Hide me").click()
    expect(page.locator("dd").nth(2)).to_have_text("hidden, as you wish")
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_label("Type DELETE to confirm").fill("delete")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("alert")).to_contain_text("Leave it, or wait")


# ---- watching -------------------------------------------------------------------------------


def test_without_scripts_the_page_shows_the_board_as_it_stands(
    open_page: Open, table: Table
) -> None:
    table.send("join")
    table.send("add_bot")
    page = open_page(table.watch, live=False, java_script_enabled=False)
    expect(page.locator("[data-prim='profile:0:1'] image")).to_be_visible()
    expect(page.locator("[data-prim='profile:1:0']")).to_be_hidden()
    expect(page.locator(".text-status")).to_contain_text("2/10 at the table")
    expect(page.locator("#players")).to_contain_text("Bot1")
    assert "<noscript>" in page.content()
    expect(page.locator("#people")).to_be_hidden()


def test_scripts_paint_exactly_what_the_server_drew(open_page: Open, table: Table) -> None:
    for command in ("join", "add_bot", "add_bot"):
        table.send(command)
    table.send("set_options", options={"bot_pick_s": 60, "bot_roll_s": 60, "draw_shown_s": 0})
    table.send("start")
    time.sleep(0.3)
    page = open_page(table.watch, live=False, java_script_enabled=False)
    without = page.evaluate(DRAWN)
    with_scripts = open_page(table.watch).evaluate(DRAWN)
    assert any("tint-255-255-0" in line for line in without)
    assert with_scripts == without


def test_who_may_not_act_sees_board_and_chat_and_nothing_to_press(
    browser: Browser, open_page: Open, table: Table
) -> None:
    page = open_page("about:blank", live=False)
    page.route(
        re.compile(r"/frames\?.*avatar="),
        lambda route: route.fulfill(status=401, json={"error": {"code": "unauthorized"}}),
    )
    page.goto(table.watch)
    expect(page.locator("#state")).to_have_text("live")
    expect(page.locator("#people")).to_be_hidden()
    expect(page.get_by_role("button")).to_have_count(0)
    table.send("join")
    expect(page.locator("#chat")).to_contain_text("💀 Olga has entered the deadly game!")
    expect(page.locator("[data-prim='profile:0:0'] image")).to_be_visible()


def test_without_a_token_one_may_play_here_but_not_as_the_owner(
    open_page: Open, table: Table
) -> None:
    page = open_page(f"{table.watch}#token=of-another-time")
    expect(page.locator("#people")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(0)
    add(page, "Ines")
    touch(page, "Ines")
    expect(page.locator("#players")).to_contain_text("Ines")


def test_a_broken_line_is_shown_and_made_good_with_what_was_missed(
    open_page: Open, table: Table
) -> None:
    page = open_page(table.watch)
    page.context.set_offline(True)
    expect(page.locator("#state")).to_have_text(re.compile("reconnecting|offline"))
    table.send("join")
    page.context.set_offline(False)
    expect(page.locator("#state")).to_have_text("live", timeout=10_000)
    expect(page.locator("[data-prim='profile:0:0'] image")).to_be_visible()
    expect(page.locator("#chat li")).to_have_text([re.compile("Olga has entered")])


def test_somebody_who_is_waited_for_is_named_with_the_time_left(
    open_page: Open, table: Table
) -> None:
    page = open_page(table.play)
    table.send("join")
    table.send("add_bot")
    table.send("set_options", options={"turn_s": 90, "bot_pick_s": 0})
    table.send("start")
    expect(page.locator("#waiting")).to_contain_text("Waiting for Olga")
    expect(page.locator("#waiting-left")).to_have_text(re.compile(r"^1:(30|2\d)$"))
    expect(card(page, "Olga").get_by_role("dialog")).to_contain_text("Stake your life")


def test_several_who_are_waited_for_stand_each_by_himself(open_page: Open, table: Table) -> None:
    page = open_page(table.play)
    expect(page.locator("#state")).to_have_text("live")
    page.evaluate(
        """async (names) => {
          const { Waiting } = await import("/static/js/waiting.js");
          new Waiting(document.getElementById("waiting")).show({ for: names, left_s: 9 });
        }""",
        ["Ada", "\u05d1\u05d5\u05d1"],
    )
    expect(page.locator("#waiting-names")).to_have_text("Ada, \u05d1\u05d5\u05d1")
    expect(page.locator("#waiting-names bdi")).to_have_text(["Ada", "\u05d1\u05d5\u05d1"])


# ---- sizes, motion --------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/rules/peril"])
def test_no_page_scrolls_sideways_on_a_narrow_phone(
    open_page: Open, server: str, path: str
) -> None:
    page = open_page(server + path, width=360, live=False)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_on_a_narrow_phone_the_board_comes_first_and_the_avatars_are_tabs(
    open_page: Open, table: Table
) -> None:
    page = open_page(table.play, width=360)
    sit(page, "W" * 60)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    order = [
        page.locator(s).bounding_box() for s in ("#board", "#waiting-names", "#people", "#chat")
    ]
    tops = [box["y"] for box in order if box]
    assert tops == sorted(tops)
    expect(card(page, "W" * 60)).to_be_visible()
    expect(card(page, "Olga")).to_be_hidden()
    page.locator("#tabs").get_by_role("button", name="Olga").click()
    expect(card(page, "Olga")).to_be_visible()
    expect(card(page, "W" * 60)).to_be_hidden()


def test_no_confetti_flies_for_those_who_want_no_motion(open_page: Open, table: Table) -> None:
    table.send("set_options", options={"victory_s": 20})
    table.send("add_bot")
    table.send("add_bot")
    page = open_page(table.watch, reduced_motion="reduce")
    table.send("start")
    expect(page.locator("#board")).to_have_attribute("data-effect", "confetti", timeout=15_000)
    expect(page.locator("canvas")).to_have_count(0)


def test_the_page_follows_when_another_game_is_chosen(table: Table, open_page: Open) -> None:
    page = open_page(table.watch)
    expect(page.locator("#chances")).to_be_hidden()
    table.send("choose_game", game="roulette")
    expect(page.locator("#rules-of")).to_have_text("Russian Roulette")
    expect(page.locator("#rules-link")).to_have_attribute("href", "/rules/roulette")
    for _ in range(12):
        table.send("add_bot")
    table.send("start")
    expect(page.locator("#chances")).to_have_text("the gun fires 17 % · click 83 %")
    expect(page.locator("#players li").first).to_contain_text("pass")
    expect(page.locator("#hover")).to_contain_text("of 12 shown")


def test_names_lead_to_players_and_the_one_in_focus_stays_so_as_the_table_goes_on(
    table: Table, open_page: Open
) -> None:
    page = open_page(table.watch)
    table.send("join")
    table.send("add_bot")
    expect(page.locator("#players li")).to_have_count(2)
    name = page.locator("#players a")
    expect(name).to_have_text("Olga")
    expect(name).to_have_attribute("href", f"/p/{OWNER['key']}")
    name.focus()
    table.send("start")
    expect(page.locator("#players li").first).to_contain_text("1 life")
    expect(name).to_be_focused()


def test_what_scripts_say_is_in_the_language_of_the_page(table: Table, open_page: Open) -> None:
    page = open_page(table.play, live=False, locale="es-ES")
    expect(page.locator("#state")).to_have_text("en directo")
    card = page.get_by_role("article", name="Olga", exact=True)
    expect(card.get_by_text("Ningún diálogo.")).to_be_visible()
    card.get_by_role("button", name="Tocar la mesa como Olga").click()
    expect(card.get_by_role("button", name="Ignorar")).to_be_visible()
    table.send("choose_game", game="werewolf")
    expect(page.locator("#rules-of")).to_have_text("Hombres lobo")
    expect(page.locator("#board-text")).to_have_text(re.compile("^Imagen: título de hombres lobo"))
    table.send("add_bot")
    expect(page.locator("#players .tag")).to_have_text("bot")
    expect(page.locator("#players .how")).to_have_text("a punto")
