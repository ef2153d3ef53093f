"""What is kept about an avatar: he may see it, be left out of rankings, take it away, delete it.

A key is who somebody is; names are snapshots of what he was called then.  He proves to be the
avatar by a link that is handed to him at a table; see `link`.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, delete, select

from app import codes, games
from app.errors import Busy, PerilError
from app.games import lobby
from app.games.core import SERVER, Actor, Key
from app.kept import Kept, mentions, named, read
from app.table import deeds, speech, sql
from app.table.models import (
    CodeRow,
    EntryRow,
    MatchRow,
    PersonRow,
    PictureRow,
    RecordRow,
    ResultRow,
    StandingRow,
    TableRow,
)

if TYPE_CHECKING:
    from app.table.service import Tables

T = TypeVar("T")

NAMELESS = "Somebody"
"""What stands where the name of one stood who deleted his data."""


class Seated(PerilError):
    """He sits in a match that is not over."""

    status = 409

    def __init__(self, table: str) -> None:
        super().__init__(
            "seated",
            "There is still a seat in the match at the table “{table}”. Leave it, or wait until"
            " the match is over; then the data can be deleted.",
            table=table,
        )


def key_of(text: str) -> Key:
    """The key of an avatar as it stands in the store.  `bad_key` if it is no UUID."""
    try:
        return Key(str(uuid.UUID(text.strip())))
    except ValueError:
        problem = "“{text}” is not the key of an avatar, which looks like {like}."
        fields = {"text": text[:40], "like": str(uuid.UUID(int=0))}
        raise PerilError("bad_key", problem, status=422, **fields) from None


async def kept(tables: Tables, key: Key) -> Kept:
    """Everything that is kept about `key`.  Nothing known of him makes empty lists."""
    return await tables.store.run(lambda session: read(session, key))


# ---- what he wishes -------------------------------------------------------------------------


async def hide(tables: Tables, key: Key, hidden: bool) -> None:
    """Leave him out of all rankings and pages about players, or show him again."""

    def write(session: Session) -> set[str]:
        _wish(session, key, hidden=hidden)
        session.commit()
        return _ranked_at(session, key)

    await _repaint(tables, await _unless_busy(tables.store.run(write)))


async def speak(tables: Tables, key: Key, language: str) -> None:
    """What tables speak to him alone: a code of `texts.LANGUAGES`, or "" for what they speak."""

    def write(session: Session) -> None:
        _wish(session, key, language=language)
        session.commit()

    if language != tables.speaks.get(key, ""):
        await _unless_busy(tables.store.run(write))
        await speech.choose(tables, key, language)


def _wish(session: Session, key: Key, **changed: Any) -> None:
    """Write a wish down.  Who has none left has no row."""
    row = session.get(PersonRow, key) or PersonRow(key=key)
    row.sqlmodel_update(changed)
    if row.hidden or row.language:
        session.add(row)
    else:
        session.exec(delete(PersonRow).where(col(PersonRow.key) == key))


async def forget(tables: Tables, key: Key) -> None:
    """Delete what is kept about him; his tables stay, without his name.  Seated if he plays.

    In the log of each match another key stands in place of his, a new one each time, no name, and
    nothing that he wrote.
    A ban stays, without his name, or it would bind nobody.  What was done at his tables beside
    the matches goes.
    """
    touched = await _unless_busy(tables.store.run(lambda session: _forget(session, key)))
    tables.pictures.pop(key, None)
    await speech.choose(tables, key, "")
    await _repaint(tables, touched)


def _ranked_at(session: Session, key: Key) -> set[str]:
    scopes = session.exec(select(RecordRow.scope).where(RecordRow.key == key))
    return {scope for scope in scopes if scope}


def _forget(session: Session, key: Key) -> set[str]:
    """Do so in one transaction; the tables that must be painted anew."""
    sql.write_alone(session)  # he must not sit down meanwhile
    touched = _ranked_at(session, key)
    owned = session.exec(select(TableRow).where(TableRow.owner_key == key)).all()
    for table in owned:
        if table.owner_name in table.name:
            table.name = "Peril Table"
        table.owner_name = NAMELESS
        touched.add(table.id)
    mentioning = select(EntryRow.match_id).where(mentions(key)).distinct()
    for match in session.exec(select(MatchRow).where(col(MatchRow.id).in_(mentioning))).all():
        _forget_in(session, match, key)
        touched.add(match.table_id)
    for standing in session.exec(select(StandingRow).where(StandingRow.key == key)).all():
        standing.name = ""
        if not standing.banned:
            session.delete(standing)
        owned_there = select(TableRow.id).where(TableRow.owner_key == standing.owner_key)
        touched |= set(session.exec(owned_there))
    deeds.forget(session, key, NAMELESS)
    for kind in (PictureRow, RecordRow, ResultRow, CodeRow, PersonRow):
        session.exec(delete(kind).where(col(kind.key) == key))
    session.commit()
    return touched


def _forget_in(session: Session, match: MatchRow, key: Key) -> None:
    rows = session.exec(
        select(EntryRow).where(EntryRow.match_id == match.id).order_by(col(EntryRow.seq))
    ).all()
    events = [games.events_decoder.decode(row.events) for row in rows]
    state = games.replay([event for some in events for event in some])
    if match.closed_ms is None and state.seat(key):
        raise Seated(session.get_one(TableRow, match.table_id).name)
    # A match that is on at his own table goes on under his key, which the table has anyway.
    own = match.closed_ms is None and state.owner == key
    alias = key if own else Key(str(uuid.uuid4()))
    for row in rows:
        if row.actor == key and row.command:
            row.command = _json(_unsaid(msgspec.json.decode(row.command)))
        row.actor = row.actor.replace(key, alias)
        row.command = row.command.replace(key, alias)
        row.command_id = row.command_id and row.command_id.replace(key, alias)
        if key in row.events:
            row.events = _json(_without(msgspec.json.decode(row.events), key, alias))
    if not own and state.seat(key) and state.stage != "lobby":
        last = msgspec.json.decode(rows[-1].events)
        rows[-1].events = _json([*last, lobby.Forgotten(alias)])


def _without(value: Any, key: Key, alias: Key) -> Any:
    """The JSON of events with `alias` for `key`, and no name beside it."""
    if isinstance(value, str):
        return value.replace(key, alias)
    if isinstance(value, list):
        return [_without(part, key, alias) for part in value]
    if isinstance(value, dict):
        his = key in (value.get("player"), value.get("by"))
        out = {name: _without(part, key, alias) for name, part in value.items()}
        out = _unsaid(out) if his else out
        return {**out, "name": NAMELESS} if any(named(value, key)) else out
    return value


def _unsaid(value: dict[str, Any]) -> dict[str, Any]:
    """A command or event without what he wrote in it."""
    return {**value, "text": ""} if "text" in value else value


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


async def _repaint(tables: Tables, table_ids: set[str]) -> None:
    """What was changed behind these tables is read again and shown."""
    for table_id in sorted(table_ids):
        table = await tables.table(table_id)
        table.stale = True
        with contextlib.suppress(Busy):  # then the next command reads it
            await tables.submit(table_id, Actor(SERVER), lobby.Repaint())


async def _unless_busy(work: Awaitable[T]) -> T:
    """What a use of the store gives.  Busy if it cannot be written now; nothing was changed."""
    try:
        return await work
    except OperationalError as error:
        raise Busy from error


# ---- the way in -----------------------------------------------------------------------------


async def link(tables: Tables, key: Key) -> str:
    """An address that shows `key` what is kept about him, good once, for `codes.LIFE_S` seconds.

    An earlier one is void.
    """
    code = await _unless_busy(codes.make(tables.store, "person", key, "", _now_ms(tables)))
    return f"{tables.public_url}/me/open?code={code}"


async def is_good(tables: Tables, code: str) -> bool:
    """Whether the code of a link would show somebody his page; it stays good."""
    return await codes.find(tables.store, "person", code, _now_ms(tables)) is not None


async def enter(tables: Tables, code: str) -> str | None:
    """What a browser shows for `codes.VISIT_S` seconds, if the code of its link is good."""
    now_ms = _now_ms(tables)
    found = await _unless_busy(codes.use(tables.store, "person", code, None, now_ms))
    if found is None:
        return None
    return await _unless_busy(codes.make(tables.store, "visit", found.key, "", now_ms))


async def visitor(tables: Tables, visit: str) -> Key | None:
    """Whose data a browser may see, by what `enter` gave it; None if that is over."""
    found = await codes.find(tables.store, "visit", visit, _now_ms(tables))
    return Key(found.key) if found else None


async def leave(tables: Tables, visit: str) -> None:
    """End a visit."""
    await _unless_busy(codes.use(tables.store, "visit", visit, None, _now_ms(tables)))


def _now_ms(tables: Tables) -> int:
    return int(tables.clock() * 1000)
