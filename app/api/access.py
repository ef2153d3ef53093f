"""Who may do what: bearer tokens, and what is open on a laptop.

A token belongs to the operator (any table) or to the owner of one table.  Off loopback nobody acts
without one.  On loopback, without a token, one may play any avatar except the owner.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Literal

import msgspec
from fastapi import Request
from sqlmodel import Session

from app.api.schemas import AvatarIn
from app.errors import Forbidden, Unauthorized
from app.games.core import Actor, Key
from app.settings import Settings
from app.table.hot import HotTable
from app.table.log import Log
from app.table.models import TokenRow

Scope = Literal["operator", "owner", "nobody"]
CACHED = 10_000


class Caller(msgspec.Struct, frozen=True):
    """Who sends a request.  `table_id`: the table an owner's token is for."""

    scope: Scope
    table_id: str = ""

    def owns(self, table_id: str) -> bool:
        return self.scope == "operator" or (self.scope == "owner" and self.table_id == table_id)


NOBODY = Caller("nobody")


class Access:
    """Checks tokens; those seen once are remembered by their hash."""

    def __init__(self, store: Log, settings: Settings) -> None:
        self._store = store
        self._open = settings.on_loopback
        self._operator = _hash(settings.operator_token) if settings.operator_token else ""
        self._known: dict[str, Caller] = {}

    async def caller(self, request: Request) -> Caller:
        """Who sends this request.  Unauthorized if he shows a token that is not known."""
        header = request.headers.get("authorization")
        if header is None:
            return NOBODY
        kind, _, token = header.partition(" ")
        if kind.lower() != "bearer" or not token:
            raise Unauthorized
        return await self.bearer(token)

    async def bearer(self, token: str) -> Caller:
        hashed = _hash(token)
        if self._operator and hmac.compare_digest(hashed, self._operator):
            return Caller("operator")
        known = self._known.get(hashed)
        if known is not None:
            return known

        def read(session: Session) -> TokenRow | None:
            return session.get(TokenRow, hashed)

        row = await self._store.run(read)
        if row is None:
            raise Unauthorized("That token is not known here.")
        caller = Caller("owner", row.table_id)
        if len(self._known) < CACHED:
            self._known[hashed] = caller
        return caller

    async def grant_owner(self, table_id: str, now_ms: int) -> str:
        """A new token for the owner of a table.  It is shown once; only its hash is kept."""
        token = secrets.token_urlsafe(32)

        def write(session: Session) -> None:
            session.add(
                TokenRow(hash=_hash(token), scope="owner", table_id=table_id, created_ms=now_ms)
            )
            session.commit()

        await self._store.run(write)
        return token

    def actor(self, caller: Caller, table: HotTable, avatar: AvatarIn) -> Actor:
        """The avatar a caller acts as, if he may.  Unauthorized or Forbidden otherwise."""
        key = Key(avatar.key)
        owner = key == table.owner
        if not caller.owns(table.id):
            if caller.scope != "nobody":
                raise Forbidden
            if owner:
                raise Unauthorized("Acting as the owner of a table needs its token.")
            if not self._open:
                raise Unauthorized
        return Actor(key, avatar.name, owner)

    def must_watch(self, caller: Caller, table: HotTable, avatars: list[Key]) -> None:
        """May the caller see what is for these avatars alone?"""
        for key in avatars:
            self.actor(caller, table, AvatarIn(key))

    def must_operate(self, caller: Caller) -> None:
        if caller.scope != "operator":
            raise Unauthorized if caller.scope == "nobody" else Forbidden()

    def must_own(self, caller: Caller, table_id: str) -> None:
        if not caller.owns(table_id):
            raise Unauthorized if caller.scope == "nobody" else Forbidden()


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
