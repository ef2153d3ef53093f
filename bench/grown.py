"""The LSL route on PostgreSQL and Redis: one process and two, against as many of the echo."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import statistics
import tempfile
import time
from collections.abc import Iterator

from bench import linkset, load, server
from tests.postgres import find_postgres, new_database
from tests.redis_server import find_redis

CONNECTIONS = (64, 16)
MOST_PER_S = 3_000
UNEVEN = 6
"""So many times its share a connection may send, if others wait for a slower process."""
SETTLE_S = 2.0
"""Until all processes answer."""


def measure(rounds: int, seconds: float) -> Iterator[str]:
    postgres, redis = find_postgres(), find_redis()
    if postgres is None or redis is None:
        yield "not measured: there is no PostgreSQL or no Redis here"
        return
    yield "| connections | processes | echo/s | table/s | ratio | of one process |"
    yield "|---|---|---|---|---|---|"
    alone: dict[int, float] = {}
    for workers in (1, 2):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            database = stack.enter_context(new_database(postgres))
            bare = stack.enter_context(server.echo(workers))
            ours = stack.enter_context(server.grown(folder, database, redis, workers))
            api = stack.enter_context(linkset.client(ours.port))
            time.sleep(SETTLE_S)
            tables = [linkset.Linkset(api, n, start=True) for n in range(max(CONNECTIONS))]
            echoes = [itertools.cycle([load.request("/echo", b'{"number":7}')])] * len(tables)
            for count in CONNECTIONS:
                rates, ratios = [], []
                for _ in range(rounds):
                    echo = asyncio.run(load.run(bare.port, echoes[:count], seconds)).rate
                    each = int(UNEVEN * MOST_PER_S * seconds / count) + 2
                    senders = [t.requests(each) for t in tables[:count]]
                    result = asyncio.run(load.run(ours.port, senders, seconds))
                    for table, sent in zip(tables, result.sent, strict=False):
                        table.took(sent)
                    assert not result.failed, "some were refused"
                    rates.append(result.rate)
                    ratios.append((echo, result.rate / echo))
                rate = statistics.median(rates)
                alone.setdefault(count, rate)
                yield (
                    f"| {count} | {workers} | {statistics.median(e for e, _ in ratios):.0f}"
                    f" | {rate:.0f} | {statistics.median(r for _, r in ratios):.2f}"
                    f" | {rate / alone[count]:.2f} |"
                )
