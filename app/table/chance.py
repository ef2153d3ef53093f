"""Dice and draws from the operating system's randomness: the one place where chance comes in."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_system = random.SystemRandom()


class SystemDice:
    """`app.games.core.Dice` without bias: the standard library rejects, it does not fold."""

    def roll(self, sides: int, why: str) -> int:  # noqa: ARG002 - the label is for fairness
        return _system.randrange(sides) + 1

    def choose(self, options: Sequence[T], why: str) -> T:  # noqa: ARG002
        return _system.choice(options)

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:  # noqa: ARG002
        return _system.sample(options, count)
