"""The event log: what it takes and gives, and its embedded form in one SQLite file.

Appends that wait at the same moment share one commit.  The append path uses the driver directly;
reads that nobody waits for go through SQLModel.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from sqlalchemy import event
from sqlmodel import Session, create_engine

T = TypeVar("T")


class Conflict(Exception):
    """Another writer was there first: reload and decide again."""


class Duplicate(Conflict):
    """The command id is in the log already."""


class StoreBusy(Exception):
    """The store cannot take it now (full disk, locked file); nothing was written."""


class Entry(msgspec.Struct, frozen=True):
    """A row of `entries`; see `models.EntryRow`."""

    match_id: str
    seq: int
    table_id: str
    at_ms: int
    command_id: str | None
    actor: str
    command: str
    events: str


class Deadline(msgspec.Struct, frozen=True):
    """A row of `deadlines`."""

    match_id: str
    name: str
    phase: int
    epoch: int
    table_id: str
    due_ms: int


class Score(msgspec.Struct, frozen=True):
    """A result to be added to the records of a table and of the service."""

    game: str
    key: str
    name: str
    won: bool
    on_table: bool = True
    """False if the table's ranking was reset in the same step, after this."""


class Opened(msgspec.Struct, frozen=True):
    """A match begun; see `models.MatchRow`."""

    match_id: str
    game: str
    number: int
    first_seq: int
    seed: str


class Append(msgspec.Struct):
    """Everything one step of a table writes, all of it or nothing."""

    table_id: str
    entries: list[Entry]
    stopped: list[Deadline] = []
    started: list[Deadline] = []
    opened: list[Opened] = []
    closed: list[str] = []
    wiped: list[str] = []
    """Games whose ranking of this table is forgotten, before the scores count."""
    scores: list[Score] = []
    table: dict[str, Any] | None = None
    """The row of a new table."""


class Log(Protocol):
    """The store as the table service needs it."""

    async def append(self, append: Append) -> None:
        """Store durably.  Conflict, Duplicate or StoreBusy if nothing was written."""

    async def run(self, work: Callable[[Session], T]) -> T:
        """Run `work` in a session of its own, off the event loop; it may commit."""

    def close(self) -> None:
        """Finish what waits and close."""


class SqliteLog:
    """One file, WAL, synchronous FULL; one thread writes, a few others read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.engine = create_engine(f"sqlite:///{path}", hide_parameters=True)
        event.listen(self.engine, "connect", _prepare)
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        # Opened here, so that a store that cannot be written says so before anybody waits for it.
        self._connection = sqlite3.connect(
            path, isolation_level=None, timeout=5, check_same_thread=False
        )
        _prepare(self._connection, None)
        self._writer = threading.Thread(target=self._write, name="log-writer", daemon=True)
        self._writer.start()

    async def append(self, append: Append) -> None:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._waiting.put((append, done, loop))
        await done

    async def run(self, work: Callable[[Session], T]) -> T:
        def call() -> T:
            with Session(self.engine) as session:
                return work(session)

        return await asyncio.to_thread(call)

    def close(self) -> None:
        self._waiting.put(None)
        self._writer.join()
        self.engine.dispose()

    def _write(self) -> None:
        closing = False
        while not closing:
            group: list[_Waiting] = []
            item = self._waiting.get()
            while item is not None:
                group.append(item)
                try:
                    item = self._waiting.get_nowait()
                except queue.Empty:
                    break
            else:
                closing = True
            if group:
                appends = [append for append, _, _ in group]
                _settle(group, _commit_group(self._connection, appends))
        self._connection.close()


_Waiting = tuple[Append, "asyncio.Future[None]", asyncio.AbstractEventLoop]


def _prepare(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA busy_timeout=5000")
    connection.execute("PRAGMA foreign_keys=ON")


def _commit_group(connection: sqlite3.Connection, group: list[Append]) -> list[Exception | None]:
    """Write all of `group` in one commit; if one is refused, each in a commit of its own."""
    failure = _commit(connection, group)
    if failure is None or len(group) == 1:
        return [failure] * len(group)
    return [_commit(connection, [append]) for append in group]


def _commit(connection: sqlite3.Connection, group: Sequence[Append]) -> Exception | None:
    try:
        connection.execute("BEGIN IMMEDIATE")
        _insert(connection, group)
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.IntegrityError):
            duplicate = "command_id" in str(error)
            return Duplicate(str(error)) if duplicate else Conflict(str(error))
        return StoreBusy(str(error))
    return None


def _settle(group: list[_Waiting], results: list[Exception | None]) -> None:
    """Tell everybody who waits how it went, with one wake-up per event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Any, Exception | None]]] = {}
    for (_, done, loop), result in zip(group, results, strict=True):
        by_loop.setdefault(loop, []).append((done, result))
    for loop, pairs in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_tell, pairs)


def _tell(pairs: list[tuple[Any, Exception | None]]) -> None:
    for done, result in pairs:
        if done.done():
            continue
        if result is None:
            done.set_result(None)
        else:
            done.set_exception(result)


def _rows(count: int, columns: int) -> str:
    """`count` rows of `columns` marks: one statement, since each gives the GIL away."""
    row = "(" + ", ".join("?" * columns) + ")"
    return ", ".join([row] * count)


def _insert(connection: sqlite3.Connection, group: Sequence[Append]) -> None:
    execute = connection.execute
    for append in group:
        if append.table is not None:
            columns = ", ".join(append.table)
            values = _rows(1, len(append.table))
            execute(f"INSERT INTO tables ({columns}) VALUES {values}", [*append.table.values()])
    entries = [e for append in group for e in append.entries]
    for some in _portions(entries, 8):
        execute(
            "INSERT INTO entries (match_id, seq, table_id, at_ms, command_id, actor, command,"
            f" events) VALUES {_rows(len(some), 8)}",
            [v for entry in some for v in msgspec.structs.astuple(entry)],
        )
    stopped = [d for append in group for d in append.stopped]
    for gone in _portions(stopped, 4):
        execute(
            "DELETE FROM deadlines WHERE (match_id, name, phase, epoch) IN"
            f" (VALUES {_rows(len(gone), 4)})",
            [v for d in gone for v in (d.match_id, d.name, d.phase, d.epoch)],
        )
    started = [d for append in group for d in append.started]
    for new in _portions(started, 6):
        execute(
            "INSERT OR REPLACE INTO deadlines (match_id, name, phase, epoch, table_id, due_ms)"
            f" VALUES {_rows(len(new), 6)}",
            [v for d in new for v in msgspec.structs.astuple(d)],
        )
    for append in group:
        _project(execute, append)


def _portions(rows: list[T], columns: int) -> Iterator[list[T]]:
    """As many rows at a time as SQLite takes parameters for."""
    size = 30_000 // columns
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


def _project(execute: Callable[..., Any], append: Append) -> None:
    """What follows from the entries for matches and rankings."""
    at_ms = append.entries[-1].at_ms
    for match_id in append.closed:
        execute("UPDATE matches SET closed_ms = ? WHERE id = ?", (at_ms, match_id))
    for new in append.opened:
        execute(
            "INSERT INTO matches (id, table_id, game, number, first_seq, seed, opened_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (new.match_id, append.table_id, new.game, new.number, new.first_seq, new.seed, at_ms),
        )
    for game in append.wiped:
        execute("DELETE FROM records WHERE scope = ? AND game = ?", (append.table_id, game))
    for score in append.scores:
        for scope in (append.table_id, "") if score.on_table else ("",):
            won, lost = int(score.won), int(not score.won)
            execute(_SCORE, (scope, score.game, score.key, score.name, won, lost, at_ms))


_SCORE = (
    "INSERT INTO records (scope, game, key, name, wins, losses, reached_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, game, key) DO UPDATE SET"
    " name = excluded.name, wins = wins + excluded.wins, losses = losses + excluded.losses,"
    " reached_ms = excluded.reached_ms"
)
