"""The words of Peril Dice: commands (imperative) and events (past, with their results)."""

from __future__ import annotations

from typing import Literal

from app.games.core import Command, Event, Key

Cause = Literal["roll", "left", "kicked", "silent"]


# ---- commands -------------------------------------------------------------------------------


class Mark(Command, frozen=True):
    """Choose a number in the dialog; it may be taken back until the picks are confirmed."""

    number: int


class Unmark(Command, frozen=True):
    """Take a chosen number back."""

    number: int


class Pick(Command, frozen=True):
    """Stake these numbers, all of them at once."""

    numbers: tuple[int, ...]


class Roll(Command, frozen=True):
    """Roll the die of the round."""


COMMANDS = (Mark, Unmark, Pick, Roll)


# ---- events ---------------------------------------------------------------------------------


class PerilDrawn(Event, frozen=True):
    key: Key


class RoundStarted(Event, frozen=True):
    round: int
    sides: int
    picks_each: int
    order: tuple[Key, ...]


class NumberMarked(Event, frozen=True):
    key: Key
    number: int

    def seen_by(self) -> tuple[Key, ...]:
        return (self.key,)


class NumberUnmarked(Event, frozen=True):
    key: Key
    number: int

    def seen_by(self) -> tuple[Key, ...]:
        return (self.key,)


class NumbersPicked(Event, frozen=True):
    key: Key
    numbers: tuple[int, ...]


class DiceRolled(Event, frozen=True):
    key: Key
    sides: int
    number: int


class PlotTwist(Event, frozen=True):
    """`key` held the number and is in peril now; `was` keeps the life."""

    key: Key
    was: Key
    number: int


class LifeLost(Event, frozen=True):
    """DIRECT HIT (`own`: the Peril Player held the number) or NO SHIELD."""

    key: Key
    number: int
    own: bool
    left: int


class PlayerEliminated(Event, frozen=True):
    key: Key
    cause: Cause


class RoundVoided(Event, frozen=True):
    """The Peril Player is gone; nobody loses a life by this round."""

    round: int


class TitleRestored(Event, frozen=True):
    """The large picture goes back to the title."""


class MatchWon(Event, frozen=True):
    key: Key


EVENTS = (
    PerilDrawn,
    RoundStarted,
    NumberMarked,
    NumberUnmarked,
    NumbersPicked,
    DiceRolled,
    PlotTwist,
    LifeLost,
    PlayerEliminated,
    RoundVoided,
    TitleRestored,
    MatchWon,
)
