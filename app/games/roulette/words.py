"""The words of Russian roulette, named as in its rules: commands (imperative) and events (past).

The events' types begin with `roulette.`, since other games have rounds and eliminations too.
"""

from __future__ import annotations

from typing import Literal

from msgspec import field

from app.games.core import Command, Event, Key, snake

Cause = Literal[
    "pull",
    "chamberOne",
    "quickDraw",
    "looseTrigger",
    "stealAttacker",
    "stealDefender",
    "timeout",
    "left",
]
Duel = Literal["steal", "looseTrigger"]


# ---- commands -------------------------------------------------------------------------------


class Pull(Command, frozen=True):
    """Put the gun to your own head and pull the trigger."""


class Pass(Command, frozen=True):
    """Use your pass; the gun is not fired."""


class Steal(Command, frozen=True):
    """Fight for another player's pass: 100 against 100, the loser is out."""

    target: Key


class QuickDraw(Command, frozen=True):
    """Fire at another player first, once in a game; then you must pull."""

    target: Key


COMMANDS = (Pull, Pass, Steal, QuickDraw)


# ---- events ---------------------------------------------------------------------------------


class RouletteEvent(Event, frozen=True, tag=lambda name: "roulette." + snake(name)):
    """What happened at the gun."""


class GameStarted(RouletteEvent, frozen=True):
    players: tuple[Key, ...]
    chambers: int


class RoundStarted(RouletteEvent, frozen=True):
    """Everybody alive can be drawn again."""

    round: int


class FinalsStarted(RouletteEvent, frozen=True):
    players: tuple[Key, ...]


class Picked(RouletteEvent, frozen=True):
    """It is this player's turn, by draw or (in the finals) by alternation."""

    player: Key
    chamber: int


class ForcedSteal(RouletteEvent, frozen=True):
    """Chamber 1, no pass: he must steal from one of `targets`."""

    player: Key
    targets: tuple[Key, ...]


class Passed(RouletteEvent, frozen=True):
    player: Key
    forced: bool


class Rolled(RouletteEvent, frozen=True):
    """The gun was fired by `player` at `at`: `roll` of `of` chambers, the highest kills."""

    player: Key
    roll: int
    of: int
    at: Key


class Safe(RouletteEvent, frozen=True):
    player: Key


class Eliminated(RouletteEvent, frozen=True):
    player: Key
    cause: Cause


class Chamber(RouletteEvent, frozen=True):
    """How many chambers are left, one of them loaded."""

    from_: int = field(name="from")
    to: int
    reason: Literal["decrease", "reset"]


class StealTried(RouletteEvent, frozen=True):
    attacker: Key
    defender: Key


class Battle(RouletteEvent, frozen=True):
    """One pair of rolls of 100; a tie is rolled again."""

    kind: Duel
    attacker: Key
    defender: Key
    attacker_roll: int
    defender_roll: int
    result: Literal["attacker", "defender", "tie"]


class PassStolen(RouletteEvent, frozen=True):
    """The pass is taken and used at once."""

    from_: Key = field(name="from")
    by: Key


class QuickDrawn(RouletteEvent, frozen=True):
    player: Key
    target: Key


class MustPull(RouletteEvent, frozen=True):
    """After a Quick Draw: no pass, no steal, only the trigger."""

    player: Key
    chamber: int


class LooseTrigger(RouletteEvent, frozen=True):
    """A 1 was rolled: the gun goes off once more, at somebody drawn."""

    player: Key
    target: Key


class Missed(RouletteEvent, frozen=True):
    """The loose shot hit nobody."""

    player: Key
    target: Key


class Shown(RouletteEvent, frozen=True):
    """The large picture of what happened gives way to the next one."""


class GameOver(RouletteEvent, frozen=True):
    winner: Key


EVENTS = (
    GameStarted,
    RoundStarted,
    FinalsStarted,
    Picked,
    ForcedSteal,
    Passed,
    Rolled,
    Safe,
    Eliminated,
    Chamber,
    StealTried,
    Battle,
    PassStolen,
    QuickDrawn,
    MustPull,
    LooseTrigger,
    Missed,
    Shown,
    GameOver,
)
