"""What every request passes before it reaches a route: the size and the pace of its body."""

from __future__ import annotations

import asyncio
from typing import Any

from app.errors import TooLarge, TooSlow


class Edge:
    """Bounds request bodies, told by their header or found while they come in; HEAD is as GET.

    A body that goes beyond is an error where the route reads it, so that it is told like others.
    """

    def __init__(self, app: Any, limit_bytes: int, limit_s: float) -> None:
        self.app = app
        self.limit_bytes = limit_bytes
        self.limit_s = limit_s

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD" and not scope["path"].startswith("/api/"):
            scope = {**scope, "method": "GET"}  # the server leaves the body out
        length = next((v for k, v in scope["headers"] if k == b"content-length"), b"")
        too_large = length.isdigit() and (len(length) > 12 or int(length) > self.limit_bytes)
        seen_bytes, whole = 0, False
        ends_at = asyncio.get_running_loop().time() + self.limit_s

        async def bounded() -> Any:
            nonlocal seen_bytes, whole
            if whole:
                return await receive()
            if too_large:
                raise TooLarge(self.limit_bytes)
            try:
                async with asyncio.timeout_at(ends_at):
                    message = await receive()
            except TimeoutError:
                raise TooSlow(self.limit_s) from None
            seen_bytes += len(message.get("body", b""))
            if seen_bytes > self.limit_bytes:
                raise TooLarge(self.limit_bytes)
            whole = not message.get("more_body", False)
            return message

        await self.app(scope, bounded, send)
