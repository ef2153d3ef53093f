"""A small HTTP/1.1 load client: connections that each send their requests in turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

AGENT = (
    "User-Agent: Second-Life-LSL/2026-11-01.1 (https://secondlife.com)\r\n"
    "Accept: text/*, application/json, application/xml, application/x-www-form-urlencoded\r\n"
    "Accept-Encoding: deflate, gzip\r\n"
    "X-SecondLife-Shard: Production\r\n"
    "X-SecondLife-Object-Name: Peril Table\r\n"
    "X-SecondLife-Object-Key: 0a000000-0000-4000-8000-000000000001\r\n"
    "X-SecondLife-Region: Da Boom (255744, 253952)\r\n"
    "X-SecondLife-Local-Position: (128.000000, 128.000000, 25.000000)\r\n"
    "X-SecondLife-Local-Rotation: (0.000000, 0.000000, 0.000000, 1.000000)\r\n"
    "X-SecondLife-Local-Velocity: (0.000000, 0.000000, 0.000000)\r\n"
    "X-SecondLife-Owner-Name: Olive Owner\r\n"
    "X-SecondLife-Owner-Key: 0e000000-0000-4000-8000-000000000009\r\n"
)
"""The head of a region's requests; all that are compared have it, the echo too."""


@dataclass
class Result:
    """What a run gave: seconds per request, and how long it took in all."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    failed: int = 0
    sent: list[int] = field(default_factory=list)
    """Requests by each connection."""

    @property
    def rate(self) -> float:
        """Requests per second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        """Seconds which `share` (0…1) of the requests did not exceed."""
        return percentile(self.latencies, share)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class _Client(asyncio.Protocol):
    """One connection after the other (or one for all) that sends `requests` until time is over.

    It ends after an even number of them: two in turn leave a table as it was.
    """

    def __init__(
        self, port: int, requests: Iterator[bytes], until: float, result: Result, keep: bool
    ) -> None:
        self.port, self.requests, self.until = port, requests, until
        self.result, self.keep = result, keep
        self.sent = 0
        self.buffer = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def begin(self) -> None:
        self.started = time.perf_counter()
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self, "127.0.0.1", self.port)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._send()

    def _send(self) -> None:
        self.transport.write(next(self.requests))
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
        more = now < self.until or self.sent % 2
        if not more:
            self.done.set_result(None)
        if not more or not self.keep:
            self.transport.close()
        else:
            self.started = now
            self._send()

    def connection_lost(self, error: Exception | None) -> None:
        if self.done.done():
            return
        if error is not None or self.keep:
            self.done.set_exception(error or ConnectionError("the server closed"))
        else:
            self.again = asyncio.ensure_future(self.begin())


def request(path: str, body: bytes, kind: str = "application/json", token: str = "") -> bytes:
    """The bytes of a POST."""
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\n{AGENT}Content-Type: {kind}\r\n"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def run(
    port: int, connections: Sequence[Iterator[bytes]], seconds: float, keep: bool = True
) -> Result:
    """Load 127.0.0.1:`port` for `seconds`; without `keep` each request has its own connection."""
    began = time.perf_counter()
    result = Result()
    clients = [_Client(port, c, began + seconds, result, keep) for c in connections]
    await asyncio.gather(*(c.begin() for c in clients))
    await asyncio.gather(*(c.done for c in clients))
    result.seconds = time.perf_counter() - began
    result.sent = [c.sent for c in clients]
    return result
