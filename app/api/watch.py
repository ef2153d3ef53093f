"""Watching a table: frames and events since a seq, at once, by long poll or as a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import StringConstraints

from app.api.access import Access
from app.api.schemas import KEY, EntriesOut, EntryOut, frames_out
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
LARGEST_SEQ = 2**53
"""What JSON's readers and the store can hold."""

_encode = msgspec.json.Encoder().encode

Seq = Annotated[int, Query(ge=0, le=LARGEST_SEQ)]
Since = Annotated[Seq | None, Query(description="The seq you know; leave out for all.")]
Wait = Annotated[
    float, Query(ge=0, le=60, description="Seconds to wait for something new (long poll).")
]
AvatarKeys = Annotated[
    list[Annotated[str, StringConstraints(pattern=KEY, max_length=36)]],
    Query(alias="avatar", max_length=AVATARS, description="Also what is for these avatars alone."),
]


def _schema(name: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    return {"responses": {"200": {"description": "The news", "content": content}}}


class Watchers:
    """Counts who waits for news; sends them home when the server stops."""

    def __init__(self, tables: Tables, limit: int) -> None:
        self._tables = tables
        self._limit = limit
        self.waiting = 0
        self.closed = False

    def check(self) -> None:
        """Busy if as many wait as may."""
        if self.closed or self.waiting >= self._limit:
            raise Busy

    def __enter__(self) -> None:
        self.waiting += 1

    def __exit__(self, *_: object) -> None:
        self.waiting -= 1

    def close(self) -> None:
        """Everybody gets an answer now, so that the server need not wait for them."""
        self.closed = True
        for table in self._tables.hot.values():
            table.wake()


def router(tables: Tables, access: Access, watchers: Watchers, settings: Settings) -> APIRouter:
    """Routes of those who watch: spectators, harnesses, pages."""
    routes = APIRouter(prefix="/tables/{table_id}", tags=["watch"])

    async def watching(
        table_id: str, request: Request, avatars: list[str], token: str | None
    ) -> tuple[HotTable, list[Key]]:
        caller = await (access.bearer(token) if token else access.caller(request))
        table = await tables.table(table_id)
        keys = [Key(a) for a in avatars]
        access.must_watch(caller, table, keys)
        return table, keys

    async def wait(table: HotTable, since: int, wait_s: float) -> None:
        if wait_s:
            watchers.check()
            with watchers:
                await table.changed(since, min(wait_s, settings.long_poll_limit_s))

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
        if since is not None:
            await wait(table, since, wait_s)
        return Response(latest(table, since, keys), media_type="application/json")

    @routes.get("/events", summary="Events since a seq", openapi_extra=_schema("EntriesOut"))
    async def get_events(
        table_id: str,
        since: Seq = 0,
        wait_s: Wait = 0,
        limit: Annotated[int, Query(ge=1, le=ENTRIES)] = 100,
    ) -> Response:
        """The event log of the table after `since`, oldest first, `limit` entries at most."""
        table = await tables.table(table_id)
        await wait(table, since, wait_s)
        rows = await entries_since(tables.store, table_id, since, limit)
        out = EntriesOut(
            seq=rows[-1].seq if rows else min(since, table.now.seq),
            entries=[
                EntryOut(
                    match=row.match_id,
                    seq=row.seq,
                    at_ms=row.at_ms,
                    actor=row.actor,
                    command=msgspec.Raw((row.command or "null").encode()),
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
        watchers.check()
        return StreamingResponse(
            _stream(table, known, keys),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _stream(table: HotTable, known: int | None, keys: list[Key]) -> AsyncIterator[bytes]:
        with watchers:
            while not watchers.closed:
                if known is None or table.now.seq != known:
                    body = latest(table, known, keys)
                    known = table.now.seq
                    yield b"event: news\nid: %d\ndata: %s\n\n" % (known, body)
                    await asyncio.sleep(0)
                table.used_at = tables.clock()
                if not await table.changed(known, HEARTBEAT_S):
                    yield b": still here\n\n"

    return routes
