"""What a table costs: CPU of the server per minute of a table, for few tables and for many."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator

from bench import linkset, server

TABLES = (10, 100, 1_000, 10_000)
PLAYERS = 3
PER_MINUTE = 24
"""Requests of a table whose match of three is on; see the emulated region in the README."""
MOST_PER_S = 800
"""What one process takes with ease.  More tables than need so many act more slowly."""
SECONDS = 15


def measure() -> Iterator[str]:
    yield "| tables | requests/s | ms of CPU per table-minute |"
    yield "|---|---|---|"
    with (
        tempfile.TemporaryDirectory() as folder,
        server.table(folder) as service,
        linkset.client(service.port) as api,
    ):
        tables: list[linkset.Linkset] = []
        for count in TABLES:
            tables += [
                linkset.Linkset(api, len(tables) + n, start=False, players=PLAYERS)
                for n in range(count - len(tables))
            ]
            before = service.cpu_s()
            sent = asyncio.run(_play(service.port, tables))
            cpu_s = service.cpu_s() - before
            minutes = sent / PER_MINUTE
            yield f"| {count} | {sent / SECONDS:.0f} | {cpu_s / minutes * 1e3:.1f} |"


async def _play(port: int, tables: list[linkset.Linkset]) -> int:
    """Each table acts at the pace of people if it can, all evenly spread; how many requests."""
    pause_s = max(60 / PER_MINUTE, len(tables) / MOST_PER_S)
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def one(number: int, table: linkset.Linkset) -> int:
        sent = 0
        for request in table.requests(max(int(SECONDS / pause_s), 1)):
            await asyncio.sleep(began + pause_s * (number / len(tables) + sent) - loop.time())
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            writer.close()
            sent += 1
        table.took(sent)
        return sent

    return sum(await asyncio.gather(*(one(n, t) for n, t in enumerate(tables))))
