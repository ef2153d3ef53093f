"""Peril Dice, rule by rule: a round."""

import msgspec
import pytest

from app import games
from app.games.core import Command, Key, Refusal
from app.games.lobby import (
    Join,
    Kick,
    Leave,
    Lock,
    MatchClosed,
    Ready,
    Start,
    Unlock,
)
from app.games.peril.state import die_for
from app.games.peril.words import (
    DiceRolled,
    LifeLost,
    Mark,
    MatchWon,
    PerilDrawn,
    Pick,
    PlayerEliminated,
    PlotTwist,
    Roll,
    Unmark,
)

from .cast import TEN, results
from .dice import ScriptedDice, SeededDice
from .driver import OWNER, SERVICE, PerilTable, Table, actor, drawn, lobby_of, playing, time_up

# ---- a round --------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["ann", "bot:1", "bob"])
def test_the_first_peril_player_is_drawn_from_all_seats_and_announced(first: str) -> None:
    table = lobby_of("ann", "bob")
    table.bots(1)
    table.dice.then(peril=[first])
    table.begin()
    assert table.play.peril == first
    assert table.heard()[-2:] == [
        "⚡ THE KILLING GAME BEGINS! ⚡",
        f"🎯 Fate points at {table.match.name(Key(first))}: the Peril Player!",
    ]


def test_the_first_peril_player_is_drawn_uniformly() -> None:
    dice = SeededDice(1)
    drawn_first = []
    for _ in range(600):
        table = Table(dice)
        table.bots(3)
        table.do(OWNER, Start())
        drawn_first.append(table.told(PerilDrawn)[0].key)
    for key in ("bot:1", "bot:2", "bot:3"):
        assert 154 <= drawn_first.count(key) <= 246  # 200 ± 4 standard deviations


@pytest.mark.parametrize(
    ("players", "sides"),
    [(1, 6), (2, 6), (3, 12), (4, 12), (5, 20), (6, 20), (7, 30), (8, 30), (9, 30), (10, 30)],
)
def test_the_die_is_fixed_by_the_living(players: int, sides: int) -> None:
    assert die_for(players) == sides
    if players > 1:
        table = playing(*TEN[:players], peril="ann")
        assert table.play.sides == sides
        assert table.heard()[-1] == f"🎲 Round 1 on the d{sides}. Numbers to stake: 1 each."


def test_a_die_fixed_once_stays_for_the_round_when_somebody_leaves() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[9], bob=[10], cid=[11])
    table.do("cid", Leave())
    assert table.play.sides == 12
    table.roll(12)
    table.until("picking")
    assert table.play.sides == 6


def test_as_the_peril_player_loses_lives_everybody_picks_more() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    each = [table.play.picks_each]
    for _ in range(2):
        table.round(12)
        table.until("picking")
        each.append(table.play.picks_each)
    assert each == [1, 2, 3]
    assert table.lives == {"ann": 1, "bob": 3, "cid": 3}
    assert table.reason("ann", Pick((1, 2))) == "You need 3 numbers, not 2."
    table.picks(ann=[1, 2, 3])
    assert table.refused("bob", Pick((4,))) == "too_few_numbers"
    table.picks(bob=[4, 5, 6])


def test_with_one_life_each_everybody_picks_three_from_the_start() -> None:
    table = playing("ann", "bob", peril="ann", lives=1)
    table.picks(ann=[1, 2, 3], bob=[4, 5, 6])
    assert table.play.stage == "rolling"


def test_the_peril_player_picks_first_then_the_others_in_join_order() -> None:
    table = playing("ann", "bob", "cid", "dot", peril="cid")
    assert table.play.queue == ("cid", "ann", "bob", "dot")
    for name in ("cid", "ann", "bob", "dot"):
        for other in {"ann", "bob", "cid", "dot"} - {name}:
            why = table.refused(other, Pick((12,)))
            assert why == ("picked_already" if table.player(other).picks else "not_your_turn")
        table.do(name, Pick((table.play.free[0],)))


def test_a_number_is_taken_once_in_a_round() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks(ann=[5])
    assert table.reason("bob", Pick((5,))) == "5 is taken by Ann."
    table.picks(bob=[4])
    assert table.play.taken == {4, 5}


def test_the_numbers_of_the_round_before_are_free_again() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks(ann=[5], bob=[4])
    table.roll(6)
    table.until("picking")
    table.picks(ann=[4, 1], bob=[5, 2])
    table.roll(5)
    assert table.play.peril == "bob"


def test_picks_cannot_be_changed() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks(ann=[5])
    for command in (Pick((6,)), Mark(6), Unmark(5)):
        assert table.refused("ann", command) == "picked_already"
    assert table.player("ann").picks == (5,)


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ((0, 4), "out_of_range"),
        ((4, 7), "out_of_range"),
        ((-1, 4), "out_of_range"),
        ((4, 1), "number_taken"),
        ((4, 4), "number_twice"),
        ((4, 5, 6), "too_many_numbers"),
        ((4,), "too_few_numbers"),
        ((), "too_few_numbers"),
    ],
)
def test_picks_are_accepted_whole_or_refused_whole(numbers: tuple[int, ...], why: str) -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    table.picks(ann=[1, 2])
    assert table.refused("bob", Pick(numbers)) == why
    assert table.player("bob").picks == ()
    assert table.due("bob") == "pick"
    table.picks(bob=[4, 5])


def test_the_order_in_which_numbers_are_given_does_not_matter() -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    table.heard()
    table.picks(ann=[6, 2])
    assert table.heard() == ["🔢 Ann stakes their life on 2, 6."]


def test_numbers_chosen_one_by_one_may_be_taken_back_until_they_are_confirmed() -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    table.heard()
    table.do("ann", Mark(3))
    table.do("ann", Mark(4))
    assert table.refused("ann", Mark(5)) == "too_many_numbers"
    table.do("ann", Unmark(3))
    assert table.refused("ann", Unmark(3)) == "not_marked"
    assert table.refused("ann", Mark(4)) == "number_twice"
    table.do("ann", Mark(6))
    assert table.player("ann").marked == (4, 6)
    assert table.player("ann").picks == ()
    assert table.heard() == []
    table.picks(ann=[4, 6])
    assert table.player("ann").marked == ()


@pytest.mark.parametrize(
    ("number", "why"), [(0, "out_of_range"), (7, "out_of_range"), (2, "number_taken")]
)
def test_only_a_free_number_of_the_die_is_chosen(number: int, why: str) -> None:
    table = playing("ann", "bob", peril="bob")
    table.picks(bob=[2])
    assert table.refused("ann", Mark(number)) == why


def test_numbers_are_chosen_only_in_turn() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.reason("bob", Mark(1)) == "It is Ann's turn to pick."
    assert table.refused("bob", Unmark(1)) == "not_your_turn"


def test_chosen_numbers_that_were_not_confirmed_are_gone_in_the_next_round() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1])
    table.do("bob", Mark(3))
    table.dice.then(peril=["bob"])
    table.do("ann", Leave())
    assert table.player("bob").marked == ()
    table.until("picking")
    assert table.shown("bob", "pick").text.count("–") == 1


# the roll


def test_only_the_peril_player_rolls() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks_all()
    assert table.reason("bob", Roll()) == "Only Ann rolls the dice of fate."
    assert table.refused("zed", Roll()) == "not_seated"


def test_nobody_rolls_before_all_have_picked() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks(ann=[1])
    assert table.reason("ann", Roll()) == "Not yet: Bob has still to pick."
    table.picks(bob=[2])
    table.roll(1)


def test_there_is_one_roll_in_a_round() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks_all()
    table.dice.then(roll=[6])
    table.do("ann", Roll())
    for stage in ("rolled", "outcome"):
        table.until(stage)
        assert table.refused("ann", Roll()) == "not_rolling"
    table.until("picking")
    assert table.refused("ann", Roll()) == "picks_missing"
    assert len(table.told(DiceRolled)) == 1


def test_the_roll_is_announced_with_die_and_result() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks_all()
    table.heard()
    table.dice.then(roll=[6])
    table.do("ann", Roll())
    assert table.heard() == ["🎲 Ann rolls the d6… 6!"]


def test_the_roll_is_uniform_on_the_die_of_the_round() -> None:
    dice = SeededDice(2)
    table = PerilTable(ScriptedDice(peril=["ann"]))
    table.sit("ann", "bob")
    table.begin()
    table.until("picking")
    table.picks_all()
    fallen = []
    for _ in range(1200):
        answer = games.decide(table.match, actor("ann"), Roll(), dice)
        assert not isinstance(answer, Refusal)
        fallen.append(msgspec.to_builtins(answer[0])["number"])
    assert set(fallen) == {1, 2, 3, 4, 5, 6}
    for number in range(1, 7):
        assert 148 <= fallen.count(number) <= 252  # 200 ± 4 standard deviations


# the outcome


def test_plot_twist_when_somebody_else_holds_the_number() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1], bob=[2], cid=[3])
    table.heard()
    table.roll(3)
    assert table.told(PlotTwist) == [PlotTwist(Key("cid"), was=Key("ann"), number=3)]
    assert table.play.peril == "cid"
    assert table.lives == {"ann": 3, "bob": 3, "cid": 3}
    assert table.heard()[-1] == (
        "🔄 PLOT TWIST! Cid held the 3 and is in peril now. Ann breathes again."
    )
    table.until("picking")
    assert table.play.queue == ("cid", "ann", "bob")


def test_direct_hit_when_the_peril_player_holds_the_number() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1], bob=[2], cid=[3])
    table.heard()
    table.roll(1)
    assert table.told(LifeLost) == [LifeLost(Key("ann"), 1, own=True, left=2)]
    assert table.lives == {"ann": 2, "bob": 3, "cid": 3}
    assert table.heard()[-1].startswith("💥 DIRECT HIT! Ann ")


def test_no_shield_when_nobody_holds_the_number() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[1], bob=[2], cid=[3])
    table.heard()
    table.roll(4)
    assert table.told(LifeLost) == [LifeLost(Key("ann"), 4, own=False, left=2)]
    assert table.lives == {"ann": 2, "bob": 3, "cid": 3}
    assert table.heard()[-1].startswith("💔 NO SHIELD! ")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_any_of_several_numbers_counts(number: int) -> None:
    table = playing("ann", "bob", peril="ann", lives=1)
    table.picks(ann=[4, 5, 6], bob=[3, 1, 2])
    table.roll(number)
    assert table.play.peril == "bob"


def test_a_surviving_peril_player_stays_in_peril() -> None:
    table = playing("ann", "bob", "cid", peril="bob")
    table.round(12)
    table.until("picking")
    assert table.play.peril == "bob"
    assert table.play.queue[0] == "bob"
    assert table.play.round == 2


# elimination


def test_zero_hearts_are_shown_before_the_elimination() -> None:
    table = playing("ann", "bob", "cid", peril="ann", lives=1)
    table.strike("ann")
    assert table.play.stage == "outcome"
    assert table.lives["ann"] == 0
    assert table.out == []
    assert table.waiting == {"outcome": 4}
    table.wait(3.9)
    assert table.out == []
    table.wait(0.1)
    assert table.out == ["ann"]
    assert table.play.stage == "eliminated"
    assert table.waiting == {"eliminated": 2}
    assert table.told(PlayerEliminated) == [PlayerEliminated(Key("ann"), "roll")]


def test_the_eliminated_keep_their_slot_until_the_reset() -> None:
    table = playing("ann", "bob", "cid", peril="ann", lives=1)
    table.strike("ann")
    table.dice.then(peril=["cid"])
    table.until("picking")
    assert [s.key for s in table.public().seats] == ["ann", "bob", "cid"]
    assert [s.out for s in table.public().seats] == [True, False, False]


@pytest.mark.parametrize("command", [Join(), Pick((1, 2, 3)), Roll(), Mark(1), Unmark(1), Leave()])
def test_eliminated_players_cannot_return(command: Command) -> None:
    table = playing("ann", "bob", "cid", peril="ann", lives=1)
    table.strike("ann")
    table.dice.then(peril=["cid"])
    table.until("picking")
    assert table.refused("ann", command) in ("already_out", "already_seated")
    assert "ann" not in table.play.queue


def test_who_has_no_life_left_does_nothing_while_the_outcome_is_shown() -> None:
    table = playing("ann", "bob", "cid", peril="ann", lives=1)
    table.strike("ann")
    assert table.refused("ann", Roll()) == "already_out"


# D3


@pytest.mark.parametrize("drawn_next", ["bob", "cid", "bot:1"])
def test_the_next_peril_player_is_drawn_from_the_survivors(drawn_next: str) -> None:
    table = playing("ann", "bob", "cid", peril="ann", bots=1, lives=1)
    table.picks(ann=[1, 2, 3], bob=[4, 5, 6], cid=[7, 8, 9])
    table.dice.then(pick=[(10, 11, 12)], peril=[drawn_next])
    table.tick()
    table.roll(1)
    table.heard()
    table.until("drawn")
    assert table.play.peril == drawn_next
    assert table.heard()[-1].endswith(": the Peril Player!")
    table.until("picking")
    assert table.play.queue[0] == drawn_next
    assert table.play.sides == 12


def test_the_draw_among_the_survivors_is_uniform() -> None:
    table = playing("ann", "bob", "cid", "dot", peril="ann", lives=1)
    table.strike("ann")
    table.until("eliminated")
    dice = SeededDice(3)
    timer = time_up(table.timers[0])
    found = []
    for _ in range(600):
        answer = games.decide(table.match, SERVICE, timer, dice)
        assert not isinstance(answer, Refusal)
        found.append(msgspec.to_builtins(answer[0])["key"])
    assert set(found) == {"bob", "cid", "dot"}
    for key in set(found):
        assert 154 <= found.count(key) <= 246  # 200 ± 4 standard deviations


def test_succession_in_join_order_puts_the_first_living_in_peril() -> None:
    table = playing("ann", "bob", "cid", peril="bob", lives=1, succession="join_order")
    table.strike("bob")
    table.until("picking")
    assert table.play.peril == "ann"
    table = playing("ann", "bob", "cid", peril="ann", lives=1, succession="join_order")
    table.strike("ann")
    table.until("picking")
    assert table.play.peril == "bob"


# victory


def test_the_last_one_left_wins_after_the_elimination_was_shown() -> None:
    table = playing("ann", "bob", peril="ann", lives=1)
    table.strike("ann")
    table.until("eliminated")
    table.wait(1.9)
    assert table.told(MatchWon) == []
    table.heard()
    table.wait(0.1)
    assert table.told(MatchWon) == [MatchWon(Key("bob"))]
    assert table.match.stage == "over"
    assert table.play.winner == "bob"
    assert table.heard() == ["✨ ULTIMATE VICTORY! Bob is the Ultimate Survivor! ✨"]
    assert results(table) == {"ann": False, "bob": True}


def test_the_victory_is_celebrated_for_24_seconds_and_then_the_table_is_reset() -> None:
    table = playing("ann", "bob", peril="ann", lives=1)
    table.strike("ann")
    table.until("victory")
    table.wait(23.9)
    assert not table.match.closed
    table.wait(0.1)
    assert table.events[-1] == MatchClosed("victory")
    assert table.timers == ()


def test_every_player_of_the_match_is_offered_to_play_again_with_one_press() -> None:
    table = drawn("ann", "bob", peril="ann", bots=1)
    table.do("bob", Leave())
    table.do(OWNER, Kick(Key("bot:1")))
    table.run_out()
    table = table.reopened()
    assert table.names == []
    assert table.match.invited == ("ann", "bob")
    assert table.due("ann") == "rejoin"
    assert table.press("ann", "rejoin", "Play Again") == "lobby"
    assert table.names == ["Ann"]
    assert table.due("ann") == ""
    assert table.due("bob") == "rejoin"
    assert table.due("zed") == ""


def test_the_offer_to_play_again_ends_with_the_next_start_and_is_not_made_while_locked() -> None:
    table = drawn("ann", "bob", peril="ann")
    table.do("bob", Leave())
    table.do(OWNER, Lock())
    table.run_out()
    table = table.reopened()
    assert table.due("ann") == ""
    table.do(OWNER, Unlock())
    assert table.due("ann") == "rejoin"
    table.bots(2)
    table.dice.then(peril=["bot:1"])
    table.do(OWNER, Start())
    assert table.match.invited == ()


def test_only_what_is_over_can_be_done_while_the_winner_is_celebrated() -> None:
    table = drawn("ann", "bob", peril="ann")
    table.do("bob", Leave())
    assert table.match.stage == "over"
    for who, command in (
        ("ann", Leave()),
        ("bob", Leave()),
        ("ann", Roll()),
        ("ann", Ready()),
        (OWNER, Kick(Key("ann"))),
    ):
        assert table.refused(who, command) == "match_over"
    assert table.told(PlayerEliminated) == [PlayerEliminated(Key("bob"), "left")]
