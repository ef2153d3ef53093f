"""Rankings and players: of all tables and of one, of all times and of a month, with a search."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app import players, ranking
from app.errors import NotFound
from app.games import GAMES, texts
from app.table.service import Tables
from app.web import pages, plot, words

LATEST: Final = 20
NOTHING_KNOWN: Final = (
    "Nothing is known here of this player: no match that counted yet, or the wish not to be shown."
)
SEARCH: Final = 63
"""Characters of a search."""


def router(tables: Tables) -> APIRouter:
    """`/rankings`, `/t/TABLE/ranking`, `/p/KEY`."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @routes.get("/rankings")
    async def all_tables(request: Request) -> Response:
        return await _ranking(request, "/rankings", ranking.SERVICE, "", "")

    @routes.get("/t/{table_id}/ranking")
    async def one_table(request: Request, table_id: str) -> Response:
        try:
            table = await tables.table(table_id)
        except NotFound:
            return pages.error_page(request, 404, "There is no such table here.")
        path = f"/t/{table_id}/ranking"
        return await _ranking(request, path, table_id, table.name, table.now.match.game)

    async def _ranking(request: Request, path: str, scope: str, table: str, usual: str) -> Response:
        asked = request.query_params
        game = asked.get("game") or usual or next(iter(GAMES))
        if game not in GAMES:
            return pages.error_page(request, 404, "There is no such game here.")
        search = " ".join(asked.get("search", "").split())[:SEARCH]
        seasons = await tables.store.run(lambda s: ranking.seasons(s, scope, game))
        season = asked.get("season", "")
        season = season if season in seasons else ""
        parts = await tables.store.run(lambda s: ranking.parts(s, scope, game))
        part = asked.get("part", "")
        part = part if part in parts else ""
        page = asked.get("page", "")
        # People count pages from 1.
        number = int(page) - 1 if page.isascii() and page.isdecimal() and len(page) < 7 else 0
        found = await tables.store.run(
            lambda s: ranking.page(s, scope, game, number, season, search, part)
        )
        t = words.of(request)
        theme = texts.load(game, language=t.language)

        def called(part: str) -> str:
            role, _, camp = part.partition("/")
            return theme.maybe("role", role) if role else theme.maybe("camp", camp)

        def address(**changes: str) -> str:
            chosen = {"game": game, "season": season, "part": part, "search": search, **changes}
            query = urlencode({name: value for name, value in chosen.items() if value})
            return f"{path}?{query}"

        return pages.spoken(
            request,
            "ranking.html",
            parts={one: called(one) or one.strip("/") for one in parts},
            part=part,
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
        )

    @routes.get("/p/{key}")
    async def player(request: Request, key: str) -> Response:
        found = await tables.store.run(lambda s: players.player(s, key))
        if found is None:
            return pages.error_page(request, 404, NOTHING_KNOWN)
        return pages.spoken(
            request,
            "player.html",
            headers=pages.UNLISTED,
            player=found,
            picture=pages.art(tables.pictures.get(found.key, pages.UNKNOWN_PICTURE)),
            wins=sum(r.won for r in found.results),
            losses=sum(not r.won for r in found.results),
            streaks=players.streaks([r.won for r in found.results]),
            latest=found.results[: -LATEST - 1 : -1],
            title_of=title_of,
            plot=plot.of(found.results),
            day=pages.day,
        )

    return routes


def title_of(game: str) -> str:
    return GAMES[game].title if game in GAMES else game
