"""What the operator announces on all boards, such as a restart that comes."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import structlog
from sqlmodel import Session, delete

from app.display import clip
from app.errors import Busy
from app.games import lobby
from app.games.core import SERVER, Actor
from app.table import deeds
from app.table.models import NoticeRow

if TYPE_CHECKING:
    from app.table.service import Tables

log = structlog.get_logger("notices")

BYTES = 120
"""Of the 254 which the text over a table has room for."""
FOLLOW_S = 10
"""How soon the tables of other processes show it."""


def now(session: Session) -> str:
    """What is announced; '' if nothing."""
    row = session.get(NoticeRow, NoticeRow.ONLY)
    return row.text if row else ""


async def current(tables: Tables) -> str:
    """The same, from the store."""
    return await tables.store.run(now)


async def announce(tables: Tables, by: deeds.By, text: str) -> str:
    """Show `text` on all boards, or nothing more with ''.  What they show, in one line that fits.

    Boards of other processes follow within `FOLLOW_S` seconds.
    """
    told = clip(" ".join("".join(c if c.isprintable() else " " for c in text).split()), BYTES)

    def write(session: Session) -> None:
        was, since_ms = now(session), int(tables.clock() * 1000)
        session.exec(delete(NoticeRow))
        if told != was:
            what: deeds.What = "announced" if told else "announced_nothing"
            deeds.record(session, by, what, since_ms, detail=told)
        if told:
            session.add(NoticeRow(id=NoticeRow.ONLY, text=told, since_ms=since_ms))
        session.commit()

    await tables.store.run(write)
    await show(tables)
    return told


async def show(tables: Tables) -> None:
    """Paint the boards in memory anew that do not show what is announced now."""
    text = await current(tables)
    for table in list(tables.hot.values()):
        if table.notice != text:
            table.notice = text
            with contextlib.suppress(Busy):  # then it shows with what happens next
                await tables.submit(table.id, Actor(SERVER), lobby.Repaint())


async def follow(tables: Tables) -> None:
    """Show for good what this or another process announces."""
    while True:
        await asyncio.sleep(FOLLOW_S)
        try:
            await show(tables)
        except Exception:
            log.exception("notice_failed")
