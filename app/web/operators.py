"""The operator's console: how the server is, its tables and owners, tokens, rankings, the notice.

It opens with an operator's token, typed into a form once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from app import consoles, ranking
from app.errors import Forbidden, PerilError
from app.games import GAMES
from app.table import deeds, notices
from app.table.models import MatchRow, TableRow, TokenRow
from app.table.service import Tables
from app.web import console_beside, console_views, words
from app.web.console_deeds import SURE
from app.web.console_page import back, page
from app.web.console_views import Devices
from app.web.sessions import OLD_FORM, Form, Sessions, form_token, from_here, read_form

PER_PAGE: Final = 50
OWNERS: Final = 100
LATELY: Final = 30
SEARCH: Final = 63
SCOPES: Final = {
    "operator": "everything",
    "owner": "one table",
    "harness": "plays any avatar but owners and their staff",
    "read": "reads",
}


class Caller(Protocol):
    @property
    def scope(self) -> str: ...

    @property
    def hash(self) -> str: ...


class Access(Protocol):
    """What this console needs of the tokens."""

    async def caller(self, request: Request, token: str | None = None) -> Caller:
        """Unauthorized if the token is not known, TooMany after too many of them."""

    async def operates(self, hashed: str) -> bool: ...

    async def operator(self, hashed: str) -> deeds.By: ...

    async def grant(
        self, by: deeds.By, scope: Any, now_ms: int, table_id: str = "", label: str = ""
    ) -> tuple[str, TokenRow]: ...

    async def granted(self, after: str, limit: int) -> list[TokenRow]: ...

    async def revoke(self, by: deeds.By, prefix: str, now_ms: int) -> TokenRow: ...


class Figures(Protocol):
    """What all processes of the service count together."""

    async def refused(self) -> Sequence[Any]:
        """Of each `limit`, how many requests were too many `today` and this `week`."""


class Owner(NamedTuple):
    key: str
    name: str
    tables: int


class _Console:
    """What the routes share."""

    def __init__(self, tables: Tables, access: Access, devices: Devices, tally: Figures) -> None:
        self.tables = tables
        self.access = access
        self.devices = devices
        self.tally = tally
        self.sessions = Sessions(tables, "operator")

    async def lets(self, request: Request) -> bool:
        """Whether an operator was let in whose token is still good."""
        hashed = await self.sessions.whose(request)
        return hashed is not None and await self.access.operates(hashed)

    async def page(
        self, which: str, request: Request, problem: PerilError | None = None, **values: Any
    ) -> Response:
        form = form_token(self.sessions.shown(request))
        return page(request, f"operator_{which}.html", problem, form=form, which=which, **values)

    # ---- the pages --------------------------------------------------------------------------

    async def overview(self, request: Request, problem: PerilError | None = None) -> Response:
        hot = list(self.tables.hot.values())
        stages = [table.now.match.stage for table in hot if table.states]
        figures = await self.tables.store.run(_counts)
        return await self.page(
            "overview",
            request,
            problem,
            notice=await notices.current(self.tables),
            figures={
                **figures,
                "Tables in memory": len(hot),
                "Matches on": stages.count("playing"),
                "Deadlines running": sum(len(table.deadlines) for table in hot),
            },
            refused=await self.tally.refused(),
            games=GAMES.values(),
            owners=await self.tables.store.run(_owners),
            beside=await console_beside.everywhere(self.tables, LATELY, words.of(request)),
        )

    async def table_list(self, request: Request, search: str, after: str) -> Response:
        search = " ".join(search.split())[:SEARCH]

        def read(session: Session) -> Sequence[TableRow]:
            return _found(session, search, after)

        rows = await self.tables.store.run(read)
        shown = [
            (
                row,
                await self.tables.table(row.id),
                await console_views.health_of(self.tables, self.devices, row.id, words.of(request)),
            )
            for row in rows[:PER_PAGE]
        ]
        more = rows[PER_PAGE - 1].id if len(rows) > PER_PAGE else ""
        return await self.page("tables", request, tables=shown, search=search, more=more)

    async def token_list(
        self,
        request: Request,
        problem: PerilError | None = None,
        after: str = "",
        made: str = "",
    ) -> Response:
        rows = await self.access.granted(after, PER_PAGE + 1)
        more = rows[PER_PAGE - 1].hash if len(rows) > PER_PAGE else ""
        values = {"tokens": rows[:PER_PAGE], "more": more, "scopes": SCOPES, "made": made}
        return await self.page("tokens", request, problem, **values)

    # ---- what is done -----------------------------------------------------------------------

    async def by(self, request: Request) -> deeds.By:
        """Who was let in, as what he does is noted."""
        return await self.access.operator(await self.sessions.whose(request) or "")

    async def act(self, by: deeds.By, form: Form) -> None:
        """A form of the overview."""
        match form.get("do"):
            case "announce":
                await notices.announce(self.tables, by, form.get("text", "")[:500])
            case "clear":
                await notices.announce(self.tables, by, "")
            case "wipe" if form.get("sure") != "on":
                raise SURE
            case "wipe" if form.get("game", "") in GAMES:
                game, now_ms = form["game"], int(self.tables.clock() * 1000)
                await self.tables.store.run(lambda s: ranking.wipe_service(s, by, game, now_ms))
            case _:
                raise UNKNOWN

    async def act_on_tokens(self, by: deeds.By, form: Form) -> str:
        """A form about tokens; the new token, to be shown once, or ''."""
        now_ms = int(self.tables.clock() * 1000)
        match form.get("do"):
            case "grant" if form.get("scope") in SCOPES:
                table_id = form.get("table", "").strip()[:16]
                if table_id:
                    await self.tables.table(table_id)
                label = form.get("label", "")[:63]
                token, _ = await self.access.grant(by, form["scope"], now_ms, table_id, label)
                return token
            case "revoke" if form.get("sure") != "on":
                raise SURE
            case "revoke":
                await self.access.revoke(by, form.get("id", "")[:64], now_ms)
                return ""
        raise UNKNOWN


UNKNOWN: Final = PerilError("unknown_wish", "The console knows no such thing.", status=422)


def router(tables: Tables, access: Access, devices: Devices, tally: Figures) -> APIRouter:
    """`/operator`, and the pages below."""
    routes = APIRouter(
        prefix="/operator", include_in_schema=False, default_response_class=HTMLResponse
    )
    console = _Console(tables, access, devices, tally)
    _ways_in(routes, console)
    _pages(routes, console)
    _forms(routes, console)
    return routes


def _ways_in(routes: APIRouter, console: _Console) -> None:
    @routes.get("/enter")
    @routes.get("/leave")
    async def elsewhere(request: Request) -> Response:
        """The answers to these forms lead to themselves in another language."""
        return words.told(request, back("/operator"))

    @routes.post("/enter")
    async def enter(request: Request) -> Response:
        """The token is typed; the cookie that follows is not made of it."""
        form = await read_form(request)
        if not from_here(request, console.tables.public_url):
            return _door(request, OLD_FORM)
        try:
            caller = await console.access.caller(request, form.get("token", "").strip())
            if caller.scope != "operator":
                raise Forbidden("That is not the token of an operator.")
        except PerilError as error:
            return _door(request, error)
        session = await consoles.operate(console.tables, caller.hash)
        return console.sessions.opened(request, back("/operator"), session)

    @routes.post("/leave")
    async def leave(request: Request) -> Response:
        try:
            await console.sessions.form(request)
        except PerilError as error:
            return _door(request, error)
        return await console.sessions.closed(request, page(request, "operator_left.html"))


def _pages(routes: APIRouter, console: _Console) -> None:
    @routes.get("")
    async def overview(request: Request) -> Response:
        return await console.overview(request) if await console.lets(request) else _door(request)

    @routes.get("/tables")
    async def table_list(request: Request, search: str = "", after: str = "") -> Response:
        if not await console.lets(request):
            return _door(request)
        return await console.table_list(request, search, after[:16])

    @routes.get("/tokens")
    async def token_list(request: Request, after: str = "") -> Response:
        if not await console.lets(request):
            return _door(request)
        return await console.token_list(request, after=after[:64])


def _forms(routes: APIRouter, console: _Console) -> None:
    @routes.post("")
    async def act(request: Request) -> Response:
        if not await console.lets(request):
            return _door(request)
        try:
            form = await console.sessions.form(request)
            await console.act(await console.by(request), form)
        except PerilError as error:
            return await console.overview(request, error)
        return back("/operator")

    @routes.post("/tokens")
    async def act_on_tokens(request: Request) -> Response:
        if not await console.lets(request):
            return _door(request)
        try:
            form = await console.sessions.form(request)
            made = await console.act_on_tokens(await console.by(request), form)
        except PerilError as error:
            return await console.token_list(request, error)
        return await console.token_list(request, made=made) if made else back("/operator/tokens")


# ---- reading --------------------------------------------------------------------------------


def _counts(session: Session) -> dict[str, int]:
    owners = select(func.count(func.distinct(col(TableRow.owner_key))))
    return {
        "Tables": session.exec(select(func.count()).select_from(TableRow)).one(),
        "Owners": session.exec(owners).one(),
        "Matches so far": session.exec(select(func.count()).select_from(MatchRow)).one(),
    }


def _owners(session: Session) -> list[Owner]:
    """Those with the most tables."""
    count = func.count()
    query = (
        select(TableRow.owner_key, func.max(TableRow.owner_name), count)
        .group_by(col(TableRow.owner_key))
        .order_by(count.desc(), col(TableRow.owner_key))
        .limit(OWNERS)
    )
    return [Owner(*row) for row in session.exec(query)]


def _found(session: Session, search: str, after: str) -> Sequence[TableRow]:
    """Tables whose name, owner or id has `search` in it, by their ids; one more than a page."""
    query = select(TableRow).where(TableRow.id > after)
    if search:
        columns = (TableRow.name, TableRow.owner_name, TableRow.owner_key, TableRow.id)
        query = query.where(or_(*(col(c).icontains(search, autoescape=True) for c in columns)))
    rows = session.exec(query.order_by(col(TableRow.id)).limit(PER_PAGE + 1)).all()
    return [TableRow(**row.model_dump()) for row in rows]


def _door(request: Request, problem: PerilError | None = None) -> Response:
    return page(request, "operator_enter.html", problem, status=403)
