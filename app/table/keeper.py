"""What a process looks after by itself: silent tables, idle ones, deadlines that nobody fired."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog
from sqlmodel import Session, col, update

from app.errors import Busy, NotFound
from app.games import lobby
from app.games.core import SERVER, Actor
from app.table import history, speech
from app.table.hot import HotTable
from app.table.models import DeviceRow

if TYPE_CHECKING:
    from app.table.service import Tables

log = structlog.get_logger("keeper")

IDLE_S = 900
"""A table nobody used for so long leaves memory."""

SILENCE_S = 90
"""D7: a watched table that shows no sign of life for so long is frozen."""

SWEEP_S = 10
SEEN_S = 20
"""So often it is stored that a device was heard: other processes want to know."""

ROUND_S = 0.5
GRACE_MS = 500
"""Who set a deadline fires it.  After so long he is gone, and anybody does."""
ORPHANS = 500
"""Deadlines that are taken over in a round."""


class Keeper:
    """Of one process."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.seen: dict[str, float] = {}
        """Watched tables: last sign of life, seconds since 1970."""
        self.each_sweep: list[Callable[[], None]] = []
        self._noted: dict[str, float] = {}

    async def run(self) -> None:
        """Until cancelled."""
        rounds = 0
        while True:
            await asyncio.sleep(ROUND_S * random.uniform(0.8, 1.2))
            rounds += 1
            try:
                if self._tables.store.shared:
                    await self.orphans()
                    await self.catch_up()
                if rounds % round(SWEEP_S / ROUND_S) == 0:
                    await self.sweep()
                    if self._tables.store.shared:
                        await self._tables.store.stay()
                        await speech.follow(self._tables)
                    for also in self.each_sweep:
                        also()
            except Busy:
                log.info("store_busy")
            except Exception:
                log.exception("round_failed")

    async def contact(self, table_id: str) -> None:
        """A sign of life from the table in-world: it is watched from now on."""
        tables = self._tables
        table = await tables.table(table_id)
        if not table.watched:
            await tables.set_row(table_id, watched=True)
            table.watched = True
        now = self.seen[table_id] = tables.clock()
        if tables.store.shared and now - self._noted.get(table_id, 0.0) > SEEN_S:
            self._noted[table_id] = now
            tables.spawn(self._note(table_id, now))
        if table.now.match.frozen:
            await tables.submit(table_id, Actor(SERVER), lobby.Thaw())

    async def _note(self, table_id: str, now: float) -> None:
        def write(session: Session) -> None:
            session.exec(
                update(DeviceRow)
                .where(col(DeviceRow.table_id) == table_id)
                .values(seen_ms=int(now * 1000))
            )
            session.commit()

        with contextlib.suppress(Busy):
            await self._tables.store.run(write)

    async def sweep(self) -> None:
        """Freeze tables that fell silent, and let idle ones leave memory."""
        tables = self._tables
        now = tables.clock()
        for table in await self._silent(now):
            with contextlib.suppress(Busy):  # the next sweep tries again
                await tables.submit(table.id, Actor(SERVER), lobby.Freeze("unreachable"))
        for table in list(tables.hot.values()):
            idle = now - table.used_at > IDLE_S
            busy = table.working or (table.deadlines and not tables.store.shared)
            if idle and self._is_silent(table, now) and not busy:
                del tables.hot[table.id]
                self._noted.pop(table.id, None)

    async def _silent(self, now: float) -> list[HotTable]:
        """Tables with a match under way whose device nobody has heard for too long."""
        # A table that is not in memory waits for nobody: there is nothing to freeze.
        found = [
            table
            for table in self._tables.hot.values()
            if table.watched and self._is_silent(table, now) and self._plays(table)
        ]
        if found and self._tables.store.shared:
            heard = await history.heard_of(self._tables.store, [table.id for table in found])
            for table_id, seen_ms in heard.items():
                self.seen[table_id] = max(self.seen.get(table_id, 0.0), seen_ms / 1000)
        return [table for table in found if self._is_silent(table, now)]

    def _is_silent(self, table: HotTable, now: float) -> bool:
        return now - self.seen.get(table.id, 0.0) > SILENCE_S

    def _plays(self, table: HotTable) -> bool:
        return table.now.match.stage != "lobby" and not table.now.match.frozen

    async def orphans(self) -> int:
        """Fire deadlines of processes that are gone; how many."""
        tables = self._tables
        before_ms = int(tables.clock() * 1000) - GRACE_MS
        found = 0
        for late in await history.overdue(tables.store, before_ms, ORPHANS):
            timer = (late.name, late.phase, late.epoch)
            if not tables.timers.has(late.table_id, *timer):
                tables.timers.add(late.due_ms, late.table_id, *timer)
                found += 1
        return found

    async def catch_up(self) -> None:
        """See whether tables for whose news somebody waits have any that was not told."""
        tables = self._tables
        doubtful = {
            table.id: table
            for table in list(tables.hot.values())
            if table.awaited and tables.sharing.doubts(table)
        }
        if not doubtful:
            return
        now = tables.clock()
        states = {i: (table.now.match_id, table.now.seq) for i, table in doubtful.items()}
        behind = set(await history.newer(tables.store, states))
        for table_id, table in doubtful.items():
            if table_id in behind:
                with contextlib.suppress(NotFound):
                    await tables.look(table)
            else:
                table.sure_at = now
