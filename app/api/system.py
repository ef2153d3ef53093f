"""Is the service well, may requests come, and what does it count?"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel, Field
from sqlalchemy import text
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import metrics
from app.api.access import Access
from app.api.watch import Watchers
from app.errors import PerilError
from app.limits import Limits
from app.table.service import Tables

STORE_S = 2.0
"""A store that takes longer to answer is as good as none."""


class Health(BaseModel):
    """`ok` as long as the process answers and its store can be read."""

    status: str
    tables_in_memory: int
    deadlines: int
    redis: Literal["off", "up", "down"] = Field(
        description="Whether the processes on one database tell each other what is new at once; if"
        " not they look for it themselves, which takes up to a second."
    )
    refused: dict[str, int] = Field(
        description="Requests refused since the start because they were too many, by what of"
        " them was too much."
    )


class Readiness(BaseModel):
    status: Literal["ready"] = "ready"


class NotReady(PerilError):
    """Told to load balancers, never to a table."""

    status = 503

    def __init__(self, message: str) -> None:
        super().__init__("not_ready", message)


class Life:
    """Where the process is between its start and its end."""

    stage: Literal["starting", "serving", "draining"] = "starting"


def note(tables: Tables, watchers: Watchers) -> None:
    """Count how things stand now."""
    hot = list(tables.hot.values())
    metrics.now(
        Counter(table.now.match.stage for table in hot),
        sum(len(table.deadlines) for table in hot),
        watchers.open,
        tables.sharing.bus.up,
    )


class Counted:
    """Counts every answer; errors also for the table in-world they go to, if a route found one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def counted(message: Message) -> None:
            nonlocal begun
            if not begun:
                begun = True
                count(scope, message["status"])
            await send(message)

        try:
            await self.app(scope, receive, counted)
        except Exception:
            if not begun:  # it is told as such further out
                count(scope, 500)
            raise


def count(scope: Scope, status: int) -> None:
    """A request was answered; an error counts for its device, too."""
    metrics.request(scope["path"], status)
    if status >= 400 and (device := scope.get("device")) is not None:
        device.answered(status)


def router(
    tables: Tables, access: Access, limits: Limits, watchers: Watchers, life: Life
) -> APIRouter:
    """Routes for load balancers and people who look after the server."""
    routes = APIRouter(tags=["system"])

    async def read_store() -> None:
        await tables.store.run(lambda session: session.connection().execute(text("SELECT 1")))

    @routes.get("/healthz", summary="Is the service well?")
    async def healthz() -> Health:
        """Reads from the store, so that a lost disk shows."""
        await read_store()
        return Health(
            status="ok",
            tables_in_memory=len(tables.hot),
            deadlines=sum(len(t.deadlines) for t in tables.hot.values()),
            refused=limits.refused,
            redis=tables.sharing.bus.state,
        )

    @routes.get("/readyz", summary="May requests come?", responses={503: _NOT_READY})
    async def readyz() -> Readiness:
        """503 while it starts, while it ends and while its store does not answer."""
        if life.stage == "starting":
            raise NotReady("The server is starting.")
        if life.stage == "draining":
            raise NotReady("The server is stopping; the next one goes on.")
        try:
            async with asyncio.timeout(STORE_S):
                await read_store()
        except Exception as error:
            raise NotReady("The store does not answer.") from error
        return Readiness()

    @routes.get("/metrics", include_in_schema=False)
    async def get_metrics(request: Request) -> Response:
        """For Prometheus: on loopback, or with a token for reading."""
        access.must_read(await access.caller(request))
        note(tables, watchers)
        return Response(metrics.exposed(), media_type=CONTENT_TYPE_LATEST)

    return routes


_NOT_READY: dict[str, Any] = {"description": "Not now; the message says why"}
