"""What every request passes before it reaches a route: its address, the size and pace of its body;
and the form in which errors are told."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.schemas import error_out
from app.errors import PerilError, TooLarge, TooMany, TooSlow
from app.limits import Limits, network

VARY = "Accept-Language, Cookie"
"""What the language of a page, or of an error, depends on."""
LONGEST_ADDRESS = 45
"""Characters of an IPv6 address; a proxy may have sent on anything."""
LONG_TIMES = 16
"""How many times as large the body of a long form may be."""


Tell = Callable[[Scope, PerilError], Response]
"""Makes the answer to a request (its scope) that tells an error."""


def told(error: PerilError, words: Callable[[str], str]) -> Response:
    """The answer for programs, in the language of `words`; its code is the same in all."""
    headers = {"Vary": VARY}
    match error.status:
        case 401:
            headers["WWW-Authenticate"] = "Bearer"
        case 408:
            headers["Connection"] = "close"
        case 429:
            headers["Retry-After"] = str(error.fields.get("retry_after_s", 1))
    body = error_out(error.code, error.said(words))
    return Response(body, error.status, headers, media_type="application/json")


def address(scope: Scope) -> str:
    """Whom a request comes from, as far as limits count."""
    client = scope.get("client")
    return network(client[0][:LONGEST_ADDRESS]) if client else ""


class Bounds:
    """How much one address may send, how large a body may be and how long it may take to come.

    `long_forms`: paths of forms in which people may write a lot, in scripts that take many bytes.
    """

    def __init__(
        self, limits: Limits, limit_bytes: int, limit_s: float, long_forms: re.Pattern[str]
    ) -> None:
        self._limits = limits
        self._limit_bytes = limit_bytes
        self._limit_s = limit_s
        self._long_forms = long_forms

    def enter(self, scope: Scope) -> None:
        """One more request.  TooMany if it is too much."""
        self._limits.check("address", address(scope))

    async def body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body.  TooLarge, TooSlow, or ClientDisconnect if it does not come."""
        bounded, body, more = self.bounded(scope, receive), b"", True
        while more:
            message = await bounded()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            more = message.get("more_body", False)
        return body

    def bounded(self, scope: Scope, receive: Receive) -> Receive:
        """`receive` for a body, which raises TooLarge or TooSlow."""
        length = next((v for k, v in scope["headers"] if k == b"content-length"), b"")
        long = self._long_forms.fullmatch(scope["path"])
        most_bytes = self._limit_bytes * (LONG_TIMES if long else 1)
        too_large = length.isdigit() and (len(length) > 12 or int(length) > most_bytes)
        seen_bytes, whole = 0, False
        ends_at = asyncio.get_running_loop().time() + self._limit_s

        async def bounded() -> Message:
            nonlocal seen_bytes, whole
            if whole:
                return await receive()
            if too_large:
                raise TooLarge(most_bytes)
            try:
                async with asyncio.timeout_at(ends_at):
                    message = await receive()
            except TimeoutError:
                raise TooSlow(self._limit_s) from None
            seen_bytes += len(message.get("body", b""))
            if seen_bytes > most_bytes:
                raise TooLarge(most_bytes)
            whole = not message.get("more_body", False)
            return message

        return bounded


class Edge:
    """Bounds the requests of an address, and their bodies; HEAD is as GET.

    A body that goes beyond is an error where the route reads it, so that it is told like others.
    """

    def __init__(self, app: ASGIApp, bounds: Bounds, tell: Tell) -> None:
        self.app = app
        self.bounds = bounds
        self.tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            self.bounds.enter(scope)
        except TooMany as error:
            await self.tell(scope, error)(scope, receive, send)
            return
        if scope["method"] == "HEAD" and not scope["path"].startswith("/api/"):
            scope = {**scope, "method": "GET"}  # the server leaves the body out
        await self.app(scope, self.bounds.bounded(scope, receive), send)
