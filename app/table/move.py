"""Moves an embedded database to PostgreSQL, row by row, and compares both afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, Engine, Table, func, insert, select
from sqlmodel import SQLModel

from app.errors import PerilError

CHUNK_ROWS = 1_000


class Moved(PerilError):
    """Something in the way of a move; nothing was changed."""

    status = 409


def move(source: Engine, target: Engine) -> dict[str, int]:
    """Copy everything in one transaction, and count the rows of each table.

    Both have the newest schema.  Raises Moved if the target is not empty, or if what it has in the
    end is not what the source has.  The source must not be written meanwhile; it is not changed.
    """
    tables = SQLModel.metadata.sorted_tables
    with source.connect() as old, target.begin() as new:
        for table in tables:
            if new.scalar(select(func.count()).select_from(table)):
                raise Moved("not_empty", f"The new database has {table.name} already.")
        for table in tables:
            for chunk in _chunks(old, table):
                new.execute(insert(table), chunk)
        return {table.name: _compared(old, new, table) for table in tables}


def _chunks(connection: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    """All rows in the order of their keys, some at a time."""
    ordered = select(table).order_by(*table.primary_key.columns)
    result = connection.execution_options(yield_per=CHUNK_ROWS).execute(ordered)
    for rows in result.partitions():
        yield [dict(row._mapping) for row in rows]


def _compared(old: Connection, new: Connection, table: Table) -> int:
    """How many rows a table has in both.  Moved if one differs or is missing."""
    keys = [column.name for column in table.primary_key.columns]

    def by_key(connection: Connection) -> dict[tuple[object, ...], dict[str, object]]:
        rows = (row for chunk in _chunks(connection, table) for row in chunk)
        return {tuple(row[key] for key in keys): row for row in rows}

    mine, theirs = by_key(old), by_key(new)
    for key in mine.keys() | theirs.keys():
        if mine.get(key) != theirs.get(key):
            raise Moved("differs", f"A row of {table.name} is not the same in both: {key}.")
    return len(mine)
