"""Copies of the embedded store: taken while a server writes to it, put back while none does."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from app.errors import PerilError
from app.table.database import hold


class BackupFailed(PerilError):
    """Nothing was changed; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__("backup_failed", message)


def backup(database: Path, target: Path) -> int:
    """Copy the database as it is at this moment; the bytes of the copy.

    Nobody who writes has to wait.  BackupFailed if there is nothing to copy, the target is there
    or the copy is not sound.
    """
    if not database.exists():
        raise BackupFailed(f"There is no database {database}.")
    if target.exists():
        raise BackupFailed(f"{target} is there already. Choose another name.")
    with _beside(target) as copy:
        _copy(database, copy)
        try:
            os.link(copy, target)
        except FileExistsError:
            raise BackupFailed(f"{target} is there already. Choose another name.") from None
        _sync(target.parent)
    return target.stat().st_size


def restore(database: Path, source: Path) -> Path | None:
    """Put a copy in the database's place; where the old one is now, if there was one.

    BackupFailed if a server uses the folder or the copy is not sound.
    """
    if not source.exists():
        raise BackupFailed(f"There is no file {source}.")
    database.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = hold(database.parent, alone=True)
    except BlockingIOError as error:
        raise BackupFailed(
            f"A server or a command uses {database.parent}. Stop it, then restore."
        ) from error
    try:
        with _beside(database) as copy:
            _copy(source, copy)
            kept = _keep(database) if database.exists() else None
            # From one moment to the next: there is no time without a database.
            copy.replace(database)
            _sync(database.parent)
            return kept
    finally:
        os.close(lock)


def _copy(source: Path, copy: Path) -> None:
    try:
        with (
            contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True))
            as old,
            contextlib.closing(sqlite3.connect(copy)) as new,
        ):  # fmt: skip
            old.execute("PRAGMA busy_timeout=5000")
            old.backup(new)
            new.execute("PRAGMA journal_mode=DELETE")
            found = [row[0] for row in new.execute("PRAGMA integrity_check")]
            new.execute("SELECT version_num FROM alembic_version, tables LIMIT 0")
    except sqlite3.Error as error:
        raise BackupFailed(f"{source} is no sound database of Peril Table ({error}).") from error
    if found != ["ok"]:
        raise BackupFailed(f"{source} is damaged ({found[0]}).")
    _sync(copy)


def _keep(database: Path) -> Path:
    """Give the old database a second name, together with what it had not taken in yet."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(database)) as old:
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = database.with_name(f"{database.name}.before-restore-{stamp}")
    os.link(database, kept)
    for ending in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.rename(f"{database}{ending}", f"{kept}{ending}")
    return kept


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A name for a file on its way to `target`; whatever is left there goes."""
    copy = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield copy
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):
            Path(f"{copy}{ending}").unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
