"""Peril Dice, rule by rule: players and lobby."""

import pytest

from app import games
from app.games import lobby
from app.games.core import Actor, Command, Key
from app.games.lobby import (
    AddBot,
    CheckLand,
    ClearHuds,
    Freeze,
    Join,
    Kick,
    Leave,
    Left,
    Lock,
    Ready,
    RemoveBot,
    ResetAll,
    ResetMatch,
    ResetRanking,
    Scored,
    SendHuds,
    SetOptions,
    Start,
    TurnRanking,
    Unlock,
)
from app.games.peril.words import (
    Pick,
    Roll,
)

from .cast import OWNER_COMMANDS, SERVER_COMMANDS, TEN, results
from .dice import ScriptedDice
from .driver import OWNER, SERVICE, PerilTable, drawn, lobby_of, playing, time_up

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


def test_a_display_name_changed_in_between_is_shown_and_the_avatar_stays_the_same() -> None:
    table = playing("ann", "bob", peril="bob")
    table.do(Actor(Key("bob"), "Robert"), Pick((4,)))
    table.heard()
    table.do(Actor(Key("bob"), "Robert\n"), Leave())
    assert table.names == ["Ann", "Robert"]
    assert table.heard()[0] == "🏳️ Robert flees the deadly game and is eliminated."
    assert [e.name for e in table.told(Scored)] == ["Robert"]


def test_a_refused_command_does_not_change_a_name_either() -> None:
    table = playing("ann", "bob", peril="bob")
    assert table.refused(Actor(Key("ann"), "Anna"), Roll()) == "picks_missing"
    assert table.names == ["Ann", "Bob"]


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
    (line,) = table.heard("bob")
    assert line == "You are the first player now: touch the table to start the game."
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


def test_the_owner_has_the_table_look_what_its_land_allows() -> None:
    table = lobby_of("ann")
    before = table.match.land_checks
    table.do(OWNER, CheckLand())
    assert table.match.land_checks == before + 1
    assert table.heard() == [
        "💀 Ann has entered the deadly game! Welcome to your potential doom! 💀"
    ]
    assert len(table.heard(OWNER.name)) == 1


def test_the_owners_commands_in_these_tests_are_all_there_are() -> None:
    assert {type(c) for c in OWNER_COMMANDS} == set(lobby.OWNER_COMMANDS)
    assert {type(c) for c in SERVER_COMMANDS} == set(lobby.SERVER_COMMANDS)


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
