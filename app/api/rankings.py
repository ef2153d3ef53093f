"""Rankings and players: sums of the results of all matches."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from app import players, ranking
from app.api.access import Access
from app.errors import NotFound
from app.games import GAMES, lobby
from app.games.core import Actor
from app.table import deeds, talk
from app.table.service import Tables

LATEST = 100
"""Results of a player that are told one by one."""

PageNumber = Annotated[int, Query(ge=0, le=100_000, description="Pages of ten, from 0.")]
GameName = Annotated[str, Query(max_length=32)]
Season = Annotated[
    str,
    Query(
        pattern=r"^((19|20|21)[0-9]{2}-(0[1-9]|1[0-2]))?$",
        description="A month in UTC, as 2026-11; leave out for all times.",
    ),
]
Search = Annotated[
    str, Query(max_length=63, description="Only players with this in their names, at their places.")
]


Part = Annotated[
    str,
    Query(
        max_length=32,
        pattern=r"^([a-z_]+/|/[a-z_]+)?$",
        description="Only matches in which they had this role (`seer/`) or camp (`/wolves`).",
    ),
]


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
    season: str = Field(description='The month it is of; "": of all times.')
    seasons: list[str] = Field(description="Months with results, the latest first.")
    part: str = Field(description='What they were in the matches that count; "": anything.')
    parts: list[str] = Field(description="Roles, as `seer/`, and camps, as `/wolves`, of the game.")
    page: int
    pages: int
    rows: list[RankOut]


class RecordOut(BaseModel):
    game: str
    wins: int
    losses: int
    win_rate: float
    streak: int = Field(description="Matches won in a row, up to the last one.")
    longest_streak: int


class ResultOut(BaseModel):
    match: str = Field(description='"" if the table is not listed; so is `table`.')
    table: str
    game: str
    won: bool
    at_ms: int


class RivalOut(BaseModel):
    """Somebody a player met: matches of both, and how many of them each has won."""

    key: str
    name: str
    matches: int
    won: int
    lost: int


class PlayerOut(BaseModel):
    """What everybody may know of an avatar."""

    key: str
    name: str
    records: list[RecordOut]
    results: list[ResultOut] = Field(description="The latest hundred, the latest first.")
    rivals: list[RivalOut] = Field(description="Whom he met most often first.")


def router(tables: Tables, access: Access) -> APIRouter:
    """Routes of rankings and players."""
    routes = APIRouter(tags=["rankings"])

    async def shown(
        scope: str, game: str, page: int, season: str = "", search: str = "", part: str = ""
    ) -> RankingOut:
        if game not in GAMES:
            raise NotFound("game", game)
        found = await tables.store.run(
            lambda s: ranking.page(s, scope, game, page, season, search.strip(), part)
        )
        rows = [
            RankOut(
                place=r.place,
                key=r.key,
                name=r.name,
                wins=r.wins,
                losses=r.losses,
                win_rate=round(r.rate, 4),
            )
            for r in found.rows
        ]
        seasons = await tables.store.run(lambda s: ranking.seasons(s, scope, game))
        return RankingOut(
            game=game,
            season=season,
            seasons=seasons,
            part=part,
            parts=await tables.store.run(lambda s: ranking.parts(s, scope, game)),
            page=found.page,
            pages=found.pages,
            rows=rows,
        )

    @routes.get("/rankings", summary="The ranking of the whole service")
    async def get_rankings(
        page: PageNumber = 0,
        game: GameName = "peril",
        season: Season = "",
        search: Search = "",
        part: Part = "",
    ) -> RankingOut:
        """Wins first, then fewer losses, then who got there first."""
        return await shown(ranking.SERVICE, game, page, season, search, part)

    @routes.delete("/rankings", summary="Wipe the service's ranking")
    async def delete_rankings(request: Request, game: GameName = "peril") -> RankingOut:
        """Operator only.  The tables keep their own rankings."""
        caller = await access.caller(request)
        access.must_operate(caller)
        if game not in GAMES:
            raise NotFound("game", game)
        now_ms = int(tables.clock() * 1000)
        await tables.store.run(lambda s: ranking.wipe_service(s, access.by(caller), game, now_ms))
        return await shown(ranking.SERVICE, game, 0)

    @routes.get("/tables/{table_id}/ranking", summary="A table's ranking")
    async def get_ranking(
        table_id: str,
        page: PageNumber = 0,
        season: Season = "",
        search: Search = "",
        part: Part = "",
    ) -> RankingOut:
        """In the order of the service's ranking, with what was won and lost at this table."""
        table = await tables.table(table_id)
        return await shown(table_id, table.now.match.game, page, season, search, part)

    @routes.delete("/tables/{table_id}/ranking", summary="Wipe its ranking")
    async def delete_ranking(table_id: str, request: Request) -> RankingOut:
        """The owner's command `reset_ranking`."""
        caller = await access.caller(request)
        table = await tables.table(table_id)
        access.must_own(caller, table_id)
        owner = Actor(table.owner, table.owner_name, owner=True)
        answer = await talk.command(tables, table_id, owner, lobby.ResetRanking(), None)
        if answer.refusal is None:
            await deeds.note_operator(tables, access.by(caller), "ranking_wiped", table_id)
        return await shown(table_id, table.now.match.game, 0)

    @routes.get("/players/{key}", summary="A player's record")
    async def get_player(key: str) -> PlayerOut:
        """404 for somebody without a finished match, and for who wishes not to be shown."""
        player = await tables.store.run(lambda s: players.player(s, key))
        if player is None:
            raise NotFound("player", key)
        return PlayerOut(
            key=player.key,
            name=player.name,
            records=[
                RecordOut(
                    game=r.game,
                    wins=r.wins,
                    losses=r.losses,
                    win_rate=round(r.rate, 4),
                    streak=r.streaks.now,
                    longest_streak=r.streaks.longest,
                )
                for r in player.records
            ],
            results=[
                ResultOut(match=r.match, table=r.table, game=r.game, won=r.won, at_ms=r.at_ms)
                for r in player.results[: -LATEST - 1 : -1]
            ],
            rivals=[
                RivalOut(key=r.key, name=r.name, matches=r.matches, won=r.won, lost=r.lost)
                for r in player.rivals
            ],
        )

    return routes
