"""A venue: the real server and the real scripts of a table, in one emulated region."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from app.devices import wire
from app.display import Frame
from app.games.core import Dice
from app.main import create_app
from app.settings import Settings
from app.table.database import open_log
from app.table.hot import HotTable
from app.web.art import PICTURES
from tests.games.dice import SeededDice

from . import Avatar, Experience, Linkset, Region, Texture, furware
from .virtual import AsgiServer, RegionTransport, WatchedStore

LSL = Path(__file__).parents[2] / "lsl"
SCRIPTS = ("requests", "link", "controller", "dialogs", "display", "text", "huds")
FIXED = ["Scoreboard:0:0", "backboard:0:0", "TitleAction:0:0"]
FIXED += [
    f"{part}:{row}:{column}"
    for part in ("profile", "life", "overlay")
    for row in range(5)
    for column in range(2)
]
SETS = {"Leaderboard": (10, 3), "Status": (2, 3), "Dice": (1, 4)}
PRIMS = FIXED + [n for name, (r, c) in SETS.items() for n in furware.mesh_names(name, r, c)]
SERVER = "http://server.test"
QUICK = {"draw_shown_s": 1, "roll_shown_s": 1, "outcome_shown_s": 1, "elimination_shown_s": 1}


def picture_of(avatar: str) -> str:
    """The picture of a resident's profile here: another one for each."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, avatar))


def _profile(request: httpx.Request) -> httpx.Response:
    picture = picture_of(request.url.path.removeprefix("/resident/"))
    return httpx.Response(200, html=f'<html><meta name="imageid" content="{picture}"></html>')


class Venue:
    """A region, a server on its clock, and what a venue owner puts there."""

    def __init__(
        self, folder: Path, dice: Dice | None = None, region: Region | None = None, **settings: Any
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.dice = dice or SeededDice(1)
        self.region = region or Region()
        self.owner = self.region.owner
        self.experience = Experience("Peril", self.owner)
        self.pushes = RegionTransport(self.region)
        self.spoken: dict[tuple[str, int], tuple[tuple[str, str], ...]] = {}
        """What the server said on a table at a seq: (avatar or '', text)."""
        self.peaks: Counter[str] = Counter()
        """Most memory of each script that was seen in `play`."""
        self.server: AsgiServer
        self._open: Any = None

    # ---- the server

    def start_server(self) -> None:
        store = WatchedStore(open_log(self.folder / "peril.db"))
        app = create_app(
            Settings(data_dir=self.folder, log_level="error", **self.settings),
            store=store,  # type: ignore[arg-type]
            push_transport=self.pushes,
            resolve=_resolve,
            picture_transport=httpx.MockTransport(_profile),
            clock=self.region.clock,
            dice=self.dice,
        )
        self.app = app
        app.state.tables.listeners.append(self._spoke)
        self.server = AsgiServer(self.region, app, busy=store.busy)
        self.server.__enter__()

    def stop_server(self) -> None:
        self.server.__exit__()
        self.region.connect(_unreachable)

    def _spoke(self, table: HotTable) -> None:
        for state in table.states:
            self.spoken.setdefault((table.id, state.seq), state.lines)

    # ---- the table

    def build(
        self,
        name: str = "Peril Table",
        prims: list[str] = PRIMS,
        *,
        engine: bool = True,
        **settings: str,
    ) -> Linkset:
        """A table of 74 prims with all its scripts, as INSTALL.md has it."""
        table = self.region.object(name, prims)
        hud = Linkset("Peril HUD")
        hud.root.script(LSL / "hud.lsl", experience=self.experience)
        table.root.contain(hud)
        for picture in PICTURES:
            table.root.add(Texture(picture))
        if engine:
            table.engine = furware.install(table.root)  # type: ignore[attr-defined]
        lines = {"server": SERVER, **settings}
        table.root.notecard("Peril Table", "\n".join(f"{k} = {v}" for k, v in lines.items()))
        for script in SCRIPTS:
            table.root.script(LSL / f"{script}.lsl", experience=self.experience)
        self.region.run(10)
        return table

    def hot(self, table: Linkset) -> HotTable:
        """The server's side of the table."""
        device = str(table.script("link")["gDevice"])
        registry = next(iter(self.app.state.registry.by_table.values()))
        found = next(
            d for d in self.app.state.registry.by_table.values() if d.id == device or not registry
        )
        return self.app.state.tables.hot[found.table_id]  # type: ignore[no-any-return]

    def set_options(self, table: Linkset, **options: Any) -> None:
        from app.games import lobby
        from app.games.core import Actor

        hot = self.hot(table)
        owner = Actor(hot.owner, "Owner", owner=True)
        outcome = self.server.do(
            self.app.state.tables.submit(hot.id, owner, lobby.SetOptions(options=options))
        )
        assert outcome.refusal is None
        self.region.run(2)

    # ---- people

    def join(self, table: Linkset, *names: str, **more: Any) -> list[Avatar]:
        people = [self.region.avatar(f"Player{n} Resident", display_name=name, **more)
                  for n, name in enumerate(names)]  # fmt: skip
        for who in people:
            who.touch(table)
            self.region.run(2)
        return people

    def get_ready(self, people: list[Avatar]) -> None:
        for who in people[1:]:
            who.press("Ready")
            self.region.run(1)

    def menu(self, who: Avatar, table: Linkset, *labels: str) -> None:
        """Touch the table and press one button after the other."""
        who.touch(table)
        self.region.run(2)
        for label in labels:
            who.press(label)
            self.region.run(2)

    def answer(self, people: list[Avatar]) -> bool:
        """Whoever has a pick or roll dialog open answers it by the next press; False: nobody."""
        for who in people:
            dialog = who.dialog
            if dialog is None:
                continue
            label = next((b for b in dialog.buttons if b.isdecimal()), None)
            if "✅ Done" in dialog.buttons:
                label = "✅ Done"
            elif "ROLL THE DICE OF FATE" in dialog.buttons:
                label = "ROLL THE DICE OF FATE"
            if label is not None:
                who.press(label)
                return True
        return False

    def play(self, table: Linkset, people: list[Avatar], limit_s: float = 4000) -> None:
        """Until somebody has won, checking at each step that the prims show the board."""
        end = self.region.now + limit_s
        while self.hot(table).now.match.stage != "over":
            assert self.region.now < end, "the match does not end"
            if not self.answer(people):
                self.region.run(1)
            self.region.run(1.5)
            self.same(table)
            for runner in table.root.runners.values():
                self.peaks[runner.name] = max(self.peaks[runner.name], runner.used_bytes())

    # ---- looking

    def same(self, table: Linkset) -> None:
        """What the prims show is the server's board at the state that the table painted last."""
        link = table.script("link")
        seq = -1
        while link["gSeq"] != seq:
            seq = int(link["gSeq"])
            self.region.run(0.2)
        state = self.hot(table).at(seq)
        assert state is not None
        board = state.board
        for name, frame in board.items():
            if frame.rows:
                shown = table.engine.text(name)  # type: ignore[attr-defined]
                assert [r.rstrip() for r in shown] == [r.rstrip() for r in frame.rows], name
            else:
                self._same_prim(table, name, frame)

    def _same_prim(self, table: Linkset, name: str, frame: Frame) -> None:
        prim = table.root if name == "root" else table.prim(name)
        face = 1 if name == "root" else 0
        colour, alpha = prim.color[face]
        assert tuple(round(c, 3) for c in colour) == frame.color, name
        assert round(alpha, 3) == frame.alpha, name
        assert round(prim.glow[face], 3) == frame.glow, name
        if frame.picture:
            assert prim.texture[face][0] == frame.picture, name
        if name == "root":
            assert prim.text[0] == wire.safe(frame.text).replace(wire.BREAK, "\n")
            assert bool(prim.particles) == (frame.effect == "confetti")

    def same_huds(self, table: Linkset) -> None:
        """Every seat that has a HUD or floater on the server has one here that shows the same."""
        self.same(table)
        now = self.hot(table).now
        wanted = {str(s.key): now.hud(s.key) for s in now.match.seats}
        wanted = {key: frame for key, frame in wanted.items() if frame is not None}
        objects = [o for o in self.region.objects if o.name == "Peril HUD"]
        found = {str(o.script("hud")["gAvatar"]): o for o in objects}
        assert len(objects) == len(found)
        assert set(found) == set(wanted)
        for key, frame in wanted.items():
            prim = found[key].root
            assert frame is not None
            assert prim.text[0] == wire.safe(frame.text).replace(wire.BREAK, "\n")
            assert tuple(round(c, 3) for c in prim.color[0][0]) == frame.color
            assert round(prim.glow[0], 3) == frame.glow

    def same_words(self, table: Linkset, people: list[Avatar]) -> None:
        """What the server said was said once each: in public, or to the right one alone."""
        hot = self.hot(table)
        for who in ["", *(p.key for p in people)]:
            told = [
                wire.safe(text).replace(wire.BREAK, "\n")
                for (table_id, _), lines in sorted(self.spoken.items())
                for to, text in lines
                if table_id == hot.id and to == who
            ]
            heard = self.region.public_chat
            if who:
                heard = next(p.lines for p in people if p.key == who)
            assert Counter(line.text for line in heard) == Counter(told)

    def huds(self) -> dict[str, Linkset]:
        """Name of the wearer (or bot's hover text line) → HUD or floater in the region or worn."""
        return {
            str(o.root.text[0]).split("\n")[1]: o
            for o in self.region.objects
            if o.name == "Peril HUD" and "\n" in str(o.root.text[0])
        }


async def _resolve(_: str, __: int) -> list[str]:
    return ["8.8.8.8"]


def _unreachable(*_: Any) -> Any:
    raise ConnectionError("the server is away")


@contextmanager
def venue(folder: Path, dice: Dice | None = None, **settings: Any) -> Iterator[Venue]:
    made = Venue(folder, dice, **settings)
    made.start_server()
    try:
        yield made
    finally:
        made.server.__exit__()
