"""The pages as the server makes them, before any script runs."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.display import GREEN, HIDDEN, TEXT_SETS, YELLOW, Board, Frame
from app.games import GAMES, texts
from app.games.boards import Slot, plates, slots, text
from app.games.peril.board import PICTURES
from app.games.peril.state import die_for
from app.web import art, boards, pages, reading
from app.web.pages import Front, TableListing, TableView

CLASSIC = texts.load("peril")
SVG = "{http://www.w3.org/2000/svg}"


def board(**changes: Frame) -> Board:
    players = [
        Slot("silhouette", "hearts_2", "marked"),
        Slot("robot", "hearts_0", "out"),
        Slot("robot", "hearts_1", "winner"),
    ]
    return {
        "root": Frame(picture="start", text="PERIL DICE\n3 still in", text_color=YELLOW),
        **plates(CLASSIC),
        "TitleAction:0:0": Frame(picture="plot_twist"),
        **slots(players, CLASSIC),
        "Leaderboard": text(TEXT_SETS["Leaderboard"], [" 1. Ada  3/1"], (1, 1, 1), center=False),
        "Status": text(TEXT_SETS["Status"], ["PLOT TWIST!", "Ada"], YELLOW),
        "Dice": text(TEXT_SETS["Dice"], ["Ada: rolled 4 of d12"], (1, 1, 1)),
        **changes,
    }


VIEW = TableView(
    id="t1",
    name="The <Rooftop> & co",
    game="peril",
    title="Peril Dice",
    owner_key="0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b",
    owner_name="Olga",
    seq=7,
    stage="playing",
    board=board(),
    options_text="Lives 3, 120 s to answer",
    seats=[
        {"name": "Ada", "lives": 2, "marks": ["in peril"]},
        {"name": "Bot1", "bot": True, "lives": 0, "out": True},
        {"name": "<b>Zoë</b>", "lives": 1, "winner": True},
    ],
    waiting_for=["Ada"],
)


class OneTable:
    def __init__(self, view: TableView = VIEW) -> None:
        self.view = view

    async def snapshot(self, table_id: str) -> TableView | None:
        return self.view if table_id == self.view.id else None

    async def front(self) -> Front:
        v = self.view
        return Front([TableListing(v.id, v.name, v.game, v.title, v.stage, 3, 10, locked=True)])


def client(view: TableView = VIEW) -> TestClient:
    app = FastAPI()
    app.include_router(pages.router(OneTable(view)))
    app.include_router(boards.router(OneTable(view)))
    app.include_router(reading.router())
    app.mount("/static", pages.static_files())
    return TestClient(app)


def prims(made: Board) -> dict[str, list[ElementTree.Element]]:
    """Prim → its halo, plain face and picture, with its group first."""
    drawn = ElementTree.fromstring(f"<all>{pages.board_svg(made)}</all>")
    groups = [g for g in drawn.iter() if "data-prim" in g.attrib]
    return {g.attrib["data-prim"]: [g, *g] for g in groups}


PATHS = ["/", "/t/t1", "/rules/peril", "/t/none", "/rules/none"]


@pytest.mark.parametrize("path", PATHS)
def test_no_page_has_a_script_or_a_style_in_its_text(path: str) -> None:
    page = client().get(path).text
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))


@pytest.mark.parametrize("path", PATHS)
def test_every_page_forbids_whatever_does_not_come_from_here(path: str) -> None:
    policy = client().get(path).headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_nothing_that_is_served_names_another_host() -> None:
    texts = [*pages.STATIC.rglob("*.css"), *pages.STATIC.rglob("*.js")]
    texts += (pages.HERE / "templates").rglob("*.html")
    named = {u for t in texts for u in re.findall(r"https?://[^\s\"'<>)]+", t.read_text("utf-8"))}
    assert named <= {"http://www.w3.org/2000/svg"}


def test_every_file_a_page_or_module_asks_for_is_there() -> None:
    http = client()
    wanted = set()
    for path in PATHS:
        wanted |= set(re.findall(r'(?:href|src)="(/static/[^"]+)"', http.get(path).text))
    for module in pages.STATIC.glob("js/*.js"):
        imports = re.findall(r'from "\./([^"]+)"', module.read_text("utf-8"))
        wanted |= {f"/static/js/{name}" for name in imports}
    assert {w: http.get(w).status_code for w in wanted if http.get(w).status_code != 200} == {}


def test_who_asks_for_the_icon_by_its_old_name_is_led_to_it() -> None:
    answer = client().get("/favicon.ico", follow_redirects=False)
    assert answer.status_code == 301
    assert (pages.STATIC / answer.headers["location"].removeprefix("/static/")).is_file()


def test_a_browser_asks_whether_its_copy_of_a_module_is_still_good() -> None:
    response = client().get("/static/js/main.js")
    assert response.headers["cache-control"] == "no-cache"
    assert "javascript" in response.headers["content-type"]


def test_every_picture_of_the_board_is_drawn() -> None:
    shown = {*PICTURES.values(), *(f"hearts_{n}" for n in range(4)), "start", "blank", "overlay_x"}
    assert shown <= set(art.PICTURES)


# ---- the board ------------------------------------------------------------------------------


def test_the_board_has_every_prim_of_the_linkset_and_is_sound_xml() -> None:
    drawn = ElementTree.fromstring(f"<all>{pages.board_svg(board())}</all>")
    names = {e.attrib[a] for e in drawn.iter() for a in ("data-prim", "data-set") if a in e.attrib}
    assert names == set(board())


def test_a_picture_a_tint_and_a_glow_are_presentation_attributes() -> None:
    _, halo, plain, image = prims(board())["profile:0:0"]
    assert image.attrib["href"] == "/static/art/silhouette.svg"
    assert image.attrib["filter"] == "url(#tint-255-255-0)"
    assert (halo.attrib["fill"], float(halo.attrib["opacity"]) > 0) == ("rgb(255,255,0)", True)
    assert plain.attrib["display"] == "none"


def test_a_tint_multiplies_the_picture_by_the_colour() -> None:
    assert pages.tints({"a": Frame(picture="x", color=GREEN), "b": Frame(color=YELLOW)}) == {
        "tint-0-255-0": "0.0000 0 0 0 0 0 1.0000 0 0 0 0 0 0.0000 0 0 0 0 0 1 0"
    }


def test_an_unused_slot_is_invisible_and_the_eliminated_wear_the_x() -> None:
    drawn = prims(board())
    for part in ("profile", "life", "overlay"):
        assert drawn[f"{part}:4:1"][0].attrib["display"] == "none"
    assert "display" not in drawn["overlay:0:1"][0].attrib
    assert drawn["overlay:0:1"][3].attrib["href"] == "/static/art/overlay_x.svg"


def test_a_plain_face_shows_its_colour() -> None:
    _, _, plain, image = prims(board(root=Frame(color=(1, 0.5, 0))))["root"]
    assert plain.attrib["fill"] == "rgb(255,128,0)"
    assert (image.attrib["display"], "href" in image.attrib) == ("none", False)


def test_a_profile_picture_comes_from_this_server_and_nonsense_is_a_silhouette() -> None:
    key = "7d8ae121-e171-12ae-f5b6-7cc3c0395c7b"
    assert pages.art(key) == f"/pictures/{key}.jpg"
    assert pages.art("../../x") == pages.art(f"{key}x") == "/static/art/silhouette.svg"


def test_a_text_set_has_one_place_for_each_character_whatever_its_size() -> None:
    wide = text((32, 12), ["Ünï ♥"], YELLOW)
    drawn = ElementTree.fromstring(f"<all>{pages.board_svg(board(Leaderboard=wide))}</all>")
    found = next(e for e in drawn.iter() if e.attrib.get("data-set") == "Leaderboard")
    assert found.attrib["viewBox"] == "0 0 320 240"
    assert [e.text for e in found] == list(wide.rows)
    assert {len(e.attrib["x"].split()) for e in found} == {32}


def test_an_empty_board_is_drawn_too() -> None:
    assert prims({})["root"][0].attrib["opacity"] == "1"
    assert prims({"root": HIDDEN})["root"][0].attrib["display"] == "none"


# ---- the page of a table --------------------------------------------------------------------


def test_the_page_of_a_table_says_in_words_what_the_board_shows() -> None:
    page = client().get("/t/t1").text
    assert "Picture: plot twist. Status: PLOT TWIST! Ada. Dice: Ada: rolled 4 of d12." in page
    words = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "Ada in peril 2 lives" in words
    assert "Bot1 bot eliminated 0 lives" in words
    assert "winner 1 life" in words
    assert "Waiting for Ada" in words


def test_names_are_text_and_never_markup() -> None:
    page = client().get("/t/t1").text
    assert "<b>Zoë" not in page
    assert "<Rooftop>" not in page
    assert "&lt;b&gt;Zoë&lt;/b&gt;" in page
    assert "The &lt;Rooftop&gt; &amp; co" in page


def test_in_the_lobby_the_page_says_who_is_ready() -> None:
    seats = [
        {"name": "Ada", "starter": True},
        {"name": "Ben"},
        {"name": "Eve", "ready": True},
        {"name": "Bot1", "bot": True},
    ]
    page = client(replace(VIEW, stage="lobby", seats=seats, waiting_for=[])).get("/t/t1").text
    assert re.findall(r'<li data-state="([^"]*)"', page) == [
        "may start",
        "not ready",
        "ready",
        "ready",
    ]
    assert re.search(r'id="waiting" hidden', page)


def test_a_game_without_lives_has_a_page_as_well() -> None:
    page = client(replace(VIEW, seats=[{"name": "Ada"}])).get("/t/t1")
    assert (page.status_code, 'class="lives"' in page.text) == (200, False)


def test_the_front_page_lists_the_tables() -> None:
    page = client().get("/").text
    assert 'href="/t/t1"' in page
    assert "🔒 Game in progress" in page
    assert "<b>3</b> of 10" in page


@pytest.mark.parametrize("path", ["/t/none", "/rules/none"])
def test_what_is_not_there_is_a_page_with_a_way_out(path: str) -> None:
    response = client().get(path)
    assert response.status_code == 404
    assert 'href="/"' in response.text


# ---- rules ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_rules_page_that_explains_every_option(name: str) -> None:
    page = client().get(f"/rules/{name}")
    assert page.status_code == 200
    for option in GAMES[name].options.__struct_fields__:
        assert f"<code>{option}</code>" in page.text
    for preset in GAMES[name].presets:
        called = texts.load(name).say("button", f"preset_{preset}")
        assert called in unescape(page.text)


def test_the_rules_page_has_the_die_and_the_numbers_of_the_rules() -> None:
    page = client().get("/rules/peril").text
    rows = re.findall(r'<tr><th scope="row">([\d–]+)</th><td>d?(\d+)</td></tr>', page)
    assert rows[4:] == [("3", "1"), ("2", "2"), ("1", "3")]
    for players, die in rows[:4]:
        low, _, high = players.partition("–")
        assert {die_for(n) for n in range(int(low), int(high or low) + 1)} == {int(die)}


def test_the_rules_page_gives_credit_and_says_that_nothing_is_staked() -> None:
    page = " ".join(client().get("/rules/peril").text.split())
    assert (
        "Peril Dice was created by Rebecca Nod and Noose the Bunny (djmusica28); original concept"
        " by Noose the Bunny, automated system implementation by Rebecca Nod." in page
    )
    assert "free game: no L$ is ever staked, paid or promised" in page
