"""The owner's console: he enters by a link from his table, and runs his tables from a browser.

What he does there is the same commands as in-world.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app import codes, consoles
from app.errors import NotFound, PerilError
from app.games.core import Key
from app.table.hot import HotTable
from app.table.service import Tables
from app.web import console_beside, console_deeds, console_log, console_views, pages, words
from app.web.console_page import HEADERS, back, page
from app.web.console_views import Devices
from app.web.sessions import OLD_FORM, Sessions, form_token, from_here, read_form

NO_REFERRER: Final = {"Referrer-Policy": "no-referrer"}
"""For the page whose address holds the code."""

CLOSED: Final = PerilError(
    "no_session",
    "The console opens with a link that your table gives you: touch it, then Owner → 🖥️ Console."
    " The link is good once and for {minutes} minutes.",
    status=403,
    minutes=codes.CONSOLE_S // 60,
)


class _Console:
    """What the routes share."""

    def __init__(self, tables: Tables, devices: Devices, api: str) -> None:
        self.tables = tables
        self.devices = devices
        self.api = api
        self.sessions = Sessions(tables, "owner")

    async def owner(self, request: Request) -> Key | None:
        """Who was let in."""
        key = await self.sessions.whose(request)
        return Key(key) if key else None

    async def owned(self, table_id: str, request: Request) -> HotTable | Response:
        """The table, if it is his who was let in; else the page that says why not."""
        owner = await self.owner(request)
        if owner is None:
            return _closed(request)
        try:
            found = await self.tables.table(table_id)
        except NotFound:
            found = None
        if found is None or found.owner != owner:
            return pages.error_page(request, 404, "There is no such table of yours.")
        return found

    async def list_page(
        self, request: Request, owner: Key, problem: PerilError | None = None
    ) -> Response:
        known = await console_views.standings_of(self.tables, owner)
        staff, banned = console_views.people(known)
        t = words.of(request)
        return page(
            request,
            "console.html",
            problem,
            tables=await console_views.summaries(self.tables, self.devices, owner, t),
            staff=staff,
            banned=banned,
            form=self.token(request),
        )

    async def table_page(
        self,
        request: Request,
        table: HotTable,
        problem: PerilError | None = None,
        pairing_code: str = "",
    ) -> Response:
        t = words.of(request)
        return page(
            request,
            "console_table.html",
            problem,
            **console_views.table_view(table, t),
            health=await console_views.health_of(self.tables, self.devices, table.id, t),
            pairing_code=pairing_code,
            pairing_minutes=codes.LIFE_S // 60,
            form=self.token(request),
            once=console_deeds.once(),
            api=self.api,
        )

    def token(self, request: Request) -> str:
        return form_token(self.sessions.shown(request))


def router(tables: Tables, devices: Devices, api: str) -> APIRouter:
    """`/owner`, and the pages below.  `api`: where their script finds the tables."""
    routes = APIRouter(
        prefix="/owner", include_in_schema=False, default_response_class=HTMLResponse
    )
    console = _Console(tables, devices, api)
    _ways_in(routes, console)
    _all_tables(routes, console)
    _one_table(routes, console)
    _logs(routes, console)
    return routes


def _ways_in(routes: APIRouter, console: _Console) -> None:
    tables = console.tables

    async def spent(request: Request, code: str) -> Response:
        """Who is in already comes back to the link he used, or pressed the button twice."""
        inside = code and await console.owner(request)
        return back("/owner") if inside else _closed(request)

    @routes.get("/enter")
    async def look(request: Request, code: str = "") -> Response:
        """Where the link leads.  To look at it uses nothing up, as previews of links do."""
        if not await consoles.is_good(tables, code):
            return await spent(request, code)
        return page(request, "console_enter.html", headers=NO_REFERRER, code=code)

    @routes.post("/enter")
    async def enter(request: Request) -> Response:
        form = await read_form(request)
        if not from_here(request, tables.public_url):
            return _closed(request, OLD_FORM)
        session = await consoles.enter(tables, form.get("code", ""))
        if session is None:
            return await spent(request, form.get("code", ""))
        return console.sessions.opened(request, back("/owner"), session)


def _all_tables(routes: APIRouter, console: _Console) -> None:
    @routes.get("")
    async def index(request: Request) -> Response:
        owner = await console.owner(request)
        return await console.list_page(request, owner) if owner else _closed(request)

    @routes.post("")
    async def act(request: Request) -> Response:
        """A form about all tables: staff, bans, the end of the session."""
        owner = await console.owner(request)
        if owner is None:
            return _closed(request)
        try:
            form = await console.sessions.form(request)
            if form.get("do") == "leave":
                return await console.sessions.closed(request, page(request, "console_left.html"))
            await console_deeds.about_people(console.tables, owner, form)
        except PerilError as error:
            return await console.list_page(request, owner, error)
        return back("/owner#people")


def _one_table(routes: APIRouter, console: _Console) -> None:
    @routes.get("/t/{table_id}")
    async def show(table_id: str, request: Request) -> Response:
        table = await console.owned(table_id, request)
        if isinstance(table, Response):
            return table
        return await console.table_page(request, table)

    @routes.post("/t/{table_id}")
    async def act(table_id: str, request: Request) -> Response:
        """A form about the table: done, refused with a sentence, or answered with a code."""
        table = await console.owned(table_id, request)
        if isinstance(table, Response):
            return table
        try:
            form = await console.sessions.form(request)
            t = words.of(request)
            done = await console_deeds.at_table(console.tables, console.devices, table, form, t)
        except PerilError as error:
            return await console.table_page(request, table, error)
        if done.code:
            return await console.table_page(request, table, pairing_code=done.code)
        return back(f"/owner/t/{table_id}#{done.part}")


def _logs(routes: APIRouter, console: _Console) -> None:
    @routes.get("/t/{table_id}/log")
    async def show(table_id: str, request: Request, match: str = "") -> Response:
        table = await console.owned(table_id, request)
        if isinstance(table, Response):
            return table
        try:
            log = await console_log.read(console.tables, table, match, words.of(request))
        except NotFound as error:
            return pages.error_page(request, 404, error.said(words.of(request)))
        beside = await console_beside.shown(console.tables, table, words.of(request))
        return page(request, "console_log.html", table=table, log=log, beside=beside)

    @routes.get("/t/{table_id}/log.{kind}")
    async def export(table_id: str, kind: str, request: Request) -> Response:
        """The matches of the table as a file, the latest first."""
        table = await console.owned(table_id, request)
        if isinstance(table, Response):
            return table
        if kind not in console_log.KINDS:
            return pages.error_page(request, 404)
        return console_log.export(console.tables, table, kind, HEADERS, words.of(request))


def _closed(request: Request, problem: PerilError = CLOSED) -> Response:
    return page(request, "console_closed.html", problem)
