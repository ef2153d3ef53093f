"""The pages about one's own data: a link from a table opens them for a while."""

from __future__ import annotations

import hmac
import time
from typing import Any, Final

import msgspec
from fastapi import APIRouter, Cookie, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app import codes, people
from app.errors import PerilError
from app.games import GAMES
from app.games.core import Key
from app.games.texts import LANGUAGES
from app.table.service import Tables
from app.web import pages, words
from app.web.sessions import OLD_FORM, by_https, form_token, from_here, read_form

COOKIE: Final = "me"
HEADERS: Final = {
    **pages.PRIVATE,
    # The address of the link holds its code.
    "Referrer-Policy": "no-referrer",
}
CONFIRMATION: Final = "DELETE"
MATCHES_SHOWN: Final = 20

CLOSED = PerilError(
    "no_visit",
    "This page opens with a link that a table gives you. A link is good once and for 15 minutes,"
    " the page then stays open for 30.",
    status=403,
)
NOT_TYPED: Final = "Nothing was deleted: the word {word} was not typed."


def router(tables: Tables) -> APIRouter:
    """`/me`, and what can be done there."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @routes.get("/me/open")
    async def look(request: Request, code: str = "") -> Response:
        """Where the link leads.  To look at it uses nothing up, as previews of links do."""
        if not await people.is_good(tables, code):
            return _closed(request)
        return _page(request, "me_open.html", code=code)

    @routes.post("/me/open")
    async def open_(request: Request) -> Response:
        """The link is used up, and the browser may see the page for a while."""
        form = await read_form(request)
        if not from_here(request, tables.public_url):
            return _closed(request, OLD_FORM)
        visit = await people.enter(tables, form.get("code", ""))
        if visit is None:
            return _closed(request)
        response = RedirectResponse("/me", 303, HEADERS)
        response.set_cookie(
            COOKIE,
            visit,
            max_age=codes.VISIT_S,
            path="/me",
            secure=by_https(request, tables.public_url),
            httponly=True,
            samesite="strict",
        )
        return response

    @routes.get("/me")
    async def show(request: Request, me: str = Cookie("")) -> Response:
        key = await people.visitor(tables, me)
        return await _shown(request, key, me) if key else _closed(request)

    @routes.get("/me/export")
    async def export(request: Request, me: str = Cookie("")) -> Response:
        """Everything, as JSON."""
        key = await people.visitor(tables, me)
        if key is None:
            return _closed(request)
        body = msgspec.json.format(msgspec.json.encode(await people.kept(tables, key)), indent=2)
        save = {"Content-Disposition": f'attachment; filename="peril-table-{key}.json"'}
        return Response(body, headers=HEADERS | save, media_type="application/json")

    @routes.post("/me")
    async def act(request: Request, me: str = Cookie("")) -> Response:
        """A form of the page: hide, show, delete, close."""
        key = await people.visitor(tables, me)
        if key is None:
            return _closed(request)
        t = words.of(request)
        word = t(CONFIRMATION)
        form = await read_form(request)
        if not hmac.compare_digest(form.get("form", "").encode(), form_token(me).encode()):
            return await _shown(request, key, me, OLD_FORM.said(t), 403)
        try:
            match form.get("do"):
                case "hide":
                    await people.hide(tables, key, True)
                case "show":
                    await people.hide(tables, key, False)
                case "close":
                    await people.leave(tables, me)
                    return _gone(request, "me_closed.html", problem="")
                case "delete" if form.get("word", "").strip().upper() in (CONFIRMATION, word):
                    await people.forget(tables, key)
                    return _gone(request, "me_deleted.html")
                case "delete":
                    problem = t(NOT_TYPED).format(word=word)
                    return await _shown(request, key, me, problem, 422)
        except PerilError as error:
            return await _shown(request, key, me, error.said(t), error.status)
        return RedirectResponse("/me", 303, HEADERS)

    async def _shown(
        request: Request, key: Key, visit: str, problem: str = "", status: int = 200
    ) -> Response:
        kept = await people.kept(tables, key)
        return _page(
            request,
            "me.html",
            status,
            kept=kept,
            matches=kept.matches[:MATCHES_SHOWN],
            deeds=sum(len(m.deeds) for m in kept.matches),
            form=form_token(visit),
            word=CONFIRMATION,
            problem=problem,
        )

    return routes


def _closed(request: Request, problem: PerilError = CLOSED) -> Response:
    return _page(request, "me_closed.html", problem.status, problem=problem.message)


def _gone(request: Request, template: str, **values: Any) -> Response:
    response = _page(request, template, **values)
    response.delete_cookie(COOKIE, path="/me", httponly=True, samesite="strict")
    return response


def _page(request: Request, template: str, status: int = 200, /, **values: Any) -> Response:
    return pages.spoken(
        request,
        template,
        status=status,
        headers=HEADERS,
        title_of=_title,
        day=_day,
        moment=_moment,
        languages=LANGUAGES,
        **values,
    )


def _title(game: str) -> str:
    return GAMES[game].title if game in GAMES else game


def _moment(at_ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at_ms / 1000))


def _day(at_ms: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at_ms / 1000))
