"""How the consoles answer: pages that nobody keeps, and ways back to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.errors import PerilError
from app.web import console_views, pages

HEADERS: Final = {**pages.HEADERS, "Cache-Control": "no-store"}


def page(
    template: str,
    problem: PerilError | None = None,
    /,
    status: int = 200,
    headers: Mapping[str, str] = HEADERS,
    **values: Any,
) -> HTMLResponse:
    """A page, and what went wrong on the way to it, if anything."""
    said = problem.message if problem else ""
    shown = pages.render(
        template, problem=said, moment=console_views.moment, stages=pages.STAGES, **values
    )
    return HTMLResponse(shown, problem.status if problem else status, {**HEADERS, **headers})


def back(path: str) -> Response:
    """On to a page by GET, so that to load it again sends no form again."""
    return RedirectResponse(path, 303, HEADERS)
