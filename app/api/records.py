"""Matches: what is left of them when they are over."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from app import players, replay
from app.api.schemas import ReplayOut, StepOut, schema
from app.display import diff
from app.games.core import NOBODY
from app.table import history
from app.table.service import Tables

STEPS = 100
"""Of a replay, in one answer."""

_encode = msgspec.json.Encoder().encode


class MatchOut(BaseModel):
    id: str
    table: str
    game: str
    number: int
    first_seq: int
    opened_ms: int
    closed_ms: int | None


class LatestOut(BaseModel):
    """A match that is over.  No winner: a bot, or somebody who is not shown."""

    match: str
    table: str
    table_name: str
    game: str
    number: int
    closed_ms: int
    players: int = Field(description="Avatars that it counted for.")
    winner: str
    winner_key: str


class LogLine(BaseModel):
    seq: int
    at_ms: int
    actor: str
    id: str = Field(description='Of the command; "" till the match is over.')
    command: dict[str, Any] | None
    events: list[dict[str, Any]]


class MatchLog(BaseModel):
    """A match and everything that happened in it."""

    match: MatchOut
    entries: list[LogLine]


def router(tables: Tables) -> APIRouter:
    """Routes of the records."""
    routes = APIRouter()

    @routes.get("/tables/{table_id}/matches", tags=["matches"], summary="A table's matches")
    async def get_matches(
        table_id: str, limit: Annotated[int, Query(ge=1, le=100)] = 20
    ) -> list[MatchOut]:
        """The latest first."""
        await tables.table(table_id)
        return [_match(row) for row in await history.matches(tables.store, table_id, limit)]

    @routes.get("/matches", tags=["matches"], summary="The matches that ended last")
    async def get_latest(limit: Annotated[int, Query(ge=1, le=50)] = 20) -> list[LatestOut]:
        """At tables that their owners list, the last one first, without those of bots alone."""
        found = await tables.store.run(lambda session: players.latest(session, limit))
        return [LatestOut(**msgspec.structs.asdict(match)) for match in found]

    @routes.get("/matches/{match_id}", tags=["matches"], summary="A match and its log")
    async def get_match(match_id: str) -> MatchLog:
        """Every accepted command with its events, oldest first; secrets when it is over."""
        row, entries = await history.public_log(tables.store, match_id)
        return MatchLog(
            match=_match(row),
            entries=[
                LogLine(
                    seq=e.seq,
                    at_ms=e.at_ms,
                    actor=e.actor,
                    id=e.id,
                    command=msgspec.json.decode(e.command) if e.command else None,
                    events=msgspec.json.decode(e.events),
                )
                for e in entries
            ],
        )

    @routes.get(
        "/matches/{match_id}/replay",
        tags=["matches"],
        summary="A match step by step",
        openapi_extra=schema("ReplayOut"),
    )
    async def get_replay(
        match_id: str,
        step: Annotated[int, Query(ge=1, le=10**6, description="The first step wanted.")] = 1,
        limit: Annotated[int, Query(ge=1, le=STEPS)] = STEPS,
    ) -> Response:
        """What the table showed after each line of the log, `limit` steps at most.

        Not before the match is over, since a board may tell what a player may not know yet.
        """
        found = await replay.load(tables, match_id)
        return Response(_encode(await _replay(found, step, limit)), media_type="application/json")

    return routes


async def _replay(found: replay.Replay, step: int, limit: int) -> ReplayOut:
    steps = len(found.states)
    first = min(step, steps)
    boards: list[StepOut] = []
    before = None
    for state, line in zip(
        found.states[first - 1 : first - 1 + limit], found.log[first - 1 :], strict=False
    ):
        boards.append(
            StepOut(
                seq=state.seq,
                after_ms=line.at_ms - found.row.opened_ms,
                kind="whole" if before is None else "changes",
                frames=state.board if before is None else diff(before, state.board),
                lines=[text for who, text in state.lines if who == NOBODY],
            )
        )
        before = state.board
        await asyncio.sleep(0)  # tables that play go first
    return ReplayOut(found.row.id, steps, first, boards)


def _match(row: Any) -> MatchOut:
    return MatchOut(
        id=row.id,
        table=row.table_id,
        game=row.game,
        number=row.number,
        first_seq=row.first_seq,
        opened_ms=row.opened_ms,
        closed_ms=row.closed_ms,
    )
