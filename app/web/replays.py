"""The page of a match: its replay, step by step, who played, and the log with its check."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app import players, replay
from app.errors import NotFound
from app.games import GAMES
from app.table import history
from app.table.service import Tables
from app.web import matches, pages, words
from app.web.boards import picture_of
from app.web.preview import Previews, Scene


def router(tables: Tables, api: str) -> APIRouter:
    """`/m/{match_id}`.  `api`: where the page's scripts find the service."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    previews = Previews()

    @routes.get("/m/{match_id}")
    async def match(request: Request, match_id: str, step: str = "") -> Response:
        """With the board of a step drawn, by default of the last one."""
        try:
            row, log = await history.public_log(tables.store, match_id)
            table = await tables.table(row.table_id)
        except NotFound:
            return pages.error_page(request, 404, "There is no such match here.")
        t = words.of(request)
        view = matches.view(row, log, table.name, t)
        keys = [player.key for player in view.players if not player.bot]
        shown = await tables.store.run(lambda s: players.shown(s, keys))
        values = {"match": view, "api": api, "shown": shown, "public_url": tables.public_url}
        if not view.over:
            return pages.spoken(request, "match.html", **values)
        states = (await replay.of(tables, row, log)).states
        at = min(max(int(step), 1), len(states)) if _is_number(step) else len(states)
        return pages.spoken(
            request,
            "match.html",
            **values,
            step=at,
            board=pages.board_svg(states[at - 1].board, t),
            said={**t.script, **t.check},
        )

    @routes.get("/m/{match_id}/board.png")
    async def picture(request: Request, match_id: str) -> Response:
        """The board at its end, for those who show a link."""
        try:
            shown = await replay.load(tables, match_id)
            name = (await tables.table(shown.row.table_id)).name
        except NotFound:
            return pages.error_page(request, 404, "There is no such match here.")
        last, title = shown.states[-1], GAMES[shown.row.game].title
        scene = Scene(match_id, last.seq, last.board, name, title, last.match.language)
        return picture_of(await previews.png(scene))

    return routes


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
