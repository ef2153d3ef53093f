"""Matches, rankings and players: what is left when a match is over."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from app import ranking
from app.api.access import Access
from app.errors import NotFound
from app.games import GAMES, lobby
from app.games.core import Actor, RankingPage
from app.table import history, talk
from app.table.service import Tables

PageNumber = Annotated[int, Query(ge=0, le=100_000, description="Pages of ten, from 0.")]
GameName = Annotated[str, Query(max_length=32)]


class RankOut(BaseModel):
    place: int
    key: str
    name: str
    wins: int
    losses: int
    win_rate: float = Field(description="Share of matches won, 0 to 1.")


class RankingOut(BaseModel):
    """A page of a ranking."""

    game: str
    page: int
    pages: int
    rows: list[RankOut]


class RecordOut(BaseModel):
    game: str
    wins: int
    losses: int
    win_rate: float


class PlayerOut(BaseModel):
    """What is kept about an avatar."""

    key: str
    name: str
    records: list[RecordOut]


class MatchOut(BaseModel):
    id: str
    table: str
    game: str
    number: int
    first_seq: int
    opened_ms: int
    closed_ms: int | None


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


def router(tables: Tables, access: Access) -> APIRouter:
    """Routes of the records."""
    routes = APIRouter()

    @routes.get("/rankings", tags=["rankings"], summary="The ranking of the whole service")
    async def get_rankings(page: PageNumber = 0, game: GameName = "peril") -> RankingOut:
        """Wins first, then fewer losses, then who got there first."""
        return _ranking(_game(game), await tables.ranking(ranking.SERVICE, game, page))

    @routes.delete("/rankings", tags=["rankings"], summary="Wipe the service's ranking")
    async def delete_rankings(request: Request, game: GameName = "peril") -> RankingOut:
        """Operator only.  The tables keep their own rankings."""
        access.must_operate(await access.caller(request))
        now_ms = int(tables.clock() * 1000)
        await tables.store.run(lambda s: ranking.wipe_service(s, _game(game), now_ms))
        return _ranking(game, await tables.ranking(ranking.SERVICE, game, 0))

    @routes.get("/tables/{table_id}/ranking", tags=["rankings"], summary="A table's ranking")
    async def get_ranking(table_id: str, page: PageNumber = 0) -> RankingOut:
        """In the order of the service's ranking, with what was won and lost at this table."""
        table = await tables.table(table_id)
        game = table.now.match.game
        return _ranking(game, await tables.ranking(table_id, game, page))

    @routes.delete("/tables/{table_id}/ranking", tags=["rankings"], summary="Wipe its ranking")
    async def delete_ranking(table_id: str, request: Request) -> RankingOut:
        """The owner's command `reset_ranking`."""
        caller = await access.caller(request)
        table = await tables.table(table_id)
        access.must_own(caller, table_id)
        owner = Actor(table.owner, table.owner_name, owner=True)
        await talk.command(tables, table_id, owner, lobby.ResetRanking(), None)
        return _ranking(table.now.match.game, RankingPage())

    @routes.get("/players/{key}", tags=["rankings"], summary="A player's record")
    async def get_player(key: str) -> PlayerOut:
        """404 for somebody without a finished match."""
        records = await tables.store.run(lambda s: ranking.player(s, key))
        if not records:
            raise NotFound("player", key)
        return PlayerOut(
            key=key,
            name=records[-1].name,
            records=[
                RecordOut(
                    game=r.game,
                    wins=r.wins,
                    losses=r.losses,
                    win_rate=round(r.wins / (r.wins + r.losses), 4),
                )
                for r in records
            ],
        )

    @routes.get("/tables/{table_id}/matches", tags=["matches"], summary="A table's matches")
    async def get_matches(
        table_id: str, limit: Annotated[int, Query(ge=1, le=100)] = 20
    ) -> list[MatchOut]:
        """The latest first."""
        await tables.table(table_id)
        return [_match(row) for row in await history.matches(tables.store, table_id, limit)]

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

    return routes


def _game(name: str) -> str:
    if name not in GAMES:
        raise NotFound("game", name)
    return name


def _ranking(game: str, page: RankingPage) -> RankingOut:
    rows = [
        RankOut(
            place=r.place,
            key=r.key,
            name=r.name,
            wins=r.wins,
            losses=r.losses,
            win_rate=round(r.rate, 4),
        )
        for r in page.rows
    ]
    return RankingOut(game=game, page=page.page, pages=page.pages, rows=rows)


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
