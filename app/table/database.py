"""Opens the store: folder or server, migrations, and sentences for what can be wrong with it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, create_engine, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError

from app.errors import PerilError
from app.settings import Settings
from app.table.sqlite import SqliteLog

if TYPE_CHECKING:
    from app.table.postgres import PostgresLog

LOCK = ".in-use"
MIGRATING = 0x9E811
"""Key of PostgreSQL's advisory lock while the schema is brought up to date."""
MIGRATIONS = Path(__file__).parent.parent / "migrations"


class Unusable(PerilError):
    """The store cannot be opened; the message says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__("store_unusable", message)


def open_store(settings: Settings) -> SqliteLog | PostgresLog:
    """The store that the settings name.  Unusable says what to do if it cannot be opened."""
    if settings.database_url:
        return open_postgres(settings.database_url)
    return open_log(settings.database)


def open_postgres(url: str) -> PostgresLog:
    """The store in a PostgreSQL database, migrated if need be.  Unusable says what to do."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise Unusable("PERIL_DATABASE_URL is not an address of a database.") from error
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise Unusable("PERIL_DATABASE_URL has to begin with postgresql://")
    from app.table.postgres import PostgresLog

    store = PostgresLog(parsed.set(drivername="postgresql+psycopg"))
    try:
        migrate(store.engine)
    except DatabaseError as error:
        store.close()
        raise Unusable(
            f"The database {parsed.database} on {parsed.host or 'this machine'} does not answer"
            f" ({str(error.orig).strip().splitlines()[0]})."
        ) from error
    return store


def hold(folder: Path, alone: bool = False) -> int:
    """Hold the store in `folder`, with others or `alone`, until this is closed.

    BlockingIOError if that cannot be.  The lock ends with the process, however that ends.  It is
    a file of its own: to open and close the database itself would drop the locks that SQLite has.
    """
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BaseException:
        os.close(lock)
        raise
    return lock


def open_log(path: Path) -> SqliteLog:
    """The store in the file `path`, made or migrated if need be.  Unusable says what to do."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            path.open("r+b").close()
        probe = path.parent / ".writable"
        probe.touch()
        probe.unlink()
        lock = hold(path.parent)
    except BlockingIOError as error:
        raise Unusable(
            f"A backup is being put back in {path.parent}. Try again when that is done."
        ) from error
    except OSError as error:
        raise Unusable(
            f"The folder {path.parent} cannot be written ({error.strerror}). Choose another with"
            " --data-dir or PERIL_DATA_DIR, or give this user the right to write there."
        ) from error
    engine = create_engine(f"sqlite:///{path}")
    store = None
    try:
        migrate(engine)
        store = SqliteLog(path, lock)
    except OperationalError as error:
        raise Unusable(
            f"The database {path} is in use or damaged ({error.orig}). Stop the other process, or"
            " put a backup in its place."
        ) from error
    except DatabaseError as error:
        raise Unusable(
            f"{path} is not a database of Peril Table ({error.orig}). Move it away."
        ) from error
    finally:
        engine.dispose()
        if store is None:
            os.close(lock)
    return store


def migrate(engine: Engine) -> None:
    """Bring the schema to the newest version, one process at a time.

    Unusable if the database is newer than this.
    """
    with engine.connect() as connection, _alone(connection):
        _migrate(engine)


@contextlib.contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """Other processes that want to migrate this database wait."""
    path = connection.engine.url.database
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": MIGRATING})
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": MIGRATING})
        return
    with Path(f"{path}.migrating").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _migrate(engine: Engine) -> None:
    known = sorted(file.name.partition("_")[0] for file in MIGRATIONS.glob("versions/*_*.py"))
    current = _revision(engine)
    if current == known[-1]:
        return
    if current is not None and current not in known:
        raise Unusable(
            f"The database {engine.url.database} was made by a newer version of Peril Table"
            f" (schema {current}). Update the program, or choose another folder with --data-dir."
        )
    from alembic import command  # a tenth of a second that most starts do not need
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _revision(engine: Engine) -> str | None:
    """The version that alembic noted; None in a new database."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return revision
