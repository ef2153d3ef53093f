"""The table service: `submit` is the only writer.

A command is decided on the state in memory, its events are stored, and only then is the answer
given and everybody told.  Commands that reach a table while a commit is under way are decided
together in the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import structlog
from sqlmodel import Session, col, select

from app import fairness, games, metrics, ranking
from app.errors import Busy, NotFound, Refused
from app.games import GAMES, lobby, own, texts
from app.games.core import SERVER, Actor, Command, Dice, Event, Key, Match, RankingPage, Refusal
from app.table import history, standings
from app.table.hot import HotTable, Order, Outcome, Snapshot, fail
from app.table.log import Append, Conflict, Duplicate, Log, Opened, StoreBusy
from app.table.models import DeadlineRow, EntryRow, TableRow
from app.table.step import Step, entry_of, match_id
from app.table.timers import Timers

log = structlog.get_logger("table")

MAX_TRIES = 8
"""How often a batch is decided again after another writer was first."""

IDLE_S = 900
"""A table nobody used for so long leaves memory."""

SILENCE_S = 90
"""D7: a watched table that shows no sign of life for so long is frozen."""

_ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class Tables:
    """All tables of this process.  `dice`: other ones than the matches' own, for tests."""

    def __init__(
        self,
        store: Log,
        dice: Dice | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self.dice = dice
        self.clock = clock
        self.speaks: dict[Key, str] = {}
        """Avatars who chose a language of their own."""
        self.public_url = ""
        """What links to pages begin with."""
        self.hot: dict[str, HotTable] = {}
        self.seen: dict[str, float] = {}
        """Watched tables: last sign of life, seconds since 1970."""
        self.listeners: list[Callable[[HotTable], None]] = []
        """Called after each new state; they must not wait."""
        self.timers = Timers(self._fire, clock)
        self._loading: dict[str, asyncio.Task[HotTable]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    # ---- life of the service ----------------------------------------------------------------

    async def start(self) -> None:
        """Go on where the last process stopped: running deadlines start anew, at full length."""

        def read(session: Session) -> tuple[list[str], list[str]]:
            self.speaks |= history.languages(session)
            running = session.exec(select(col(DeadlineRow.table_id)).distinct()).all()
            watched = session.exec(select(col(TableRow.id)).where(col(TableRow.watched))).all()
            return list(running), list(watched)

        running, watched = await self.store.run(read)
        now = self.clock()
        self.seen = dict.fromkeys(watched, now)
        for table_id in running:
            table = await self.table(table_id)
            # Put in together they share a commit: no match can be left frozen by a crash between.
            frozen = self._put(table, Actor(SERVER), lobby.Freeze("restart"))
            await asyncio.gather(frozen, self.submit(table_id, Actor(SERVER), lobby.Thaw()))
        self.timers.start()
        self._spawn(self._sweep())

    async def stop(self) -> None:
        """End the service's tasks; commands under way finish first."""
        await self.timers.stop()
        while any(t.working for t in self.hot.values()):
            await asyncio.sleep(0.005)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.store.close()

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(10)
            try:
                await self.sweep()
            except Exception:
                log.exception("sweep_failed")

    async def sweep(self) -> None:
        """Freeze tables that fell silent, and let idle ones leave memory."""
        now = self.clock()
        for table in list(self.hot.values()):
            match, silent = table.now.match, now - self.seen.get(table.id, 0.0) > SILENCE_S
            # A table that is not in memory waits for nobody: there is nothing to freeze.
            if table.watched and silent and match.stage != "lobby" and not match.frozen:
                with contextlib.suppress(Busy):  # the next sweep tries again
                    await self.submit(table.id, Actor(SERVER), lobby.Freeze("unreachable"))
            idle = now - table.used_at > IDLE_S
            if idle and silent and not (table.working or table.deadlines):
                del self.hot[table.id]

    # ---- tables -----------------------------------------------------------------------------

    async def create(
        self,
        name: str,
        owner: Key,
        owner_name: str,
        game: str = next(iter(GAMES)),
        preset: str = "",
        options: dict[str, Any] | None = None,
    ) -> HotTable:
        """A new table with an open lobby.  Refused if game, preset or options do not work."""
        if game not in GAMES:
            raise Refused(Refusal("no_such_game"), texts.load(next(iter(GAMES))))
        theme = texts.load(game)
        if preset and preset not in GAMES[game].presets:
            refusal = Refusal("no_such_preset", {"presets": tuple(GAMES[game].presets)})
            raise Refused(refusal, theme)
        chosen = {**GAMES[game].presets.get(preset, {}), **(options or {})}
        checked = lobby.read_options(GAMES[game], chosen)
        if isinstance(checked, Refusal):
            raise Refused(checked, theme)
        table_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(8))
        name, owner_name = lobby.clean_name(name) or "Peril Table", lobby.clean_name(owner_name)
        table = HotTable(table_id, name, owner, owner_name, speaks=self.speaks)
        await standings.attach(self.store, table)
        table.seed = fairness.new_seed()
        opening = lobby.MatchOpened(
            game,
            owner,
            msgspec.to_builtins(checked),
            commitment=fairness.commitment(table.seed),
        )
        now_ms = self._now_ms()
        row = TableRow(
            id=table.id,
            name=table.name,
            owner_key=owner,
            owner_name=table.owner_name,
            created_ms=now_ms,
        )
        append = Append(table.id, [entry_of(table.id, 1, 1, now_ms, SERVER, None, [opening])])
        append.opened = [Opened(match_id(table.id, 1), game, 1, 1, table.seed)]
        append.table = row.model_dump()
        await self._store(append)
        table.number = 1
        match = lobby.open_match(GAMES[game], opening)
        table.states.append(Snapshot(table, match_id(table.id, 1), 1, match, RankingPage()))
        self.hot[table.id] = table
        return table

    async def table(self, table_id: str) -> HotTable:
        """The table, from memory or from the store.  NotFound if there is none."""
        table = self.hot.get(table_id)
        if table is None:
            task = self._loading.get(table_id)
            if task is None:
                task = asyncio.ensure_future(self._load(table_id))
                self._loading[table_id] = task
                task.add_done_callback(lambda _: self._loading.pop(table_id, None))
            table = await asyncio.shield(task)
        table.used_at = self.clock()
        return table

    async def _load(self, table_id: str) -> HotTable:
        stored = await history.latest(self.store, table_id)
        if stored is None:
            raise NotFound("table", table_id)
        row, match_row, entries, deadlines = stored
        table = self.hot.get(table_id) or HotTable(
            row.id, row.name, Key(row.owner_key), row.owner_name, speaks=self.speaks
        )
        table.name, table.owner_name = row.name, row.owner_name
        table.theme, table.watched, table.listed = row.theme, row.watched, row.listed
        table.own = own.read(row.own_theme)
        await standings.attach(self.store, table)
        sets = {k: tuple(v) for k, v in msgspec.json.decode(row.text_sets).items()}
        table.text_sets = sets or table.text_sets
        table.number = match_row.number
        table.seed = match_row.seed or fairness.new_seed()  # older than seeds: never shown
        match = await self._replayed(table, entries)
        page = await self.ranking(table_id, match_row.game, match.ranking_page)
        table.states.clear()
        table.states.append(Snapshot(table, match_row.id, entries[-1].seq, match, page))
        table.deadlines = {(d.name, d.phase, d.epoch): d.due_ms for d in deadlines}
        for (name, phase, epoch), due_ms in table.deadlines.items():
            self.timers.add(due_ms, table_id, name, phase, epoch)
        self.hot[table_id] = table
        return table

    async def _replayed(self, table: HotTable, entries: Sequence[EntryRow]) -> Match[Any]:
        events: list[Event] = []
        table.choices = fairness.NO_CHOICES
        for entry in entries:
            events += games.events_decoder.decode(entry.events)
            if games.is_choice(events[0], entry.command):
                table.choices = fairness.chosen(table.choices, entry.actor, entry.command)
            if entry.command_id:
                outcome = Outcome(entry.match_id, entry.seq, actor=Key(entry.actor))
                table.remember(entry.command_id, outcome)
        return games.replay(events)

    async def ranking(self, scope: str, game: str, page: int) -> RankingPage:
        """A page of the ranking of a table, or with scope "" of the service."""
        return await self.store.run(lambda session: ranking.page(session, scope, game, page))

    async def set_text_sets(self, table_id: str, sizes: dict[str, tuple[int, int]]) -> None:
        """How large the linkset's text sets are: columns, rows."""
        table = await self.table(table_id)
        merged = {**table.text_sets, **sizes}
        if merged != table.text_sets:
            await self._set(table_id, text_sets=msgspec.json.encode(merged).decode())
            table.text_sets = merged
            await self.submit(table_id, Actor(SERVER), lobby.Repaint())

    async def set_theme(self, table_id: str, theme: str) -> None:
        """Which theme the table shows.  NotFound if no game has such a theme."""
        table = await self.table(table_id)
        if not any(theme in texts.names(game) for game in GAMES):
            raise NotFound("theme", theme)
        if theme != table.theme:
            await self._set(table_id, theme=theme)
            table.theme = theme
            await self.submit(table_id, Actor(SERVER), lobby.Repaint())

    async def _set(self, table_id: str, **values: Any) -> None:
        def write(session: Session) -> None:
            row = session.get_one(TableRow, table_id)
            row.sqlmodel_update(values)
            session.add(row)
            session.commit()

        await self.store.run(write)

    async def contact(self, table_id: str) -> None:
        """A sign of life from the table in-world: it is watched from now on."""
        table = await self.table(table_id)
        if not table.watched:
            await self._set(table_id, watched=True)
            table.watched = True
        self.seen[table_id] = self.clock()
        if table.now.match.frozen:
            await self.submit(table_id, Actor(SERVER), lobby.Thaw())

    # ---- commands ---------------------------------------------------------------------------

    async def submit(
        self, table_id: str, actor: Actor, command: Command, command_id: str | None = None
    ) -> Outcome:
        """Put a command to the table and wait for what comes of it.

        The same `command_id` gets the same answer however often it is sent.  NotFound if there is
        no such table, Busy if the store cannot take it now (nothing was changed then).
        """
        table = self.hot.get(table_id) or await self.table(table_id)
        table.used_at = self.clock()
        done = self._put(table, actor, command, command_id)
        if not table.working:
            table.working = True
            await self._work(table)
        return await done

    def _put(
        self, table: HotTable, actor: Actor, command: Command, command_id: str | None = None
    ) -> asyncio.Future[Outcome]:
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        table.mailbox.append(Order(actor.key, actor.name, actor.owner, command, command_id, done))
        return done

    async def _work(self, table: HotTable) -> None:
        tries = 0
        try:
            while table.mailbox:
                orders, table.mailbox = table.mailbox, []
                try:
                    await self._step(table, orders)
                    tries = 0
                except Conflict as conflict:
                    tries += 1
                    metrics.CONFLICTS.inc()
                    log.info("decide_again", tries=tries, why=str(conflict), **table.logged(orders))
                    if tries > MAX_TRIES:
                        fail(orders, Busy())
                        continue
                    table.mailbox = orders + table.mailbox
                    await self._load(table.id)
                    if isinstance(conflict, Duplicate):
                        await self.recall(table, [o.id for o in orders if o.id])
                    self._tell(table)
                except StoreBusy as error:
                    log.error("store_busy", why=str(error), **table.logged(orders))
                    fail(orders, Busy())
                except BaseException as error:
                    # Whoever works for all must not leave the others waiting, not even when he is
                    # cancelled; what was stored is found again by the next reload.
                    log.exception("command_failed", **table.logged(orders))
                    fail(orders, error if isinstance(error, Exception) else Busy())
                    if not isinstance(error, Exception):
                        raise
        finally:
            table.working = bool(table.mailbox)
            if table.mailbox:  # cancelled: somebody else works for those who came meanwhile
                self._spawn(self._work(table))

    async def _step(self, table: HotTable, orders: list[Order]) -> None:
        """Decide all `orders` one after the other, store what follows, then answer."""
        if table.stale:
            table.stale = False
            await self._load(table.id)
        step = Step(table, self._now_ms(), self.dice)
        outcomes = [step.take(order) for order in orders]
        refused = [o.id for o, out in zip(orders, outcomes, strict=True) if out.refusal and o.id]
        forgotten = [i for i in refused if i not in table.answers]
        if forgotten and await self.recall(table, forgotten):
            await self._step(table, orders)  # they were accepted once, and get that answer again
            return
        if step.append.entries:
            step.set_deadlines()
            await self.store.append(step.append)
            if step.ranking_changed:
                last = step.states[-1]
                last.ranking = await self.ranking(
                    table.id, last.match.game, last.match.ranking_page
                )
            table.number, table.seed, table.choices = step.number, step.seed, step.choices
            if step.repainted:
                table.states.clear()
            table.went(step.states)
            table.deadlines = step.deadlines
            for deadline in step.append.started:
                self.timers.add(
                    deadline.due_ms, table.id, deadline.name, deadline.phase, deadline.epoch
                )
        for order, outcome in zip(orders, outcomes, strict=True):
            table.remember(order.id, outcome)
            order.answer(outcome)
        if step.states:
            self._tell(table)

    def _tell(self, table: HotTable) -> None:
        table.wake()
        for listener in self.listeners:
            listener(table)

    async def recall(self, table: HotTable, command_ids: Sequence[str]) -> int:
        """Remember the answers that an earlier match or another process stored; how many."""
        found = await history.answered(self.store, table.id, command_ids)
        for entry in found:
            outcome = Outcome(entry.match_id, entry.seq, actor=Key(entry.actor))
            table.remember(entry.command_id, outcome)
        return len(found)

    async def _fire(self, table_id: str, name: str, phase: int, epoch: int) -> bool:
        table = await self.table(table_id)
        runs = (name, phase, epoch) in table.deadlines
        if runs:
            await self.submit(table_id, Actor(SERVER), lobby.TimeUp(name, phase, epoch))
        return runs

    async def _store(self, append: Append) -> None:
        try:
            await self.store.append(append)
        except StoreBusy as error:
            raise Busy from error

    def _now_ms(self) -> int:
        return int(self.clock() * 1000)
