"""A small HTTP/1.1 load client: keep-alive connections, each sending its requests in turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Result:
    """What a run gave: seconds per request, and how long it took in all."""

    seconds: float
    latencies: list[float] = field(default_factory=list)
    failed: int = 0

    @property
    def rate(self) -> float:
        """Requests per second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        """Seconds which `share` (0…1) of the requests did not exceed."""
        ordered = sorted(self.latencies)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class _Client(asyncio.Protocol):
    """One connection: sends `requests` round and round until the time is over."""

    def __init__(self, requests: Sequence[bytes], until: float, result: Result) -> None:
        self.requests = requests
        self.until = until
        self.result = result
        self.sent = 0
        self.buffer = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._send()

    def _send(self) -> None:
        self.started = time.perf_counter()
        self.transport.write(self.requests[self.sent % len(self.requests)])
        self.sent += 1

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(body) < length:
            return
        self.buffer = b""
        now = time.perf_counter()
        self.result.latencies.append(now - self.started)
        if not head.startswith(b"HTTP/1.1 200"):
            self.result.failed += 1
        if now < self.until or self.sent % len(self.requests):
            self._send()
        else:
            self.transport.close()
            self.done.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the server closed"))


def request(path: str, body: bytes, token: str = "") -> bytes:
    """The bytes of a POST."""
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: bench",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def run(port: int, connections: Sequence[Sequence[bytes]], seconds: float) -> Result:
    """Load 127.0.0.1:`port` for `seconds`: one connection per list of requests."""
    loop = asyncio.get_running_loop()
    began = time.perf_counter()
    result = Result(seconds)
    clients = []
    for requests in connections:
        _, client = await loop.create_connection(
            lambda r=requests: _Client(r, began + seconds, result),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
        clients.append(client)
    await asyncio.gather(*(c.done for c in clients))
    result.seconds = time.perf_counter() - began
    return result
