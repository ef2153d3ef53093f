"""Reading the event log back: a table's entries, a match and its result."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.errors import NotFound
from app.table.log import Log
from app.table.models import EntryRow, MatchRow

MATCHES_AT_ONCE = 20


async def entries_since(store: Log, table_id: str, seq: int, limit: int) -> list[EntryRow]:
    """Entries of a table after `seq`, oldest first."""

    def read(session: Session) -> list[EntryRow]:
        first = session.exec(
            select(MatchRow.number)
            .where(MatchRow.table_id == table_id, MatchRow.first_seq <= seq + 1)
            .order_by(col(MatchRow.number).desc())
        ).first()
        numbers = range(first or 1, (first or 1) + MATCHES_AT_ONCE)
        matches = [f"{table_id}-{n}" for n in numbers]
        return list(
            session.exec(
                select(EntryRow)
                .where(col(EntryRow.match_id).in_(matches), EntryRow.seq > seq)
                .order_by(col(EntryRow.seq))
                .limit(limit)
            )
        )

    return await store.run(read)


async def match_log(store: Log, match_id: str) -> tuple[MatchRow, list[EntryRow]]:
    """A match and all its entries.  NotFound if there is no such match."""

    def read(session: Session) -> tuple[MatchRow | None, list[EntryRow]]:
        row = session.get(MatchRow, match_id)
        entries = session.exec(
            select(EntryRow).where(EntryRow.match_id == match_id).order_by(col(EntryRow.seq))
        )
        return row, list(entries)

    row, entries = await store.run(read)
    if row is None:
        raise NotFound("match", match_id)
    return row, entries


async def matches(store: Log, table_id: str | None, limit: int) -> list[MatchRow]:
    """The latest matches of a table, or of all tables, newest first."""

    def read(session: Session) -> list[MatchRow]:
        query = select(MatchRow).order_by(col(MatchRow.opened_ms).desc()).limit(limit)
        if table_id is not None:
            query = query.where(MatchRow.table_id == table_id)
        return list(session.exec(query))

    return await store.run(read)
