"""Lists of tables for the front page, the API and the command line; who is listed in public."""

from __future__ import annotations

import msgspec
from sqlalchemy import func
from sqlmodel import Session, col, select

from app.games import GAMES
from app.table import deeds
from app.table.log import Log
from app.table.models import TableRow
from app.table.service import Tables


class Line(msgspec.Struct, frozen=True):
    """A table in a list: `players` of at most `seats` sit there."""

    id: str
    name: str
    game: str
    stage: str
    players: int
    seats: int
    locked: bool


async def count(store: Log) -> int:
    """How many tables there are."""
    return await store.run(
        lambda session: session.exec(select(func.count()).select_from(TableRow)).one()
    )


async def set_listed(service: Tables, by: deeds.By, table_id: str, listed: bool) -> None:
    """Whether everybody may find the table in lists.  NotFound if there is none."""
    table = await service.table(table_id)

    def write(session: Session) -> None:
        row = session.get_one(TableRow, table_id)
        if row.listed != listed:
            row.listed = listed
            what: deeds.What = "listed" if listed else "unlisted"
            deeds.record(session, by, what, int(service.clock() * 1000), table_id=table_id)
        session.commit()

    await service.store.run(write)
    table.listed = listed


async def tables(
    service: Tables, after: str = "", limit: int = 50, unlisted: bool = True
) -> list[Line]:
    """Tables in the order of their ids, from the one behind `after` on.

    `unlisted`: also those that only who knows them finds.
    """

    def read(session: Session) -> list[str]:
        query = select(TableRow.id).where(TableRow.id > after)
        if not unlisted:
            query = query.where(col(TableRow.listed))
        return list(session.exec(query.order_by(col(TableRow.id)).limit(limit)))

    lines = []
    for table_id in await service.store.run(read):
        table = await service.table(table_id)
        match = table.now.match
        seats = GAMES[match.game].seats[-1]
        lines.append(
            Line(
                table.id, table.name, match.game, match.stage, len(match.seats), seats, match.locked
            )
        )
    return lines
