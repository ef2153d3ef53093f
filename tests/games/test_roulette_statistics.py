"""The figures of the roulette's rule text, section 10: exact finals, and the length of matches.

Lengths are measured in matches played with dice of fixed seeds.  A turn is a draw or alternation,
forced ones included.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from app import games
from app.games import lobby
from app.games.core import Actor, Dice, Key, Match, Refusal, Wait
from app.games.roulette import rules
from app.games.roulette import words as r

from .dice import ScriptedDice, SeededDice
from .driver import OWNER

ERRORS = 4
"""Standard errors a measured mean may be off; a fair one is, once in 16 000."""


def started(players: int, dice: Dice, **options: Any) -> tuple[Match[Any], list[Any]]:
    """A match of bots that has just begun, and what its start told."""
    match = games.replay(
        [
            lobby.MatchOpened("roulette", OWNER.key, options),
            *(lobby.Joined(Key(f"bot:{n}"), f"Bot{n}", bot=True) for n in range(1, players + 1)),
        ]
    )
    return follow(match, OWNER, lobby.Start(), dice)


def follow(match: Match[Any], who: Actor, command: Any, dice: Dice) -> tuple[Match[Any], list[Any]]:
    events = games.decide(match, who, command, dice)
    assert not isinstance(events, Refusal), events
    for event in events:
        match = games.evolve(match, event)
    return match, list(events)


# ---- the finals, exactly --------------------------------------------------------------------

FINALS = {
    # chamber: (1,1), (1,0), (0,1), (0,0), mean turns with passes 1,1 and 0,0
    1: ("0", "1", "0", "0", 3.0, 1.0),
    2: ("1/2", "1/2", "0", "1/2", 2.5, 1.5),
    3: ("1/3", "2/3", "1/3", "1/3", 2.6667, 2.0),
    4: ("1/2", "1/2", "1/4", "1/2", 3.0, 2.5),
    5: ("2/5", "3/5", "2/5", "2/5", 3.4, 3.0),
    6: ("1/2", "1/2", "1/3", "1/2", 3.8333, 3.5),
    7: ("3/7", "4/7", "3/7", "3/7", 4.2857, 4.0),
    8: ("1/2", "1/2", "3/8", "1/2", 4.75, 4.5),
    9: ("4/9", "5/9", "4/9", "4/9", 5.2222, 5.0),
    10: ("1/2", "1/2", "2/5", "1/2", 5.7, 5.5),
    11: ("5/11", "6/11", "5/11", "5/11", 6.1818, 6.0),
    12: ("1/2", "1/2", "5/12", "1/2", 6.6667, 6.5),
}
PASSES = ((1, 1), (1, 0), (0, 1), (0, 0))


def finals(chamber: int, passes: tuple[int, int]) -> tuple[Match[Any], int]:
    """Bot 1 acts first in the finals; and how many turns have gone since they began."""
    match, _ = started(3, ScriptedDice(pick=["bot:3"]), chambers=12)
    before = [r.Chamber(12, chamber, "decrease")]
    before += [
        r.Passed(Key(f"bot:{n}"), forced=False) for n, has in enumerate(passes, 1) if not has
    ]
    for event in before:
        match = games.evolve(match, event)
    dice = ScriptedDice(pick=["bot:1"])
    match, told = follow(match, Actor(Key("bot:3")), lobby.Leave(), dice)
    return match, turns(told)


def turns(events: list[Any]) -> int:
    return sum(isinstance(e, r.Picked) for e in events)


def played_out(match: Match[Any], so_far: int) -> tuple[Fraction, Fraction]:
    """Chance that bot 1 wins if both only pull, and the mean number of turns."""
    play = match.play
    if play.phase == "over":
        return Fraction(play.winner == "bot:1"), Fraction(so_far)
    wins, length = Fraction(0), Fraction(0)
    # The highest number kills; all the others do the same.
    for roll, share in ((play.chamber, 1), (1, play.chamber - 1)):
        dice = ScriptedDice(gun=[roll])
        after, told = follow(match, Actor(play.turn), r.Pull(), dice)
        won, mean = played_out(after, so_far + turns(told))
        wins += won * Fraction(share, play.chamber)
        length += mean * Fraction(share, play.chamber)
    return wins, length


@pytest.mark.parametrize("chamber", FINALS)
def test_the_finals_are_won_exactly_as_often_as_the_table_says(chamber: int) -> None:
    *wanted, both, none = FINALS[chamber]
    results = [played_out(*finals(chamber, passes)) for passes in PASSES]
    assert [won for won, _ in results] == [Fraction(str(w)) for w in wanted]
    assert float(results[0][1]) == pytest.approx(both, abs=5e-5)
    assert float(results[3][1]) == pytest.approx(none, abs=5e-5)


# ---- whole matches --------------------------------------------------------------------------


class Row(NamedTuple):
    """A line of the tables: how bots play, their number, mean turns, deviation, alive after 1."""

    bots: str
    players: int
    mean: float
    deviation: float
    survive: float
    matches: int
    switches: tuple[str, ...] = ()


ALL = ("thieves", "quick_draw", "loose_trigger")
ROWS = [
    Row("pull", 2, 3.83, 2.27, 1.0, 4500),
    Row("pull", 6, 18.85, 4.64, 0.775, 900),
    Row("pull", 30, 103.36, 11.69, 0.863, 150),
    Row("random", 2, 4.93, 2.18, 1.0, 4500),
    Row("random", 3, 8.49, 2.56, 0.917, 2100),
    Row("random", 6, 18.51, 3.99, 0.898, 900),
    Row("random", 10, 31.58, 5.37, 0.889, 600),
    Row("random", 30, 99.72, 11.44, 0.905, 150),
    Row("careful", 2, 4.50, 2.63, 1.0, 4500),
    Row("careful", 3, 8.99, 3.44, 0.833, 2100),
    Row("careful", 6, 20.63, 4.24, 0.860, 900),
    Row("careful", 10, 34.32, 5.49, 0.904, 600),
    Row("careful", 30, 113.23, 12.20, 0.967, 150),
    Row("random", 6, 12.76, 4.10, 0.647, 1200, ("thieves",)),
    Row("random", 6, 15.71, 3.51, 0.777, 900, ("quick_draw",)),
    Row("random", 6, 15.17, 3.16, 0.851, 900, ("loose_trigger",)),
    Row("random", 2, 2.67, 1.90, 1.0, 4500, ALL),
    Row("random", 6, 9.96, 2.86, 0.575, 1200, ALL),
    Row("random", 20, 37.13, 6.47, 0.604, 300, ALL),
    Row("careful", 6, 20.61, 4.26, 0.858, 600, ("thieves",)),
    Row("careful", 6, 18.16, 4.70, 0.845, 900, ("quick_draw",)),
    Row("careful", 6, 16.12, 3.80, 0.794, 900, ("loose_trigger",)),
    Row("careful", 10, 25.67, 5.22, 0.851, 600, ALL),
]


def length(row: Row, seed: int) -> tuple[int, float]:
    """Turns of a whole match, and the share alive when round 2 or the finals begin."""
    dice = SeededDice(seed)
    bots = "random" if row.bots == "pull" else row.bots
    match, told = started(row.players, dice, bots=bots, **dict.fromkeys(row.switches, True))
    choose: Callable[[Match[Any], Wait, Dice], Any] = rules.act_for
    if row.bots == "pull":
        choose = lambda m, w, d: r.Pull() if not m.play.must_steal else rules.act_for(m, w, d)  # noqa: E731
    count, alive = turns(told), row.players
    first_round = True
    while True:
        for event in told:
            if isinstance(event, r.Eliminated) and first_round:
                alive -= 1
            elif isinstance(event, r.FinalsStarted) or event == r.RoundStarted(2):
                first_round = False
        if match.play.phase == "over":
            return count, alive / row.players
        (wait,) = rules.waits(match)
        match, told = follow(match, Actor(wait.key), choose(match, wait, dice), dice)
        count += turns(told)


@pytest.mark.parametrize("row", ROWS, ids=lambda w: "-".join([w.bots, str(w.players), *w.switches]))
def test_matches_are_as_long_as_the_table_says(row: Row) -> None:
    played = [length(row, seed) for seed in range(row.matches)]
    mean = sum(count for count, _ in played) / row.matches
    assert abs(mean - row.mean) < ERRORS * row.deviation / math.sqrt(row.matches) + 0.005
    share = sum(alive for _, alive in played) / row.matches
    spread = math.sqrt(sum((alive - share) ** 2 for _, alive in played) / row.matches)
    assert abs(share - row.survive) <= ERRORS * spread / math.sqrt(row.matches) + 0.0005
