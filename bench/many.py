"""Ten thousand tables: idle in the store and in memory, and all with a deadline at once."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from app import serving
from app.games import lobby
from app.games.core import Actor, Key
from app.table.database import open_log
from app.table.hot import HotTable
from app.table.service import Tables
from bench import server
from bench.load import percentile

TABLES = 10_000
AT_ONCE = 500
OWNER = Key("0e000000-0000-4000-8000-000000000009")


class Clock:
    """The time of day, held while a measurement is prepared."""

    def __init__(self) -> None:
        self.held_s: float | None = time.time()
        self.behind_s = 0.0

    def __call__(self) -> float:
        return self.held_s if self.held_s is not None else time.time() - self.behind_s

    def go(self, from_s: float) -> None:
        self.held_s, self.behind_s = None, time.time() - from_s


async def made(tables: Tables, count: int) -> list[HotTable]:
    out: list[HotTable] = []
    while len(out) < count:
        some = min(AT_ONCE, count - len(out))
        options = {"options": {"turn_s": 3600}}
        out += await asyncio.gather(
            *(tables.create(f"Table {n}", OWNER, "Olive", **options) for n in range(some))
        )
    return out


def idle(seconds: float = 25) -> Iterator[str]:
    """Tables that nobody uses: memory of one in memory; a service started on all of them."""
    with tempfile.TemporaryDirectory() as folder:

        async def fill() -> float:
            tables = Tables(open_log(Path(folder) / "peril.db"))
            await made(tables, 10)
            gc.collect()
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            kept = await made(tables, TABLES)
            gc.collect()
            each = (tracemalloc.get_traced_memory()[0] - before) / len(kept)
            tracemalloc.stop()
            await tables.stop()
            return each

        yield f"{TABLES} idle tables held in memory: {asyncio.run(fill()):.0f} bytes each"
        with server.table(folder) as service:
            cpu, began = service.cpu_s(), time.perf_counter()
            time.sleep(seconds)
            share = (service.cpu_s() - cpu) / (time.perf_counter() - began)
            yield f"{TABLES} idle tables stored: start to first answer {service.started_s:.2f} s"
            yield f"{TABLES} idle tables stored: {share:.4f} of a core over {seconds:.0f} s"


def deadlines() -> Iterator[str]:
    """All in one second, a match of two each; how late they are, and when the last was done."""

    async def run(folder: str) -> tuple[float, list[float]]:
        clock = Clock()
        start_s = clock()
        tables = Tables(open_log(Path(folder) / "peril.db"), clock=clock)
        all_tables = await made(tables, TABLES)
        due_ms: dict[str, int] = {}

        async def begin(table: HotTable) -> None:
            for n in range(2):
                await tables.submit(table.id, Actor(Key(f"k{n}"), f"Player {n}"), lobby.Join())
            await tables.submit(table.id, Actor(Key("k1")), lobby.Ready())
            await tables.submit(table.id, Actor(Key("k0")), lobby.Start())
            due_ms[table.id] = min(table.deadlines.values())

        for first in range(0, TABLES, AT_ONCE):
            clock.held_s = start_s + first / TABLES
            some = all_tables[first : first + AT_ONCE]
            await asyncio.gather(*(begin(t) for t in some))
        late_s: dict[str, float] = {}
        done = asyncio.Event()

        def changed(table: HotTable) -> None:
            late_s.setdefault(table.id, clock() - due_ms[table.id] / 1000)
            if len(late_s) == TABLES:
                done.set()

        tables.listeners.append(changed)
        serving.tune()
        first_s = min(due_ms.values()) / 1000
        clock.go(first_s)
        tables.timers.start()
        async with asyncio.timeout(60):
            await done.wait()
        took_s = clock() - first_s
        await tables.stop()
        return took_s, list(late_s.values())

    with tempfile.TemporaryDirectory() as folder:
        took_s, late_s = asyncio.run(run(folder))
    p99 = percentile(late_s, 0.99)
    yield f"{TABLES} deadlines in one second: all fired after {took_s:.2f} s, p99 late {p99:.2f} s"
