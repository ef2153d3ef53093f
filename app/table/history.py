"""Reading the event log back: a table's entries, a match and its result."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlmodel import Session, col, func, select

from app import games
from app.errors import NotFound
from app.games.core import Key
from app.table.log import Append, Deadline, Entry, Log, Opened
from app.table.models import DeadlineRow, DeviceRow, EntryRow, MatchRow, PersonRow, TableRow

MATCHES_AT_ONCE = 20
LOOKED_BACK = 5
"""Matches: a table changes its game a few times until one is played again."""
SEED_SHOWN = '"type":"seed_shown"'
"""Stands so in the events of a match that is over, and never inside of what people wrote."""


class Line(msgspec.Struct, frozen=True):
    """An entry as the public may read it.  Actor, command and id are "" where they are secret."""

    match_id: str
    seq: int
    at_ms: int
    actor: str
    id: str
    command: str
    events: str


def languages(session: Session, keys: Sequence[Key] | None = None) -> dict[Key, str]:
    """Avatars who chose a language of their own: all, or those of `keys`."""
    query = select(PersonRow).where(PersonRow.language != "")
    rows = session.exec(query if keys is None else query.where(col(PersonRow.key).in_(keys)))
    return {Key(row.key): row.language for row in rows}


def public(row: EntryRow, over: bool) -> Line | None:
    """An entry as everybody may know it now; None if it is a secret that there was one.

    While its match is on, what somebody did is told only if all may know all that followed; ids
    are secret till the end, since the dice come from them too.
    """
    where = row.match_id, row.seq, row.at_ms
    if over:
        return Line(*where, row.actor, row.command_id or "", row.command, row.events)
    events, secret = games.seen_by_all(row.events)
    if events == "[]":
        return None
    return Line(*where, *(("", "", "") if secret else (row.actor, "", row.command)), events)


Stored = tuple[TableRow, MatchRow, list[EntryRow], list[DeadlineRow]]


async def latest(store: Log, table_id: str) -> Stored | None:
    """A table, its latest match, that one's entries and the deadlines that run; or None."""

    def read(session: Session) -> Stored | None:
        row = session.get(TableRow, table_id)
        if row is None:
            return None
        match = session.exec(
            select(MatchRow)
            .where(MatchRow.table_id == table_id)
            .order_by(col(MatchRow.number).desc())
        ).first()
        assert match is not None
        entries = session.exec(
            select(EntryRow).where(EntryRow.match_id == match.id).order_by(col(EntryRow.seq))
        ).all()
        deadlines = session.exec(select(DeadlineRow).where(DeadlineRow.match_id == match.id)).all()
        return row, match, list(entries), list(deadlines)

    return await store.run(read)


async def after(store: Log, table_id: str, match_id: str, seq: int) -> Append | None:
    """What was stored for a table after the state `seq` of a match: nothing, or as one append.

    Its deadlines are those that run now.
    """

    def read(session: Session) -> Append | None:
        known = session.get_one(MatchRow, match_id)
        newer = col(MatchRow.number) > known.number
        opened = session.exec(select(MatchRow).where(MatchRow.table_id == table_id, newer)).all()
        matches = [match_id, *(match.id for match in opened)]
        rows = session.exec(
            select(EntryRow)
            .where(col(EntryRow.match_id).in_(matches), EntryRow.seq > seq)
            .order_by(col(EntryRow.seq))
        ).all()
        if not rows:
            return None
        running = session.exec(select(DeadlineRow).where(DeadlineRow.table_id == table_id)).all()
        return Append(
            table_id,
            [Entry(**row.model_dump()) for row in rows],
            started=[Deadline(**row.model_dump()) for row in running],
            opened=tuple(
                Opened(match.id, match.game, match.number, match.first_seq, match.seed)
                for match in opened
            ),
        )

    return await store.run(read)


async def newer(store: Log, states: dict[str, tuple[str, int]]) -> list[str]:
    """The tables of which there is more than the state (match, seq) that is known of each."""
    known = {match: (table_id, seq) for table_id, (match, seq) in states.items()}

    def read(session: Session) -> list[str]:
        last = func.max(EntryRow.seq)
        rows = session.exec(
            select(EntryRow.match_id, last)
            .where(col(EntryRow.match_id).in_(known))
            .group_by(col(EntryRow.match_id))
        )
        return [known[match][0] for match, seq in rows if seq > known[match][1]]

    return await store.run(read)


async def overdue(store: Log, before_ms: int, limit: int) -> list[Deadline]:
    """Deadlines that run although they were due before `before_ms`, the oldest first."""

    def read(session: Session) -> list[Deadline]:
        rows = session.exec(
            select(DeadlineRow)
            .where(DeadlineRow.due_ms < before_ms)
            .order_by(col(DeadlineRow.due_ms))
            .limit(limit)
        )
        return [Deadline(**row.model_dump()) for row in rows]

    return await store.run(read)


async def heard_of(store: Log, table_ids: Sequence[str]) -> dict[str, int]:
    """When the devices of tables were heard last, as far as that is stored; milliseconds."""

    def read(session: Session) -> dict[str, int]:
        rows = session.exec(
            select(DeviceRow.table_id, DeviceRow.seen_ms).where(
                col(DeviceRow.table_id).in_(table_ids)
            )
        )
        return dict(rows.all())

    return await store.run(read)


async def answered(store: Log, table_id: str, command_ids: Sequence[str]) -> list[EntryRow]:
    """The entries which these commands made on a table, of whatever match."""

    def read(session: Session) -> list[EntryRow]:
        query = select(EntryRow).where(
            EntryRow.table_id == table_id, col(EntryRow.command_id).in_(command_ids)
        )
        return list(session.exec(query))

    return await store.run(read)


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


async def public_log(store: Log, match_id: str) -> tuple[MatchRow, list[Line]]:
    """A match and what everybody may know of it.  NotFound if there is no such match."""
    row, entries = await match_log(store, match_id)
    over = is_over(row, entries)
    lines = (public(entry, over) for entry in entries)
    return row, [line for line in lines if line is not None]


def is_over(row: MatchRow, entries: Sequence[EntryRow] | Sequence[Line]) -> bool:
    """Whether nothing of a match is secret any more."""
    return row.closed_ms is not None or any(SEED_SHOWN in entry.events for entry in entries)


async def last_played(store: Log, table_id: str, before: int) -> str:
    """The match played last of the latest before this number; "" if they were lobbies alone."""

    def read(session: Session) -> str:
        matches = [f"{table_id}-{n}" for n in range(max(1, before - LOOKED_BACK), before)]
        query = (
            select(EntryRow.match_id)
            .where(col(EntryRow.match_id).in_(matches), col(EntryRow.events).contains(SEED_SHOWN))
            .order_by(col(EntryRow.seq).desc())
        )
        return session.exec(query.limit(1)).first() or ""

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
