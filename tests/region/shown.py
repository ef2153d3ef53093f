"""A table in the emulated region on a page: the prims as the real scripts paint them.

The real server runs on a port of its own, the region with the clock on the wall in one thread; the
page is the service's own, but its news are read off prims and avatars, and its touches and presses
are those of avatars in the region.  Whom the game waits for no prim shows: that is the server's.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Annotated, Any

import httpx
import msgspec
import uvicorn
from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import StreamingResponse

from app.api.schemas import AnswerOut, PressIn, TouchIn, WaitingOut, error_out
from app.games import GAMES
from app.main import create_app
from app.settings import Settings
from app.web import boards, pages, reading

from .stage import PATIENCE_S, TABLE, TICK_S, Refused, Stage

WAIT_S = 20.0

Since = Annotated[int | None, Query()]
Keys = Annotated[list[str], Query(alias="avatar")]


class Shown:
    """The region's table as the pages ask for it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._server = httpx.AsyncClient(base_url=f"{stage.server}/api/v1", timeout=2 * WAIT_S)
        self.waited: tuple[list[str], float | None] = [], None
        """Who is waited for, and until when."""

    @asynccontextmanager
    async def following(self, _: FastAPI) -> AsyncIterator[None]:
        """Ask the server whom it waits for, as long as the page is served."""
        task = asyncio.ensure_future(self._follow())
        yield
        task.cancel()
        await self._server.aclose()

    async def _follow(self) -> None:
        query: dict[str, float] = {"wait_s": WAIT_S}
        while True:
            try:
                frames = f"/tables/{await self._table()}/frames"
                asked = await self._server.get(frames, params=query)
                news = asked.raise_for_status().json()
            except httpx.HTTPError:
                await asyncio.sleep(1)
                continue
            query["since"] = news["seq"]
            waiting = news["waiting"] or {"for": [], "left_s": None}
            left_s = waiting["left_s"]
            self.waited = waiting["for"], None if left_s is None else time.monotonic() + left_s

    @property
    def waiting(self) -> WaitingOut | None:
        names, until = self.waited
        left_s = None if until is None else max(until - time.monotonic(), 0.0)
        return WaitingOut(names, left_s) if names else None

    async def _table(self) -> str:
        id: str = (await self._server.get("/tables")).json()["tables"][0]["id"]
        return id

    async def server_view(self) -> dict[str, Any]:
        """Names, lives and options, which no prim shows: the server's; bots with their floaters."""
        view: dict[str, Any] = (await self._server.get(f"/tables/{await self._table()}")).json()
        huds = self._stage.now.huds
        for seat in view["state"]["seats"]:
            if seat.get("bot") and seat["key"] in huds:
                seat["floater"] = msgspec.to_builtins(huds[seat["key"]])
        owner = self._stage.region.owner
        mine = {"id": TABLE, "owner": {"key": str(owner.key), "name": owner.display_name}}
        return {**view, **mine}

    async def snapshot(self, table_id: str) -> pages.TableView | None:
        if table_id != TABLE:
            return None
        view, scene = await self.server_view(), self._stage.now
        starter = view["state"].get("starter")
        return pages.TableView(
            id=TABLE,
            name=view["name"],
            game=view["game"],
            title=GAMES[view["game"]].title,
            owner_key=view["owner"]["key"],
            owner_name=view["owner"]["name"],
            seq=scene.seq,
            stage=view["stage"],
            board=scene.board,
            options_text=view["options_text"],
            seats=[{**seat, "starter": seat["key"] == starter} for seat in view["state"]["seats"]],
            waiting_for=self.waited[0],
            locked=view["locked"],
        )

    async def front(self) -> pages.Front:
        view = await self.snapshot(TABLE)
        assert view is not None
        sides = view.id, view.name, view.game, view.title, view.stage, len(view.seats)
        return pages.Front([pages.TableListing(*sides, 10, view.locked)])


def page(stage: Stage) -> FastAPI:
    """The service's page of the region's table, with the little of the REST API that it uses."""
    shown = Shown(stage)
    app = FastAPI(openapi_url=None, lifespan=shown.following)
    root = f"/api/v1/tables/{TABLE}"

    @app.get(root)
    async def table() -> dict[str, Any]:
        return await shown.server_view()

    @app.get(f"{root}/frames")
    async def frames(since: Since = None, keys: Keys = []) -> Response:  # noqa: B006
        return _json(stage.since(since, keys, shown.waiting))

    @app.get(f"{root}/stream")
    async def stream(request: Request, since: Since = None, keys: Keys = []) -> Response:  # noqa: B006
        async def news() -> AsyncIterator[bytes]:
            known, waiting = since, None
            while not await request.is_disconnected():
                if stage.now.seq != known or shown.waited != waiting:
                    out = stage.since(known, keys, shown.waiting)
                    known, waiting = out.seq, shown.waited
                    body = msgspec.json.encode(out)
                    yield b"event: news\nid: %d\ndata: %s\n\n" % (known, body)
                await asyncio.sleep(TICK_S)

        return StreamingResponse(news(), media_type="text/event-stream")

    async def act(request: Request, takes: type, do: Callable[[Any], None]) -> Response:
        try:
            sent = msgspec.json.decode(await request.body(), type=takes)
            await stage.do(sent.id, lambda: do(sent))
        except msgspec.MsgspecError as error:
            return _json_bytes(error_out("malformed", str(error)), 422)
        except Refused as error:
            return _json_bytes(error_out("not_due", str(error)), 409)
        return _json(AnswerOut("", stage.now.seq, [], None))

    @app.post(f"{root}/touches")
    async def touch(request: Request) -> Response:
        return await act(request, TouchIn, stage.touch)

    @app.post(f"{root}/presses")
    async def press(request: Request) -> Response:
        return await act(request, PressIn, stage.press)

    app.include_router(pages.router(shown))
    app.include_router(reading.router())
    app.include_router(boards.router(shown))
    app.mount("/static", pages.static_files())
    return app


def _json(value: Any) -> Response:
    return _json_bytes(msgspec.json.encode(value), 200)


def _json_bytes(body: bytes, status: int) -> Response:
    return Response(body, status, media_type="application/json")


# ---- all of it ------------------------------------------------------------------------------


def listen(port: int) -> socket.socket:
    """A socket on this machine; 0 is any free port.  OSError if it is taken."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def address(listening: socket.socket) -> str:
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def serving(app: FastAPI, listening: socket.socket) -> Iterator[str]:
    """An app in a thread of its own; its address."""
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield address(listening)
    finally:
        if hasattr(app.state, "watchers"):
            app.state.watchers.close()
        server.should_exit = True
        thread.join(PATIENCE_S)
        listening.close()


@contextmanager
def playing(port: int = 0, server_port: int = 0, **more: Any) -> Iterator[tuple[str, Stage]]:
    """Server (with more settings), region and page; the page's address."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        shown_at = listen(port)
        stack.callback(shown_at.close)
        served_at = listen(server_port)
        settings = Settings(
            data_dir=Path(folder), port=served_at.getsockname()[1], log_level="error", **more
        )
        server = stack.enter_context(serving(create_app(settings), served_at))
        stage = Stage(server)
        stage.start()
        stack.callback(stage.close)
        shown = stack.enter_context(serving(page(stage), shown_at))
        yield f"{shown}/t/{TABLE}", stage
