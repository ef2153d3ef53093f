"""The application: the only place where the parts are put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException

from app import logs
from app.api import play, records, schemas, system, watch
from app.api import tables as tables_api
from app.api.access import Access
from app.api.schemas import ErrorBody, ErrorOut, dialog_out
from app.errors import Malformed, NotFound, PerilError, TooLarge
from app.settings import Settings
from app.table.database import open_log
from app.table.log import Log
from app.table.service import Tables
from app.web import pages
from app.web.shown import Shown

API = "/api/v1"
VERSION = "0.1.0"
DESCRIPTION = """\
Drive a game table: create it, let avatars and bots act, watch what every prim shows.

A *table* goes from match to match. Whoever acts sends a *command*; what the table shows is a
*board*, prim name → frame; `seq` numbers the states of a table, and everything can be asked for
since a seq. Errors have one form: `{"error": {"code", "message"}}`.

This is a free game: L$ is never staked, paid or promised.
"""

log = structlog.get_logger("http")


def create_app(settings: Settings, store: Log | None = None, **parts: Any) -> FastAPI:
    """The whole service.  `store` and `parts` (dice, clock) are for tests and other set-ups.

    Raises `database.Unusable` if the embedded store cannot be opened.
    """
    logs.configure(settings)
    tables = Tables(store or open_log(settings.database), **parts)
    access = Access(tables.store, settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await tables.start()
        try:
            yield
        finally:
            await tables.stop()

    app = FastAPI(
        title="Peril Table",
        version=VERSION,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=f"{API}/docs",
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
    )
    app.state.tables = tables
    app.state.access = access
    for router in (
        play.router(tables, access),
        watch.router(tables, access, settings),
        tables_api.router(tables, access, settings),
        records.router(tables, access),
    ):
        app.include_router(router, prefix=API)
    app.include_router(system.router(tables))
    app.include_router(pages.router(Shown(tables), api=API))
    app.mount("/static", pages.static_files(), name="static")
    _handle_errors(app)
    app.add_middleware(BodyLimit, limit_bytes=settings.body_limit_bytes)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        parts = schema.setdefault("components", {}).setdefault("schemas", {})
        parts.update(schemas.components())
        app.openapi_schema = schema
    return app.openapi_schema


class BodyLimit:
    """Refuses request bodies over a size, told by their header or found while they come in."""

    def __init__(self, app: Any, limit_bytes: int) -> None:
        self.app = app
        self.limit_bytes = limit_bytes

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        length = next((v for k, v in scope["headers"] if k == b"content-length"), None)
        if length is not None and not _fits(length, self.limit_bytes):
            response = _error_response(TooLarge(self.limit_bytes))
            await response(scope, receive, send)
            return
        if length is not None:
            await self.app(scope, receive, send)
            return
        seen = 0

        async def counted() -> Any:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.limit_bytes:
                raise TooLarge(self.limit_bytes)
            return message

        await self.app(scope, counted, send)


def _fits(length: bytes, limit_bytes: int) -> bool:
    return length.isdigit() and len(length) < 20 and int(length) <= limit_bytes


def _error_response(error: PerilError) -> Response:
    out = ErrorOut(ErrorBody(error.code, error.message), dialog_out(error.extra.get("dialog")))
    return Response(msgspec.json.encode(out), error.status, media_type="application/json")


def _handle_errors(app: FastAPI) -> None:
    """Everything that goes wrong is told in one form."""

    @app.exception_handler(PerilError)
    async def told(_: Request, error: PerilError) -> Response:
        return _error_response(error)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return _error_response(Malformed(f"{where}: {first['msg']}."))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            if not request.url.path.startswith("/api/"):
                return pages.error_page(404)
            return _error_response(NotFound("address", request.url.path))
        told = PerilError("not_possible", f"{error.detail}.")
        told.status = error.status_code
        return _error_response(told)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        log.exception("unexpected_error", path=request.url.path, exc_info=error)
        told = PerilError("internal", "Something went wrong here. It has been written down.")
        told.status = 500
        return _error_response(told)
