"""Peril Dice, rule by rule: bots and records."""

import msgspec
import pytest

from app import games
from app.games.core import Command, Key, Refusal
from app.games.lobby import (
    AddBot,
    Kick,
    Leave,
    RemoveBot,
)
from app.games.peril.words import (
    DiceRolled,
    NumbersPicked,
)

from .cast import results
from .dice import SeededDice
from .driver import OWNER, SERVICE, Table, lobby_of, playing, time_up

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
