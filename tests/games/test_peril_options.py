"""Peril Dice, rule by rule: pace, options, and commands that do not belong."""

from typing import Any

import msgspec
import pytest

from app import games
from app.games import lobby, menus
from app.games.core import Command, Key
from app.games.lobby import (
    ChooseGame,
    Joined,
    Leave,
    SetOptions,
)
from app.games.peril.words import (
    Mark,
    Pick,
    Roll,
    TitleRestored,
    Unmark,
)

from .driver import OWNER, drawn, lobby_of, playing

# ---- pace -----------------------------------------------------------------------------------


def shows(**options: Any) -> dict[str, float]:
    """How long each moment of a match is shown, in seconds."""
    table = drawn("ann", peril="bot:1", bots=1, **{"lives": 1, **options})
    found: dict[str, float] = {}
    table.dice.then(pick=[(1, 2, 3)], roll=[1])
    while not table.match.closed:
        found |= {t.name: t.after_s for t in table.timers}
        if table.play.stage == "picking" and table.play.queue[0] == "ann":
            table.picks_all()
        else:
            table.tick()
    return {name: after_s for name, after_s in found.items() if ":ann" not in name}


def test_each_moment_is_shown_as_long_as_the_rules_say() -> None:
    assert shows() == {
        "drawn": 4,
        "bot:bot:1": 2,
        "title": 8,
        "rolled": 4,
        "outcome": 4,
        "eliminated": 2,
        "victory": 24,
    }


def test_at_a_brisk_pace_all_but_the_victory_is_halved() -> None:
    brisk = shows(pace="brisk")
    assert brisk.pop("victory") == 24
    assert brisk == {name: s / 2 for name, s in shows().items() if name != "victory"}


def test_the_deadlines_of_people_are_not_halved() -> None:
    table = playing("ann", "bob", peril="ann", pace="brisk")
    assert table.waiting["expire:ann"] == 120


def test_the_large_picture_goes_back_to_the_title_after_eight_seconds_of_waiting() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.play.news == "drawn"
    table.wait(7.9)
    assert table.play.news == "drawn"
    table.wait(0.1)
    assert table.play.news == ""
    assert len(table.told(TitleRestored)) == 1
    assert "title" not in table.waiting


def test_the_eight_seconds_do_not_begin_anew_with_each_pick() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.wait(5)
    table.picks(ann=[1], bob=[2])
    assert table.waiting["title"] == 3


def test_who_flees_is_shown_until_the_title_comes_back() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.wait(8)
    table.do("cid", Leave())
    assert table.play.news == "fled"
    assert table.waiting["title"] == 8


# ---- options --------------------------------------------------------------------------------


def test_the_presets_are_what_the_rules_say() -> None:
    table = lobby_of()
    found = {}
    for preset in table.game.presets:
        table.do(OWNER, SetOptions(preset=preset))
        found[preset] = (table.match.options.lives, table.match.options.turn_s)
    assert found == {"classic": (3, 120), "speed_peril": (3, 60), "high_stakes": (2, 120)}


def test_a_table_begins_with_the_defaults_of_the_rules() -> None:
    options = msgspec.to_builtins(lobby.default_options(games.GAMES["peril"]))
    assert options == {
        "turn_s": 120,
        "afk": "bot",
        "afk_limit": 2,
        "rank_practice": True,
        "pace": "normal",
        "victory_s": 24,
        "lives": 3,
        "succession": "random",
        "draw_shown_s": 4,
        "bot_pick_s": 2,
        "bot_roll_s": 2,
        "roll_shown_s": 4,
        "outcome_shown_s": 4,
        "elimination_shown_s": 2,
        "title_after_s": 8,
    }


def test_single_options_lie_over_those_there_are_and_a_preset_over_all() -> None:
    table = lobby_of()
    table.do(OWNER, SetOptions(options={"pace": "brisk"}))
    table.do(OWNER, SetOptions(options={"turn_s": 30}))
    assert (table.match.options.pace, table.match.options.turn_s) == ("brisk", 30)
    table.do(OWNER, SetOptions(preset="high_stakes", options={"turn_s": 45}))
    options = table.match.options
    assert (options.pace, options.turn_s, options.lives) == ("normal", 45, 2)


@pytest.mark.parametrize(
    "options",
    [
        {"lives": 0},
        {"lives": 4},
        {"lives": "3"},
        {"turn_s": 4.9},
        {"turn_s": 3601},
        {"turn_s": float("nan")},
        {"afk_limit": 0},
        {"afk_limit": 11},
        {"victory_s": -1},
        {"victory_s": 301},
        {"draw_shown_s": 61},
        {"bot_pick_s": -0.1},
        {"bot_roll_s": 61},
        {"roll_shown_s": -1},
        {"outcome_shown_s": 61},
        {"elimination_shown_s": 61},
        {"title_after_s": 61},
        {"pace": "hasty"},
        {"afk": "wait"},
        {"succession": "dice"},
        {"rank_practice": "yes"},
        {"sides": 6},
    ],
    ids=str,
)
def test_an_option_beyond_its_limits_is_refused_with_the_reason(options: dict[str, Any]) -> None:
    table = lobby_of()
    before = table.match.options
    sentence = table.reason(OWNER, SetOptions(options=options))
    assert next(iter(options)) in sentence
    assert table.match.options == before


@pytest.mark.parametrize(
    "options",
    [{"turn_s": 5}, {"turn_s": 3600}, {"afk_limit": 10}, {"victory_s": 0}, {"draw_shown_s": 60}],
    ids=str,
)
def test_an_option_at_its_limit_is_accepted(options: dict[str, Any]) -> None:
    lobby_of().do(OWNER, SetOptions(options=options))


def test_an_unknown_preset_is_refused_with_those_there_are() -> None:
    sentence = lobby_of().reason(OWNER, SetOptions(preset="nightmare"))
    assert sentence == "No such preset. There are: classic, speed_peril, high_stakes."


def test_options_are_fixed_while_a_game_runs() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.refused(OWNER, SetOptions(preset="classic")) == "options_fixed"
    assert table.refused(OWNER, ChooseGame("peril")) == "options_fixed"


def test_only_a_game_there_is_and_that_is_not_played_already_can_be_chosen() -> None:
    assert lobby_of().refused(OWNER, ChooseGame("chess")) == "no_such_game"
    assert lobby_of().refused(OWNER, ChooseGame("peril")) == "already_this_game"


# ---- commands that do not belong ------------------------------------------------------------


@pytest.mark.parametrize("command", [Pick((1,)), Mark(1), Unmark(1), Roll()])
def test_there_is_no_playing_in_the_lobby(command: Command) -> None:
    table = lobby_of("ann")
    assert table.refused("ann", command) == "not_started"
    assert table.refused("zed", command) == "touch_to_join"


@pytest.mark.parametrize("command", [Pick((1,)), Mark(1), Unmark(1), Roll()])
def test_strangers_do_not_play(command: Command) -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.refused("zed", command) == "not_seated"
    assert table.refused(OWNER, command) == "not_seated"


@pytest.mark.parametrize("stage", ["drawn", "rolling", "rolled", "outcome"])
def test_nobody_picks_outside_the_time_for_picking(stage: str) -> None:
    table = drawn("ann", "bob", peril="ann")
    if stage != "drawn":
        table.until("picking")
        table.picks_all()
    if stage in ("rolled", "outcome"):
        table.dice.then(roll=[6])
        table.do("ann", Roll())
        table.until(stage)
    for command in (Pick((3,)), Mark(3), Unmark(3)):
        assert table.refused("bob", command) == "not_picking"


def test_a_match_begins_with_its_opening() -> None:
    table = playing("ann", "bob", peril="ann")
    with pytest.raises(ValueError, match="begins with MatchOpened"):
        games.replay(table.events[1:])
    with pytest.raises(ValueError, match="begins with MatchOpened"):
        games.replay([])


def test_every_kind_of_event_and_command_can_be_written_down_and_read() -> None:
    table = playing("ann", "bob", peril="ann")
    written = msgspec.json.encode(Pick((1, 2)))
    assert games.command_decoder.decode(written) == Pick((1, 2))
    assert games.events_decoder.decode(msgspec.json.encode(table.events)) == table.events


def test_a_command_with_a_field_too_many_is_not_read() -> None:
    with pytest.raises(msgspec.ValidationError):
        games.command_decoder.decode(b'{"type": "roll", "number": 6}')


@pytest.mark.parametrize("name", ["freeze", "thaw", "time_up"])
def test_what_the_service_does_cannot_come_from_outside(name: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        games.command_decoder.decode(msgspec.json.encode({"type": name}))


def test_somebody_who_joins_is_announced() -> None:
    table = lobby_of("ann")
    assert table.heard() == [
        "💀 Ann has entered the deadly game! Welcome to your potential doom! 💀"
    ]
    assert table.told(Joined) == [Joined(Key("ann"), "Ann")]
    assert menus.due(table.game, table.match, Key("ann")) == ""
