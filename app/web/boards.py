"""The page of a table: live, on a face of a prim, and as a picture for links to it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app.web import words
from app.web.pages import HEADERS, TablesLike, TableView, board_svg, error_page, page, spoken
from app.web.preview import COVER, Previews
from app.web.words import Words

NO_TABLE = "There is no such table here."
PREVIEW_S = 60
"""So long others may keep the picture that goes with a link."""


def router(tables: TablesLike, api: str = "/api/v1", public_url: str = "") -> APIRouter:
    """`api`: where the pages' scripts find the tables.  `public_url`: what links begin with."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    previews = Previews()

    @routes.get("/cover.png")
    async def cover() -> Response:
        """What goes with a link to the front page."""
        return picture_of(await previews.png(COVER))

    @routes.get("/t/{table_id}")
    async def table(request: Request, table_id: str, media: str | None = None) -> Response:
        """With `?media` for a face of a prim: without anything to click or to scroll."""
        view = await tables.snapshot(table_id)
        if view is None:
            return error_page(request, 404, NO_TABLE)
        if media is not None:
            t = words.LANGUAGES.get(view.language, words.ENGLISH)
            return page("media.html", table=view, api=api, t=t)
        t = words.of(request)
        return spoken(
            request,
            "table.html",
            table=view,
            board=board_svg(view.board, t),
            api=api,
            address=f"{public_url}/t/{view.id}",
            summary=summary(view, t),
        )

    @routes.get("/t/{table_id}/board.png")
    async def picture(request: Request, table_id: str) -> Response:
        """The board as it stands now, for those who show a link."""
        view = await tables.snapshot(table_id)
        if view is None:
            return error_page(request, 404, NO_TABLE)
        return picture_of(await previews.png(view))

    return routes


def picture_of(drawn: bytes) -> Response:
    headers = {**HEADERS, "Cache-Control": f"public, max-age={PREVIEW_S}"}
    return Response(drawn, headers=headers, media_type="image/png")


def summary(view: TableView, t: Words) -> str:
    """How the table stands, in a sentence or two."""
    if view.stage == "lobby":
        here = t("Open for players: {count} at the table.").format(count=len(view.seats))
        return f"{here} {t('Watch it live.')}"
    over = next((seat["name"] for seat in view.seats if seat.get("winner")), "")
    if over:
        return t("{name} has won.").format(name=over)
    left = sum(not seat.get("out") for seat in view.seats)
    parts = [t("A game is on, {count} still in.").format(count=left)]
    if view.waiting_for:
        parts.append(f"{t('Waiting for')} {', '.join(view.waiting_for)}.")
    return " ".join([*parts, t("Watch it live.")])
