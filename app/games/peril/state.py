"""The running match of Peril Dice, its options, and how events change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from app.games.core import NOBODY, Event, Key, Match, Options
from app.games.peril.words import (
    DiceRolled,
    LifeLost,
    MatchWon,
    NumberMarked,
    NumbersPicked,
    NumberUnmarked,
    PerilDrawn,
    PlayerEliminated,
    PlotTwist,
    RoundStarted,
    RoundVoided,
    TitleRestored,
)

Stage = Literal["drawn", "picking", "rolling", "rolled", "outcome", "eliminated", "victory"]
News = Literal["", "drawn", "plot_twist", "direct_hit", "no_shield", "eliminated", "fled", "won"]


class PerilOptions(Options, frozen=True):
    """Options of Peril Dice.  Seconds are real seconds; `pace: brisk` halves the shows."""

    lives: Literal[1, 2, 3] = 3
    succession: Literal["random", "join_order"] = "random"
    draw_shown_s: float = 4
    bot_pick_s: float = 2
    bot_roll_s: float = 2
    roll_shown_s: float = 4
    outcome_shown_s: float = 4
    elimination_shown_s: float = 2
    title_after_s: float = 8

    LIMITS: ClassVar[dict[str, tuple[float, float]]] = {
        **Options.LIMITS,
        "draw_shown_s": (0, 60),
        "bot_pick_s": (0, 60),
        "bot_roll_s": (0, 60),
        "roll_shown_s": (0, 60),
        "outcome_shown_s": (0, 60),
        "elimination_shown_s": (0, 60),
        "title_after_s": (0, 60),
    }


PRESETS: dict[str, dict[str, Any]] = {
    "classic": {},
    "speed_peril": {"turn_s": 60},
    "high_stakes": {"lives": 2},
}


class Player(Struct, frozen=True, gc=False):
    """One seat in the running match.  `marked`: chosen in the dialog, not yet confirmed."""

    key: Key
    lives: int
    out: bool = False
    cause: str = ""
    picks: tuple[int, ...] = ()
    marked: tuple[int, ...] = ()

    @property
    def living(self) -> bool:
        return self.lives > 0 and not self.out


class Play(Struct, frozen=True, gc=False):
    """The running match.  `queue`: who has still to pick, the first is asked.

    `news`: what happened last that is worth a picture, the `news_no`-th of the match.
    """

    stage: Stage
    players: tuple[Player, ...]
    peril: Key = NOBODY
    round: int = 0
    sides: int = 0
    picks_each: int = 0
    queue: tuple[Key, ...] = ()
    roll: int = 0
    roller: Key = NOBODY
    rolls: int = 0
    fallen: Key = NOBODY
    winner: Key = NOBODY
    news: News = ""
    news_no: int = 0

    def player(self, key: Key) -> Player | None:
        for player in self.players:
            if player.key == key:
                return player
        return None

    @property
    def living(self) -> tuple[Key, ...]:
        return tuple(p.key for p in self.players if p.living)

    @property
    def taken(self) -> frozenset[int]:
        return frozenset(n for p in self.players for n in p.picks)

    @property
    def free(self) -> tuple[int, ...]:
        taken = self.taken
        return tuple(n for n in range(1, self.sides + 1) if n not in taken)

    def told(self, news: News, **changes: Any) -> Play:
        return replace(self, news=news, news_no=self.news_no + 1, **changes)

    def with_player(self, key: Key, **changes: Any) -> Play:
        return replace(
            self,
            players=tuple(replace(p, **changes) if p.key == key else p for p in self.players),
        )


PerilMatch = Match[Play]


def die_for(living: int) -> int:
    """Sides of the die of a round that `living` players begin."""
    return 6 if living <= 2 else 12 if living <= 4 else 20 if living <= 6 else 30


# ---- evolve ---------------------------------------------------------------------------------


def evolve(match: PerilMatch, event: Event) -> PerilMatch:
    handler = _EVOLVE.get(type(event))
    return handler(match, event) if handler else match


def _on(match: PerilMatch) -> Play:
    assert match.play is not None
    return match.play


def _drawn(match: PerilMatch, event: PerilDrawn) -> PerilMatch:
    play = match.play
    if play is None:
        options = match.options
        assert isinstance(options, PerilOptions)
        players = tuple(Player(s.key, options.lives) for s in match.seats)
        play = Play("drawn", players)
    players = tuple(replace(p, picks=(), marked=()) for p in play.players)
    # Between rounds there is no die: the next one is fixed when its round starts.
    return match.in_phase(
        play.told(
            "drawn",
            stage="drawn",
            players=players,
            peril=event.key,
            sides=0,
            picks_each=0,
            queue=(),
            roll=0,
        )
    )


def _round_started(match: PerilMatch, event: RoundStarted) -> PerilMatch:
    play = _on(match)
    players = tuple(replace(p, picks=(), marked=()) for p in play.players)
    return match.in_phase(
        replace(
            play,
            stage="picking",
            players=players,
            round=event.round,
            sides=event.sides,
            picks_each=event.picks_each,
            queue=event.order,
            roll=0,
            fallen=NOBODY,
        )
    )


def _marked(match: PerilMatch, event: NumberMarked | NumberUnmarked) -> PerilMatch:
    play = _on(match)
    player = play.player(event.key)
    assert player is not None
    rest = tuple(n for n in player.marked if n != event.number)
    marked = (*rest, event.number) if isinstance(event, NumberMarked) else rest
    return replace(match, play=play.with_player(event.key, marked=marked))


def _picked(match: PerilMatch, event: NumbersPicked) -> PerilMatch:
    play = _on(match).with_player(event.key, picks=event.numbers, marked=())
    return match.in_phase(_queued(play, event.key))


def _queued(play: Play, gone: Key) -> Play:
    """The queue without `gone`; nobody left to pick means it is time to roll."""
    queue = tuple(k for k in play.queue if k != gone)
    stage: Stage = "rolling" if play.stage == "picking" and not queue else play.stage
    return replace(play, queue=queue, stage=stage)


def _rolled(match: PerilMatch, event: DiceRolled) -> PerilMatch:
    play = _on(match)
    return match.in_phase(
        play.told("", stage="rolled", roll=event.number, roller=event.key, rolls=play.rolls + 1)
    )


def _twisted(match: PerilMatch, event: PlotTwist) -> PerilMatch:
    return match.in_phase(_on(match).told("plot_twist", stage="outcome", peril=event.key))


def _life_lost(match: PerilMatch, event: LifeLost) -> PerilMatch:
    play = _on(match).with_player(event.key, lives=event.left)
    news: News = "direct_hit" if event.own else "no_shield"
    return match.in_phase(play.told(news, stage="outcome"))


def _eliminated(match: PerilMatch, event: PlayerEliminated) -> PerilMatch:
    before = _on(match)
    play = before.with_player(event.key, lives=0, out=True, cause=event.cause, picks=(), marked=())
    play = replace(
        _queued(play, event.key),
        fallen=event.key,
        peril=NOBODY if play.peril == event.key else play.peril,
    )
    match = match.with_seat(event.key, auto=False)  # nobody plays it any more
    if event.cause == "roll":
        return match.in_phase(play.told("eliminated", stage="eliminated"))
    if play.stage in ("picking", "rolling"):
        play = play.told("fled")
    if play.stage != before.stage or play.queue[:1] != before.queue[:1]:
        return match.in_phase(play)
    return replace(match, play=play)


def _won(match: PerilMatch, event: MatchWon) -> PerilMatch:
    players = tuple(replace(p, marked=()) for p in _on(match).players)
    play = _on(match).told(
        "won", stage="victory", players=players, winner=event.key, queue=(), roll=0
    )
    return match.in_phase(play, stage="over")


_EVOLVE: dict[type[Event], Callable[[PerilMatch, Any], PerilMatch]] = {
    PerilDrawn: _drawn,
    RoundStarted: _round_started,
    NumberMarked: _marked,
    NumberUnmarked: _marked,
    NumbersPicked: _picked,
    DiceRolled: _rolled,
    PlotTwist: _twisted,
    LifeLost: _life_lost,
    PlayerEliminated: _eliminated,
    RoundVoided: lambda m, _: m,
    TitleRestored: lambda m, _: replace(m, play=_on(m).told("")),
    MatchWon: _won,
}
