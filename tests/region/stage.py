"""The emulated region with the clock on the wall, in a thread: what is seen and done there."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.api.schemas import AvatarIn, DialogOut, FramesOut, PressIn, SeatOut, TouchIn, WaitingOut
from app.display import Board, Frame, diff
from app.games import GAMES, texts

from . import Avatar, Prim, Region
from .live import LiveServer
from .venue import FIXED, SETS, Venue

TABLE = "region"
"""Id of the table on the page."""
TICK_S = 0.05
PATIENCE_S = 30.0
SCENES = 500
ROOT_FACE = 1


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
    huds: dict[str, Frame] = field(default_factory=dict)
    """Whose HUD or floater shows what, bots included."""

    def same(self, other: Scene) -> bool:
        return replace(self, seq=other.seq) == other


def frame(prim: Prim, pictures: dict[str, str], face: int = 0) -> Frame:
    """What a prim shows on one of its faces, as a frame; `pictures`: texture's key → picture."""
    colour, alpha = prim.color[face]
    hover, hover_colour, _ = prim.text
    texture = str(prim.texture[face][0])
    return Frame(
        picture=pictures.get(texture, "" if "-" in texture else texture),
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
            self.venue = Venue(Path(), region=Region(epoch=time.time()))
            self.region = self.venue.region
            self.region.strict = False
            with LiveServer(self.region):
                self.table = self.venue.build("My table", server=self.server)
                self._people[str(self.region.owner.key)] = self.region.owner
                inside = self.table.root.inventory.items()
                self._pictures = {str(item.key): name for name, item in inside}
                for game in GAMES:
                    for theme in texts.names(game):
                        known = texts.load(game, theme).pictures
                        self._pictures |= {key: name for name, key in known.items()}
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
        board = {name: frame(self.table.prim(name), self._pictures) for name in FIXED}
        board["root"] = frame(self.table.root, self._pictures, ROOT_FACE)
        engine = self.table.engine  # type: ignore[attr-defined]
        for name in SETS:
            box = engine.boxes.get(name)
            if box is not None:
                rows = tuple(row.ljust(box.width) for row in engine.text(name))
                colour = engine.style(name).get("c", "1,1,1").split(",")
                board[name] = Frame(rows=rows, color=_colour([float(part) for part in colour]))
        huds = {
            str(hud.script("hud")["gAvatar"]): frame(hud.root, self._pictures)
            for hud in self.region.objects
            if hud.name == "Peril HUD"
        }
        seen = {key: self._seen(who, huds.get(key)) for key, who in self._people.items()}
        scene = Scene(self.now.seq + 1, board, len(self.region.public_chat), seen, huds)
        if not scene.same(self.now):
            self.scenes.append(scene)

    @staticmethod
    def _seen(who: Avatar, hud: Frame | None) -> Seen:
        dialog, shown = who.dialog, None
        if dialog is not None:
            token = str(who.dialogs.index(dialog))
            shown = DialogOut(token, "", dialog.text, dialog.buttons, dialog.is_text_box)
        return Seen(len(who.lines), shown, hud)

    def since(
        self, seq: int | None, keys: Sequence[str], waiting: WaitingOut | None = None
    ) -> FramesOut:
        """The difference from a scene to now, in the words of the service."""
        now = self.now
        old = next((s for s in list(self.scenes) if s.seq == seq), None)
        if old is now:
            return FramesOut(TABLE, "", now.seq, "up_to_date", {}, [], {}, waiting)
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
            waiting=waiting,
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
