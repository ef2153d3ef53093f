"""HTTP as uvicorn speaks it, with bounds for the head of a request, which no route ever sees."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.api.schemas import error_out
from app.errors import PerilError, TooSlow

HEAD_BYTES = 32_768
"""What may have come of a request before its head is complete."""


class Joined:
    """A transport that sends what is written at one moment together.

    uvicorn writes head and body of an answer apart: a packet and 20 µs more for each, profiled.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []

    def write(self, data: bytes) -> None:
        if self._held:
            self._held.append(data)
            self._flush()
        else:
            self._held.append(data)
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        if self._held:
            held, self._held = self._held, []
            if not self._transport.is_closing():
                self._transport.write(b"".join(held))

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class BoundedHttp(HttpToolsProtocol):
    """A connection.  Heads over `HEAD_BYTES` are refused with 431, after `limit_s` with 408."""

    def __init__(self, *args: Any, limit_s: float, **more: Any) -> None:
        super().__init__(*args, **more)
        self._limit_s = limit_s
        self._in_head = False
        self._head_bytes = 0
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(Joined(transport, self.loop))  # type: ignore[arg-type]
        self._late = self.loop.call_later(self._limit_s, self._too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._in_time()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                line = "The head of a request has at most {bytes} bytes."
                self._refuse(PerilError("head_too_large", line, status=431, bytes=HEAD_BYTES))
            elif self._late is None:
                self._late = self.loop.call_later(self._limit_s, self._too_late)

    def on_message_begin(self) -> None:
        self._in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._in_time()
        super().on_headers_complete()

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        self._refuse(TooSlow(self._limit_s))

    def _refuse(self, error: PerilError) -> None:
        self._in_time()
        answering = self.cycle is not None and not self.cycle.response_complete
        # Who said nothing at all, or waits for another answer, would take this for that one.
        if self._in_head and not answering:
            body = error_out(error.code, error.message)
            head = f"HTTP/1.1 {error.status} Refused\r\nContent-Type: application/json\r\n"
            head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            self.transport.write(head.encode() + body)
        self._in_head = False
        self.transport.close()
