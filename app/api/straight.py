"""The short way of the requests that tables, avatars and bots send all the time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import FastAPI
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, compile_path
from starlette.types import Receive, Scope, Send

from app.api import edge, system
from app.errors import PerilError
from app.replies import Take

Unexpected = Callable[[Request, Exception], Awaitable[Response]]


class StraightAPI(FastAPI):
    """FastAPI, but that POSTs to some routes do not go through its layers.

    They use nothing of what those do (telemetry, exit stacks, a routing table of sixty, five
    middlewares), which was an eighth of a command and a third of the rest of a request, profiled.
    What guards the other requests guards these too.
    """

    def go_straight(
        self,
        takers: Mapping[str, Take],
        bounds: edge.Bounds,
        tell: edge.Tell,
        unexpected: Unexpected,
    ) -> None:
        """Let these take the POSTs to their paths, which may have parameters."""
        self._bounds = bounds
        self._tell = tell
        self._unexpected = unexpected
        self._exact = {path: take for path, take in takers.items() if "{" not in path}
        self._others = [
            (compile_path(path)[0].match, take) for path, take in takers.items() if "{" in path
        ]
        # For other methods than POST.
        self.router.routes[:0] = [
            Route(path, _no_get, methods=["POST"], include_in_schema=False) for path in takers
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            path = scope["path"]
            if take := self._exact.get(path):
                await self._answer(take, scope, receive, send)
                return
            for match, take in self._others:
                if found := match(path):
                    scope["path_params"] = found.groupdict()
                    await self._answer(take, scope, receive, send)
                    return
        await super().__call__(scope, receive, send)

    async def _answer(self, take: Take, scope: Scope, receive: Receive, send: Send) -> None:
        extra: list[Any] = []
        try:
            self._bounds.enter(scope)
            status, body, kind = await take(scope, await self._bounds.body(scope, receive))
        except PerilError as error:
            status, body, kind, extra = _told(self._tell(scope, error))
        except ClientDisconnect:
            return
        except Exception as error:
            status, body, kind, extra = _told(await self._unexpected(Request(scope), error))
        system.count(scope, status)
        length = b"%d" % len(body)
        headers = [(b"content-type", kind), (b"content-length", length), *extra]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _told(response: Response) -> tuple[int, bytes, bytes, list[Any]]:
    """An answer made for the longer way."""
    own = (b"content-type", b"content-length")
    extra = [header for header in response.raw_headers if header[0] not in own]
    kind = response.headers["content-type"].encode()
    return response.status_code, bytes(response.body), kind, extra


async def _no_get(_: Request) -> Response:
    raise AssertionError("POSTs go straight")
