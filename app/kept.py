"""What is kept about an avatar, as he may see it and take it away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import or_
from sqlmodel import Session, col, select

from app.games.core import Key
from app.table import deeds
from app.table.models import (
    DeviceRow,
    EntryRow,
    MatchRow,
    PersonRow,
    PictureRow,
    RecordRow,
    ResultRow,
    StandingRow,
    TableRow,
)


class Result(msgspec.Struct, frozen=True):
    """Wins and losses in a game, at one table or ("") everywhere."""

    table: str
    game: str
    name: str
    wins: int
    losses: int
    reached_ms: int


class Deed(msgspec.Struct, frozen=True):
    """Something he did: the command as it stands in the log."""

    seq: int
    at_ms: int
    command: msgspec.Raw


class Sat(msgspec.Struct, frozen=True):
    """A match in which he had a seat or did something.  `won`: None if it did not count."""

    match: str
    table: str
    game: str
    opened_ms: int
    closed_ms: int | None
    won: bool | None
    deeds: list[Deed]


class OwnTable(msgspec.Struct, frozen=True):
    table: str
    name: str
    owner_name: str
    created_ms: int


class OwnDevice(msgspec.Struct, frozen=True):
    """A linkset in-world of his."""

    table: str
    object_key: str
    region: str
    version: str
    seen_ms: int


class OwnStanding(msgspec.Struct, frozen=True):
    """How an owner of tables lets him stand there: what he may do, or that he is banned."""

    owner: Key
    name: str
    rights: list[str]
    banned: bool
    since_ms: int


class Beside(msgspec.Struct, frozen=True):
    """Something done beside the matches.  `owner`: of the tables where it was done."""

    at_ms: int
    owner: Key
    table: str
    who: str
    what: str
    detail: str


class Kept(msgspec.Struct, frozen=True):
    """All that is kept about one avatar; times in milliseconds since 1970, UTC."""

    key: Key
    names: list[str]
    hidden: bool
    language: str
    results: list[Result]
    matches: list[Sat]
    tables: list[OwnTable]
    devices: list[OwnDevice]
    standings: list[OwnStanding]
    picture: str = ""
    """Key of the texture on his profile page, as it was found."""
    beside: list[Beside] = []
    """What was done beside matches at his tables, or about him elsewhere; the latest first."""


def read(session: Session, key: Key) -> Kept:
    """Everything that is kept about `key`.  Nothing known of him makes empty lists."""
    person = session.get(PersonRow, key)
    records = session.exec(
        select(RecordRow)
        .where(RecordRow.key == key)
        .order_by(col(RecordRow.scope), col(RecordRow.game))
    ).all()
    matches, names = _matches(session, key)
    owned = session.exec(select(TableRow).where(TableRow.owner_key == key)).all()
    devices = session.exec(select(DeviceRow).where(DeviceRow.owner_key == key)).all()
    standings = session.exec(select(StandingRow).where(StandingRow.key == key)).all()
    pictured = session.get(PictureRow, key)
    names += [t.owner_name for t in owned] + [s.name for s in standings if s.name]
    return Kept(
        key,
        list(dict.fromkeys(names)),
        person is not None and person.hidden,
        person.language if person else "",
        [Result(r.scope, r.game, r.name, r.wins, r.losses, r.reached_ms) for r in records],
        matches,
        [OwnTable(t.id, t.name, t.owner_name, t.created_ms) for t in owned],
        [OwnDevice(d.table_id, d.object_key, d.region, d.version, d.seen_ms) for d in devices],
        [
            OwnStanding(Key(s.owner_key), s.name, s.rights.split(), s.banned, s.since_ms)
            for s in standings
        ],
        pictured.picture if pictured else "",
        [
            Beside(d.at_ms, Key(d.owner_key), d.table_id, d.who, d.what, d.detail)
            for d in deeds.concerning(session, key)
        ],
    )


def _matches(session: Session, key: Key) -> tuple[list[Sat], list[str]]:
    """The matches he took part in, newest first, and the names he had there."""
    deeds: dict[str, list[Deed]] = {}
    names: list[str] = []
    for row in session.exec(select(EntryRow).where(mentions(key)).order_by(col(EntryRow.at_ms))):
        called = list(named(msgspec.json.decode(row.events), key))
        names += called
        if called or row.actor == key:
            done = deeds.setdefault(row.match_id, [])
            if row.actor == key:
                done.append(Deed(row.seq, row.at_ms, msgspec.Raw(row.command.encode())))
    rows = session.exec(
        select(MatchRow).where(col(MatchRow.id).in_(deeds)).order_by(col(MatchRow.opened_ms).desc())
    )
    won = {r.match_id: r.won for r in session.exec(select(ResultRow).where(ResultRow.key == key))}
    return [
        Sat(m.id, m.table_id, m.game, m.opened_ms, m.closed_ms, won.get(m.id), deeds[m.id])
        for m in rows
    ], names


def mentions(key: Key) -> Any:
    """Whether a key stands anywhere in an entry."""
    columns = (EntryRow.actor, EntryRow.command, EntryRow.events, EntryRow.command_id)
    return or_(*(col(column).contains(key, autoescape=True) for column in columns))


def named(value: Any, key: Key) -> Iterator[str]:
    """The names that stand beside `key` in the JSON of events."""
    if isinstance(value, list):
        for part in value:
            yield from named(part, key)
    elif isinstance(value, dict) and value.get("key") == key and "name" in value:
        yield value["name"]
