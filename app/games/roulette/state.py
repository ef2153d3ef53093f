"""The running match of Russian roulette, its options, and how events change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from app.games.core import NOBODY, Event, Key, Match, Options
from app.games.roulette.words import (
    Battle,
    Chamber,
    Eliminated,
    FinalsStarted,
    ForcedSteal,
    GameOver,
    GameStarted,
    LooseTrigger,
    Missed,
    MustPull,
    Passed,
    PassStolen,
    Picked,
    QuickDrawn,
    Rolled,
    RoundStarted,
    Safe,
    Shown,
    StealTried,
)

Phase = Literal["main", "finals", "over"]
News = Literal["", "click", "bang", "pass", "steal", "duel", "fled", "finals", "won"]
Character = Literal["careful", "bold", "random"]


class RouletteOptions(Options, frozen=True):
    """Options of Russian roulette.  Seconds are real seconds; `pace: brisk` halves the shows.

    `bots`: how bots play; mixed = careful, bold and random by turns.
    """

    turn_s: float = 60
    chambers: int = 6
    thieves: bool = False
    quick_draw: bool = False
    loose_trigger: bool = False
    on_timeout: Literal["pull", "eliminate"] = "pull"
    finals_reset: bool = False
    bots: Literal["mixed", "careful", "bold", "random"] = "mixed"
    bot_turn_s: float = 5
    shown_s: float = 4

    LIMITS: ClassVar[dict[str, tuple[float, float]]] = {
        **Options.LIMITS,
        "turn_s": (15, 180),
        "chambers": (2, 100),
        "bot_turn_s": (0, 60),
        "shown_s": (0, 60),
    }
    TYPED: ClassVar[tuple[str, ...]] = (*Options.TYPED, "chambers")


PRESETS: dict[str, dict[str, Any]] = {
    "six_shooter": {},
    "thieves_den": {"thieves": True},
    "wild_west": {"thieves": True, "quick_draw": True, "loose_trigger": True},
}


class Player(Struct, frozen=True, gc=False):
    """One seat in the running match.  `drew`: his Quick Draw is used up."""

    key: Key
    alive: bool = True
    has_pass: bool = True
    drew: bool = False
    cause: str = ""


class Play(Struct, frozen=True, gc=False):
    """The running match.

    `pool`: who may still be drawn in this round.  `finals_next`: who comes after the one in turn.
    `shot`: the last roll of the gun, `duel` the last pair of rolls; only the later one is kept.
    `news`: what happened last that is worth a picture, the `news_no`-th of the match;
    `then`: the picture after that one.  `acts`: turns that were played so far.
    """

    players: tuple[Player, ...]
    chambers: int
    chamber: int
    phase: Phase = "main"
    round: int = 0
    pool: tuple[Key, ...] = ()
    turn: Key = NOBODY
    must_pull: bool = False
    must_steal: bool = False
    finals_next: Key = NOBODY
    winner: Key = NOBODY
    acts: int = 0
    shot: Rolled | None = None
    duel: Battle | None = None
    struck: Key = NOBODY
    news: News = ""
    then: News = ""
    news_no: int = 0

    def player(self, key: Key) -> Player | None:
        for player in self.players:
            if player.key == key:
                return player
        return None

    @property
    def alive(self) -> tuple[Key, ...]:
        return tuple(p.key for p in self.players if p.alive)

    @property
    def holders(self) -> tuple[Key, ...]:
        """Who but the one in turn has a pass."""
        return tuple(p.key for p in self.players if p.alive and p.has_pass and p.key != self.turn)

    @property
    def others(self) -> tuple[Key, ...]:
        """Who but the one in turn is alive."""
        return tuple(k for k in self.alive if k != self.turn)

    def told(self, news: News, **changes: Any) -> Play:
        return replace(self, news=news, then="", news_no=self.news_no + 1, **changes)

    def with_player(self, key: Key, **changes: Any) -> Play:
        return replace(
            self,
            players=tuple(replace(p, **changes) if p.key == key else p for p in self.players),
        )


RouletteMatch = Match[Play]


# ---- evolve ---------------------------------------------------------------------------------


def evolve(match: RouletteMatch, event: Event) -> RouletteMatch:
    handler = _EVOLVE.get(type(event))
    return handler(match, event) if handler else match


def _on(match: RouletteMatch) -> Play:
    assert match.play is not None
    return match.play


def _with(change: Callable[[Play, Any], Play]) -> _Evolve:
    return lambda match, event: replace(match, play=change(_on(match), event))


def _started(match: RouletteMatch, event: GameStarted) -> RouletteMatch:
    players = tuple(Player(key) for key in event.players)
    return replace(match, play=Play(players, event.chambers, event.chambers))


def _finals(play: Play, _: FinalsStarted) -> Play:
    play = replace(play, phase="finals", pool=(), finals_next=NOBODY)
    # What brought the finals about is shown first.
    return replace(play, then="finals") if play.news else play.told("finals")


def _picked(match: RouletteMatch, event: Picked) -> RouletteMatch:
    play = replace(
        _on(match),
        turn=event.player,
        must_pull=False,
        must_steal=False,
        pool=tuple(k for k in _on(match).pool if k != event.player),
    )
    if play.phase == "finals":
        play = replace(play, finals_next=play.others[0])
    return match.in_phase(play)


def _must_pull(match: RouletteMatch, _: MustPull) -> RouletteMatch:
    return match.in_phase(replace(_on(match), must_pull=True))


def _passed(play: Play, event: Passed) -> Play:
    play = play.with_player(event.player, has_pass=False)
    return play.told("pass", acts=play.acts + 1, shot=None, duel=None)


def _rolled(play: Play, event: Rolled) -> Play:
    return replace(play, acts=play.acts + 1, shot=event, duel=None)


def _eliminated(match: RouletteMatch, event: Eliminated) -> RouletteMatch:
    play = _on(match).with_player(event.player, alive=False, has_pass=False, cause=event.cause)
    play = replace(play, pool=tuple(k for k in play.pool if k != event.player), struck=event.player)
    if event.cause == "left":
        play = play.told("fled")
    elif event.cause not in ("stealAttacker", "stealDefender"):
        play = play.told("bang")
    # Nobody plays that seat any more.
    return replace(match.with_seat(event.player, auto=False), play=play)


def _stolen(play: Play, event: PassStolen) -> Play:
    return play.with_player(event.from_, has_pass=False).told("steal")


def _battle(play: Play, event: Battle) -> Play:
    return play.told("duel", shot=None, duel=event)


def _shown(play: Play, _: Shown) -> Play:
    return play.told(play.then)


def _over(match: RouletteMatch, event: GameOver) -> RouletteMatch:
    play = replace(_on(match), phase="over", turn=NOBODY, must_pull=False, must_steal=False)
    return match.in_phase(play.told("won", winner=event.winner), stage="over")


_Evolve = Callable[[RouletteMatch, Any], RouletteMatch]
_EVOLVE: dict[type[Event], _Evolve] = {
    GameStarted: _started,
    RoundStarted: _with(lambda p, e: replace(p, round=e.round, pool=p.alive)),
    FinalsStarted: _with(_finals),
    Picked: _picked,
    ForcedSteal: _with(lambda p, _: replace(p, must_steal=True)),
    Passed: _with(_passed),
    Rolled: _with(_rolled),
    Safe: _with(lambda p, _: p.told("click")),
    Eliminated: _eliminated,
    Chamber: _with(lambda p, e: replace(p, chamber=e.to)),
    StealTried: _with(lambda p, _: replace(p, acts=p.acts + 1)),
    Battle: _with(_battle),
    PassStolen: _with(_stolen),
    QuickDrawn: _with(lambda p, e: p.with_player(e.player, drew=True)),
    MustPull: _must_pull,
    LooseTrigger: _with(lambda p, _: p),
    Missed: _with(lambda p, _: p),
    Shown: _with(_shown),
    GameOver: _over,
}
