"""How avatars stand with the owner of tables: staff with some of his rights, or banned.

A table in memory has those of its owner beside it, so that they cost no read when somebody acts.
A change is followed by a `Repaint` of each of his tables: whoever has one of them in memory, in
this process or another, reads it again before it decides anything more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import msgspec
from sqlmodel import Session, select

from app.errors import Busy, PerilError
from app.games import lobby
from app.games.core import NO_RIGHTS, OWNS, SERVER, Actor, Key, Right, Rights
from app.table import deeds, notices
from app.table.log import Log
from app.table.models import StandingRow, TableRow

if TYPE_CHECKING:
    from app.table.hot import HotTable
    from app.table.service import Tables

MOST = 500
"""So many an owner may have."""


class Standing(msgspec.Struct, frozen=True):
    """`rights`: what he may do in the owner's place.  `name`: what he was called then."""

    key: Key
    name: str
    rights: Rights = NO_RIGHTS
    banned: bool = False
    since_ms: int = 0


Standings = Mapping[Key, Standing]
NONE: Standings = {}


def of(session: Session, owner: Key) -> Standings:
    """Everybody who stands somehow with `owner`."""
    rows = session.exec(select(StandingRow).where(StandingRow.owner_key == owner)).all()
    # Most owners have none: their tables share one that is empty.
    return {Key(r.key): _read(r) for r in rows} or NONE


def _read(row: StandingRow) -> Standing:
    rights = frozenset(cast(Right, right) for right in row.rights.split())
    return Standing(Key(row.key), row.name, rights & OWNS, row.banned, row.since_ms)


async def attach(store: Log, table: HotTable) -> None:
    """Read what belongs to a table besides its match: standings, and the operator's notice."""

    def read(session: Session) -> tuple[Standings, str]:
        return of(session, table.owner), notices.now(session)

    table.standings, table.notice = await store.run(read)


async def change(
    tables: Tables,
    by: deeds.By,
    owner: Key,
    key: Key,
    name: str = "",
    rights: Rights = NO_RIGHTS,
    banned: bool = False,
) -> None:
    """Let `key` stand so with `owner` from now on; with no rights and no ban it is forgotten.

    Who is banned loses his seats at the owner's tables.  Refused if he is the owner himself, or
    if there are too many.
    """
    if key == owner:
        raise PerilError("own_table", "An owner is neither banned nor staff at his own tables.")
    row = StandingRow(
        owner_key=owner,
        key=key,
        name=lobby.clean_name(name),
        rights="" if banned else " ".join(sorted(rights - {"own"})),
        banned=banned,
        since_ms=int(tables.clock() * 1000),
    )

    def write(session: Session) -> list[str]:
        old = session.get(StandingRow, (owner, key))
        was = (old.banned, old.rights) if old else (False, "")
        if old is not None:
            row.name = row.name or old.name
            session.delete(old)
            session.flush()
        elif len(of(session, owner)) >= MOST:
            line = "{most} avatars are the most in this list."
            raise PerilError("too_many_standings", line, most=MOST)
        if row.banned or row.rights:
            session.add(StandingRow(**row.model_dump()))
        if (row.banned, row.rights) != was:
            what = _deed(row, was_banned=was[0])
            whom, rights_now = (key, row.name), row.rights
            deeds.record(session, by, what, row.since_ms, owner=owner, whom=whom, detail=rights_now)
        owned = list(session.exec(select(TableRow.id).where(TableRow.owner_key == owner)))
        session.commit()
        return owned

    for table_id in await tables.store.run(write):
        table = await tables.table(table_id)
        await attach(tables.store, table)
        with contextlib.suppress(Busy):  # then the next command of another process reads it
            await tables.submit(table_id, Actor(SERVER), lobby.Repaint())
        if banned and table.now.match.seat(key):
            chief = Actor(owner, table.owner_name, owner=True)
            await tables.submit(table_id, chief, lobby.Kick(key))


def _deed(row: StandingRow, was_banned: bool) -> deeds.What:
    """What it is in the log of the owner to let somebody stand so."""
    if row.banned:
        return "banned"
    if row.rights:
        return "trusted"
    return "ban_lifted" if was_banned else "trust_taken"
