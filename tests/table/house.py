"""A table to try things at: the real service on a real file, with a clock and dice of our own.

People touch the table, press buttons of dialogs they were shown, and see what a device in-world
would show them: `House` paints its board by applying one difference after the other.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from games.dice import ScriptedDice, SeededDice
from sqlmodel import Session

from app import display
from app.display import Board, Frame
from app.games import lobby
from app.games.core import SERVER, Actor, Command, Key
from app.games.peril import words as peril
from app.table import news, talk
from app.table.database import open_postgres
from app.table.history import entries_since
from app.table.hot import Dialog, HotTable
from app.table.log import Append, StoreBusy
from app.table.models import EntryRow
from app.table.service import Tables
from app.table.sqlite import SqliteLog

T = TypeVar("T")

ROLL = "ROLL THE DICE OF FATE"
DONE = "✅ Done"
NEXT, PREVIOUS = "Next ▶", "◀ Prev"
SWEEP_MS = 10_000


class Clock:
    """Seconds since 1970, standing still until somebody moves it."""

    def __init__(self) -> None:
        self.ms = 1_750_000_000_000

    def __call__(self) -> float:
        return (self.ms + 0.25) / 1000  # a little more, so that it never rounds to the one before


class LoadedDice(ScriptedDice):
    """Dice that fall as somebody said, and fairly where nobody said anything."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__()
        self.fair = SeededDice(seed)

    def roll(self, sides: int, why: str) -> int:
        return super().roll(sides, why) if why in self.left else self.fair.roll(sides, why)

    def choose(self, options: Sequence[T], why: str) -> T:
        return (super() if why in self.left else self.fair).choose(options, why)

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        return (super() if why in self.left else self.fair).sample(options, count, why)


class Store:
    """The real store, which counts its appends and can be told to be busy or slow."""

    def __init__(self, where: Path | str) -> None:
        self.log = SqliteLog(where) if isinstance(where, Path) else open_postgres(where)
        self.appends: list[Append] = []
        self.busy = 0
        """So many appends are refused, as by a full disk."""
        self.gate: asyncio.Event | None = None
        """Appends wait until it opens."""

    async def append(self, append: Append) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if self.busy:
            self.busy -= 1
            raise StoreBusy("database or disk is full")
        self.appends.append(append)
        await self.log.append(append)

    async def run(self, work: Callable[[Session], T]) -> T:
        return await self.log.run(work)

    @property
    def shared(self) -> bool:
        return self.log.shared

    async def enter(self) -> bool:
        return await self.log.enter()

    async def entered(self) -> None:
        await self.log.entered()

    async def stay(self) -> None:
        await self.log.stay()

    async def leave(self) -> None:
        await self.log.leave()

    def close(self) -> None:
        self.log.close()


@dataclass(eq=False)
class Avatar:
    """Somebody (or a bot) at the table, and what he was shown and told."""

    key: Key
    name: str
    owner: bool = False
    shown: list[Dialog] = field(default_factory=list)
    """Every dialog he got, the open one last."""
    told: list[str] = field(default_factory=list)
    """Lines to him alone."""
    hud: Frame | None = None

    @property
    def actor(self) -> Actor:
        return Actor(self.key, self.name, self.owner)

    @property
    def dialog(self) -> Dialog:
        assert self.shown, f"{self.name} has no dialog"
        return self.shown[-1]

    @property
    def menu(self) -> str:
        """Name of the open dialog."""
        return self.dialog.made.name

    @property
    def text(self) -> str:
        return self.dialog.made.text

    @property
    def labels(self) -> set[str]:
        return {b.label for b in self.dialog.made.buttons}

    def gets(self, dialog: Dialog | None) -> None:
        if dialog is not None and not (self.shown and self.dialog.token == dialog.token):
            self.shown.append(dialog)


@dataclass(frozen=True)
class Answer:
    """What somebody got for what he did.  `refused`: the code, or "" if it was done."""

    match: str
    seq: int
    refused: str
    said: str
    dialog: Dialog | None


class House:
    """One table with its people; see the module."""

    def __init__(self, path: Path | str, seed: int = 1) -> None:
        self.path = path
        """The file of its database, or the address of one in PostgreSQL."""
        self.clock = Clock()
        self.dice: LoadedDice | None = LoadedDice(seed)
        """None: the dice of the service itself."""
        self.people: dict[Key, Avatar] = {}
        self.owner = self.avatar("Olga", owner=True)
        self.public: list[str] = []
        """All lines said in open chat."""
        self.news: list[news.News] = []
        self.statuses: list[tuple[float, str]] = []
        """When each status text appeared (seconds on the clock), and the text."""
        self.board: Board = {}
        self.seq: int | None = None
        self.id = ""
        self._heard = 0
        self._next_sweep_ms = 0

    async def open(self, game: str = "peril", **options: Any) -> "House":
        await self._serve()
        made = await self.tables.create("House", self.owner.key, "Olga", game, options=options)
        self.id = made.id
        await self.look()
        return self

    async def next_door(self, **options: Any) -> "House":
        """Another table of the same service, with people of its own."""
        door = House(self.path)
        door.clock, door.dice, door.tables = self.clock, self.dice, self.tables
        door.store = self.store
        made = await self.tables.create("Next door", door.owner.key, "Olga", options=options)
        door.id = made.id
        await door.look()
        return door

    async def _serve(self) -> None:
        self.store = Store(self.path)
        self.tables = Tables(self.store, self.dice, self.clock)
        await self.tables.start()
        await self.tables.timers.stop()  # the house moves the clock and fires what is due

    async def restart(self) -> None:
        """Stop the service and start another one on the same file."""
        await self.close()
        await self._serve()
        await self.look()

    async def close(self) -> None:
        await self.tables.stop()

    # ---- people -----------------------------------------------------------------------------

    def avatar(self, name: str, key: str = "", owner: bool = False) -> Avatar:
        key = key or f"00000000-0000-4000-8000-{len(self.people):012}"
        made = self.people[Key(key)] = Avatar(Key(key), name, owner)
        return made

    def avatars(self, *names: str) -> list[Avatar]:
        return [self.avatar(name) for name in names]

    def bot(self, number: int) -> Avatar:
        return self.people[Key(f"bot:{number}")]

    # ---- what people do ---------------------------------------------------------------------

    async def touch(self, who: Avatar, command_id: str | None = None) -> Answer:
        return await self._got(
            who, await talk.touch(self.tables, self.id, who.actor, command_id=command_id)
        )

    async def press(
        self,
        who: Avatar,
        label: str,
        dialog: Dialog | None = None,
        command_id: str | None = None,
    ) -> Answer:
        """Press a button of the open dialog, or of an old one that is still on the screen."""
        dialog = dialog or who.dialog
        offered = [b.label for b in dialog.made.buttons]
        assert label in offered, f"{who.name} has no {label!r} in {dialog.made.name}: {offered}"
        return await self.send_press(who, dialog.token, label, command_id)

    async def send_press(
        self, who: Avatar, token: str, label: str, command_id: str | None = None
    ) -> Answer:
        """A press as it comes over the wire, whoever may have been shown that dialog."""
        pressed = talk.press(self.tables, self.id, who.actor, token, label, command_id)
        return await self._got(who, await pressed)

    async def command(self, who: Avatar, what: Command, command_id: str | None = None) -> Answer:
        sent = talk.command(self.tables, self.id, who.actor, what, command_id)
        return await self._got(who, await sent)

    async def touch_ranking(self, who: Avatar, column: int, row: int) -> Answer:
        turned = talk.turn_ranking(self.tables, self.id, who.actor, column, row)
        return await self._got(who, await turned)

    async def _got(self, who: Avatar, answer: talk.Answer) -> Answer:
        who.gets(answer.dialog)
        who.told += filter(None, [answer.aside])
        await self.look()
        refusal = answer.refusal
        said = self.table.now.theme_of(who.key).refusal(refusal) if refusal else ""
        code = refusal.code if refusal else ""
        return Answer(answer.match_id, answer.seq, code, said, answer.dialog)

    # ---- what they see ----------------------------------------------------------------------

    async def look(self) -> None:
        """Everybody sees what is new, as a device that asks for the difference paints it."""
        table = await self.tables.table(self.id)
        for seat in table.now.match.seats:
            self.people.setdefault(seat.key, Avatar(seat.key, seat.name))
        got = news.since(table, self.seq, list(self.people), self.clock.ms)
        self.seq = got.seq
        self.news.append(got)
        self.public += got.lines
        self.board = got.frames if got.kind == "whole" else {**self.board, **got.frames}
        assert self.board == table.now.board, "the differences do not add up to the board"
        if not self.statuses or self.statuses[-1][1] != self.status:
            self.statuses.append((self.clock.ms / 1000, self.status))
        for key, seat in got.seats.items():
            who = self.people[key]
            who.told += seat.lines
            who.gets(seat.dialog)
            if seat.hud_changed:
                who.hud = seat.hud

    def hear(self) -> list[str]:
        """Public lines since the last time somebody listened."""
        new = self.public[self._heard :]
        self._heard = len(self.public)
        return new

    @property
    def table(self) -> HotTable:
        return self.tables.hot[self.id]

    @property
    def state(self) -> Any:
        """The public view of the match."""
        return self.table.now.public

    @property
    def status(self) -> str:
        return self.text("Status")

    def text(self, name: str) -> str:
        """A text set as people read it."""
        return " / ".join(filter(None, (row.strip() for row in self.board[name].rows)))

    @property
    def hover(self) -> str:
        return self.board["root"].text

    @property
    def picture(self) -> str:
        return self.board["TitleAction:0:0"].picture

    def draw(self) -> str:
        return display.draw(self.board)

    def slot(self, number: int) -> tuple[Frame, Frame, Frame]:
        """Profile, hearts and overlay of a place, counted from 0."""
        place = f"{number // 2}:{number % 2}"
        profile, life, overlay = (f"{part}:{place}" for part in ("profile", "life", "overlay"))
        return self.board[profile], self.board[life], self.board[overlay]

    def players(self) -> list[str]:
        return [s.name for s in self.state.seats]

    @property
    def lives(self) -> dict[str, int]:
        return {s.name: s.lives for s in self.state.seats}

    @property
    def picked(self) -> dict[str, tuple[int, ...]]:
        return {s.name: s.picks for s in self.state.seats}

    @property
    def peril(self) -> str:
        return next((s.name for s in self.state.seats if s.in_peril), "")

    @property
    def asked(self) -> list[str]:
        """Who is waited for."""
        return [self.people[k].name for k in self.state.waiting_for]

    async def entries(self, after_seq: int) -> list[EntryRow]:
        """What the log has of this table after a state."""
        return await entries_since(self.store, self.id, after_seq, 1000)

    async def ranking(self, scope: str | None = None) -> list[tuple[str, int, int]]:
        """Name, wins, losses; all pages.  Scope "" is the whole service."""
        rows: list[tuple[str, int, int]] = []
        where = self.id if scope is None else scope
        page = await self.tables.ranking(where, "peril", 0)
        for number in range(page.pages):
            page = await self.tables.ranking(where, "peril", number)
            rows += [(r.name, r.wins, r.losses) for r in page.rows]
        return rows

    # ---- the clock --------------------------------------------------------------------------

    async def advance(self, seconds: float) -> None:
        """Let time pass; deadlines and the service's rounds come when they are due."""
        end_ms = self.clock.ms + round(seconds * 1000)
        while (step_ms := self._next_ms()) is not None and step_ms <= end_ms:
            await self._move_to(step_ms)
        self.clock.ms = end_ms

    async def tick(self) -> None:
        """Let time pass until the next thing that is due has happened."""
        step_ms = self._next_ms()
        assert step_ms is not None, "nothing is due"
        await self._move_to(step_ms)

    def _next_ms(self) -> int | None:
        due = self.tables.timers.next_due_ms()
        sweep = self._next_sweep_ms if self.tables.keeper.seen else None
        return min((ms for ms in (due, sweep) if ms is not None), default=None)

    async def _move_to(self, ms: int) -> None:
        self.clock.ms = max(self.clock.ms, ms)
        await self.tables.timers.run_due()
        if self.tables.keeper.seen and self.clock.ms >= self._next_sweep_ms:
            self._next_sweep_ms = self.clock.ms + SWEEP_MS
            await self.tables.keeper.sweep()
        await self.look()

    async def until(self, moment: str) -> None:
        """Let time pass until the match is at `moment`."""
        for _ in range(20):
            if self.state.moment == moment:
                return
            await self.tick()
        raise AssertionError(f"never came to {moment}: {self.draw()}")

    async def run_out(self) -> None:
        """Let time pass until the match is over and its table open again."""
        number = self.table.number
        for _ in range(20_000):
            if self.table.number > number:
                return
            await self.tick()
        raise AssertionError(f"the match does not end: {self.draw()}")

    # ---- short ways -------------------------------------------------------------------------

    def falls(self, **results: Any) -> None:
        """How the dice fall next: `falls(peril=[ada], roll=[5], pick=[(1, 2)])`."""
        results = {
            why: [r.key if isinstance(r, Avatar) else r for r in fallen]
            for why, fallen in results.items()
        }
        assert self.dice is not None
        self.dice.then(**results)

    async def join(self, *people: Avatar) -> None:
        for who in people:
            await self.touch(who)
            if who.menu == "owner_choice":
                await self.press(who, "Join Game")
            assert who.menu == "lobby", f"{who.name} is not in: {who.menu}"

    async def add_bots(self, count: int) -> None:
        for _ in range(count):
            assert not (await self.command(self.owner, lobby.AddBot())).refused

    async def ready(self, *people: Avatar) -> None:
        for who in people:
            await self.touch(who)
            if "Ready" in who.labels:
                await self.press(who, "Ready")

    async def press_start(self, who: Avatar) -> Answer:
        await self.touch(who)
        return await self.press(who, "Start Game")

    async def start(self, *people: Avatar, peril: Avatar | str, bots: int = 0) -> None:
        """Everybody joins, is ready and starts; then the first round is on, `peril` to pick."""
        await self.join(*people)
        await self.add_bots(bots)
        await self.ready(*people)
        self.falls(peril=[peril])
        assert not (await self.press_start(people[0] if people else self.owner)).refused
        await self.until("picking")

    async def choose(self, who: Avatar, number: int) -> Answer:
        """Press a number in the pick dialog, turning pages until it is there."""
        assert who.menu == "pick", f"{who.name} is not asked to pick"
        while PREVIOUS in who.labels and str(number) not in who.labels:
            await self.press(who, PREVIOUS)
        while NEXT in who.labels and str(number) not in who.labels:
            await self.press(who, NEXT)
        return await self.press(who, str(number))

    async def pick(self, who: Avatar, *numbers: int) -> None:
        """Choose these numbers in the dialog and confirm; a bot picks them after its pause."""
        assert self.asked == [who.name]
        if who.key.startswith("bot:"):
            self.falls(pick=[numbers])
            await self.tick()
            return
        for number in numbers:
            await self.choose(who, number)
        assert not (await self.press(who, DONE)).refused

    async def stake(self, who: Avatar, *numbers: int) -> Answer:
        """The same as one command, without the dialog."""
        return await self.command(who, peril.Pick(numbers))

    async def roll(self, number: int) -> None:
        """The Peril Player rolls this number."""
        who = self.people[self.state.peril]
        self.falls(roll=[number])
        if who.key.startswith("bot:"):
            await self.tick()
            return
        assert not (await self.press(who, ROLL)).refused

    async def round(self, picks: Mapping[Avatar, Sequence[int]], roll: int) -> None:
        """A whole round, up to the showing of its outcome."""
        await self.until("picking")
        for who, numbers in picks.items():
            await self.pick(who, *numbers)
        await self.roll(roll)
        await self.until("outcome")

    async def strike(self, *others: Avatar) -> None:
        """Rounds which the Peril Player loses, until there is no life left; `others` still live."""
        peril_player = self.people[self.state.peril]
        while self.lives[peril_player.name]:
            await self.until("picking")
            each = self.state.picks_each
            order = [peril_player, *others]
            picks = {w: range(1 + i * each, 1 + (i + 1) * each) for i, w in enumerate(order)}
            await self.round(picks, roll=1)


async def time_up(house: House, name: str, phase: int, epoch: int = 0) -> str:
    """A deadline is delivered (once more); the code of the refusal, or "" if it did something."""
    what = lobby.TimeUp(name, phase, epoch)
    outcome = await house.tables.submit(house.id, Actor(SERVER), what)
    await house.look()
    return outcome.refusal.code if outcome.refusal else ""
