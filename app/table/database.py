"""Opens the embedded store: folder, migrations, and sentences for what can be wrong with it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DatabaseError, OperationalError

from app.errors import PerilError
from app.table.log import SqliteLog

MIGRATIONS = Path(__file__).parent.parent / "migrations"


class Unusable(PerilError):
    """The store cannot be opened; the message says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__("store_unusable", message)


def open_log(path: Path) -> SqliteLog:
    """The store in the file `path`, made or migrated if need be.  Unusable says what to do."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            path.open("r+b").close()
        probe = path.parent / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise Unusable(
            f"The folder {path.parent} cannot be written ({error.strerror}). Choose another with"
            " --data-dir or PERIL_DATA_DIR, or give this user the right to write there."
        ) from error
    engine = create_engine(f"sqlite:///{path}")
    try:
        migrate(engine)
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
    return SqliteLog(path)


def migrate(engine: Engine) -> None:
    """Bring the schema to the newest version.  Unusable if the database is newer than this."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    with engine.connect() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in scripts.walk_revisions()}
    if current is not None and current not in known:
        raise Unusable(
            f"The database {engine.url.database} was made by a newer version of Peril Table"
            f" (schema {current}). Update the program, or choose another folder with --data-dir."
        )
    if current == scripts.get_current_head():
        return
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
