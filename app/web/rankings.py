"""Rankings and players: of all tables and of one, of all times and of a month, with a search."""

from __future__ import annotations

import time
from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from app import players, ranking
from app.errors import NotFound
from app.games import GAMES
from app.table.service import Tables
from app.web import pages, plot

LATEST: Final = 20
SEARCH: Final = 63
"""Characters of a search."""
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def router(tables: Tables) -> APIRouter:
    """`/rankings`, `/t/TABLE/ranking`, `/p/KEY`."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @routes.get("/rankings")
    async def all_tables(
        game: str = "", season: str = "", search: str = "", page: str = ""
    ) -> HTMLResponse:
        return await _ranking("/rankings", ranking.SERVICE, "", game, season, search, page)

    @routes.get("/t/{table_id}/ranking")
    async def one_table(
        table_id: str, game: str = "", season: str = "", search: str = "", page: str = ""
    ) -> HTMLResponse:
        try:
            table = await tables.table(table_id)
        except NotFound:
            return pages.error_page(404, "There is no such table here.")
        game = game or table.now.match.game
        path = f"/t/{table_id}/ranking"
        return await _ranking(path, table_id, table.name, game, season, search, page)

    async def _ranking(
        path: str, scope: str, table: str, game: str, season: str, search: str, page: str
    ) -> HTMLResponse:
        game = game or next(iter(GAMES))
        if game not in GAMES:
            return pages.error_page(404, "There is no such game here.")
        search = " ".join(search.split())[:SEARCH]
        seasons = await tables.store.run(lambda s: ranking.seasons(s, scope, game))
        season = season if season in seasons else ""
        # People count pages from 1.
        number = int(page) - 1 if page.isascii() and page.isdecimal() and len(page) < 7 else 0
        found = await tables.store.run(
            lambda s: ranking.page(s, scope, game, number, season, search)
        )

        def address(**changes: str) -> str:
            chosen = {"game": game, "season": season, "search": search, **changes}
            query = urlencode({name: value for name, value in chosen.items() if value})
            return f"{path}?{query}"

        return pages.page(
            "ranking.html",
            path=path,
            scope=scope,
            table=table,
            games=GAMES.values(),
            game=GAMES[game],
            seasons=seasons,
            season=season,
            search=search,
            ranking=found,
            address=address,
            month=month,
        )

    @routes.get("/p/{key}")
    async def player(key: str) -> HTMLResponse:
        found = await tables.store.run(lambda s: players.player(s, key))
        if found is None:
            return pages.error_page(404, "There is no such player here.")
        return pages.page(
            "player.html",
            player=found,
            picture=pages.art(tables.pictures.get(found.key, pages.UNKNOWN_PICTURE)),
            wins=sum(r.won for r in found.results),
            losses=sum(not r.won for r in found.results),
            streaks=players.streaks([r.won for r in found.results]),
            latest=found.results[: -LATEST - 1 : -1],
            title_of=title_of,
            plot=plot.of(found.results),
            when=when,
            day=pages.day,
        )

    return routes


def title_of(game: str) -> str:
    return GAMES[game].title if game in GAMES else game


def month(season: str) -> str:
    """A season as people read it: November 2026."""
    year, _, number = season.partition("-")
    return f"{MONTHS[int(number) - 1]} {year}"


def when(at_ms: int) -> str:
    """A day as people read it: 3 November 2026."""
    at = time.gmtime(at_ms / 1000)
    return f"{at.tm_mday} {MONTHS[at.tm_mon - 1]} {at.tm_year}"
