"""The event log in PostgreSQL, for many tables and more than one process.

Appends that wait at the same moment share one transaction, sent in one round trip.  When the
server cannot be reached, appends are refused (`StoreBusy`) and the next one tries to connect again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import psycopg
from psycopg.errors import IntegrityError
from sqlalchemy import URL
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, create_engine

from app.errors import Busy
from app.table import sql
from app.table.log import Append, Conflict, Duplicate, StoreBusy

T = TypeVar("T")

LIMIT_S = 5.0
"""So long a commit may take, or a connection to be made."""

LOST = (psycopg.Error, OSError, TimeoutError)
"""What a server that is gone makes of a statement."""

READERS = 4

SERVING = 0x9E812
"""Key of the advisory lock that every process has which serves the tables of a database.  It ends
with the connection, however the process ends."""

_Waiting = tuple[Append, "asyncio.Future[None]"]


class PostgresLog:
    """One connection writes; a few others, used from threads, read.

    One more says that this process serves the tables.
    """

    shared = True

    def __init__(self, url: URL) -> None:
        self.engine = create_engine(
            url,
            pool_pre_ping=True,
            pool_size=READERS,
            hide_parameters=True,
            connect_args={"connect_timeout": int(LIMIT_S)},
        )
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="log-reader")
        self._address = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._connection: psycopg.AsyncConnection | None = None
        self._presence: psycopg.AsyncConnection | None = None
        self._waiting: list[_Waiting] = []
        self._writer: asyncio.Task[None] | None = None

    async def enter(self) -> bool:
        self._presence = await self._connect()
        row = await self._presence.execute("SELECT pg_try_advisory_lock(%s)", [SERVING])
        if (await row.fetchone() or [False])[0]:
            return True
        await self._presence.execute("SELECT pg_advisory_lock_shared(%s)", [SERVING])
        return False

    async def entered(self) -> None:
        if self._presence is not None:
            await self._presence.execute("SELECT pg_advisory_lock_shared(%s)", [SERVING])
            await self._presence.execute("SELECT pg_advisory_unlock(%s)", [SERVING])

    async def stay(self) -> None:
        if self._presence is None:
            return
        try:
            async with asyncio.timeout(LIMIT_S):
                await self._presence.execute("SELECT 1")
        except LOST:
            self._presence.pgconn.finish()
            with contextlib.suppress(*LOST):
                self._presence = await self._connect()
                await self._presence.execute("SELECT pg_try_advisory_lock_shared(%s)", [SERVING])

    async def leave(self) -> None:
        # The lock of a connection that was closed lasts until PostgreSQL notices.
        if self._presence is not None:
            with contextlib.suppress(*LOST):
                async with asyncio.timeout(LIMIT_S):
                    await self._presence.execute("SELECT pg_advisory_unlock_all()")

    async def append(self, append: Append) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((append, done))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        # Whoever gives up waiting takes nothing back: it may be written already.
        await asyncio.shield(done)

    async def run(self, work: Callable[[Session], T]) -> T:
        def call() -> T:
            with Session(self.engine) as session:
                return work(session)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._readers, call)
        except OperationalError as error:
            raise Busy from error

    def close(self) -> None:
        for connection in (self._connection, self._presence):
            if connection is not None:
                connection.pgconn.finish()
        self._readers.shutdown()  # what is read for nobody any more still has a connection
        self.engine.dispose()

    async def _write(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting, []
                appends = [append for append, _ in group]
                results = await self._commit_group(appends)
                for (_, done), result in zip(group, results, strict=True):
                    if done.done():
                        continue
                    if result is None:
                        done.set_result(None)
                    else:
                        done.set_exception(result)
        finally:
            self._writer = None

    async def _commit_group(self, group: list[Append]) -> list[Exception | None]:
        """Write all of `group` in one commit; if one is refused, each in a commit of its own."""
        failure = await self._commit(group)
        if failure is None or len(group) == 1 or isinstance(failure, StoreBusy):
            return [failure] * len(group)
        return [await self._commit([append]) for append in group]

    async def _commit(self, group: Sequence[Append]) -> Exception | None:
        try:
            async with asyncio.timeout(LIMIT_S):
                connection = await self._connected()
                async with connection.pipeline(), connection.transaction():
                    for statement, values in sql.statements(group):
                        await connection.execute(statement.replace("?", "%s"), values)
        except IntegrityError as error:
            name = error.diag.constraint_name or ""
            # The details would name what is stored.
            why = error.diag.message_primary or name
            return Duplicate(why) if "command_id" in name else Conflict(why)
        except LOST as error:
            await self._drop()
            return StoreBusy(type(error).__name__)
        return None

    async def _connected(self) -> psycopg.AsyncConnection:
        if self._connection is None or self._connection.closed:
            self._connection = await self._connect()
        return self._connection

    async def _connect(self) -> psycopg.AsyncConnection:
        return await psycopg.AsyncConnection.connect(
            self._address, autocommit=True, connect_timeout=int(LIMIT_S)
        )

    async def _drop(self) -> None:
        """What a connection did that broke off is not known: the next append makes another."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None
