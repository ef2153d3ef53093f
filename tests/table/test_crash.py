"""A real server is killed or stopped in the middle of matches; what it acknowledged is never lost.

`make chaos` does the first for longer.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx

from tests.chaos.__main__ import acknowledged, chaos
from tests.chaos.check import check
from tests.chaos.players import Players, create_table
from tests.chaos.server import Store, serving
from tests.postgres import new_database

KILLS = 5
RESTARTS = 3
ENDS_S = 10
"""Within seconds, on a machine that does other things too."""


async def test_a_server_killed_at_random_moments_keeps_every_acknowledged_command(
    tmp_path: Path,
) -> None:
    made = await chaos(Store(tmp_path), KILLS, tables=2, seed=7)
    assert acknowledged(made) > KILLS * 3
    assert all(players.boards for players in made)


async def test_several_processes_on_postgresql_and_redis_keep_them_too(
    tmp_path: Path, empty_postgres: str, need: Callable[[str], str]
) -> None:
    with new_database(need("postgresql"), empty_postgres.rpartition("/")[2]) as database:
        store = Store(tmp_path, database, need("redis"), workers=2)
        made = await chaos(store, KILLS, tables=2, seed=3)
    assert acknowledged(made) > KILLS * 3
    assert all(players.boards for players in made)


async def test_a_server_that_is_replaced_loses_no_command_and_fails_no_table_twice_in_a_row(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path)
    async with AsyncExitStack() as stack:
        server, first = await stack.enter_async_context(serving(store))
        made = []
        for seed in range(3):
            # Each table has connections of its own, which it keeps.
            client = httpx.AsyncClient(base_url=server.url, timeout=20)
            await stack.enter_async_context(client)
            made.append(Players(client, await create_table(first), seed))
        stopped = asyncio.Event()
        playing = [asyncio.ensure_future(p.play_until(stopped.is_set)) for p in made]
        for _ in range(RESTARTS):
            heard = acknowledged(made)
            while acknowledged(made) < heard + 20:
                await asyncio.sleep(0.01)
                assert not any(task.done() for task in playing)
            going, began = server.replace(), time.monotonic()
            await asyncio.to_thread(going.wait, 20)
            assert time.monotonic() - began < ENDS_S
        stopped.set()
        await asyncio.gather(*playing)
        await asyncio.gather(*(players.finish() for players in made))
    for players in made:
        check(store.url, players)
        assert players.worst <= 1
