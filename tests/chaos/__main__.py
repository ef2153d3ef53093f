"""`make chaos`: kill the server again and again, at random moments, while tables play.

With `--grown` it is three processes on PostgreSQL and Redis, which are restarted too.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tests.postgres import Started as Postgres
from tests.postgres import find_binaries, new_database
from tests.redis_server import Started as Redis

from .check import check
from .players import Players, create_table
from .server import Server, Store, serving

KILLS = 200
TABLES = 4
WORKERS = 3

Fault = Callable[[], None]


async def kill(
    server: Server, players: list[Players], kills: int, random: Random, faults: list[Fault]
) -> None:
    """Mostly when it has worked a little, sometimes while it starts; one time in eight the
    services that it uses instead."""
    for done in range(1, kills + 1):
        if random.random() < 0.8:
            heard = acknowledged(players)
            while acknowledged(players) < heard + 5:
                await asyncio.sleep(0.01)
        await asyncio.sleep(random.uniform(0, 0.3))
        if faults and random.random() < 1 / 8:
            await asyncio.to_thread(random.choice(faults))
        else:
            server.kill(random.randrange(server.store.workers))
            server.start()
        if done % 20 == 0:
            print(f"{done:4} kills, {acknowledged(players):,} commands acknowledged", flush=True)


async def chaos(
    store: Store, kills: int, tables: int, seed: int, faults: list[Fault] | None = None
) -> list[Players]:
    """Kill, let every match come to its end, and look at what is there then.

    AssertionError if anything is not as it must be.
    """
    async with serving(store) as (server, client):
        made = [Players(client, await create_table(client), seed + n) for n in range(tables)]
        killing = asyncio.ensure_future(kill(server, made, kills, Random(seed), faults or []))
        async with asyncio.TaskGroup() as playing:
            playing.create_task(_done(killing))
            for players in made:
                playing.create_task(_play(players, killing))
    for players in made:
        check(store.url, players)
    return made


async def _done(task: asyncio.Task[None]) -> None:
    await task


async def _play(players: Players, killing: asyncio.Task[None]) -> None:
    await players.play_until(killing.done)
    await players.finish()


def acknowledged(players: list[Players]) -> int:
    return sum(len(some.acknowledged) for some in players)


@contextlib.contextmanager
def grown(folder: Path, workers: int) -> Iterator[tuple[Store, list[Fault]]]:
    """A store of its own PostgreSQL and Redis, and how each of them fails and comes back."""
    binaries = find_binaries()
    assert binaries is not None, "PostgreSQL is not installed here"
    postgres, redis = Postgres(binaries).start(), Redis().start()

    def restart_redis() -> None:
        redis.kill()
        time.sleep(0.5)
        redis.start()

    try:
        with new_database(postgres.url) as database:
            yield Store(folder, database, redis.url, workers), [postgres.restart, restart_redis]
    finally:
        redis.remove()
        postgres.remove()


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--grown", action="store_true", help="PostgreSQL, Redis, three processes")
    given = parser.parse_args()
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store, faults = Store(folder), []
        if given.grown:
            store, faults = stack.enter_context(grown(folder, WORKERS))
        made = asyncio.run(chaos(store, given.kills, given.tables, given.seed, faults))
    print(
        f"{given.kills} kills in {time.monotonic() - began:.0f} s, {given.tables} tables:"
        f" {acknowledged(made):,} acknowledged commands are each in the log once,"
        f" {sum(len(p.boards) for p in made):,} boards equal their replay,"
        f" {sum(p.number - 1 for p in made):,} matches came to their end."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
