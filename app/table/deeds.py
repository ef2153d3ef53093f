"""What is done beside the matches, and by whom: bans, staff, themes, listing, pairing, tokens.

It is written where it is done, in the same transaction, whatever way it was asked for.  No code,
token or secret is in it.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from typing import TYPE_CHECKING, Final, Literal

import msgspec
import structlog
from sqlalchemy import or_
from sqlmodel import Session, col, delete, select

from app.games.core import Key
from app.table.models import DeedRow, TableRow

if TYPE_CHECKING:
    from app.table.service import Tables

log = structlog.get_logger("deeds")

KEPT_DAYS: Final = 400
MOST: Final = 2000
"""So many are kept of the tables of one owner, and of the whole service: the latest."""
PRUNE_S: Final = 6 * 60 * 60

Who = Literal["owner", "operator", "table"]
Way = Literal["console", "rest", "in_world", "command_line"]
# fmt: off
What = Literal[
    "banned", "ban_lifted", "trusted", "trust_taken",
    "theme_chosen", "theme_changed", "theme_reset", "listed", "unlisted",
    "code_made", "paired", "secret_rotated", "cut_off",
    "token_made", "token_revoked",
    "announced", "announced_nothing", "service_ranking_wiped",
    "ranking_wiped", "options_set",
]
# fmt: on

_count = itertools.count()


class By(msgspec.Struct, frozen=True):
    """Who does something, and by which way.  `label`: of the token that he showed, if he did."""

    who: Who
    way: Way
    label: str = ""


NOTECARD: Final = By("table", "in_world")
AT_THE_TABLE: Final = By("owner", "in_world")
OWNERS_CONSOLE: Final = By("owner", "console")
COMMAND_LINE: Final = By("operator", "command_line")


def record(
    session: Session,
    by: By,
    what: What,
    at_ms: int,
    *,
    table_id: str = "",
    owner: str = "",
    whom: tuple[str, str] = ("", ""),
    detail: str = "",
) -> None:
    """Note what is done in this transaction: at a table, at all of an owner, or of the service.

    `whom`: key and name of the avatar whom it concerns.  `detail`: what exactly; never a secret.
    """
    if table_id and not owner:
        owner = session.get_one(TableRow, table_id).owner_key
    session.add(
        DeedRow(
            # By the moment first, so that the order of the ids is that of time.
            id=f"{at_ms:012x}{next(_count) % 2**24:06x}{secrets.token_hex(3)}",
            at_ms=at_ms,
            owner_key=owner,
            table_id=table_id,
            who=by.who,
            way=by.way,
            label=by.label,
            what=what,
            about_key=whom[0],
            about_name=whom[1][:63],
            detail=detail[:255],
        )
    )
    session.flush()
    newest = select(DeedRow.id).where(DeedRow.owner_key == owner).order_by(col(DeedRow.id).desc())
    beyond = session.exec(newest.offset(MOST).limit(1)).first()
    if beyond is not None:
        session.exec(
            delete(DeedRow).where(col(DeedRow.owner_key) == owner, col(DeedRow.id) <= beyond)
        )


async def note_operator(
    tables: Tables, by: By, what: What, table_id: str, detail: str = ""
) -> None:
    """Note that the operator did in the owner's place what the log of the match has as his."""

    def write(session: Session) -> None:
        record(session, by, what, int(tables.clock() * 1000), table_id=table_id, detail=detail)
        session.commit()

    if by.who == "operator":
        await tables.store.run(write)


def at_table(session: Session, owner: Key, table_id: str, limit: int) -> list[DeedRow]:
    """What was done about a table, or about all tables of its owner; the latest first."""
    about = DeedRow.owner_key == owner, col(DeedRow.table_id).in_(("", table_id))
    return _latest(session, limit, *about)


def everywhere(session: Session, limit: int) -> list[DeedRow]:
    """The same of all owners and of the service itself."""
    return _latest(session, limit)


def concerning(session: Session, key: Key) -> list[DeedRow]:
    """What was done at the tables of `key`, or about him at those of others; the latest first."""
    his = or_(col(DeedRow.owner_key) == key, col(DeedRow.about_key) == key)
    return _latest(session, 2 * MOST, his)


def _latest(session: Session, limit: int, *which: object) -> list[DeedRow]:
    query = select(DeedRow).where(*which).order_by(col(DeedRow.id).desc()).limit(limit)  # type: ignore[arg-type]
    return [DeedRow(**row.model_dump()) for row in session.exec(query)]


def forget(session: Session, key: Key, nameless: str) -> None:
    """Delete what was done at the tables of `key`; elsewhere he is `nameless` from now on."""
    session.exec(delete(DeedRow).where(col(DeedRow.owner_key) == key))
    for row in session.exec(select(DeedRow).where(DeedRow.about_key == key)):
        row.about_key, row.about_name = "", nameless
        session.add(row)


def prune(session: Session, now_ms: int) -> None:
    """Delete what is older than `KEPT_DAYS`."""
    oldest_ms = now_ms - KEPT_DAYS * 24 * 60 * 60 * 1000
    session.exec(delete(DeedRow).where(col(DeedRow.id) < f"{max(oldest_ms, 0):012x}"))
    session.commit()


async def keep_pruned(tables: Tables) -> None:
    """Do so now and then, for good."""
    while True:
        try:
            await tables.store.run(lambda session: prune(session, int(tables.clock() * 1000)))
        except Exception:
            log.exception("prune_failed")
        await asyncio.sleep(PRUNE_S)
