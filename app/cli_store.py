"""`peril migrate`, `migrate-store`: the schema, and the way from one file to PostgreSQL;
`backup` and `restore`: copies of that file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.console import DataDir, read_settings
from app.errors import PerilError


def migrate(data_dir: DataDir = None) -> None:
    """Bring the schema up to date; a server does so too when it starts."""
    from app.table.database import open_store

    open_store(read_settings(data_dir=data_dir)).close()
    typer.echo("The schema is up to date.")


def migrate_store(data_dir: DataDir = None) -> None:
    """Copy the embedded database to PERIL_DATABASE_URL and compare them row by row.

    Stop the server first.  The file stays as it is.
    """
    from app.table.database import open_log, open_postgres
    from app.table.move import move as copied

    settings = read_settings(data_dir=data_dir)
    if not settings.database_url:
        raise PerilError("no_target", "PERIL_DATABASE_URL has to say where to.")
    if not settings.database.exists():
        raise PerilError("no_source", f"There is no database {settings.database}.")
    old, new = open_log(settings.database), open_postgres(settings.database_url)
    try:
        counts = copied(old.engine, new.engine)
    finally:
        old.close()
        new.close()
    for name, count in counts.items():
        typer.echo(f"{name:10} {count:10,} rows, the same in both")


File = Annotated[Path, typer.Argument(help="The copy.")]


def backup(file: File, data_dir: DataDir = None) -> None:
    """Copy the embedded database into a new file, also while a server runs."""
    from app.table import backup

    size = backup.backup(_embedded(data_dir), file)
    typer.echo(f"{file}: {size:,} bytes, checked.")


def restore(file: File, data_dir: DataDir = None) -> None:
    """Put a copy in the database's place, while no server runs; the old one is kept beside it."""
    from app.table import backup

    database = _embedded(data_dir)
    kept = backup.restore(database, file)
    typer.echo(f"{database} is as it was in {file}." + (f" The old one: {kept}" if kept else ""))


def _embedded(data_dir: Path | None) -> Path:
    settings = read_settings(data_dir=data_dir)
    if settings.database_url:
        message = "The tables are in PostgreSQL, which has its own: pg_dump and pg_restore."
        raise PerilError("not_embedded", message)
    return settings.database
