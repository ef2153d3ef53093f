"""The embedded event log in one SQLite file.

Appends that wait at the same moment share one commit.  The append path uses the driver directly;
reads that nobody waits for go through SQLModel.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import event
from sqlmodel import Session, create_engine

from app.table import sql
from app.table.log import Append, Conflict, Duplicate, StoreBusy

T = TypeVar("T")


class SqliteLog:
    """One file, WAL, synchronous FULL; one thread writes, a few others read.

    `lock` says to others that the file is in use, and is given back at the end.
    """

    shared = False

    def __init__(self, path: Path, lock: int | None = None) -> None:
        self.path = path
        self._lock = lock
        self.engine = create_engine(f"sqlite:///{path}", hide_parameters=True)
        event.listen(self.engine, "connect", _prepare)
        self._gathered: list[_Waiting] = []
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        # Opened here, so that a store that cannot be written says so before anybody waits for it.
        self._connection = sqlite3.connect(
            path, isolation_level=None, timeout=5, check_same_thread=False
        )
        _prepare(self._connection, None)
        self._writer = threading.Thread(target=self._write, name="log-writer", daemon=True)
        self._writer.start()

    async def enter(self) -> bool:
        return True

    async def entered(self) -> None:
        pass

    async def stay(self) -> None:
        pass

    async def leave(self) -> None:
        pass

    async def append(self, append: Append) -> None:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._gathered.append((append, done, loop))
        if len(self._gathered) == 1:
            loop.call_soon(self._hand_over)
        await done

    def _hand_over(self) -> None:
        gathered, self._gathered = self._gathered, []
        for item in gathered:
            self._waiting.put(item)

    async def run(self, work: Callable[[Session], T]) -> T:
        def call() -> T:
            with Session(self.engine) as session:
                return work(session)

        return await asyncio.to_thread(call)

    def close(self) -> None:
        self._waiting.put(None)
        self._writer.join()
        self.engine.dispose()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

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
        for statement, values in sql.statements(group):
            connection.execute(statement, values)
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
