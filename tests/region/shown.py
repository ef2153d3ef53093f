"""A table in the emulated region on a page: the prims as the real scripts paint them.

The real server runs on a port of its own, the region with the clock on the wall in one thread; the
page is the service's own, but its news are read off prims and avatars, and its touches and presses
are those of avatars in the region.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import socket
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import httpx
import msgspec
import uvicorn
from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import StreamingResponse

from app.api.schemas import (
    AnswerOut,
    AvatarIn,
    DialogOut,
    FramesOut,
    PressIn,
    SeatOut,
    TouchIn,
    error_out,
)
from app.display import Board, Frame, diff
from app.games import GAMES, texts
from app.main import create_app
from app.settings import Settings
from app.web import pages

from . import Avatar, Prim
from .live import LiveServer
from .venue import FIXED, SETS, Venue

TABLE = "region"
"""Id of the table on the page."""
TICK_S = 0.05
PATIENCE_S = 30.0
SCENES = 500
GAME = next(iter(GAMES))
ROOT_FACE = 1

Since = Annotated[int | None, Query()]
Keys = Annotated[list[str], Query(alias="avatar")]


class Refused(Exception):
    """Nobody can do that in the region just now."""


# ---- what is seen ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """What one avatar has before him; `lines`: how many were said to him so far."""

    lines: int = 0
    dialog: DialogOut | None = None
    hud: Frame | None = None


@dataclass(frozen=True)
class Scene:
    """The region at one moment."""

    seq: int
    board: Board
    lines: int
    seen: dict[str, Seen] = field(default_factory=dict)

    def same(self, other: Scene) -> bool:
        return (self.board, self.lines, self.seen) == (other.board, other.lines, other.seen)


def picture(name: str) -> str:
    """The picture of a texture: its name in the table, or the theme's whose key it is."""
    for theme in texts.names(GAME):
        for known, key in texts.load(GAME, theme).pictures.items():
            if key == name:
                return known
    return name if "-" not in name else ""


def frame(prim: Prim, face: int = 0) -> Frame:
    """What a prim shows on one of its faces, as a frame."""
    colour, alpha = prim.color[face]
    hover, hover_colour, _ = prim.text
    return Frame(
        picture=picture(str(prim.texture[face][0])),
        color=_colour(colour),
        alpha=round(alpha, 3),
        glow=round(prim.glow[face], 3),
        text=str(prim.shown and hover),
        text_color=_colour(hover_colour),
        effect="confetti" if prim.particles else "",
    )


def _colour(value: Sequence[float]) -> tuple[float, float, float]:
    red, green, blue = (round(float(part), 3) for part in value)
    return red, green, blue


# ---- the region -----------------------------------------------------------------------------


class Stage:
    """The region with its table, in a thread of its own; others ask it to do things."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.scenes: deque[Scene] = deque([Scene(1, {}, 0)], maxlen=SCENES)
        self.ready = threading.Event()
        self.problem: BaseException | None = None
        self._orders: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._closing = False
        self._done: dict[str, Future[Any]] = {}
        self._people: dict[str, Avatar] = {}
        self._thread = threading.Thread(target=self._run, name="region", daemon=True)

    def start(self) -> None:
        self._thread.start()
        if not self.ready.wait(PATIENCE_S) or self.problem:
            raise RuntimeError("the region does not start") from self.problem

    def close(self) -> None:
        self._closing = True
        self._thread.join(PATIENCE_S)

    @property
    def now(self) -> Scene:
        return self.scenes[-1]

    def _run(self) -> None:
        try:
            self.venue = Venue(Path())
            self.region = self.venue.region
            self.region.strict = False
            with LiveServer(self.region):
                self.table = self.venue.build("My table", server=self.server)
                self._people[str(self.region.owner.key)] = self.region.owner
                self._look()
                self.ready.set()
                self._play()
        except BaseException as error:
            self.problem = error
            self.ready.set()
            raise

    def _play(self) -> None:
        then, told = time.monotonic(), 0
        while not self._closing:
            with contextlib.suppress(queue.Empty):
                do, done = self._orders.get(timeout=TICK_S)
                try:
                    done.set_result(do())
                except Exception as error:
                    done.set_exception(error)
            now = time.monotonic()
            self.region.run(now - then)
            then = now
            self._look()
            for runner, error in self.region.errors[told:]:
                print(f"script {runner.name}: {error}", file=sys.stderr)
            told = len(self.region.errors)

    # ---- looking at it

    def _look(self) -> None:
        board = {name: frame(self.table.prim(name)) for name in FIXED}
        board["root"] = frame(self.table.root, ROOT_FACE)
        engine = self.table.engine  # type: ignore[attr-defined]
        for name in SETS:
            box = engine.boxes.get(name)
            if box is not None:
                rows = tuple(row.ljust(box.width) for row in engine.text(name))
                colour = engine.style(name).get("c", "1,1,1").split(",")
                board[name] = Frame(rows=rows, color=_colour([float(part) for part in colour]))
        seen = {key: self._seen(who) for key, who in self._people.items()}
        scene = Scene(self.now.seq + 1, board, len(self.region.public_chat), seen)
        if not scene.same(self.now):
            self.scenes.append(scene)

    @staticmethod
    def _seen(who: Avatar) -> Seen:
        dialog, shown = who.dialog, None
        if dialog is not None:
            token = str(who.dialogs.index(dialog))
            shown = DialogOut(token, "", dialog.text, dialog.buttons, dialog.is_text_box)
        worn = next((w for w in who.attachments if w.name == "Peril HUD"), None)
        return Seen(len(who.lines), shown, frame(worn.root) if worn else None)

    def since(self, seq: int | None, keys: Sequence[str]) -> FramesOut:
        """The difference from a scene to now, in the words of the service."""
        now = self.now
        old = next((s for s in list(self.scenes) if s.seq == seq), None)
        if old is now:
            return FramesOut(TABLE, "", now.seq, "up_to_date", {}, [], {}, None)
        said = self.region.public_chat[old.lines : now.lines] if old else []
        seats = {key: self._seat(key, old, now) for key in keys}
        return FramesOut(
            table=TABLE,
            match="",
            seq=now.seq,
            kind="changes" if old else "whole",
            frames=diff(old.board, now.board) if old else now.board,
            lines=[line.text for line in said],
            seats=seats,
            waiting=None,
        )

    def _seat(self, key: str, old: Scene | None, now: Scene) -> SeatOut:
        was = old.seen.get(key, Seen()) if old else Seen()
        seen = now.seen.get(key, Seen())
        out = SeatOut()
        if key in self._people:
            told = self._people[key].lines[was.lines if old else seen.lines : seen.lines]
            out.lines = [line.text for line in told]
        if seen.dialog != was.dialog:
            out.dialog = seen.dialog
        if old is None or seen.hud != was.hud:
            out.hud = seen.hud
        return out

    # ---- doing things in it

    async def do(self, command_id: str | None, what: Callable[[], None]) -> None:
        """Let something happen in the region; sent again, it happens once."""
        done = self._done.get(command_id or "")
        if done is None:
            done = Future()
            if command_id:
                self._done[command_id] = done
            self._orders.put((what, done))
        await asyncio.wrap_future(done)

    def _avatar(self, said: AvatarIn) -> Avatar:
        """Somebody; who acts for the first time comes into the region."""
        who = self._people.get(said.key)
        if who is None:
            name = f"Guest{len(self._people)} Resident"
            who = self.region.avatar(name, display_name=said.name or name, key=said.key)
            self._people[said.key] = who
        return who

    def touch(self, sent: TouchIn) -> None:
        who = self._avatar(sent.avatar)
        if sent.prim == "Leaderboard":
            rows, columns = SETS["Leaderboard"]
            row, column = min(sent.row, rows - 1), min(sent.column // 8, columns - 1)
            mesh = f"FURWARE text mesh:Leaderboard:{row}:{column}:8"
            who.touch(self.table, mesh, face=sent.column % 8)
        else:
            who.touch(self.table, face=ROOT_FACE)

    def press(self, sent: PressIn) -> None:
        who = self._avatar(sent.avatar)
        dialog = who.dialog
        if dialog is None or sent.token != str(who.dialogs.index(dialog)):
            raise Refused("That dialog is no longer open.")
        if dialog.is_text_box:
            who.answer_textbox(sent.button)
        elif sent.button in dialog.buttons:
            who.press(sent.button, dialog)
        else:
            raise Refused("That dialog has no such button.")


# ---- the page -------------------------------------------------------------------------------


class Shown:
    """The region's table as the pages ask for it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def server_view(self) -> dict[str, Any]:
        """Names, lives and options, which no prim shows: the server's table."""
        tables = f"{self._stage.server}/api/v1/tables"
        async with httpx.AsyncClient() as client:
            first = (await client.get(tables)).json()["tables"][0]["id"]
            view: dict[str, Any] = (await client.get(f"{tables}/{first}")).json()
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
            locked=view["locked"],
        )

    async def listing(self) -> Sequence[pages.TableListing]:
        view = await self.snapshot(TABLE)
        assert view is not None
        sides = view.id, view.name, view.game, view.title, view.stage, len(view.seats)
        return [pages.TableListing(*sides, 10, view.locked)]


def page(stage: Stage) -> FastAPI:
    """The service's page of the region's table, with the little of the REST API that it uses."""
    app = FastAPI(openapi_url=None)
    shown = Shown(stage)
    root = f"/api/v1/tables/{TABLE}"

    @app.get(root)
    async def table() -> dict[str, Any]:
        return await shown.server_view()

    @app.get(f"{root}/frames")
    async def frames(since: Since = None, keys: Keys = []) -> Response:  # noqa: B006
        return _json(stage.since(since, keys))

    @app.get(f"{root}/stream")
    async def stream(request: Request, since: Since = None, keys: Keys = []) -> Response:  # noqa: B006
        async def news() -> AsyncIterator[bytes]:
            known = since
            while not await request.is_disconnected():
                if stage.now.seq != known:
                    out = stage.since(known, keys)
                    known = out.seq
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
def playing(port: int = 0, server_port: int = 0) -> Iterator[tuple[str, Stage]]:
    """Server, region and page; the page's address."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        shown_at = listen(port)
        stack.callback(shown_at.close)
        served_at = listen(server_port)
        settings = Settings(
            data_dir=Path(folder), port=served_at.getsockname()[1], log_level="error"
        )
        server = stack.enter_context(serving(create_app(settings), served_at))
        stage = Stage(server)
        stage.start()
        stack.callback(stage.close)
        shown = stack.enter_context(serving(page(stage), shown_at))
        yield f"{shown}/t/{TABLE}", stage
