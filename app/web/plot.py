"""How somebody fared: the matches he won less those he lost, over time, as an inline SVG."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from app.players import Result
from app.web.pages import day

WIDTH: Final = 720
HEIGHT: Final = 240
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 14, 28
MOST_MARKS: Final = 80
MOST_POINTS: Final = 600
MOST_TICKS: Final = 6
DAY_MS: Final = 86_400_000


@dataclass(frozen=True)
class Tick:
    """A line across, where it is and what stands beside it."""

    at: float
    text: str


@dataclass(frozen=True)
class Date:
    """A line upright: a day (with `year` 0), or the first of a month (with `day` 0)."""

    at: float
    day: int
    month: int
    year: int


@dataclass(frozen=True)
class Mark:
    x: float
    y: float
    won: bool


@dataclass(frozen=True)
class Plot:
    """Coordinates in a drawing of WIDTH × HEIGHT.  `facts`: what sentences say of it."""

    line: str
    zero: float
    marks: Sequence[Mark]
    across: Sequence[Tick]
    upright: Sequence[Date]
    facts: Mapping[str, str | int]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def of(results: Sequence[Result]) -> Plot:
    """The plot of at least one result, oldest first."""
    balance = [0]
    for result in results:
        balance.append(balance[-1] + (1 if result.won else -1))
    low, high = min(balance), max(balance)
    first_ms, last_ms = results[0].at_ms, results[-1].at_ms
    # A day at least, so that the matches of one evening do not seem to fill weeks.
    span_ms = max(last_ms - first_ms, DAY_MS)
    begin_ms = last_ms - span_ms

    def x(at_ms: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (at_ms - begin_ms) / span_ms, 1)

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / max(high - low, 1), 1)

    points = [(x(r.at_ms), y(b)) for r, b in zip(results, balance[1:], strict=True)]
    marks = [Mark(px, py, r.won) for (px, py), r in zip(points, results, strict=True)]
    return Plot(
        line=_path((LEFT, y(0)), points[:: -(-len(points) // MOST_POINTS)] + points[-1:]),
        zero=y(0),
        marks=marks if len(marks) <= MOST_MARKS else (),
        across=[Tick(y(v), _signed(v)) for v in _whole(low, high)],
        upright=[Date(x(at_ms), *date) for at_ms, *date in _dates(begin_ms, begin_ms + span_ms)],
        facts=_facts(results, balance),
    )


def _path(start: tuple[float, float], points: Sequence[tuple[float, float]]) -> str:
    """Steps: nothing changes between two matches."""
    return f"M{start[0]:g} {start[1]:g}" + "".join(f"H{x:g}V{y:g}" for x, y in points)


def _whole(low: int, high: int) -> list[int]:
    """Round values between these, a few."""
    step = next(s for n in range(9) for s in (10**n, 2 * 10**n, 5 * 10**n) if high - low <= 5 * s)
    return list(range(-(-low // step) * step, high + 1, step))


def _signed(value: int) -> str:
    return f"{value:+d}".replace("-", "−") if value else "0"


def _dates(begin_ms: int, end_ms: int) -> list[tuple[int, int, int, int]]:
    """Firsts of months between two moments, or days if those are not far from one another."""
    days = (end_ms - begin_ms) / DAY_MS
    if days <= 62:
        step = -(-int(days) // MOST_TICKS) or 1
        first = -(-begin_ms // DAY_MS) * DAY_MS
        moments = range(first, end_ms + 1, step * DAY_MS)
        return [
            (ms, at.tm_mday, at.tm_mon, 0) for ms in moments for at in (time.gmtime(ms / 1000),)
        ]
    months: list[tuple[int, int, int, int]] = []
    at = datetime.fromtimestamp(begin_ms / 1000, UTC).replace(day=1, hour=0, minute=0, second=0)
    while (ms := int(at.timestamp()) * 1000) <= end_ms:
        if ms >= begin_ms:
            months.append((ms, 0, at.month, at.year))
        at = at.replace(year=at.year + at.month // 12, month=at.month % 12 + 1)
    return months[:: -(-len(months) // MOST_TICKS)]


def _facts(results: Sequence[Result], balance: Sequence[int]) -> dict[str, str | int]:
    won = sum(r.won for r in results)
    return {
        "first": day(results[0].at_ms),
        "last": day(results[-1].at_ms),
        "won": won,
        "lost": len(results) - won,
        "best": _signed(max(balance)),
        "worst": _signed(min(balance)),
        "now": _signed(balance[-1]),
    }
