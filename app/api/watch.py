"""Watching a table: frames and events since a seq, at once, by long poll or as a stream."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from time import monotonic
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import StringConstraints
from starlette.types import Receive, Scope, Send

from app import metrics
from app.api.access import Access, Caller
from app.api.edge import address
from app.api.schemas import KEY, EntriesOut, EntryOut, frames_out, schema
from app.errors import Busy, Unauthorized
from app.games.core import Key
from app.limits import Limits
from app.settings import Settings
from app.table import news
from app.table.history import Line, entries_since, public
from app.table.hot import HotTable
from app.table.service import Tables

HEARTBEAT_S = 15
SHARED_S = 0.25
"""So long what was made for one is given to others; the time that is left may be so old."""
AVATARS = 40
ENTRIES = 200
LARGEST_SEQ = 2**53
"""What JSON's readers and the store can hold."""

Waiting = Literal["stream", "long_poll"]

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


class Watchers:
    """Those who wait for news, as many as may; sends them home when the server stops."""

    def __init__(self, tables: Tables, settings: Settings, limits: Limits) -> None:
        self._tables = tables
        self._limit = settings.stream_limit
        self._each = settings.streams_per_address if limits.on else self._limit
        self._refused = limits.refused
        self._waiting: Counter[str] = Counter()
        self.open: dict[Waiting, int] = {"stream": 0, "long_poll": 0}
        self.closed = False

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return self._waiting.total()

    @contextmanager
    def place(self, request: Request, kind: Waiting) -> Iterator[None]:
        """A place to wait at.  Busy if all are taken, or too many of them from one address."""
        who = address(request.scope)
        if self.closed or self.waiting >= self._limit or self._waiting[who] >= self._each:
            self._refused["stream"] += 1
            metrics.limited("stream")
            raise Busy
        self._waiting[who] += 1
        self.open[kind] += 1
        try:
            yield
        finally:
            self.open[kind] -= 1
            self._waiting[who] -= 1
            if not self._waiting[who]:
                del self._waiting[who]

    async def noticing(self, table: HotTable, seq: int, wait_s: float, keys: Sequence[Key]) -> bool:
        """Wait for something after `seq` that is for these; False if nothing came in time."""
        end_s = monotonic() + wait_s
        while news.all_told(table, seq, keys) and not self.closed:
            left_s = max(end_s - monotonic(), 0)
            if not await table.changed(table.now.seq, left_s):
                return False
        return True

    def close(self) -> None:
        """Everybody gets an answer now, so that the server need not wait for them."""
        self.closed = True
        for table in self._tables.hot.values():
            table.wake()


def router(tables: Tables, access: Access, watchers: Watchers, settings: Settings) -> APIRouter:
    """Routes of those who watch: spectators, harnesses, pages."""
    routes = APIRouter(prefix="/tables/{table_id}", tags=["watch"])

    async def watching(
        table_id: str, request: Request, avatars: list[str], token: str | None, known: int
    ) -> tuple[Caller, HotTable, list[Key]]:
        caller = await access.caller(request, token or None)
        table = await tables.table(table_id, known)
        keys = [Key(a) for a in avatars]
        access.must_watch(caller, table, keys)
        return caller, table, keys

    async def wait(
        request: Request, table: HotTable, since: int, wait_s: float, keys: Sequence[Key] = ()
    ) -> None:
        if wait_s:
            with watchers.place(request, "long_poll"):
                limit_s = min(wait_s, settings.long_poll_limit_s)
                await watchers.noticing(table, since, limit_s, keys)

    def latest(table: HotTable, since: int | None, keys: list[Key]) -> bytes:
        if keys:
            return made(table, since, keys)
        return shared(table, news.noticed(table).seq, since, int(tables.clock() / SHARED_S))

    def made(table: HotTable, since: int | None, keys: Sequence[Key] = ()) -> bytes:
        now_ms, upto = int(tables.clock() * 1000), news.upto(table, since, keys)
        return _encode(frames_out(news.since(table, since, keys, now_ms, upto)))

    @lru_cache(256)
    def shared(table: HotTable, _seq: int, since: int | None, _tick: int) -> bytes:
        """Made once for all who watch as nobody in particular and know the same."""
        return made(table, since)

    @routes.get("/frames", summary="Frames since a seq", openapi_extra=schema("FramesOut"))
    async def get_frames(
        table_id: str,
        request: Request,
        since: Since = None,
        wait_s: Wait = 0,
        avatars: AvatarKeys = [],  # noqa: B006 - FastAPI copies defaults
    ) -> Response:
        """What changed on the board since `since`: nothing, some frames, or the whole board."""
        caller, table, keys = await watching(table_id, request, avatars, None, since or 0)
        if since is not None:
            await wait(request, table, since, wait_s, keys)
            if keys and not await access.still(caller):
                raise Unauthorized("That token is not known here.")
        return Response(latest(table, since, keys), media_type="application/json")

    @routes.get("/events", summary="Events since a seq", openapi_extra=schema("EntriesOut"))
    async def get_events(
        table_id: str,
        request: Request,
        since: Seq = 0,
        wait_s: Wait = 0,
        limit: Annotated[int, Query(ge=1, le=ENTRIES)] = 100,
    ) -> Response:
        """The event log of the table after `since`, oldest first, `limit` entries at most.

        What is secret while a match is on comes with the match's own log when it is over.
        """
        table = await tables.table(table_id, since)
        await wait(request, table, since, wait_s)
        rows = await entries_since(tables.store, table_id, since, limit)
        now = table.now
        lines = [
            public(row, over=row.match_id != now.match_id or now.match.stage == "over")
            for row in rows
        ]
        out = EntriesOut(
            seq=rows[-1].seq if rows else min(since, table.now.seq),
            entries=[_entry(line) for line in lines if line is not None],
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
        last = request.headers.get("last-event-id", "")
        known = int(last) if last.isdecimal() and len(last) < 16 else since
        caller, table, keys = await watching(table_id, request, avatars, token, known or 0)
        return _Stream(
            _news(caller, table, known, keys),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    class _Stream(StreamingResponse):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            with watchers.place(Request(scope), "stream"):
                await super().__call__(scope, receive, send)

    async def _news(
        caller: Caller, table: HotTable, known: int | None, keys: list[Key]
    ) -> AsyncIterator[bytes]:
        while not watchers.closed and (not keys or await access.still(caller)):
            if known is None or not news.all_told(table, known, keys):
                body = latest(table, known, keys)
                known = news.noticed(table, keys).seq
                yield b"event: news\nid: %d\ndata: %s\n\n" % (known, body)
                await asyncio.sleep(0)
            table.used_at = tables.clock()
            if not await watchers.noticing(table, known, HEARTBEAT_S, keys):
                yield b": still here\n\n"

    return routes


def _entry(line: Line) -> EntryOut:
    return EntryOut(
        match=line.match_id,
        seq=line.seq,
        at_ms=line.at_ms,
        actor=line.actor,
        id=line.id,
        command=msgspec.Raw((line.command or "null").encode()),
        events=msgspec.Raw(line.events.encode()),
    )
