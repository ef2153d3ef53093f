"""An owner's own lines over a theme: what he may write, and that no braces get him anywhere."""

from typing import Any

import pytest

from app.display import TEXT_SETS
from app.games import GAMES, own, texts
from app.games.core import Game, Key, RankingPage
from app.games.lines import SAY_BYTES, in_languages
from app.games.lobby import Joined

from .driver import lobby_of
from .walks import fixed_walk

EVERY_GAME = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def problem(section: str, name: str, text: str, game: str = "peril") -> str:
    (fault, *_) = own.faults(game, {section: {name: text}}) or [own.Fault("", "", own.NO_PROBLEM)]
    return fault.said(str)


@EVERY_GAME
@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_line_of_a_theme_is_one_that_an_owner_may_write(
    game: Game[Any], language: str
) -> None:
    for line in own.lines(game.name, language=language):
        assert not line.standard or own.problem(line, line.standard) == own.NO_PROBLEM, line


@EVERY_GAME
def test_every_picture_that_a_board_shows_can_be_changed(game: Game[Any]) -> None:
    known = {line.name for line in own.lines(game.name) if line.section == "pictures"}
    shown = set()
    for seed in range(12):
        walk = fixed_walk(game, seed)
        for match in walk.states:
            view = game.public(match, RankingPage())
            shown |= {f.picture for f in game.board(view, walk.table.theme, {}).values()}
    assert shown - {""} <= known


@pytest.mark.parametrize(
    "text",
    [
        "{name.__class__}",
        "{name.__class__.__mro__[1].__subclasses__}",
        "{name[0]}",
        "{0}",
        "{}",
        "{name!r}",
        "{name!a}",
        "{name:>999999999}",
        "{name:{name}}",
        "{other}",
        "{ name }",
        "{name:}{self}",
        "{__init__}",
    ],
)
def test_only_plain_names_of_the_line_are_filled_in(text: str) -> None:
    assert problem("say", "joined", text).endswith("cannot be filled in here; there is {name}.")


@pytest.mark.parametrize(
    "text", ["{", "}", "{name", "name}", "{{}", "{name}}", "{name!}", "{na{me}"]
)
def test_braces_that_do_not_match_are_explained(text: str) -> None:
    assert "race" in problem("say", "joined", text) or "filled in" in problem("say", "joined", text)


@pytest.mark.parametrize(
    ("section", "name", "text", "why"),
    [
        ("say", "joined", "x" * 301, "It has 301 characters; 300 are the most."),
        ("say", "joined", "  ", "It is empty."),
        (
            "say",
            "joined",
            "two\nlines",
            "It holds signs that cannot be shown, such as a line break.",
        ),
        (
            "say",
            "joined",
            "\u202eback",
            "It holds signs that cannot be shown, such as a line break.",
        ),
        ("say", "joined", "{name}" * 7, "At most 6 things can be filled in."),
        ("colors", "marked", "red", "A colour looks like #ff8800."),
        ("colors", "marked", "#ff880", "A colour looks like #ff8800."),
        ("colors", "marked", "rgb(255, 136, 0)", "A colour looks like #ff8800."),
        ("pictures", "title", "x" * 37, "A texture key looks like 5748decc-"),
        ("pictures", "title", "my picture", "A texture key looks like 5748decc-"),
        ("pictures", "nothing", "x", "There is nothing of that name to change."),
        ("refusal", "locked", "No.", "There is nothing of that name to change."),
        ("button", "start", "Go", "There is nothing of that name to change."),
    ],
)
def test_what_cannot_be_is_explained(section: str, name: str, text: str, why: str) -> None:
    assert problem(section, name, text).startswith(why)


def test_what_fits_is_said_and_shown() -> None:
    changes = {
        "say": {"joined": "{name}, {name}! {{sic}}"},
        "hover": {"lobby": "Come\nin"},
        "status": {"lobby_1": "TRY ME"},
        "colors": {"status": "#ff8000"},
    }
    assert own.faults("peril", changes) == []
    theme = texts.load("peril").changed(changes)
    table = lobby_of()
    table.theme = theme
    table.sit("ann")
    assert table.heard() == ["Ann, Ann! {sic}"]
    board = table.game.board(table.public(), theme, TEXT_SETS)
    assert board["root"].text == "Come\nin"
    assert board["Status"].rows[0].strip() == "TRY ME"
    assert board["Status"].color == (1.0, 0.5, 0.0)
    assert texts.load("peril").say("status", "lobby_1") == "JOIN THE PERIL!", "others are as before"


def test_changes_of_one_game_are_not_those_of_another() -> None:
    mine = own.read('{"peril":{"say":{"joined":"{name}!"}}}')
    assert mine is not None
    assert mine.over("peril", texts.load("peril")).say("say", "joined", name="Ann") == "Ann!"
    assert mine.over("roulette", texts.load("roulette")) is texts.load("roulette")


def test_what_an_older_version_stored_and_this_one_does_not_know_is_left_out() -> None:
    assert own.read("") is None
    assert own.read('{"chess":{"say":{"joined":"x"}}}') is None
    assert own.read('{"peril":{"say":{"joined":"{gone}"}}}') is None
    mine = own.read('{"peril":{"say":{"joined":"{gone}","left":"Bye {name}"}}}')
    assert mine is not None
    assert mine.changes == {"peril": {"say": {"left": "Bye {name}"}}}


def test_a_line_is_never_longer_than_a_table_can_say() -> None:
    table, joined = lobby_of(), Joined(Key("k"), "漢" * 63)
    theme = texts.load("peril").changed({"say": {"joined": "{name}" * 6 + "x" * 264}})
    ((_, line),) = in_languages(table.game, table.match, table.match, joined, lambda _: theme)
    assert len(line.encode()) <= SAY_BYTES
    assert line.endswith("…")
