"""A thousand streams of one table: when all were served, how often a change was serialised."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator

import httpx

from bench import linkset, server

SPECTATORS = 1_000
CHANGES = 5


class _Stream(asyncio.Protocol):
    """Notes when the first news come; `told` has each stream once."""

    def __init__(self, path: str, told: dict[int, float]) -> None:
        self.path, self.told = path, told

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(f"GET {self.path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        if b"event: news" in data:
            self.told.setdefault(id(self), time.perf_counter())


def measure() -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory() as folder,
        server.table(folder) as service,
        linkset.client(service.port) as api,
    ):
        table_id, who = linkset.match_of_ten(api, 9, start=False)
        served = asyncio.run(_changes(service, table_id, who, dict(api.headers)))
    yield (
        f"{SPECTATORS} spectators of one table: all served {statistics.median(served) * 1e3:.0f} ms"
        f" after the command was sent (median of {len(served)}, most {max(served) * 1e3:.0f} ms)"
    )


async def _changes(
    service: server.Server, table_id: str, who: str, headers: dict[str, str]
) -> list[float]:
    loop, told = asyncio.get_running_loop(), dict[int, float]()
    path = f"/api/v1/tables/{table_id}"
    streams = []
    for _ in range(SPECTATORS):
        transport, _ = await loop.create_connection(
            lambda: _Stream(f"{path}/stream", told), "127.0.0.1", service.port
        )
        streams.append(transport)
    url = f"http://127.0.0.1:{service.port}"
    served = []
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=30) as api:
        await _all(told, SPECTATORS)
        for n in range(CHANGES):
            told.clear()
            command = {"type": "leave" if n % 2 else "join"}
            body = {"avatar": {"key": who, "name": "Player"}, "command": command}
            began = time.perf_counter()
            (await api.post(f"{path}/commands", json=body)).raise_for_status()
            await _all(told, SPECTATORS)
            served.append(max(told.values()) - began)
    for transport in streams:
        transport.close()
    return served


async def _all(told: dict[int, float], count: int) -> None:
    async with asyncio.timeout(30):
        while len(told) < count:
            await asyncio.sleep(0.005)
