"""The short way of the requests that tables, avatars and bots send all the time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import FastAPI
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.edge import Speaks, told
from app.errors import PerilError


class StraightAPI(FastAPI):
    """FastAPI, but that POSTs to some routes do not go through its layers.

    They use nothing of what those do, which was 8 % of a command (profiled): telemetry, exit
    stacks, a routing table of sixty.  What guards the other requests guards these too.
    """

    def go_straight(self, routes: Sequence[Route]) -> None:
        """These routes, whose paths may have parameters."""
        self._exact = {route.path: route for route in routes if not route.param_convertors}
        self._others = [route for route in routes if route.param_convertors]
        self.router.routes[:0] = routes  # for other methods than theirs

    def guard(self, around: Callable[[ASGIApp], ASGIApp], unexpected: Any, speaks: Speaks) -> None:
        """What every straight request passes, and who answers for errors nobody foresaw."""
        self._speaks = speaks
        self._guarded = ServerErrorMiddleware(around(self._take), handler=unexpected)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            exact = self._exact.get(scope["path"])
            for route in (exact,) if exact else self._others:
                match, found = route.matches(scope)
                if match is Match.FULL:
                    scope.update(found)
                    await self._guarded(scope, receive, send)
                    return
        await super().__call__(scope, receive, send)

    async def _take(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await scope["endpoint"](scope, receive, send)
        except PerilError as error:
            await told(error, self._speaks(scope))(scope, receive, send)
