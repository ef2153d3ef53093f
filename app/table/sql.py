"""What an append writes, as SQL that SQLite and PostgreSQL understand alike; values are marked ?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from sqlmodel import Session

from app.table.log import Append, folded

T = TypeVar("T")
Statement = tuple[str, Sequence[Any]]
"""SQL with marks, and the values for them."""


def statements(group: Sequence[Append]) -> Iterator[Statement]:
    """Everything that `group` writes, in this order: one statement for many rows where it can."""
    for append in group:
        if append.table is not None:
            columns = ", ".join(append.table)
            values = _rows(1, len(append.table))
            yield f"INSERT INTO tables ({columns}) VALUES {values}", [*append.table.values()]
    entries = [e for append in group for e in append.entries]
    for some in _portions(entries, 8):
        yield (
            "INSERT INTO entries (match_id, seq, table_id, at_ms, command_id, actor, command,"
            f" events) VALUES {_rows(len(some), 8)}",
            [v for entry in some for v in msgspec.structs.astuple(entry)],
        )
    stopped = [d for append in group for d in append.stopped]
    for gone in _portions(stopped, 4):
        yield (
            "DELETE FROM deadlines WHERE (match_id, name, phase, epoch) IN"
            f" (VALUES {_rows(len(gone), 4)})",
            [v for d in gone for v in (d.match_id, d.name, d.phase, d.epoch)],
        )
    started = [d for append in group for d in append.started]
    for new in _portions(started, 6):
        yield (
            "INSERT INTO deadlines (match_id, name, phase, epoch, table_id, due_ms)"
            f" VALUES {_rows(len(new), 6)} ON CONFLICT (match_id, name, phase, epoch)"
            " DO UPDATE SET table_id = excluded.table_id, due_ms = excluded.due_ms",
            [v for d in new for v in msgspec.structs.astuple(d)],
        )
    for append in group:
        yield from _projected(append)


def _projected(append: Append) -> Iterator[Statement]:
    """What follows from the entries for matches and rankings."""
    at_ms = append.entries[-1].at_ms
    for match_id in append.closed:
        yield "UPDATE matches SET closed_ms = ? WHERE id = ?", (at_ms, match_id)
    for new in append.opened:
        yield (
            "INSERT INTO matches (id, table_id, game, number, first_seq, seed, opened_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (new.match_id, append.table_id, new.game, new.number, new.first_seq, new.seed, at_ms),
        )
    for game in append.wiped:
        yield "DELETE FROM records WHERE scope = ? AND game = ?", (append.table_id, game)
        yield (
            "UPDATE results SET of_table = ? WHERE table_id = ? AND game = ?",
            (False, append.table_id, game),
        )
    for score in append.scores:
        yield (
            "INSERT INTO results"
            " (match_id, key, table_id, game, won, part, at_ms, of_table, of_service)"
            f" VALUES {_rows(1, 9)}",
            (
                *(score.match_id, score.key, append.table_id, score.game),
                *(score.won, score.part, at_ms, score.on_table, True),
            ),
        )
        for scope in (append.table_id, "") if score.on_table else ("",):
            won, lost = int(score.won), int(not score.won)
            who = scope, score.game, score.key, score.name, folded(score.name)
            yield _SCORE, (*who, won, lost, at_ms)


_SCORE = (
    "INSERT INTO records (scope, game, key, name, folded, wins, losses, reached_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, game, key) DO UPDATE SET"
    " name = excluded.name, folded = excluded.folded, wins = records.wins + excluded.wins,"
    " losses = records.losses + excluded.losses, reached_ms = excluded.reached_ms"
)


def write_alone(session: Session) -> None:
    """From now on nobody else writes until the transaction ends.

    What is deleted leaves no trace in an embedded file.
    """
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete=ON")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql("LOCK TABLE entries IN EXCLUSIVE MODE")


def _rows(count: int, columns: int) -> str:
    """`count` rows of `columns` marks: with SQLite each statement gives the GIL away once."""
    row = "(" + ", ".join("?" * columns) + ")"
    return ", ".join([row] * count)


def _portions(rows: list[T], columns: int) -> Iterator[list[T]]:
    """As many rows at a time as a statement takes parameters for."""
    size = 30_000 // columns
    for first in range(0, len(rows), size):
        yield rows[first : first + size]
