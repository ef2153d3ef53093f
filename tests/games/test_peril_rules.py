"""Peril Dice, rule by rule, in the order of the rule text."""

from typing import Any

import msgspec
import pytest

from app import games
from app.games import lobby, menus
from app.games.core import Actor, Command, Key, Refusal
from app.games.lobby import (
    AddBot,
    Attended,
    ChooseGame,
    ClearHuds,
    Freeze,
    Join,
    Joined,
    Kick,
    Leave,
    Left,
    Lock,
    MatchClosed,
    Ready,
    RemoveBot,
    ResetAll,
    ResetMatch,
    ResetRanking,
    Scored,
    SendHuds,
    SetOptions,
    Start,
    TakeBack,
    Thaw,
    TurnRanking,
    Unlock,
)
from app.games.peril.state import die_for
from app.games.peril.words import (
    DiceRolled,
    LifeLost,
    Mark,
    MatchWon,
    NumbersPicked,
    PerilDrawn,
    Pick,
    PlayerEliminated,
    PlotTwist,
    Roll,
    RoundStarted,
    RoundVoided,
    TitleRestored,
    Unmark,
)

from .dice import ScriptedDice, SeededDice
from .driver import OWNER, SERVICE, PerilTable, Table, actor, drawn, lobby_of, playing, time_up

TEN = ("ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal", "ida", "jon")

SERVER_COMMANDS: list[Command] = [Freeze("restart"), Thaw(), lobby.TimeUp("drawn", 1, 0)]
OWNER_COMMANDS: list[Command] = [
    AddBot(),
    RemoveBot(),
    Kick(Key("ann")),
    Lock(),
    Unlock(),
    ResetMatch(),
    ResetRanking(),
    ResetAll(),
    SetOptions(preset="high_stakes"),
    ChooseGame("peril"),
    ClearHuds(),
    SendHuds(),
]


def results(table: Table) -> dict[str, bool]:
    """Who has won (True) or lost (False); nobody is scored twice in a match."""
    scored = table.told(Scored)
    assert len({s.key for s in scored}) == len(scored)
    return {s.key: s.won for s in scored}


# ---- players and lobby ----------------------------------------------------------------------


def test_whoever_joins_takes_the_last_seat() -> None:
    table = lobby_of("ann", "bob")
    assert table.names == ["Ann", "Bob"]


def test_each_player_starts_with_three_lives() -> None:
    assert playing("ann", "bob", peril="ann").lives == {"ann": 3, "bob": 3}


def test_in_high_stakes_each_player_starts_with_two_lives() -> None:
    table = lobby_of("ann", "bob")
    table.do(OWNER, SetOptions(preset="high_stakes"))
    table.dice.then(peril=["ann"])
    table.begin()
    assert table.lives == {"ann": 2, "bob": 2}


def test_who_has_a_seat_does_not_get_another() -> None:
    table = lobby_of("ann")
    assert table.refused("ann", Join()) == "already_seated"
    assert table.names == ["Ann"]


def test_two_avatars_with_one_display_name_are_two_players() -> None:
    table = lobby_of()
    table.do(Actor(Key("sam-1"), "Sam"), Join())
    table.do(Actor(Key("sam-2"), "Sam"), Join())
    table.dice.then(peril=["sam-2"])
    table.begin()
    assert table.lives == {"sam-1": 3, "sam-2": 3}
    assert table.play.peril == "sam-2"


def test_a_human_named_like_a_bot_is_a_human() -> None:
    table = lobby_of("ann")
    table.do(Actor(Key("botany"), "Bot1"), Join())
    seat = table.match.seat(Key("botany"))
    assert seat is not None
    assert not seat.bot
    assert not seat.ready
    assert table.refused("ann", Start()) == "not_ready"


def test_a_bot_is_a_bot_whatever_humans_are_called() -> None:
    table = lobby_of()
    table.do(Actor(Key("x"), "Bot1"), Join())
    table.bots(1)
    assert [(s.name, s.bot) for s in table.match.seats] == [("Bot1", False), ("Bot1", True)]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Smith, John", "Smith, John"),
        ("  two\nlines\there ", "two lines here"),
        ("", "?"),
        ("\u200b\n", "?"),
        ("<!c=red>X", "<!c=red>X"),
        ("漢" * 80, "漢" * 63),
    ],
)
def test_a_name_is_shown_in_one_line_of_bounded_length(given: str, shown: str) -> None:
    table = lobby_of()
    table.do(Actor(Key("x"), given), Join())
    assert table.names == [shown]


def test_a_table_seats_ten() -> None:
    table = lobby_of(*TEN)
    assert table.reason("kim", Join()) == "The table is full: 10 seats at most."
    assert table.refused(OWNER, AddBot()) == "table_full"


@pytest.mark.parametrize("who", ["ann", "cid", "owner"])
def test_nobody_joins_a_running_match_not_even_the_owner(who: str) -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.refused(who, Join()) == ("already_seated" if who == "ann" else "game_running")


def test_nobody_joins_while_the_winner_is_celebrated() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do("bob", Leave())
    assert table.refused("cid", Join()) == "match_over"


def test_who_left_the_lobby_may_join_again_as_the_last() -> None:
    table = lobby_of("ann", "bob")
    table.do("ann", Leave())
    table.do("ann", Join())
    assert table.names == ["Bob", "Ann"]


@pytest.mark.parametrize("key", ["bot:1", "server", ""])
def test_only_an_avatar_takes_a_seat(key: str) -> None:
    assert lobby_of().refused(Actor(Key(key), "Trick"), Join()) == "not_an_avatar"


# D1


def test_the_starter_is_the_first_human_in_join_order() -> None:
    table = lobby_of()
    table.bots(2)
    assert table.match.starter == ""
    table.sit("bob", "ann")
    assert table.match.starter == "bob"


def test_when_the_starter_leaves_the_next_human_is_starter_and_hears_it_alone() -> None:
    table = lobby_of("ann")
    table.bots(1)
    table.sit("bob", "cid")
    table.heard()
    table.do("ann", Leave())
    assert table.match.starter == "bob"
    assert table.heard("bob") == ["You are the first player now: touch the table to start the game."]
    assert table.heard("cid") == []
    assert table.heard() == ["Ann has left the table."]


def test_when_another_leaves_nobody_hears_of_the_starter() -> None:
    table = lobby_of("ann", "bob", "cid")
    table.do("bob", Leave())
    assert table.heard("ann") == []


def test_the_starter_may_start() -> None:
    table = lobby_of("ann", "bob")
    table.do("bob", Ready())
    table.dice.then(peril=["bob"])
    table.do("ann", Start())
    assert table.match.stage == "playing"


@pytest.mark.parametrize("seated", [False, True])
def test_the_owner_may_start_seated_or_not(seated: bool) -> None:
    table = lobby_of("ann", "bob", *["owner"] * seated)
    table.do("bob", Ready())
    table.dice.then(peril=["bob"])
    table.do(OWNER, Start())
    assert table.match.stage == "playing"


# start and its refusals


def test_the_starter_and_the_owner_who_starts_need_not_be_ready() -> None:
    table = lobby_of("ann", "owner", "bob")
    assert table.reason(OWNER, Start()) == "Not ready yet: Bob."
    table.do("bob", Ready())
    assert table.reason("ann", Start()) == "Not ready yet: Olga."
    table.dice.then(peril=["ann"])
    table.do(OWNER, Start())


def test_a_start_with_too_few_players_is_refused() -> None:
    table = lobby_of("ann")
    assert table.reason("ann", Start()) == "At least 2 players are needed. Bots count."
    table.bots(1)
    table.dice.then(peril=["ann"])
    table.do("ann", Start())


def test_a_start_names_those_who_are_not_ready() -> None:
    table = lobby_of("ann", "bob", "cid", "dot")
    table.bots(1)
    table.do("cid", Ready())
    assert table.reason("ann", Start()) == "Not ready yet: Bob, Dot."


@pytest.mark.parametrize("who", ["bob", "zed"])
def test_only_the_starter_or_the_owner_starts(who: str) -> None:
    table = lobby_of("ann", "bob")
    table.do("bob", Ready())
    assert table.refused(who, Start()) == "not_starter"
    assert table.match.stage == "lobby"


def test_a_second_start_changes_nothing() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.refused("ann", Start()) == "already_started"
    assert table.refused(OWNER, Start()) == "already_started"
    table.do("bob", Leave())
    assert table.refused("ann", Start()) == "match_over"


def test_bots_are_always_ready() -> None:
    table = lobby_of()
    table.bots(2)
    assert all(s.ready for s in table.match.seats)
    assert table.refused(Actor(Key("bot:1")), Ready(False)) == "bots_are_ready"
    table.dice.then(peril=["bot:2"])
    table.do(OWNER, Start())


# ready, leaving the lobby


def test_ready_toggles_and_is_announced_once() -> None:
    table = lobby_of("ann", "bob")
    table.heard()
    table.do("bob", Ready())
    assert table.seat("bob").ready
    assert table.heard() == ["⚔️ Bob steels themselves for the deadly challenge ahead! ⚔️"]
    assert table.refused("bob", Ready()) == "already_ready"
    assert table.heard() == []
    table.do("bob", Ready(False))
    assert not table.seat("bob").ready
    assert table.heard() == ["🏃 Bob loses their nerve and backs away from the challenge! 🏃"]
    assert table.refused("bob", Ready(False)) == "already_not_ready"


def test_only_who_has_a_seat_is_ready() -> None:
    assert lobby_of("ann").refused("zed", Ready()) == "touch_to_join"


def test_nobody_gets_ready_in_a_running_match() -> None:
    assert playing("ann", "bob", peril="ann").refused("ann", Ready(False)) == "game_running"


def test_leaving_the_lobby_is_no_elimination_and_the_last_one_wins_nothing() -> None:
    table = lobby_of("ann", "bob")
    table.heard()
    assert table.do("bob", Leave()) == [Left(Key("bob"))]
    assert table.heard() == ["Bob has left the table."]
    assert table.match.stage == "lobby"
    assert table.names == ["Ann"]
    assert results(table) == {}


def test_who_has_no_seat_cannot_leave() -> None:
    assert lobby_of("ann").refused("zed", Leave()) == "not_seated"


def test_a_place_freed_in_the_lobby_is_taken_by_those_behind() -> None:
    table = lobby_of("ann", "bob", "cid")
    table.do("ann", Leave())
    assert [s.key for s in table.public().seats] == ["bob", "cid"]


# the owner


@pytest.mark.parametrize("command", OWNER_COMMANDS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("who", ["ann", "zed"])
def test_only_the_owner_does_what_the_owner_does(command: Command, who: str) -> None:
    for table in (lobby_of("ann", "bob"), playing("ann", "bob", peril="bob")):
        assert table.refused(who, command) == "owner_only"


@pytest.mark.parametrize("command", SERVER_COMMANDS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("who", ["ann", "owner"])
def test_only_the_service_keeps_the_clock(command: Command, who: str) -> None:
    assert drawn("ann", "bob", peril="bob").refused(who, command) == "server_only"


def test_the_owner_removes_the_bot_that_came_last() -> None:
    table = lobby_of()
    table.bots(2)
    table.sit("ann")
    table.do(OWNER, RemoveBot())
    assert table.names == ["Bot1", "Ann"]
    table.do(OWNER, RemoveBot())
    assert table.refused(OWNER, RemoveBot()) == "no_bots"


def test_the_owner_kicks_out_of_the_lobby() -> None:
    table = lobby_of("ann", "bob")
    table.bots(1)
    table.heard()
    table.do(OWNER, Kick(Key("ann")))
    table.do(OWNER, Kick(Key("bot:1")))
    assert table.names == ["Bob"]
    assert table.heard()[0] == "👢 Ann was removed by the owner."
    assert table.refused(OWNER, Kick(Key("zed"))) == "nobody_to_kick"


@pytest.mark.parametrize("stage", ["lobby", "drawn", "picking", "frozen", "over"])
@pytest.mark.parametrize("command", [ResetMatch(), ResetAll()])
def test_a_reset_empties_the_lobby_at_any_time(stage: str, command: Command) -> None:
    table = drawn("ann", "bob", peril="ann") if stage != "lobby" else lobby_of("ann", "bob")
    if stage == "picking":
        table.until("picking")
    if stage == "frozen":
        table.do(SERVICE, Freeze("unreachable"))
    if stage == "over":
        table.do("bob", Leave())
    table.do(OWNER, command)
    assert table.match.closed == "reset"
    assert table.timers == ()
    table = table.reopened()
    assert table.match.stage == "lobby"
    assert table.names == []
    assert table.match.invited == ()
    assert table.match.play is None


def test_each_reset_resets_what_it_says() -> None:
    kinds = {
        type(command): [type(e).__name__ for e in lobby_of("ann").do(OWNER, command)]
        for command in (ResetMatch(), ResetRanking(), ResetAll())
    }
    assert kinds == {
        ResetMatch: ["MatchClosed"],
        ResetRanking: ["RankingReset"],
        ResetAll: ["RankingReset", "MatchClosed"],
    }


def test_a_reset_of_the_ranking_leaves_the_match_and_shows_the_first_page() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do("ann", TurnRanking(2))
    table.do(OWNER, ResetRanking())
    assert table.match.ranking_page == 0
    assert table.play.stage == "picking"


def test_nothing_happens_after_a_match_is_closed() -> None:
    table = playing("ann", "bob", peril="ann")
    late = time_up(table.timers[0])
    table.do(OWNER, ResetMatch())
    assert table.refused("ann", Pick((1,))) == "match_closed"
    assert table.refused("ann", Leave()) == "match_closed"
    assert table.refused(SERVICE, late) == "match_closed"


def test_the_first_match_after_a_reset_knows_nothing_of_the_one_before() -> None:
    table = playing("ann", "bob", peril="ann")
    table.round(6)
    table.do(OWNER, ResetMatch())
    again = PerilTable(ScriptedDice(peril=["ann"]), opened=games.reopening(table.match))
    again.sit("ann", "bob")
    again.begin()
    assert again.lives == {"ann": 3, "bob": 3}
    assert (again.play.round, again.play.rolls, again.play.roll) == (0, 0, 0)
    assert [p.picks for p in again.play.players] == [(), ()]


def test_the_owner_takes_huds_away_and_sends_them_again() -> None:
    table = lobby_of("ann")
    before = table.match.hud_epoch
    table.do(OWNER, ClearHuds())
    assert not table.match.huds
    table.do(OWNER, SendHuds())
    assert table.match.huds
    assert table.match.hud_epoch == before + 1
    assert len(table.heard(OWNER.name)) == 2


def test_everybody_turns_the_ranking_to_a_page_that_may_exist() -> None:
    table = lobby_of("ann")
    table.do("zed", TurnRanking(1))
    assert table.match.ranking_page == 1
    for page in (-1, 1, 1000):
        assert table.refused("zed", TurnRanking(page)) == "no_such_page"


# D2


def test_a_locked_table_lets_nobody_join_but_the_owner() -> None:
    table = lobby_of("ann")
    table.do(OWNER, Lock())
    assert table.refused("bob", Join()) == "locked"
    table.do(OWNER, Join())
    table.do(OWNER, Unlock())
    assert table.names == ["Ann", "Olga"]
    table.do("bob", Join())


def test_in_a_locked_lobby_only_the_owner_starts_and_nobody_gets_ready() -> None:
    table = lobby_of("ann", "bob")
    table.do("bob", Ready())
    table.do(OWNER, Lock())
    assert table.refused("ann", Ready()) == "locked"
    assert table.refused("ann", Start()) == "locked"
    table.dice.then(peril=["ann"])
    table.do(OWNER, Start())


def test_locking_twice_is_refused() -> None:
    table = lobby_of()
    assert table.refused(OWNER, Unlock()) == "already_unlocked"
    table.do(OWNER, Lock())
    assert table.refused(OWNER, Lock()) == "already_locked"


def test_a_running_match_goes_on_for_its_players_when_the_table_is_locked() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do(OWNER, Lock())
    table.picks(ann=[1], bob=[2])
    table.roll(2)
    assert table.play.peril == "bob"


@pytest.mark.parametrize("locked", [False, True])
def test_the_lock_and_the_options_survive_a_reset(locked: bool) -> None:
    table = lobby_of("ann", lives=2, turn_s=77)
    if locked:
        table.do(OWNER, Lock())
    table.do(OWNER, ResetAll())
    table = table.reopened()
    assert table.match.locked == locked
    assert table.match.options.lives == 2
    assert table.match.options.turn_s == 77


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
    assert table.heard() == [
        "▶️ The game goes on where it stopped. Everybody has full time again."
    ]
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


# ---- bots -----------------------------------------------------------------------------------


def test_the_owner_adds_up_to_nine_bots() -> None:
    table = lobby_of()
    table.bots(9)
    assert table.refused(OWNER, AddBot()) == "too_many_bots"
    table.sit("ann")
    assert table.refused(OWNER, AddBot()) == "table_full"


def test_bots_get_names_of_their_own_even_after_one_was_kicked() -> None:
    table = lobby_of()
    table.bots(3)
    table.do(OWNER, Kick(Key("bot:2")))
    table.bots(2)
    assert table.names == ["Bot1", "Bot3", "Bot2", "Bot4"]
    assert len({s.key for s in table.match.seats}) == 4


@pytest.mark.parametrize("command", [AddBot(), RemoveBot()])
def test_bots_come_and_go_only_in_the_lobby(command: Command) -> None:
    table = playing("ann", peril="ann", bots=1)
    assert table.refused(OWNER, command) == "bots_in_lobby_only"


def test_a_bot_picks_after_a_pause_and_rolls_by_itself() -> None:
    table = playing("ann", peril="bot:1", bots=1)
    assert table.waiting == {"bot:bot:1": 2, "title": 8}
    table.dice.then(pick=[(3,)], roll=[6])
    table.wait(1.9)
    assert table.told(NumbersPicked) == []
    table.wait(0.1)
    assert table.told(NumbersPicked) == [NumbersPicked(Key("bot:1"), (3,))]
    table.picks(ann=[1])
    assert table.waiting["bot:bot:1"] == 2
    table.wait(2)
    assert table.told(DiceRolled) == [DiceRolled(Key("bot:1"), 6, 6)]


def test_a_bot_takes_what_is_left() -> None:
    table = playing("ann", peril="ann", bots=1, lives=1)
    table.picks(ann=[1, 4, 6])
    table.dice = SeededDice(4)  # type: ignore[assignment]
    table.wait(2)
    assert table.told(NumbersPicked)[-1].numbers == (2, 3, 5)


def test_a_bot_picks_uniformly_among_the_free_numbers() -> None:
    table = playing("ann", peril="ann", bots=1)
    table.picks(ann=[4])
    timer = next(time_up(t) for t in table.timers if t.name.startswith("bot:"))
    dice = SeededDice(5)
    found: list[int] = []
    for _ in range(1000):
        answer = games.decide(table.match, SERVICE, timer, dice)
        assert not isinstance(answer, Refusal)
        found += msgspec.to_builtins(answer[0])["numbers"]
    assert set(found) == {1, 2, 3, 5, 6}
    for number in set(found):
        assert 149 <= found.count(number) <= 251  # 200 ± 4 standard deviations


def test_a_bot_that_is_out_does_nothing_more() -> None:
    table = playing("ann", peril="bot:1", bots=2)
    late = time_up(next(t for t in table.timers if t.name.startswith("bot:")))
    table.dice.then(peril=["ann"])
    table.do(OWNER, Kick(Key("bot:1")))
    assert table.refused(SERVICE, late) == "stale"


def test_bots_play_to_the_end_when_the_humans_are_out() -> None:
    table = Table(SeededDice(6))
    table.sit("ann")
    table.bots(2)
    table.begin()
    table.do("ann", Leave())
    table.run_out()
    assert table.match.closed == "victory"
    assert results(table) == {"ann": False}


# ---- records --------------------------------------------------------------------------------

# D6


def played(table: Table) -> dict[str, bool]:
    """The results of a match in which nobody answers."""
    table.dice = SeededDice(7)
    table.begin()
    table.run_out()
    return results(table)


def test_a_match_records_one_win_and_a_loss_for_each_other_player() -> None:
    scored = played(lobby_of("ann", "bob", "cid"))
    assert sorted(scored) == ["ann", "bob", "cid"]
    assert sorted(scored.values()) == [False, False, True]


def test_bots_are_never_recorded() -> None:
    table = lobby_of("ann")
    table.bots(3)
    assert set(played(table)) == {"ann"}
    table = lobby_of()
    table.bots(3)
    assert played(table) == {}


def test_without_practice_matches_only_those_with_two_humans_count() -> None:
    table = lobby_of("ann", rank_practice=False)
    table.bots(2)
    assert played(table) == {}
    table = lobby_of("ann", "bob", rank_practice=False)
    table.bots(1)
    assert set(played(table)) == {"ann", "bob"}


def test_a_match_of_two_humans_counts_to_its_end_also_when_one_has_left() -> None:
    table = playing("ann", "bob", "cid", peril="ann", rank_practice=False)
    table.round(12)
    table.do("bob", Leave())
    table.do("cid", Leave())
    assert results(table) == {"ann": True, "bob": False, "cid": False}


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
