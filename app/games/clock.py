"""Deadlines as the rules want them: how long, or until which hour."""

from __future__ import annotations

import msgspec

CLOCK = "clock"
"""Name of the timer that ends a wait of several together."""


class Hour(msgspec.Struct, frozen=True, gc=False):
    """A time of the day: minutes since midnight where the clock is `offset_h` hours before UTC."""

    minute: int
    offset_h: float = 0


class Timer(msgspec.Struct, frozen=True, gc=False):
    """A deadline the rules want.  It stays the same deadline while `name`, `phase`, `epoch` do.

    `until`: it comes at the next such time of the day instead of after `after_s`.
    """

    name: str
    phase: int
    after_s: float
    epoch: int = 0
    until: Hour | None = None

    @property
    def id(self) -> tuple[str, int, int]:
        return (self.name, self.phase, self.epoch)
