"""The clock of the deadlines: one heap, one task, nothing per table."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from collections.abc import Awaitable, Callable

import structlog

from app import metrics
from app.games.clock import Timer

log = structlog.get_logger("timers")

Fire = Callable[[str, str, int, int], Awaitable[bool]]
"""(table, timer name, phase, epoch): the deadline has come; whether it still ran."""

RETRY_MS = 1000
"""When firing failed (a busy store), the deadline comes again so much later."""


DAY_MS = 86_400_000


def due_ms(timer: Timer, now_ms: int) -> int:
    """When a deadline that starts now comes, in milliseconds since 1970."""
    if timer.until is None:
        return now_ms + round(timer.after_s * 1000)
    hour_ms = round((timer.until.minute / 60 - timer.until.offset_h) * 3_600_000)
    return now_ms + DAY_MS - (now_ms - hour_ms) % DAY_MS


class Timers:
    """Fires deadlines when they are due.  Stopped ones stay in the heap and fire as stale."""

    def __init__(self, fire: Fire, clock: Callable[[], float]) -> None:
        self._fire = fire
        self._clock = clock
        self._heap: list[tuple[int, str, str, int, int]] = []
        self._known: set[tuple[str, str, int, int]] = set()
        """Those in the heap or being fired."""
        self._earlier = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._firing: set[asyncio.Task[None]] = set()

    def add(self, due_ms: int, table_id: str, name: str, phase: int, epoch: int) -> None:
        item = (due_ms, table_id, name, phase, epoch)
        heapq.heappush(self._heap, item)
        self._known.add(item[1:])
        if self._heap[0] is item:
            self._earlier.set()

    def has(self, table_id: str, name: str, phase: int, epoch: int) -> bool:
        """Whether it will be fired, or is."""
        return (table_id, name, phase, epoch) in self._known

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        for task in list(self._firing):
            task.cancel()
        await asyncio.gather(*self._firing, return_exceptions=True)

    async def run_due(self) -> int:
        """Fire what is due now and wait until it is done; how many that were."""
        due = self._take_due()
        await asyncio.gather(*(self._fire_one(item) for item in due))
        return len(due)

    def next_due_ms(self) -> int | None:
        return self._heap[0][0] if self._heap else None

    def _take_due(self) -> list[tuple[int, str, str, int, int]]:
        now_ms = self._clock() * 1000
        due = []
        while self._heap and self._heap[0][0] <= now_ms:
            due.append(heapq.heappop(self._heap))
        return due

    async def _run(self) -> None:
        while True:
            for item in self._take_due():
                task = asyncio.ensure_future(self._fire_one(item))
                self._firing.add(task)
                task.add_done_callback(self._firing.discard)
            self._earlier.clear()
            wait_s = None
            if self._heap:
                wait_s = max(self._heap[0][0] / 1000 - self._clock(), 0.001)
            # Not `wait_for`: cancelled when a deadline is added just then, it forgets that it was.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._earlier.wait()

    async def _fire_one(self, item: tuple[int, str, str, int, int]) -> None:
        due_ms, table_id, name, phase, epoch = item
        try:
            if await self._fire(table_id, name, phase, epoch):
                metrics.deadline(self._clock() - due_ms / 1000)
        except Exception:
            kind, _, _ = name.partition(":")  # whom it waits for is nobody's business
            log.exception("deadline_failed", table=table_id, deadline=kind)
            self.add(due_ms + RETRY_MS, table_id, name, phase, epoch)
        else:
            self._known.discard(item[1:])
