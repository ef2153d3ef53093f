"""Watching a table: frames and events since a seq, at once, by long poll or as a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from app.api.access import Access
from app.api.schemas import EntriesOut, EntryOut, frames_out
from app.errors import Busy
from app.games.core import Key
from app.settings import Settings
from app.table import news
from app.table.history import entries_since
from app.table.hot import HotTable
from app.table.service import Tables

HEARTBEAT_S = 15
AVATARS = 40
ENTRIES = 200

_encode = msgspec.json.Encoder().encode

Since = Annotated[int | None, Query(ge=0, description="The seq you know; leave out for all.")]
Wait = Annotated[
    float, Query(ge=0, le=60, description="Seconds to wait for something new (long poll).")
]
AvatarKeys = Annotated[
    list[str],
    Query(alias="avatar", max_length=AVATARS, description="Also what is for these avatars alone."),
]


def _schema(name: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    return {"responses": {"200": {"description": "The news", "content": content}}}


class Gate:
    """How many may wait at one time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.inside = 0

    @contextmanager
    def enter(self) -> Any:
        if self.inside >= self.limit:
            raise Busy
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1


def router(tables: Tables, access: Access, settings: Settings) -> APIRouter:
    """Routes of those who watch: spectators, harnesses, pages."""
    routes = APIRouter(prefix="/tables/{table_id}", tags=["watch"])
    gate = Gate(settings.stream_limit)

    async def watching(
        table_id: str, request: Request, avatars: list[str], token: str | None
    ) -> tuple[HotTable, list[Key]]:
        caller = await (access.bearer(token) if token else access.caller(request))
        table = await tables.table(table_id)
        keys = [Key(a) for a in avatars]
        access.must_watch(caller, table, keys)
        return table, keys

    def latest(table: HotTable, since: int | None, keys: list[Key]) -> bytes:
        now_ms = int(tables.clock() * 1000)
        return _encode(frames_out(news.since(table, since, keys, now_ms)))

    @routes.get("/frames", summary="Frames since a seq", openapi_extra=_schema("FramesOut"))
    async def get_frames(
        table_id: str,
        request: Request,
        since: Since = None,
        wait_s: Wait = 0,
        avatars: AvatarKeys = [],  # noqa: B006 - FastAPI copies defaults
    ) -> Response:
        """What changed on the board since `since`: nothing, some frames, or the whole board."""
        table, keys = await watching(table_id, request, avatars, None)
        if wait_s and since is not None:
            with gate.enter():
                await table.changed(since, min(wait_s, settings.long_poll_limit_s))
        return Response(latest(table, since, keys), media_type="application/json")

    @routes.get("/events", summary="Events since a seq")
    async def get_events(
        table_id: str,
        since: Annotated[int, Query(ge=0)] = 0,
        wait_s: Wait = 0,
        limit: Annotated[int, Query(ge=1, le=ENTRIES)] = 100,
    ) -> Response:
        """The event log of the table after `since`, oldest first, `limit` entries at most."""
        table = await tables.table(table_id)
        if wait_s:
            with gate.enter():
                await table.changed(since, min(wait_s, settings.long_poll_limit_s))
        rows = await entries_since(tables.store, table_id, since, limit)
        out = EntriesOut(
            seq=rows[-1].seq if rows else since,
            entries=[
                EntryOut(
                    match=row.match_id,
                    seq=row.seq,
                    at_ms=row.at_ms,
                    actor=row.actor,
                    command=msgspec.Raw(row.command.encode()) if row.command else None,
                    events=msgspec.Raw(row.events.encode()),
                )
                for row in rows
            ],
        )
        return Response(_encode(out), media_type="application/json")

    @routes.get(
        "/stream",
        summary="Frames as they change (server-sent events)",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}},
    )
    async def get_stream(
        table_id: str,
        request: Request,
        since: Since = None,
        avatars: AvatarKeys = [],  # noqa: B006 - FastAPI copies defaults
        token: Annotated[str | None, Query(max_length=200)] = None,
    ) -> StreamingResponse:
        """Each message is `event: news` with `id` = seq and the same JSON as `/frames`.

        A browser's EventSource cannot send headers, so the token may come as a parameter here.
        """
        table, keys = await watching(table_id, request, avatars, token)
        last = request.headers.get("last-event-id", "")
        known = int(last) if last.isdecimal() and len(last) < 16 else since
        if gate.inside >= gate.limit:
            raise Busy
        return StreamingResponse(
            _stream(table, known, keys),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _stream(table: HotTable, known: int | None, keys: list[Key]) -> AsyncIterator[bytes]:
        with gate.enter():
            while True:
                if known is None or table.now.seq != known:
                    body = latest(table, known, keys)
                    known = table.now.seq
                    yield b"event: news\nid: %d\ndata: %s\n\n" % (known, body)
                    await asyncio.sleep(0)
                table.used_at = tables.clock()
                if not await table.changed(known, HEARTBEAT_S):
                    yield b": still here\n\n"

    return routes
