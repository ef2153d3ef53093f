"""Who may do what: bearer tokens, and what is open on a laptop.

A token belongs to the operator (any table) or to the owner of one table.  Off loopback nobody acts
without one.  On loopback, without a token, one may play any avatar except the owner; not so the
pages of other sites in a local browser, nor whoever comes through a proxy.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from sqlmodel import Session
from starlette.datastructures import Headers
from starlette.requests import Request

from app.api.schemas import AvatarIn
from app.errors import Forbidden, Unauthorized
from app.games.core import Actor, Key
from app.settings import Settings, is_loopback
from app.table.hot import HotTable
from app.table.log import Log
from app.table.models import TokenRow

Scope = Literal["operator", "owner", "local", "nobody"]
CACHED = 10_000


class Caller(msgspec.Struct, frozen=True):
    """Who sends a request.  `table_id`: the table an owner's token is for.

    Without a token he is `local` on the machine of a server on loopback, else `nobody`.
    """

    scope: Scope
    table_id: str = ""

    def owns(self, table_id: str) -> bool:
        return self.scope == "operator" or (self.scope == "owner" and self.table_id == table_id)


LOCAL = Caller("local")
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
            return LOCAL if self._open and _is_local(request.headers) else NOBODY
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
            if caller.scope == "owner":
                raise Forbidden
            if owner:
                raise Unauthorized("Acting as the owner of a table needs its token.")
            if caller.scope == "nobody":
                raise Unauthorized
        return Actor(key, avatar.name, owner)

    def must_watch(self, caller: Caller, table: HotTable, avatars: list[Key]) -> None:
        """May the caller see what is for these avatars alone?"""
        for key in avatars:
            self.actor(caller, table, AvatarIn(key))

    def must_operate(self, caller: Caller) -> None:
        if caller.scope != "operator":
            raise Forbidden if caller.scope == "owner" else Unauthorized

    def must_own(self, caller: Caller, table_id: str) -> None:
        if not caller.owns(table_id):
            raise Forbidden if caller.scope == "owner" else Unauthorized


def _is_local(headers: Headers) -> bool:
    """Neither sent on by a proxy nor by a page that this machine did not serve."""
    if "forwarded" in headers or "x-forwarded-for" in headers:
        return False
    origin = headers.get("origin")
    try:
        return origin is None or is_loopback(urlsplit(origin).hostname or "")
    except ValueError:
        return False


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
