"""Codes that are handed to one avatar, good for a short while; only hashes are kept."""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal

from sqlmodel import Session, col, delete

from app.table import deeds
from app.table.log import Log
from app.table.models import CodeRow

Purpose = Literal["pair", "person", "visit", "console", "owner", "operator"]

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Those that nobody takes for one another."""
CODE_CHARS = 8
LIFE_S = 15 * 60
VISIT_S = 30 * 60
CONSOLE_S = 2 * 60
OWNER_S = 12 * 60 * 60
OPERATOR_S = 2 * 60 * 60
LIVES_S: dict[Purpose, int] = {
    "pair": LIFE_S,
    "person": LIFE_S,
    "visit": VISIT_S,
    "console": CONSOLE_S,
    "owner": OWNER_S,
    "operator": OPERATOR_S,
}
MANY: tuple[Purpose, ...] = ("owner", "operator")
"""Of these one may have several, for a laptop and a phone."""


async def pairing(store: Log, by: deeds.By, owner: str, table_id: str, now_ms: int) -> str:
    """A code that pairs a linkset of `owner` with this table, or with a new one of his."""
    return await make(store, "pair", owner, table_id, now_ms, by)


async def make(
    store: Log, purpose: Purpose, key: str, table_id: str, now_ms: int, by: deeds.By | None = None
) -> str:
    """A new code for the avatar `key`; earlier ones for the same are void, but of `MANY`.

    One that pairs is short, since it is typed; one for a link or a cookie is long.
    """
    if purpose == "pair":
        code = "".join(secrets.choice(LETTERS) for _ in range(CODE_CHARS))
    else:
        code = secrets.token_urlsafe(24)

    def write(session: Session) -> None:
        session.exec(delete(CodeRow).where(col(CodeRow.expires_ms) < now_ms))
        if purpose not in MANY:
            session.exec(
                delete(CodeRow).where(
                    col(CodeRow.purpose) == purpose,
                    col(CodeRow.key) == key,
                    col(CodeRow.table_id) == table_id,
                )
            )
        session.add(
            CodeRow(
                hash=_hash(purpose, code),
                purpose=purpose,
                key=key,
                table_id=table_id,
                expires_ms=now_ms + LIVES_S[purpose] * 1000,
            )
        )
        if by is not None:
            deeds.record(session, by, "code_made", now_ms, owner=key, table_id=table_id)
        session.commit()

    await store.run(write)
    return code


async def find(store: Log, purpose: Purpose, code: str, now_ms: int) -> CodeRow | None:
    """What a code was made for, if it is still good; it stays so."""

    def read(session: Session) -> CodeRow | None:
        return _good(session, purpose, code, now_ms)

    return await store.run(read)


async def use(
    store: Log, purpose: Purpose, code: str, key: str | None, now_ms: int
) -> CodeRow | None:
    """What the code was made for, once; None if it is not (or no more) a code of this avatar.

    Without a `key` it may be anybody's.
    """

    def take(session: Session) -> CodeRow | None:
        row = _good(session, purpose, code, now_ms)
        if row is None or key not in (None, row.key):
            return None
        # Whoever deletes it has it, should two come at the same moment.
        gone = session.exec(delete(CodeRow).where(col(CodeRow.hash) == row.hash))
        session.commit()
        return row if gone.rowcount == 1 else None

    return await store.run(take)


def _good(session: Session, purpose: Purpose, code: str, now_ms: int) -> CodeRow | None:
    row = session.get(CodeRow, _hash(purpose, code))
    if row is None or row.expires_ms < now_ms:
        return None
    return CodeRow(**row.model_dump())


def _hash(purpose: Purpose, code: str) -> str:
    if purpose == "pair":
        code = "".join(code.split()).upper()
    return hashlib.sha256(f"{purpose}:{code}".encode(errors="replace")).hexdigest()
