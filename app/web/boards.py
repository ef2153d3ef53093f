"""The page of a table: live, on a face of a prim, and as a picture for links to it."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from app.web.pages import TablesLike, board_svg, error_page, page

NO_TABLE = "There is no such table here."


def router(tables: TablesLike, api: str = "/api/v1") -> APIRouter:
    """`api`: where the pages' scripts find the tables."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @routes.get("/t/{table_id}")
    async def table(table_id: str, media: str | None = None) -> HTMLResponse:
        """With `?media` for a face of a prim: without anything to click or to scroll."""
        view = await tables.snapshot(table_id)
        if view is None:
            return error_page(404, NO_TABLE)
        if media is not None:
            return page("media.html", table=view, api=api)
        return page("table.html", table=view, board=board_svg(view.board), api=api)

    return routes
