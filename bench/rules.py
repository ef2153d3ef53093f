"""The rules and the limits alone: microseconds to decide, bytes of what the table sends."""

from __future__ import annotations

import random
import time
import timeit
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from app import games
from app.display import TEXT_SETS, diff
from app.games import GAMES, lobby, texts
from app.games.core import SERVER, Actor, Key, Match, RankingPage, Refusal
from app.games.peril.words import Pick
from app.limits import Limits
from app.settings import Settings


class _Dice(random.Random):
    def roll(self, sides: int, why: str) -> int:
        return self.randint(1, sides)

    def choose(self, options: Any, why: str) -> Any:  # type: ignore[override]
        return options[self.randrange(len(options))]

    def sample(self, options: Any, count: int, why: str) -> Any:  # type: ignore[override]
        return super().sample(list(options), count)


def picking(players: int) -> Match[Any]:
    """A match in which the first of `players` humans is to pick."""
    match = lobby.open_match(GAMES["peril"], lobby.MatchOpened("peril", Key("owner"), {}))
    dice = _Dice(1)
    for n in range(players):
        match = _do(match, Actor(Key(f"k{n}"), f"Player {n}"), lobby.Join(), dice)
    match = _do(match, Actor(Key("k1")), lobby.Ready(), dice)
    for n in range(2, players):
        match = _do(match, Actor(Key(f"k{n}")), lobby.Ready(), dice)
    match = _do(match, Actor(Key("k0")), lobby.Start(), dice)
    timer = games.timers(match)[0]
    return _do(match, Actor(SERVER), lobby.TimeUp(timer.name, timer.phase, timer.epoch), dice)


def _do(match: Match[Any], actor: Actor, command: Any, dice: _Dice) -> Match[Any]:
    events = games.decide(match, actor, command, dice)
    assert not isinstance(events, Refusal), events
    for event in events:
        match = games.evolve(match, event)
    return match


def decide_and_evolve_us(players: int = 10, times: int = 20_000) -> float:
    """Microseconds for one Pick: the best of five runs, since the machine only ever adds."""
    match = picking(players)
    actor, dice = Actor(match.play.queue[0]), _Dice(2)
    pick = Pick((7,))
    runs = []
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(times):
            events = games.decide(match, actor, pick, dice)
            after = match
            for event in events:  # type: ignore[union-attr]
                after = games.evolve(after, event)
        runs.append((time.perf_counter() - began) / times * 1e6)
    return min(runs)


def limit_us(times: int = 20_000) -> float:
    """Microseconds to decide whether an avatar may go on: the best of five runs."""
    limits = Limits(Settings(limits=True, avatar_burst=10**9))
    whose = "k3f9m2xq", "a0000000-0000-4000-8000-000000000001"
    run = partial(limits.check, "avatar", whose)
    return min(timeit.repeat(run, number=times, repeat=5)) / times * 1e6


def bytes_of_frames(players: int = 10) -> tuple[int, int]:
    """Bytes of JSON: the difference that a pick makes, and the whole board."""
    before = picking(players)
    after = _do(before, Actor(before.play.queue[0]), Pick((7,)), _Dice(3))
    game, theme = GAMES["peril"], texts.load("peril")
    old, new = (
        game.board(game.public(m, RankingPage()), theme, TEXT_SETS) for m in (before, after)
    )
    return len(msgspec.json.encode(diff(old, new))), len(msgspec.json.encode(new))


def measure() -> Iterator[str]:
    change, whole = bytes_of_frames()
    yield f"decide + evolve of a pick, 10 players: {decide_and_evolve_us():.1f} µs"
    yield f"a limit decides in {limit_us():.1f} µs"
    yield f"JSON of the frames that a pick changes: {change} bytes; of a whole board: {whole}"
