"""Codes that are handed to one avatar, good once and for a short while; only hashes are kept."""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal

from sqlmodel import Session, col, delete

from app.table.log import Log
from app.table.models import CodeRow

Purpose = Literal["pair"]

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Those that nobody takes for one another."""
CODE_CHARS = 8
LIFE_S = 15 * 60


async def make(store: Log, purpose: Purpose, key: str, table_id: str, now_ms: int) -> str:
    """A new code for the avatar `key`; earlier ones for the same are void."""
    code = "".join(secrets.choice(LETTERS) for _ in range(CODE_CHARS))

    def write(session: Session) -> None:
        session.exec(delete(CodeRow).where(col(CodeRow.expires_ms) < now_ms))
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
                expires_ms=now_ms + LIFE_S * 1000,
            )
        )
        session.commit()

    await store.run(write)
    return code


async def use(store: Log, purpose: Purpose, code: str, key: str, now_ms: int) -> CodeRow | None:
    """What the code was made for, once; None if it is not (or no more) a code of this avatar."""
    hashed = _hash(purpose, "".join(code.split()).upper())

    def take(session: Session) -> CodeRow | None:
        row = session.get(CodeRow, hashed)
        if row is None or row.key != key or row.expires_ms < now_ms:
            return None
        found = CodeRow(**row.model_dump())
        # Whoever deletes it has it, should two come at the same moment.
        gone = session.exec(delete(CodeRow).where(col(CodeRow.hash) == hashed))
        session.commit()
        return found if gone.rowcount == 1 else None

    return await store.run(take)


def _hash(purpose: str, code: str) -> str:
    return hashlib.sha256(f"{purpose}:{code}".encode()).hexdigest()
