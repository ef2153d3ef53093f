"""The fixed numbers of the rules: how often a Plot Twist comes, and how long a match is.

Both are checked in played matches, with dice of fixed seeds, and the length also against its exact
value, which the table of `mean_rounds` computes from the rule text alone.
"""

import math
from collections import Counter
from functools import cache
from itertools import cycle
from typing import NamedTuple

import pytest

from app import games
from app.games import lobby
from app.games.core import SERVER, Actor, Key, Refusal
from app.games.peril.words import LifeLost, Pick, PlotTwist, Roll

from .dice import SeededDice
from .driver import OWNER

ERRORS = 4
"""Standard errors a measured number may be off; a fair one is, once in 16 000 numbers."""

PUBLISHED = {
    (3, 2): 6.0,
    (3, 3): 11.1,
    (3, 4): 19.6,
    (3, 5): 24.9,
    (3, 6): 32.9,
    (3, 7): 38.1,
    (3, 8): 44.8,
    (3, 9): 54.1,
    (3, 10): 70.8,
    (2, 2): 4.1,
    (2, 4): 14.6,
    (2, 6): 25.1,
    (2, 10): 57.1,
}
"""(lives, players) → mean rounds of a whole match with random succession."""

ROUNDING = 0.05
"""The published figures have one decimal."""

MATCHES = {2: 1500, 3: 600, 4: 400, 5: 300, 6: 220, 7: 200, 8: 160, 9: 140, 10: 120}
"""How many matches of so many players are played: fewer of the long ones."""


def die(players: int) -> int:
    return next(sides for most, sides in ((2, 6), (4, 12), (6, 20), (10, 30)) if players <= most)


# ---- exactly --------------------------------------------------------------------------------


@cache
def rounds_left(counts: tuple[int, int, int]) -> tuple[float, float, float]:
    """Mean rounds still to come when `counts` players live with 1, 2 and 3 lives.

    One number for each number of lives the Peril Player may have.  A twist makes each of the
    others the Peril Player with the same probability, whatever they picked, since all hold equally
    many of equally likely numbers.
    """
    living = sum(counts)
    if living == 1:
        return (0.0, 0.0, 0.0)
    # mean[l] = 1 + twist[l] · Σ others[m]/(n−1) · mean[m] + (1 − twist[l]) · mean after the loss
    rows: list[list[float]] = []
    for lives in (1, 2, 3):
        row = [0.0, 0.0, 0.0, 0.0]
        row[lives - 1] = 1.0
        rows.append(row)
        if counts[lives - 1] == 0:
            continue
        twist = (4 - lives) * (living - 1) / die(living)
        for other in (1, 2, 3):
            others = counts[other - 1] - (other == lives)
            row[other - 1] -= twist * others / (living - 1)
        row[3] = 1 + (1 - twist) * _after_loss(counts, lives)
    for i in range(3):
        for j in range(3):
            if i != j:
                factor = rows[j][i] / rows[i][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    one, two, three = (rows[i][3] / rows[i][i] for i in range(3))
    return one, two, three


def _after_loss(counts: tuple[int, int, int], lives: int) -> float:
    left = list(counts)
    left[lives - 1] -= 1
    if lives > 1:
        left[lives - 2] += 1
        return rounds_left((left[0], left[1], left[2]))[lives - 2]
    following = rounds_left((left[0], left[1], left[2]))  # drawn uniformly from the survivors
    return sum(n * mean for n, mean in zip(left, following, strict=True)) / sum(left)


def mean_rounds(lives: int, players: int) -> float:
    counts = tuple(players if n == lives else 0 for n in (1, 2, 3))
    return rounds_left((counts[0], counts[1], counts[2]))[lives - 1]


# ---- as played ------------------------------------------------------------------------------


class Round(NamedTuple):
    living: int
    picks: int
    twist: bool


class Spread:
    """The mean of numbers and its standard error."""

    def __init__(self, numbers: list[int]) -> None:
        count = len(numbers)
        self.mean = sum(numbers) / count
        variance = sum((n - self.mean) ** 2 for n in numbers) / (count - 1)
        self.error = math.sqrt(variance / count)


def play(players: int, lives: int, dice: SeededDice, lowest: bool) -> list[Round]:
    """The rounds of one match, decided by the rules without a clock between the moments.

    What is picked must not matter: always the lowest free numbers, or the highest.
    """
    opened = lobby.MatchOpened("peril", OWNER.key, {"lives": lives})
    match = games.replay([opened])
    seats = [lobby.Joined(Key(f"p{n}"), f"P{n}") for n in range(players)]
    for event in (*seats, *(lobby.ReadyChanged(s.key, True) for s in seats)):
        match = games.evolve(match, event)
    server, rounds = Actor(SERVER), []
    actor, command = OWNER, lobby.Start()
    while True:
        answer = games.decide(match, actor, command, dice)
        assert not isinstance(answer, Refusal)
        for event in answer:
            if isinstance(event, PlotTwist | LifeLost):
                now = match.play
                rounds.append(Round(len(now.living), now.picks_each, isinstance(event, PlotTwist)))
            match = games.evolve(match, event)
        now = match.play
        if now.stage == "picking":
            free = now.free
            numbers = free[: now.picks_each] if lowest else free[-now.picks_each :]
            actor, command = Actor(now.queue[0]), Pick(numbers)
        elif now.stage == "rolling":
            actor, command = Actor(now.peril), Roll()
        elif now.stage == "victory":
            return rounds
        else:
            actor, command = server, lobby.TimeUp(now.stage, match.phase, match.epoch)


@cache
def played(lives: int, players: int) -> list[list[Round]]:
    """Matches of so many players, each as its rounds; the same ones at every run."""
    dice = SeededDice(1000 * lives + players)
    way = cycle((True, False))
    return [play(players, lives, dice, lowest=next(way)) for _ in range(MATCHES[players])]


@pytest.mark.parametrize(("lives", "players"), PUBLISHED)
def test_the_published_length_of_a_match_is_the_exact_one(lives: int, players: int) -> None:
    # The published figures are themselves means of played matches: off by up to 0.3 % and rounded.
    exact = mean_rounds(lives, players)
    assert abs(PUBLISHED[lives, players] - exact) <= 0.004 * exact + ROUNDING


@pytest.mark.parametrize(("lives", "players"), PUBLISHED)
def test_matches_are_as_long_as_published(lives: int, players: int) -> None:
    length = Spread([len(rounds) for rounds in played(lives, players)])
    assert length.error < 0.08 * length.mean, "too few matches to tell anything"
    off = abs(length.mean - PUBLISHED[lives, players])
    assert off <= ERRORS * length.error + ROUNDING
    assert abs(length.mean - mean_rounds(lives, players)) <= ERRORS * length.error


def test_a_plot_twist_is_as_likely_as_the_rules_say() -> None:
    rounds: Counter[tuple[int, int]] = Counter()
    twists: Counter[tuple[int, int]] = Counter()
    for lives, players in PUBLISHED:
        for match in played(lives, players):
            for living, picks, twist in match:
                rounds[living, picks] += 1
                twists[living, picks] += twist
    assert set(rounds) == {(n, k) for n in range(2, 11) for k in (1, 2, 3)}
    for (living, picks), count in rounds.items():
        chance = picks * (living - 1) / die(living)
        error = math.sqrt(chance * (1 - chance) / count)
        assert error < 0.03, "too few rounds to tell anything"
        assert abs(twists[living, picks] / count - chance) <= ERRORS * error
