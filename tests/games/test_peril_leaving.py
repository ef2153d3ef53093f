"""Peril Dice, rule by rule: leaving and kicks."""

from typing import Any

import pytest

from app.games.core import Key
from app.games.lobby import (
    Kick,
    Leave,
    Scored,
)
from app.games.peril.words import (
    LifeLost,
    MatchWon,
    PerilDrawn,
    PlayerEliminated,
    Roll,
    RoundStarted,
    RoundVoided,
)

from .cast import results
from .driver import OWNER, drawn, playing

# ---- leaving, kicks -------------------------------------------------------------------------

# D4


def left(name: str, cause: str = "left") -> list[Any]:
    """What stands first when somebody goes."""
    out: list[Any] = [PlayerEliminated(Key(name), cause)]  # type: ignore[arg-type]
    if cause != "kicked":
        out.append(Scored(Key(name), name.capitalize(), won=False))
    return out


@pytest.mark.parametrize("way", ["left", "kicked"])
def test_leaving_counts_as_a_loss_and_a_kick_does_not(way: str) -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.heard()
    if way == "left":
        table.do("cid", Leave())
    else:
        table.do(OWNER, Kick(Key("cid")))
    assert table.told(PlayerEliminated) == [PlayerEliminated(Key("cid"), way)]  # type: ignore[arg-type]
    assert results(table) == ({"cid": False} if way == "left" else {})
    assert table.heard() == [
        "🏳️ Cid flees the deadly game and is eliminated."
        if way == "left"
        else "👢 Cid was removed by the owner."
    ]
    assert table.lives == {"ann": 3, "bob": 3, "cid": 0}
    assert [s.gone for s in table.public().seats] == [False, False, True]


def test_leaving_between_draw_and_round_leaves_the_rest_to_play() -> None:
    table = drawn("ann", "bob", "cid", peril="ann")
    assert table.do("bob", Leave()) == left("bob")
    assert table.play.stage == "drawn"
    assert table.waiting == {"drawn": 4}
    table.until("picking")
    assert table.play.queue == ("ann", "cid")
    assert table.play.sides == 6


def test_when_the_drawn_peril_player_leaves_another_is_drawn() -> None:
    table = drawn("ann", "bob", "cid", peril="ann")
    table.dice.then(peril=["cid"])
    assert table.do("ann", Leave()) == [*left("ann"), PerilDrawn(Key("cid"))]
    table.until("picking")
    assert table.play.queue == ("cid", "bob")
    assert table.play.round == 1


def test_when_the_one_who_is_to_pick_leaves_the_turn_passes_on() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1])
    phase = table.match.phase
    assert table.do("bob", Leave()) == left("bob")
    assert table.play.queue == ("cid",)
    assert table.match.phase > phase, "the next one's time begins anew"
    assert table.waiting["expire:cid"] == 120
    table.picks(cid=[2])
    assert table.play.stage == "rolling"


def test_when_the_last_one_to_pick_leaves_it_is_time_to_roll() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1], bob=[2])
    table.do("cid", Leave())
    assert table.play.stage == "rolling"
    assert table.due("ann") == "roll"


def test_who_leaves_before_his_turn_is_not_asked() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.wait(30)
    phase = table.match.phase
    table.do("cid", Leave())
    assert table.play.queue == ("ann", "bob")
    assert table.match.phase == phase, "the dialog of the one who picks stays due"
    assert table.waiting["expire:ann"] == 90
    table.picks(ann=[1], bob=[2])
    assert table.play.stage == "rolling"


def test_the_numbers_of_who_leaves_go_back_to_nobody() -> None:
    table = playing("ann", "bob", "cid", peril="cid")
    table.picks(cid=[1], ann=[8])
    table.do("ann", Leave())
    assert table.play.free == tuple(range(2, 13))
    table.picks(bob=[8])
    assert table.player("bob").picks == (8,)
    assert table.player("cid").picks == (1,)


@pytest.mark.parametrize("rolled", [False, True])
def test_the_number_of_who_left_protects_nobody(rolled: bool) -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1], bob=[8], cid=[3])
    table.dice.then(roll=[8])
    if rolled:
        table.do("ann", Roll())
    table.do("bob", Leave())
    if not rolled:
        table.do("ann", Roll())
    table.until("outcome")
    assert table.told(LifeLost) == [LifeLost(Key("ann"), 8, own=False, left=2)]
    assert table.play.peril == "ann"


@pytest.mark.parametrize("stage", ["first", "picking", "rolling", "rolled"])
@pytest.mark.parametrize("way", ["left", "kicked"])
def test_when_the_peril_player_leaves_the_round_is_void(stage: str, way: str) -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    if stage != "first":
        table.picks(ann=[1])
    if stage in ("rolling", "rolled"):
        table.picks(bob=[2], cid=[3])
    if stage == "rolled":
        table.dice.then(roll=[2])
        table.do("ann", Roll())
    table.dice.then(peril=["cid"])
    events = table.do("ann", Leave()) if way == "left" else table.do(OWNER, Kick(Key("ann")))
    assert events == [*left("ann", way), RoundVoided(1), PerilDrawn(Key("cid"))]
    assert table.waiting == {"drawn": 4}
    table.until("picking")
    assert table.lives == {"ann": 0, "bob": 3, "cid": 3}
    assert table.told(RoundStarted)[-1] == RoundStarted(2, 6, 1, (Key("cid"), Key("bob")))
    assert table.play.taken == frozenset()


def test_when_the_peril_player_leaves_in_join_order_the_first_living_follows() -> None:
    table = playing("ann", "bob", "cid", peril="ann", succession="join_order")
    table.do("ann", Leave())
    assert table.play.peril == "bob"


def test_when_the_new_peril_player_leaves_after_the_plot_twist_another_is_drawn() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1], bob=[2], cid=[3])
    table.roll(3)
    table.dice.then(peril=["bob"])
    assert table.do("cid", Leave()) == [*left("cid"), PerilDrawn(Key("bob"))]
    table.until("picking")
    assert table.lives == {"ann": 3, "bob": 3, "cid": 0}


def test_when_another_leaves_while_the_outcome_is_shown_the_round_ends_as_it_fell() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.round(12)
    assert table.do("bob", Leave()) == left("bob")
    assert table.waiting == {"outcome": 4}
    table.until("picking")
    assert table.play.queue == ("ann", "cid")


def test_when_the_one_struck_leaves_he_is_eliminated_by_the_roll() -> None:
    table = playing("ann", "bob", "cid", peril="ann", lives=1)
    table.strike("ann")
    assert table.do("ann", Leave()) == left("ann", "roll")
    assert table.play.stage == "eliminated"
    table.dice.then(peril=["cid"])
    table.until("picking")
    assert results(table) == {"ann": False}


def test_when_another_leaves_the_one_struck_is_eliminated_first() -> None:
    table = playing("ann", "bob", "cid", "dot", peril="ann", lives=1)
    table.strike("ann")
    assert table.do("bob", Leave()) == [*left("ann", "roll"), *left("bob")]
    table.dice.then(peril=["dot"])
    table.until("picking")
    assert table.play.queue == ("dot", "cid")


def test_who_leaves_when_the_last_other_one_is_struck_has_won() -> None:
    for stage in ("outcome", "eliminated"):
        table = playing("ann", "bob", peril="ann", lives=1)
        table.strike("ann")
        table.until(stage)
        table.do("bob", Leave())
        assert table.told(MatchWon) == [MatchWon(Key("bob"))]
        assert results(table) == {"ann": False, "bob": True}
        table.run_out()


def test_somebody_eliminated_cannot_hasten_the_end_of_another() -> None:
    table = playing("ann", "bob", "cid", peril="ann", lives=1)
    table.do("cid", Leave())
    table.strike("ann")
    assert table.refused("cid", Leave()) == "already_out"
    assert table.play.stage == "outcome"
    assert table.out == ["cid"]


def test_kicking_somebody_eliminated_says_so_to_the_owner() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.do("cid", Leave())
    assert table.reason(OWNER, Kick(Key("cid"))) == "Cid is out of this game already."


def test_leaving_while_an_elimination_is_shown_goes_on_with_the_survivors() -> None:
    table = playing("ann", "bob", "cid", "dot", peril="ann", lives=1)
    table.strike("ann")
    table.until("eliminated")
    assert table.do("bob", Leave()) == left("bob")
    table.dice.then(peril=["cid"])
    table.until("picking")
    assert table.play.queue == ("cid", "dot")


@pytest.mark.parametrize("who", ["ann", "bob"])
@pytest.mark.parametrize("stage", ["drawn", "picking", "rolling", "rolled", "outcome"])
def test_the_one_left_when_the_other_leaves_wins(stage: str, who: str) -> None:
    table = drawn("ann", "bob", peril="ann")
    if stage != "drawn":
        table.until("picking")
    if stage in ("rolling", "rolled", "outcome"):
        table.picks_all()
    if stage in ("rolled", "outcome"):
        table.dice.then(roll=[6])
        table.do("ann", Roll())
        table.until(stage)
    other = "bob" if who == "ann" else "ann"
    events = table.do(who, Leave())
    counts = stage in ("rolled", "outcome")
    won = [Scored(Key(other), other.capitalize(), won=True)] if counts else []
    assert events == [*left(who), MatchWon(Key(other)), *won]
    assert table.match.stage == "over"
    assert table.waiting == {"victory": 24}


def test_the_last_one_left_after_a_kick_wins_without_a_loss_for_the_other() -> None:
    table = playing("ann", "bob", peril="ann")
    table.round(6)
    table.do(OWNER, Kick(Key("bob")))
    assert results(table) == {"ann": True}


def test_a_kicked_bot_is_gone_like_a_player() -> None:
    table = playing("ann", "bob", peril="ann", bots=1)
    table.picks(ann=[1], bob=[2])
    table.do(OWNER, Kick(Key("bot:1")))
    assert table.play.stage == "rolling"
    assert results(table) == {}
