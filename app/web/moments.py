"""Moments of a match which nobody plays, to be looked at in a theme that is being changed.

The rules themselves play it in memory, people and bots by turns; the moments are states that it
really went through.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from app import games
from app.fairness import FairDice
from app.games import GAMES, lobby
from app.games.core import (
    SERVER,
    Actor,
    Command,
    Event,
    Game,
    Key,
    Match,
    Rank,
    RankingPage,
    Refusal,
)
from app.games.texts import load

EMPTY: Final = "An empty table"
LOBBY: Final = "Players at the table"
BEFORE: Final = (EMPTY, LOBBY)
"""Moments of every game, before its match."""

_OWNER: Final = Actor(Key("owner"), owner=True)
_PEOPLE: Final = tuple(Actor(Key(name.lower()), name) for name in ("Ada", "Bea", "Cy"))
_SEATS: Final = 6
_MATCHES: Final = 40
"""So many are tried: not every match has all that may happen."""
_STEPS: Final = 2000
_RANKED: Final = RankingPage(
    tuple(
        Rank(place, who.key, who.name, 9 - 3 * place, 2 * place)
        for place, who in enumerate(_PEOPLE, 1)
    )
)


def names(game: str) -> tuple[str, ...]:
    """What there is to look at, in the order in which it comes in a match."""
    return (*BEFORE, *(name for name, _ in GAMES[game].moments))


@cache
def of(game: str) -> Mapping[str, Any]:
    """What all see at each of its moments, by its name."""
    best: dict[str, Match[Any]] = {}
    for number in range(_MATCHES):
        found = _moments(GAMES[game], number)
        if len(found) > len(best):
            best = found
        if len(best) == len(names(game)):
            break
    return {name: GAMES[game].public(best[name], _RANKED) for name in names(game) if name in best}


def _moments(game: Game[Any], number: int) -> dict[str, Match[Any]]:
    """The first state of each moment in one match; not every match has all."""
    found: dict[str, Match[Any]] = {}
    for events, match in _played(game, number):
        if match.stage == "lobby":
            found[LOBBY if match.seats else EMPTY] = match
        board = game.board(game.public(match, _RANKED), load(game.name), {})
        there = {board["TitleAction:0:0"].picture, *map(type, events)}
        for name, sign in game.moments:
            if sign in there:
                found.setdefault(name, match)
    return found


def _played(game: Game[Any], number: int) -> Iterator[tuple[list[Event], Match[Any]]]:
    """A whole match: what happened, and the state it led to."""
    options = msgspec.to_builtins(lobby.default_options(game))
    match = lobby.open_match(game, lobby.MatchOpened(game.name, _OWNER.key, options))
    seed = hashlib.sha256(f"{game.name} {number}".encode()).hexdigest()
    yield [], match
    for actor, command in _lobby(min(_SEATS, game.seats.stop - 1)):
        events, match = _done(match, actor, command, seed)
        yield events, match
    for _ in range(_STEPS):
        if match.closed:
            return
        events, match = _done(match, *_next(game, match, seed), seed)
        yield events, match


def _lobby(seats: int) -> Iterator[tuple[Actor, Command]]:
    for who in _PEOPLE:
        yield who, lobby.Join()
    for _ in range(seats - len(_PEOPLE)):
        yield _OWNER, lobby.AddBot()
    for who in _PEOPLE[1:]:
        yield who, lobby.Ready()
    yield _PEOPLE[0], lobby.Start()


def _next(game: Game[Any], match: Match[Any], seed: str) -> tuple[Actor, Command]:
    """People answer at once, as bots would; else the next deadline comes."""
    if match.stage == "playing":
        for wait in game.waits(match):
            if wait.key in {who.key for who in _PEOPLE}:
                what = game.act_for(match, wait, FairDice(seed, "", match.draws, "", wait.key))
                return Actor(wait.key, match.name(wait.key)), what
    timer = min(games.timers(match), key=lambda timer: timer.after_s)
    return Actor(SERVER), lobby.TimeUp(*timer.id)


def _done(
    match: Match[Any], actor: Actor, command: Command, seed: str
) -> tuple[list[Event], Match[Any]]:
    dice = FairDice(seed, "", match.draws, "", "")
    answer = games.decide(match, actor, command, dice)
    assert not isinstance(answer, Refusal), f"{command} is refused: {answer}"
    events = [*dice.drawn, *answer]
    for event in events:
        match = games.evolve(match, event)
    return events, match
