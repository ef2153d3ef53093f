"""What holds for every page: it keeps nobody out, fits a phone, and little has to be loaded."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Response, expect

from app import people

from .conftest import OPERATOR, serving
from .test_browser import QUICK
from .test_media import OWNER, Table, crowd, key
from .test_theme_editor import session

FIRST_VIEW_BYTES = 100_000
SERIOUS = {"serious", "critical"}
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core that a dark page may break where a light one does not."""

PAGES = {
    "front": "/",
    "lobby": "/t/{lobby}",
    "table": "/t/{table}",
    "crowd": "/t/{crowd}",
    "media": "/t/{table}?media",
    "match": "/m/{played}-1",
    "ranking": "/rankings",
    "ranking of a table": "/t/{table}/ranking",
    "player": "/p/{player}",
    "rules": "/rules/peril",
    "rules of roulette": "/rules/roulette",
    "fairness": "/fairness",
    "privacy": "/privacy",
    "rules in Spanish": "/rules/werewolf?lang=es",
    "match in Spanish": "/m/{played}-1?lang=es",
    "table in Spanish": "/t/{table}?lang=es",
    "my data": "/me",
    "console": "/owner",
    "console of a table": "/owner/t/{table}",
    "log of a table": "/owner/t/{played}/log",
    "theme": "/owner/{lobby}/theme",
    "closed console": "/owner/enter",
    "operator": "/operator",
    "tables of the operator": "/operator/tables",
    "tokens of the operator": "/operator/tokens",
    "nothing": "/nowhere",
}
REFUSED = {"nothing": 404, "closed console": 403}
"""Pages that are no good news: with another status than 200."""
EVERY_PAGE = pytest.mark.parametrize("name", PAGES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    with serving(folder) as base:
        yield base


@pytest.fixture(scope="module")
def tables(server: str) -> dict[str, str]:
    """Ids of tables in every state; one is listed, where Ada has played a match to its end."""
    played = Table(server, **{**QUICK, "lives": 1})
    played.patch(listed=True)
    played.join("Ada", 0)
    played.owner("add_bot")
    played.owner("start")
    played.finish()
    return {
        "lobby": Table(server).id,
        "table": crowd(server, "peril", 10).id,
        "crowd": crowd(server, "roulette", 30).id,
        "played": played.id,
        "player": key(0),
    }


@pytest.fixture(scope="module")
def passes(folder: Path, server: str) -> dict[str, str]:
    """Cookies of an owner, and of somebody who sees what is kept of her."""
    return {"owner": session(folder, OWNER["key"]), "me": session(folder, key(0), people)}


@pytest.fixture(scope="module")
def visitor(server: str, browser: Browser, passes: dict[str, str]) -> Iterator[BrowserContext]:
    """The browser of an owner who is the operator, too."""
    context = browser.new_context(color_scheme="light", reduced_motion="reduce")
    context.add_cookies([{"name": n, "value": v, "url": server} for n, v in passes.items()])
    context.request.post(f"{server}/operator/enter", form={"token": OPERATOR})
    yield context
    context.close()


@EVERY_PAGE
def test_a_page_keeps_nobody_out_and_fits_a_phone(
    server: str, visitor: BrowserContext, tables: dict[str, str], name: str
) -> None:
    """axe-core finds nothing serious, light or dark; nothing scrolls sideways at 360 px."""
    page = visitor.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    answer = page.goto(server + PAGES[name].format(**tables))
    assert answer is not None
    assert answer.status == REFUSED.get(name, 200)
    page.wait_for_timeout(300)  # scripts have drawn what they draw
    told = serious(page)
    page.emulate_media(color_scheme="dark")
    told += serious(page, OF_COLOURS)
    page.set_viewport_size({"width": 360, "height": 740})
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert told == []
    assert wide == 360


@pytest.fixture(scope="module")
def long_names(server: str, tables: dict[str, str]) -> dict[str, str]:
    """A table whose name has no place to break, and where one is waited for whose has none."""
    table = Table(server, "werewolf", name="W" * 63)
    table.patch(listed=True)
    table.join("M" * 63, 40)
    for _ in range(7):
        table.owner("add_bot")
    table.owner("start")
    return {**tables, "lobby": table.id, "table": table.id, "played": table.id}


@EVERY_PAGE
def test_a_page_fits_the_narrowest_phone_however_long_names_are(
    server: str, visitor: BrowserContext, long_names: dict[str, str], name: str
) -> None:
    """As narrow as a page of 1280 px is that somebody has enlarged four times; in Spanish, whose
    words are longer."""
    page = visitor.new_page()
    page.set_viewport_size({"width": 320, "height": 640})
    address = server + PAGES[name].format(**long_names)
    page.goto(address + ("&" if "?" in address else "?") + "lang=es")
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    visitor.clear_cookies(name="lang")
    assert wide == 320


def test_a_short_name_beside_a_long_one_leaves_no_gaps(
    server: str, visitor: BrowserContext, long_names: dict[str, str]
) -> None:
    """The lines of a table on the front page stay together; names in a ranking stay readable."""
    page = visitor.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(server)
    gaps = page.eval_on_selector_all(
        ".tables a",
        """cards => cards.map((card) => {
          const [name, game] = [".table-name bdi", ".table-game"].map(
            (part) => card.querySelector(part).getBoundingClientRect());
          return game.top - name.bottom;
        })""",
    )
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{server}/rankings?lang=es")
    name = page.locator(".ranks tbody th").first.bounding_box()
    page.close()
    visitor.clear_cookies(name="lang")
    assert len(gaps) == 2
    assert max(gaps) < 12
    assert name is not None
    assert name["width"] >= 96


def serious(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """What axe-core finds: the rule, and the first elements it holds against.

    `rules`: these alone.
    """
    options = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else None
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['any'][0]['message'] if node['any'] else ''}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"][:4]
    ]


@pytest.mark.parametrize(
    ("width", "height", "size"), [(1280, 800, 16), (2560, 1440, 19), (3840, 2160, 26)]
)
def test_on_a_large_screen_everything_is_larger(
    server: str, visitor: BrowserContext, tables: dict[str, str], width: int, height: int, size: int
) -> None:
    page = visitor.new_page()
    page.set_viewport_size({"width": width, "height": height})
    for name in ("front", "table", "match", "console of a table"):
        page.goto(server + PAGES[name].format(**tables))
        assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") == size, name
        assert page.evaluate("document.documentElement.scrollWidth") == width, name
    page.close()


def test_with_the_visitors_own_colours_a_button_still_looks_like_one(
    server: str, visitor: BrowserContext, tables: dict[str, str]
) -> None:
    """Its ground and its shadow are gone then; and of tabs only the chosen one is underlined."""
    page = visitor.new_page()
    page.emulate_media(forced_colors="active")
    for name in ("front", "table", "console of a table", "theme"):
        page.goto(server + PAGES[name].format(**tables))
        lines = page.eval_on_selector_all(
            ".button, .add button", "all => all.map((b) => getComputedStyle(b).outlineStyle)"
        )
        assert set(lines) == {"solid"}, name
    page.goto(f"{server}/rankings")
    tabs = page.eval_on_selector_all(
        ".tabs a", "all => all.map((tab) => getComputedStyle(tab).borderBottomColor)"
    )
    page.close()
    assert tabs[0] != tabs[1] == tabs[2]


@pytest.mark.parametrize("scripts", [True, False])
def test_on_a_phone_a_ranking_takes_room_as_soon_as_somebody_is_in_it(
    server: str, browser: Browser, scripts: bool
) -> None:
    table = Table(server, **{**QUICK, "lives": 1, "victory_s": 0})
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, java_script_enabled=scripts
    )
    page = context.new_page()
    page.goto(f"{server}/t/{table.id}")
    ranking, dice = page.locator(".ranking"), page.locator(".text-dice")
    if scripts:
        expect(page.locator("#state")).to_have_text("live")
    assert height(ranking) == 0
    assert height(page.locator(".board")) < 300
    table.join("Ada", 0)
    table.owner("add_bot")
    table.owner("start")
    table.finish()
    if not scripts:
        page.reload()
    expect(ranking).to_contain_text("Ada")
    assert height(ranking) > 5 * height(dice)
    context.close()


def height(part: Locator) -> float:
    """In CSS pixels."""
    box = part.bounding_box()
    return box["height"] if box else 0


@pytest.mark.parametrize("name", ["front", "lobby", "table", "media", "match", "ranking"])
def test_the_first_view_is_small(
    server: str, browser: Browser, tables: dict[str, str], name: str
) -> None:
    """Everything that is loaded to show it, compressed as a proxy does."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    loaded: dict[str, int] = {}

    def count(response: Response) -> None:
        if "/stream" not in response.url:
            loaded[response.url] = len(gzip.compress(response.body(), 6))

    answers: list[Response] = []

    def note(answer: Response) -> None:
        answers.append(answer)

    page.on("response", note)
    page.goto(server + PAGES[name].format(**tables))
    page.wait_for_timeout(700)
    for answer in answers:
        count(answer)
    context.close()
    assert sum(loaded.values()) <= FIRST_VIEW_BYTES, sorted(loaded.items(), key=lambda x: -x[1])
