"""Profile pictures for browsers, which ask nobody but this server."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from app.pictures import Pictures
from app.web import pages

KEEP = {"Cache-Control": "public, max-age=86400", "X-Content-Type-Options": "nosniff"}
SOON = {"Cache-Control": "public, max-age=60"}


def router(pictures: Pictures | None) -> APIRouter:
    """`/pictures/KEY.jpg`: a silhouette where there is none."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/pictures/{key}.jpg")
    async def picture(key: str) -> Response:
        found = await pictures.image(key) if pictures else None
        if found is None:
            return RedirectResponse(pages.art(pages.UNKNOWN_PICTURE), 302, SOON)
        return Response(found, headers=KEEP, media_type="image/jpeg")

    return routes
