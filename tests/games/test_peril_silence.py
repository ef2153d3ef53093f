"""Peril Dice, rule by rule: silence and freezing."""

from typing import Any

import pytest

from app.games.core import Command, Key
from app.games.lobby import (
    Attended,
    Freeze,
    Leave,
    ResetMatch,
    SetOptions,
    TakeBack,
    Thaw,
)
from app.games.peril.words import (
    DiceRolled,
    Mark,
    Pick,
    PlayerEliminated,
    Roll,
    RoundVoided,
)

from .cast import results
from .driver import OWNER, SERVICE, PerilTable, drawn, lobby_of, playing, time_up

# ---- silence --------------------------------------------------------------------------------

# D5


def test_who_is_waited_for_is_reminded_alone_after_half_of_the_time() -> None:
    table = playing("ann", "bob", peril="ann")
    table.heard()
    assert table.waiting == {"remind:ann": 60, "expire:ann": 120, "title": 8}
    table.wait(59.9)
    assert table.heard("ann") == []
    table.wait(0.1)
    assert table.heard("ann") == [
        "⏳ You are waited for. 60 seconds left; touch the table if you lost the dialog."
    ]
    assert table.heard() == []
    assert table.waiting == {"expire:ann": 60}


def test_in_speed_peril_the_time_is_60_seconds() -> None:
    table = lobby_of("ann", "bob")
    table.do(OWNER, SetOptions(preset="speed_peril"))
    table.dice.then(peril=["ann"])
    table.begin()
    table.until("picking")
    assert table.waiting["expire:ann"] == 60
    assert table.waiting["remind:ann"] == 30


def test_when_the_time_is_over_the_server_picks_at_random_and_says_so() -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    table.do("ann", Mark(1))
    table.heard()
    table.dice.then(pick=[(2, 5)])
    table.wait(119.9)
    assert table.player("ann").picks == ()
    table.wait(0.1)
    assert table.player("ann").picks == (2, 5)
    assert table.heard() == [
        "⏳ Ann did not answer in time. The table answers instead.",
        "🔢 Ann stakes their life on 2, 5.",
    ]
    assert table.waiting["expire:bob"] == 120


def test_when_the_time_is_over_the_server_rolls() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks_all()
    table.dice.then(roll=[4])
    table.wait(120)
    assert table.told(DiceRolled) == [DiceRolled(Key("ann"), 6, 4)]
    assert table.seat("ann").strikes == 1


def silent(table: PerilTable) -> None:
    """Ann, in peril, lets her time run out once."""
    table.until("picking")
    table.dice.then(pick=[table.play.free[: table.play.picks_each]])
    table.wait(120)


def silent_twice(**options: Any) -> PerilTable:
    """Ann, in peril, lets the pick and the roll of the first round pass."""
    table = playing("ann", "bob", "cid", peril="ann", **options)
    silent(table)
    table.picks_all()
    table.heard()
    table.dice.then(roll=[12], peril=["cid"])
    table.wait(120)
    return table


def test_after_two_expiries_in_a_row_a_bot_plays_the_seat() -> None:
    table = silent_twice()
    assert table.seat("ann").auto
    assert table.heard()[:2] == [
        "⏳ Ann did not answer in time. The table answers instead.",
        "🤖 A bot plays for Ann until Ann touches the table.",
    ]
    table.until("picking")
    assert table.waiting["bot:ann"] == 2
    assert "expire:ann" not in table.waiting
    assert table.due("ann") == ""
    table.dice.then(pick=[(7, 8)])
    table.wait(2)
    assert table.player("ann").picks == (7, 8)


def test_an_answer_in_between_begins_the_count_anew() -> None:
    table = playing("ann", "bob", peril="ann")
    silent(table)
    assert table.seat("ann").strikes == 1
    table.picks(bob=[2])
    table.dice.then(roll=[6])
    assert table.do("ann", Roll())[0] == Attended(Key("ann"))
    assert table.seat("ann").strikes == 0
    silent(table)
    assert table.seat("ann").strikes == 1
    assert not table.seat("ann").auto


def test_a_refused_answer_is_no_answer() -> None:
    table = playing("ann", "bob", peril="ann")
    silent(table)
    assert table.refused("ann", Roll()) == "picks_missing"
    assert table.seat("ann").strikes == 1


@pytest.mark.parametrize("limit", [1, 3])
def test_how_many_expiries_it_takes_is_an_option(limit: int) -> None:
    table = playing("ann", "bob", peril="ann", afk_limit=limit)
    silent(table)
    assert table.seat("ann").auto == (limit == 1)


def test_a_touch_takes_the_seat_back_with_the_full_time() -> None:
    table = silent_twice()
    table.until("picking")
    table.heard("ann"), table.heard()
    assert table.touch("ann") == TakeBack()
    table.do("ann", TakeBack())
    assert not table.seat("ann").auto
    assert table.seat("ann").strikes == 0
    assert table.heard() == ["Ann is back and plays again."]
    assert table.heard("ann") == ["Welcome back. You play your seat again."]
    assert table.due("ann") == "pick"
    assert table.waiting["expire:ann"] == 120
    assert table.refused("ann", TakeBack()) == "nothing_to_take_back"
    assert table.refused("zed", TakeBack()) == "not_seated"


def test_an_answer_takes_the_seat_back_too() -> None:
    table = silent_twice()
    table.until("picking")
    table.picks(ann=[1, 2])
    assert not table.seat("ann").auto
    assert table.player("ann").picks == (1, 2)


def test_the_seat_that_a_bot_plays_and_its_record_stay_the_players() -> None:
    table = silent_twice(lives=1)
    assert table.seat("ann").auto
    table.until("eliminated")
    assert results(table) == {"ann": False}
    assert not table.seat("ann").bot


def test_nobody_comes_back_to_a_seat_that_is_out() -> None:
    table = silent_twice(lives=1)
    table.until("eliminated")
    assert not table.seat("ann").auto
    assert table.touch("ann") == "wait"
    assert table.refused("ann", TakeBack()) == "nothing_to_take_back"


def test_with_afk_remove_the_silent_one_goes_as_if_he_had_left() -> None:
    table = playing("ann", "bob", "cid", peril="ann", afk="remove")
    table.picks(ann=[1])
    table.dice.then(pick=[(2,)])
    table.wait(120)
    table.picks(cid=[3])
    table.roll(12)
    table.until("picking")
    table.picks(ann=[1, 4])
    table.heard()
    table.wait(120)
    assert table.told(PlayerEliminated) == [PlayerEliminated(Key("bob"), "silent")]
    assert results(table) == {"bob": False}
    assert table.heard()[-1] == "⏳ Bob stayed silent once too often and is eliminated."
    assert table.play.queue == ("cid",)


def test_with_afk_remove_a_silent_peril_player_voids_the_round() -> None:
    table = playing("ann", "bob", "cid", peril="ann", afk="remove", afk_limit=1)
    table.dice.then(peril=["bob"])
    table.wait(120)
    assert len(table.told(RoundVoided)) == 1
    assert table.play.peril == "bob"


def test_a_deadline_of_a_moment_that_has_passed_does_nothing() -> None:
    table = playing("ann", "bob", peril="ann")
    late = [time_up(t) for t in table.timers if t.name != "title"]
    table.picks(ann=[1])
    for command in late:
        assert table.refused(SERVICE, command) == "stale"


def test_the_one_who_left_is_no_longer_reminded() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1])
    table.do("bob", Leave())
    assert not [name for name in table.waiting if name.endswith(":bob")]


# ---- freezing -------------------------------------------------------------------------------

# D7


@pytest.mark.parametrize("reason", ["unreachable", "restart", "maintenance"])
def test_a_frozen_match_has_no_deadline_and_says_so(reason: Any) -> None:
    table = playing("ann", "bob", peril="ann")
    late = time_up(table.timers[0])
    table.heard()
    table.do(SERVICE, Freeze(reason))
    assert table.match.frozen == reason
    assert table.timers == ()
    assert table.refused(SERVICE, late) == "stale"
    assert len(table.heard()) == 1
    table.wait(1000)
    assert table.play.stage == "picking"


@pytest.mark.parametrize("command", [Pick((1,)), Mark(1), Roll()])
def test_nobody_plays_on_a_frozen_table(command: Command) -> None:
    table = playing("ann", "bob", peril="ann")
    table.do(SERVICE, Freeze("unreachable"))
    assert table.refused("ann", command) == "frozen"
    assert table.due("ann") == ""


def test_a_match_goes_on_where_it_was_with_full_deadlines_and_says_so() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do("ann", Mark(3))
    table.wait(100)
    before = table.play
    late = time_up(table.timers[0])
    table.do(SERVICE, Freeze("unreachable"))
    table.wait(500)
    table.heard()
    table.do(SERVICE, Thaw())
    assert table.play == before
    assert table.waiting == {"remind:ann": 60, "expire:ann": 120}
    assert table.refused(SERVICE, late) == "stale"
    assert table.heard() == ["▶️ The game goes on where it stopped. Everybody has full time again."]
    assert table.due("ann") == "pick"


@pytest.mark.parametrize("stage", ["drawn", "rolled", "outcome", "eliminated", "victory"])
def test_a_show_is_shown_in_full_after_a_freeze(stage: str) -> None:
    table = drawn("ann", "bob", peril="ann", lives=1)
    if stage != "drawn":
        table.until("picking")
        table.picks_all()
        table.dice.then(roll=[1])
        table.do("ann", Roll())
    table.until(stage)
    full = table.waiting
    table.wait(1)
    table.do(SERVICE, Freeze("restart"))
    assert table.timers == ()
    table.do(SERVICE, Thaw())
    assert table.waiting == full


def test_there_is_nothing_to_freeze_in_a_lobby_and_nothing_freezes_twice() -> None:
    assert lobby_of("ann").refused(SERVICE, Freeze("restart")) == "stale"
    table = playing("ann", "bob", peril="ann")
    assert table.refused(SERVICE, Thaw()) == "stale"
    table.do(SERVICE, Freeze("restart"))
    assert table.refused(SERVICE, Freeze("unreachable")) == "stale"
    assert table.match.frozen == "restart"


def test_the_owner_resets_and_players_leave_a_frozen_table() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.do(SERVICE, Freeze("unreachable"))
    table.do("cid", Leave())
    assert table.out == ["cid"]
    table.do(OWNER, ResetMatch())
    assert table.reopened().match.frozen == ""
