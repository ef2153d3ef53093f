"""The application: the only place where the parts are put together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import structlog
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Scope

from app import logs
from app.api import devices, docs, edge, play, rankings, records, system, themes, tokens, watch
from app.api import notices as notices_api
from app.api import tables as tables_api
from app.api.access import Access
from app.api.straight import StraightAPI, Unexpected
from app.bus import Bus
from app.devices import callback
from app.devices import routes as device_routes
from app.devices.push import Pusher
from app.devices.registry import Registry
from app.errors import Malformed, NotFound, PerilError
from app.limits import Limits
from app.pictures import Pictures
from app.settings import Settings
from app.table import deeds, notices
from app.table.database import open_store
from app.table.log import Log
from app.table.service import Tables
from app.tally import Tally
from app.web import (
    boards,
    console,
    me,
    operators,
    pages,
    portraits,
    reading,
    replays,
    theme_editor,
    words,
)
from app.web import rankings as rankings_pages
from app.web.shown import Shown

API = "/api/v1"
VERSION = "0.1.0"
DESCRIPTION = """\
Drive a game table: create it, let avatars and bots act, watch what every prim shows.

A *table* goes from match to match. Whoever acts sends a *command*; what the table shows is a
*board*, prim name → frame; `seq` numbers the states of a table, and everything can be asked for
since a seq. Errors have one form: `{"error": {"code", "message"}}`; the message is in a
language that Accept-Language asks for, if there is one, the code the same in all.

This is a free game: L$ is never staked, paid or promised.
"""

log = structlog.get_logger("http")


def create_app(
    settings: Settings,
    store: Log | None = None,
    push_transport: httpx.AsyncBaseTransport | None = None,
    resolve: callback.Resolve = callback.resolve,
    picture_transport: httpx.AsyncBaseTransport | None = None,
    **parts: Any,
) -> StraightAPI:
    """The whole service.

    `store`, the transports, `resolve` and `parts` (dice, clock) are for tests.

    Raises `database.Unusable` if the embedded store cannot be opened.
    """
    logs.configure(settings)
    bus = Bus(settings.redis_url, settings.channel, parts.get("clock", time.time))
    tables = Tables(store or open_store(settings), bus=bus, **parts)
    tables.public_url = settings.public_url or settings.address
    limits = Limits(settings)
    limits.share(bus)
    access = Access(tables.store, settings, limits)
    watchers = watch.Watchers(tables, settings, limits)
    registry = Registry(tables, settings)
    tally = Tally(tables, limits, lambda: registry.devices)
    life = system.Life()
    pictures = Pictures(tables, picture_transport) if settings.with_pictures else None

    @asynccontextmanager
    async def lifespan(_: StraightAPI) -> AsyncIterator[None]:
        if pictures:  # first, so that no board is made without what is known
            await pictures.start()
        await tables.start()
        following = asyncio.create_task(notices.follow(tables))
        tables.spawn(deeds.keep_pruned(tables))
        tables.keeper.each_sweep += [lambda: system.note(tables, watchers), tally.sweep]
        pusher = Pusher(tables, registry, settings, push_transport, resolve)
        await pusher.resume()
        life.stage = "serving"
        try:
            yield
        finally:
            life.stage = "draining"
            following.cancel()
            if pictures:
                await pictures.close()
            await pusher.close()
            await tally.save()
            await tables.stop()

    app = StraightAPI(
        title="Peril Table",
        version=VERSION,
        description=DESCRIPTION,
        lifespan=lifespan,
        # FastAPI's own pages load scripts from foreign hosts; `docs` has one that loads nothing.
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        redirect_slashes=False,
    )
    parts_of_it = {
        "life": life,
        "tables": tables,
        "access": access,
        "limits": limits,
        "watchers": watchers,
        "registry": registry,
        "tally": tally,
    }
    for name, part in parts_of_it.items():
        setattr(app.state, name, part)
    for router in (
        watch.router(tables, access, watchers, settings),
        tables_api.router(tables, access, settings),
        themes.router(tables, access),
        rankings.router(tables, access),
        records.router(tables),
        tokens.router(tables, access),
        devices.router(tables, access, registry),
        notices_api.router(tables, access),
        docs.router(app),
    ):
        app.include_router(router, prefix=API)
    acting = play.takers(tables, access, limits, API)
    for router in (
        system.router(tables, access, limits, watchers, life),
        pages.router(Shown(tables), public_url=tables.public_url),
        reading.router(),
        boards.router(Shown(tables), API, tables.public_url),
        replays.router(tables, API),
        rankings_pages.router(tables),
        portraits.router(pictures),
        me.router(tables),
        theme_editor.router(tables),
        console.router(tables, registry, API),
        operators.router(tables, access, registry, tally),
    ):
        app.include_router(router)
    app.mount("/static", pages.static_files(), name="static")
    unexpected = _handle_errors(app)
    bodies = settings.body_limit_bytes, settings.body_limit_s
    bounds = edge.Bounds(limits, *bodies, long_forms=theme_editor.PATHS)
    app.add_middleware(edge.Edge, bounds=bounds, tell=_tell)
    app.add_middleware(system.Counted)
    takers = {**device_routes.takers(tables, registry, limits), **acting}
    app.go_straight(takers, bounds, _tell, unexpected)
    app.openapi = lambda: docs.document(app, API)  # type: ignore[method-assign]
    return app


def _tell(scope: Scope, error: PerilError) -> Response:
    """Everything that goes wrong: to people as a page, to programs in one form of JSON."""
    request = Request(scope)
    shown = "text/html" in request.headers.get("accept", "")
    if not shown or scope["path"].startswith(("/api/", "/lsl/")):
        return edge.told(error, words.of(request))
    response = pages.error_page(request, error.status, error.said(words.of(request)))
    if error.status == 429:
        response.headers["Retry-After"] = str(error.fields.get("retry_after_s", 1))
    return response


def _handle_errors(app: StraightAPI) -> Unexpected:
    """Have all errors told; what tells of those that nobody foresaw."""

    @app.exception_handler(PerilError)
    async def told(request: Request, error: PerilError) -> Response:
        return _tell(request.scope, error)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return await told(
                request, Malformed("That is not JSON: {error}.", error=first["ctx"]["error"])
            )
        where = ".".join(str(part) for part in first["loc"])
        return await told(request, Malformed("{where}: {error}.", where=where, error=first["msg"]))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        path = request.scope["path"]
        if isinstance(error.__cause__, PerilError):  # what stopped FastAPI reading the body
            return await told(request, error.__cause__)
        if error.status_code == 404:
            if not path.startswith("/api/"):
                return pages.error_page(request, 404)
            return await told(request, NotFound("address", path))
        if error.status_code == 400:
            return await told(request, Malformed("The body cannot be read as JSON."))
        if error.status_code == 405:
            line, method = "{method} is not possible at this address.", request.method
            wrong = PerilError("method_not_allowed", line, status=405, method=method)
            response = await told(request, wrong)
            response.headers.update(error.headers or {})
            return response
        return await told(
            request, PerilError("not_possible", f"{error.detail}.", status=error.status_code)
        )

    @app.exception_handler(ClientDisconnect)
    async def left(_: Request, __: ClientDisconnect) -> Response:
        return Response(status_code=400)  # nobody hears it, and nothing is wrong here

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        path, table = request.scope["path"], request.path_params.get("table_id")
        log.exception("unexpected_error", path=path, table=table, exc_info=error)
        message = "Something went wrong here. It has been written down."
        return await told(request, PerilError("internal", message, status=500))

    return unexpected
