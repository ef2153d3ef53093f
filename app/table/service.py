"""The table service: `submit` is the only writer.

A command is decided on the state in memory, its events are stored, and only then is the answer
given and everybody told.  Commands that reach a table while a commit is under way are decided
together in the next one.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec
import structlog
from sqlmodel import Session, col, select

from app import metrics, ranking
from app.bus import Bus
from app.errors import Busy, Refused
from app.games import GAMES, lobby, texts
from app.games.core import SERVER, Actor, Command, Dice, Key, RankingPage, Refusal
from app.table import history, loading, standings
from app.table.hot import HotTable, Order, Outcome, fail
from app.table.keeper import Keeper
from app.table.log import Append, Conflict, Duplicate, Log, StoreBusy
from app.table.models import DeadlineRow, TableRow
from app.table.sharing import Sharing
from app.table.step import Step, first
from app.table.timers import Timers

log = structlog.get_logger("table")

MAX_TRIES = 8
"""How often a batch is decided again after another writer was first."""

_ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class Tables:
    """All tables of this process.  `dice`: other ones than the matches' own, for tests."""

    def __init__(
        self,
        store: Log,
        dice: Dice | None = None,
        clock: Callable[[], float] = time.time,
        bus: Bus | None = None,
    ) -> None:
        self.store = store
        self.dice = dice
        self.clock = clock
        self.speaks: dict[Key, str] = {}
        """Avatars who chose a language of their own."""
        self.pictures: dict[Key, str] = {}
        """Avatars whose profile pictures are known: keys of textures."""
        self.public_url = ""
        """What links to pages begin with."""
        self.hot: dict[str, HotTable] = {}
        self.listeners: list[Callable[[HotTable], None]] = []
        """Called after each new state that this process stored; they must not wait."""
        self.followers: list[Callable[[HotTable], None]] = []
        """The same for states that another one stored."""
        self.timers = Timers(self._fire, clock)
        self.sharing = Sharing(self, bus or Bus())
        self.keeper = Keeper(self)
        self._loading: dict[str, asyncio.Task[HotTable]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    # ---- life of the service ----------------------------------------------------------------

    async def start(self) -> None:
        """Go on where the last process stopped: running deadlines start anew, at full length.

        While other processes serve the tables nothing has stopped, and this one joins them.
        """
        alone = await self.store.enter()

        def read(session: Session) -> tuple[list[str], list[str]]:
            self.speaks |= history.languages(session)
            running = session.exec(select(col(DeadlineRow.table_id)).distinct()).all()
            watched = session.exec(select(col(TableRow.id)).where(col(TableRow.watched))).all()
            return list(running), list(watched)

        running, watched = await self.store.run(read)
        now = self.clock()
        self.keeper.seen = dict.fromkeys(watched, now)
        for table_id in running if alone else ():
            table = await self.table(table_id)
            # Put in together they share a commit: no match can be left frozen by a crash between.
            frozen = self._put(table, Actor(SERVER), lobby.Freeze("restart"))
            await asyncio.gather(frozen, self.submit(table_id, Actor(SERVER), lobby.Thaw()))
        if alone:
            await self.store.entered()
        self.timers.start()
        if self.store.shared:
            self.sharing.bus.start()
        self.spawn(self.keeper.run())

    async def stop(self) -> None:
        """End the service's tasks; commands under way finish first."""
        await self.timers.stop()
        while any(t.working for t in self.hot.values()):
            await asyncio.sleep(0.005)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.sharing.bus.stop()
        await self.store.leave()
        self.store.close()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something meanwhile; it ends with the service."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

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
        called, owner_name = lobby.clean_name(name) or "Peril Table", lobby.clean_name(owner_name)
        table = HotTable(table_id, called, owner, owner_name, self.speaks, self.pictures)
        await standings.attach(self.store, table)
        await self._store(first(table, checked, game, self._now_ms()))
        self.hot[table.id] = table
        return table

    def ready(self, table_id: str, known: int = 0) -> HotTable | None:
        """The table if it is in memory and sure to be the newest, at least its state `known`."""
        table = self.hot.get(table_id)
        if table is None or not self.store.shared:
            return table
        behind = table.arrived or table.now.seq < known
        return None if behind or self.sharing.doubts(table) else table

    async def table(self, table_id: str, known: int = 0) -> HotTable:
        """The table, from memory or from the store, as far as somebody has seen it at least.

        `known`: a state that is known to somebody.  NotFound if there is no such table.
        """
        table = self.hot.get(table_id)
        if table is not None and self.ready(table_id, known) is None:
            await self.look(table, known)
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
        now = self.clock()
        known = self.speaks, self.pictures
        table = await loading.load(self.store, table_id, self.hot.get(table_id), *known)
        table.arrived, table.sure_at = (), now
        if not self.store.shared:  # else whoever set them has them, or the keeper finds them
            for (name, phase, epoch), due_ms in table.deadlines.items():
                self.timers.add(due_ms, table_id, name, phase, epoch)
        self.hot[table_id] = table
        return table

    async def ranking(
        self, scope: str, game: str, page: int, rows: int = ranking.PAGE_ROWS
    ) -> RankingPage:
        """A page of the ranking of a table, or with scope "" of the service."""
        return await self.store.run(lambda s: ranking.page(s, scope, game, page, rows=rows))

    async def set_text_sets(self, table_id: str, sizes: dict[str, tuple[int, int]]) -> None:
        """How large the linkset's text sets are: columns, rows."""
        table = await self.table(table_id)
        merged = {**table.text_sets, **sizes}
        if merged != table.text_sets:
            await self.set_row(table_id, text_sets=msgspec.json.encode(merged).decode())
            table.text_sets, table.stale = merged, True  # its page of the ranking may be longer now
            await self.submit(table_id, Actor(SERVER), lobby.Repaint())

    async def set_row(self, table_id: str, **values: Any) -> None:
        """Write columns of a table's row."""

        def write(session: Session) -> None:
            row = session.get_one(TableRow, table_id)
            row.sqlmodel_update(values)
            session.add(row)
            session.commit()

        await self.store.run(write)

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
        await self._see_to(table)
        return await done

    async def look(self, table: HotTable, known: int = 0) -> None:
        """See what other processes stored; somebody knows of the state `known`."""
        done = self._put(table, Actor(SERVER), None, known=known)
        await self._see_to(table)
        await done

    async def _see_to(self, table: HotTable) -> None:
        """Work for the table, unless somebody does."""
        if not table.working:
            table.working = True
            await self._work(table)

    def _put(
        self,
        table: HotTable,
        actor: Actor,
        command: Command | None,
        command_id: str | None = None,
        known: int = 0,
    ) -> asyncio.Future[Outcome]:
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        table.mailbox.append(
            Order(actor.key, actor.name, actor.owner, command, command_id, done, known)
        )
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
                    if not await self._follow(table, ask=True):
                        await self._load(table.id)
                        self._tell(table, self.followers)
                    if isinstance(conflict, Duplicate):
                        await self.recall(table, [o.id for o in orders if o.id])
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
                self.spawn(self._work(table))

    async def _step(self, table: HotTable, orders: list[Order]) -> None:
        """Decide all `orders` one after the other, store what follows, then answer."""
        if table.stale:
            table.stale = False
            await self._load(table.id)
        looks = [order.known for order in orders if order.command is None]
        if looks or table.arrived:
            doubtful = bool(looks) and self.sharing.doubts(table)
            await self._follow(table, doubtful, max(looks, default=0))
        step = Step(table, self._now_ms(), self.dice)
        outcomes = [step.take(order) for order in orders]
        refused = [o for o, out in zip(orders, outcomes, strict=True) if out.refusal]
        forgotten = [o.id for o in refused if o.id and o.id not in table.answers]
        again = bool(forgotten) and await self.recall(table, forgotten) > 0
        # A refusal must not come from an old state.
        if self.store.shared and any(o.actor != SERVER for o in refused):
            again |= await self._follow(table, ask=True)
        if again:  # those that were accepted once get that answer again
            await self._step(table, orders)
            return
        if step.append.entries:
            step.set_deadlines()
            await self.store.append(step.append)
            self.sharing.tell(step.append)
            await self._went(table, step)
            for deadline in step.append.started:
                self.timers.add(
                    deadline.due_ms, table.id, deadline.name, deadline.phase, deadline.epoch
                )
        for order, outcome in zip(orders, outcomes, strict=True):
            table.remember(order.id, outcome)
            order.answer(outcome)
        if step.states:
            self._tell(table, self.listeners)

    async def _went(self, table: HotTable, step: Step) -> None:
        """What `step` led to is stored: from now on the table is there."""
        if step.ranking_changed:
            last = step.states[-1]
            which = table.id, last.match.game, last.match.ranking_page
            last.ranking = await self.ranking(*which, table.ranking_rows)
        table.number, table.seed, table.choices = step.number, step.seed, step.choices
        if step.repainted:
            table.states.clear()
        table.went(step.states)
        table.deadlines = step.deadlines

    async def _follow(self, table: HotTable, ask: bool, known: int = 0) -> bool:
        """Go through what other processes stored; whether there was something.

        `ask`: the store, and not only what was told.  `known`: there is this state at least.
        """
        step, arrived = Step(table, self._now_ms(), self.dice), table.arrived
        table.arrived = ()
        gap = not all(step.follow(append) for append in arrived)
        if ask or gap or step.seq < known:
            now = self.clock()
            stored = await history.after(self.store, table.id, step.match_id, step.seq)
            step.deadlines = {} if stored else step.deadlines
            if stored and not step.follow(stored):
                step.repainted = True  # written anew from the beginning
            table.sure_at = now
        if not step.states:
            return False
        if step.repainted:
            await self._load(table.id)
        else:
            await self._went(table, step)
            for command_id, outcome in step.answers.items():
                table.remember(command_id, outcome)
        self._tell(table, self.followers)
        return True

    def _tell(self, table: HotTable, listeners: Sequence[Callable[[HotTable], None]]) -> None:
        table.wake()
        for listener in listeners:
            listener(table)

    async def recall(self, table: HotTable, command_ids: Sequence[str]) -> int:
        """Remember the answers that an earlier match or another process stored; how many."""
        found = await history.answered(self.store, table.id, command_ids)
        for entry in found:
            outcome = Outcome(entry.match_id, entry.seq, actor=Key(entry.actor))
            table.remember(entry.command_id, outcome)
        return len(found)

    async def _fire(self, table_id: str, name: str, phase: int, epoch: int) -> bool:
        table = self.ready(table_id) or await self.table(table_id)
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
