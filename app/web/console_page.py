"""How the consoles answer: pages that nobody keeps, and ways back to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from app.errors import PerilError
from app.web import console_views, pages, words

HEADERS: Final = pages.PRIVATE


def page(
    request: Request,
    template: str,
    problem: PerilError | None = None,
    /,
    status: int = 200,
    headers: Mapping[str, str] = HEADERS,
    **values: Any,
) -> Response:
    """A page in the visitor's language, and what went wrong on the way to it, if anything."""
    return pages.spoken(
        request,
        template,
        status=problem.status if problem else status,
        headers={**HEADERS, **headers},
        problem=problem.said(words.of(request)) if problem else "",
        moment=console_views.moment,
        **values,
    )


def back(path: str) -> Response:
    """On to a page by GET, so that to load it again sends no form again."""
    return RedirectResponse(path, 303, HEADERS)
