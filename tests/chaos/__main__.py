"""`make chaos`: kill the server again and again, at random moments, while tables play."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from .check import check
from .players import Players, create_table
from .server import Server, serving

KILLS = 200
TABLES = 4


async def kill(server: Server, players: list[Players], kills: int, random: Random) -> None:
    """Mostly when it has worked a little, sometimes while it starts."""
    for done in range(1, kills + 1):
        if random.random() < 0.8:
            heard = acknowledged(players)
            while acknowledged(players) < heard + 5:
                await asyncio.sleep(0.01)
        await asyncio.sleep(random.uniform(0, 0.3))
        server.kill()
        server.start()
        if done % 20 == 0:
            print(f"{done:4} kills, {acknowledged(players):,} commands acknowledged", flush=True)


async def chaos(folder: Path, kills: int, tables: int, seed: int) -> list[Players]:
    """Kill, let every match come to its end, and look at what is there then.

    AssertionError if anything is not as it must be.
    """
    async with serving(folder) as (server, client):
        made = [Players(client, await create_table(client), seed + n) for n in range(tables)]
        killing = asyncio.ensure_future(kill(server, made, kills, Random(seed)))
        async with asyncio.TaskGroup() as playing:
            playing.create_task(_done(killing))
            for players in made:
                playing.create_task(_play(players, killing))
    for players in made:
        check(folder, players)
    return made


async def _done(task: asyncio.Task[None]) -> None:
    await task


async def _play(players: Players, killing: asyncio.Task[None]) -> None:
    await players.play_until(killing.done)
    await players.finish()


def acknowledged(players: list[Players]) -> int:
    return sum(len(some.acknowledged) for some in players)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        made = asyncio.run(chaos(Path(folder), given.kills, given.tables, given.seed))
    print(
        f"{given.kills} kills in {time.monotonic() - began:.0f} s, {given.tables} tables:"
        f" {acknowledged(made):,} acknowledged commands are each in the log once,"
        f" {sum(len(p.boards) for p in made):,} boards equal their replay,"
        f" {sum(p.number - 1 for p in made):,} matches came to their end."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
