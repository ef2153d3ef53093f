"""Who may do what: bearer tokens, and what is open on a laptop.

A token is for everything (operator), one table (owner), playing (harness) or reading (read).  Off
loopback nobody acts without one.  On loopback, without a token, one may play any avatar except the
owner; not so the pages of other sites in a local browser, nor whoever comes through a proxy.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from functools import lru_cache
from typing import Literal, cast
from urllib.parse import urlsplit

import msgspec
from sqlmodel import Session, col, select
from starlette.datastructures import Headers
from starlette.requests import Request

from app.api.edge import address
from app.api.schemas import AvatarIn
from app.errors import Forbidden, Malformed, NotFound, PerilError, Unauthorized
from app.games.core import NO_RIGHTS, Actor, Key
from app.limits import Limits
from app.settings import Settings, is_loopback
from app.table import deeds
from app.table.hot import HotTable
from app.table.log import Log
from app.table.models import TableRow, TokenRow

Granted = Literal["operator", "owner", "harness", "read"]
"""What tokens can be made for."""
Scope = Granted | Literal["local", "nobody"]
LABEL = 63
"""Characters of a label."""
CACHED = 10_000
FRESH_S = 1.0
"""How long a token is let in without a look whether another process has revoked it."""
ID = re.compile("[0-9a-f]{8,64}")


class Caller(msgspec.Struct, frozen=True):
    """Who sends a request.  `table_id`: the table an owner's token is for.  `hash`: his token's,
    and `label` what it is for.

    Without a token he is `local` on the machine of a server on loopback, else `nobody`.
    """

    scope: Scope
    table_id: str = ""
    hash: str = ""
    label: str = ""

    def owns(self, table_id: str) -> bool:
        return self.scope == "operator" or (self.scope == "owner" and self.table_id == table_id)


LOCAL = Caller("local")
NOBODY = Caller("nobody")


class Access:
    """Checks tokens; those seen a moment ago are remembered by their hash."""

    def __init__(self, store: Log, settings: Settings, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._open = settings.on_loopback
        self._operator = _hash(settings.operator_token) if settings.operator_token else ""
        self._known: dict[str, tuple[Caller, float]] = {}
        self._revoked = 0

    async def caller(self, request: Request, token: str | None = None) -> Caller:
        """Who sends this request, by its header or by the `token` he gave elsewhere.

        Unauthorized if he shows a token that is not known; TooMany if he shows too many of them,
        or one too often.
        """
        if token is None:
            header = request.headers.get("authorization")
            if header is None:
                return LOCAL if self._open and _is_local(request.headers) else NOBODY
            kind, _, token = header.partition(" ")
            if kind.lower() != "bearer" or not token:
                raise Unauthorized
        hashed = _hash(token)
        caller = self._fresh(hashed)
        if caller is None:
            # One more right token among guesses must not tell itself from the wrong ones.
            if hashed not in self._known:
                self._limits.check("guess", address(request.scope), spend=False)
            caller = await self._find(hashed)
            if caller is None:
                self._limits.check("guess", address(request.scope))
                raise Unauthorized("That token is not known here.")
        self._limits.check("token", hashed)
        return caller

    async def still(self, caller: Caller) -> bool:
        """Whether the token of a caller is still good; true for who came without one."""
        fresh = not caller.hash or self._fresh(caller.hash) is not None
        return fresh or await self._find(caller.hash) is not None

    async def operates(self, hashed: str) -> bool:
        """Whether the token of this hash is (still) an operator's."""
        caller = self._fresh(hashed) or await self._find(hashed)
        return caller is not None and caller.scope == "operator"

    def by(self, caller: Caller, way: deeds.Way = "rest") -> deeds.By:
        """Who does what this caller asks for, as it is noted."""
        who: deeds.Who = "operator" if caller.scope == "operator" else "owner"
        return deeds.By(who, way, caller.label)

    async def operator(self, hashed: str) -> deeds.By:
        """Who does what is asked for in the console that this token opened."""
        caller = self._fresh(hashed) or await self._find(hashed) or NOBODY
        return deeds.By("operator", "console", caller.label)

    def _fresh(self, hashed: str) -> Caller | None:
        caller, until_s = self._known.get(hashed, (None, 0.0))
        return caller if time.monotonic() < until_s else None

    async def _find(self, hashed: str) -> Caller | None:
        """The bearer of a token as the settings and the store know him now."""
        caller, revoked = None, self._revoked
        if self._operator and hmac.compare_digest(hashed, self._operator):
            caller = Caller("operator", hash=hashed)
        elif row := await self._store.run(lambda session: session.get(TokenRow, hashed)):
            caller = Caller(cast(Granted, row.scope), row.table_id, hashed, row.label)
        if len(self._known) >= CACHED:
            self._known.clear()
        if caller is None:
            self._known.pop(hashed, None)
        elif revoked == self._revoked:  # else it may be the one that went while it was read
            self._known[hashed] = caller, time.monotonic() + FRESH_S
        return caller

    # ---- giving and taking ------------------------------------------------------------------

    async def grant(
        self, by: deeds.By, scope: Granted, now_ms: int, table_id: str = "", label: str = ""
    ) -> tuple[str, TokenRow]:
        """A new token, to be shown once, and what is kept of it.

        Malformed if it is an owner's for no table, or another one's for a table.
        """
        if (scope == "owner") != bool(table_id):
            raise Malformed("The token of an owner is for one table, and only that one is.")
        token = secrets.token_urlsafe(32)
        label = " ".join("".join(c if c.isprintable() else " " for c in label).split())[:LABEL]
        row = TokenRow(
            hash=_hash(token), scope=scope, table_id=table_id, label=label, created_ms=now_ms
        )

        def write(session: Session) -> None:
            session.add(TokenRow(**row.model_dump()))
            _note(session, by, "token_made", row, now_ms)
            session.commit()

        await self._store.run(write)
        return token, row

    async def granted(self, after: str, limit: int) -> list[TokenRow]:
        """Tokens in the order of their hashes, from the one that begins with `after` on."""

        def read(session: Session) -> list[TokenRow]:
            # "g" comes behind all digits of a hash.
            query = select(TokenRow).where(TokenRow.hash > (after and after + "g"))
            return list(session.exec(query.order_by(col(TokenRow.hash)).limit(limit)))

        return await self._store.run(read)

    async def revoke(self, by: deeds.By, prefix: str, now_ms: int) -> TokenRow:
        """Take back the token whose hash begins so: at once here, within a second elsewhere.

        Malformed if that is no beginning of a hash, NotFound, or `ambiguous`.
        """
        if not ID.fullmatch(prefix):
            raise Malformed("A token is named by the first 8 or more digits of its id.")

        def write(session: Session) -> TokenRow:
            query = select(TokenRow).where(col(TokenRow.hash).startswith(prefix)).limit(2)
            rows = list(session.exec(query))
            if not rows:
                raise NotFound("token", prefix)
            if len(rows) > 1:
                raise PerilError("ambiguous", "More than one token begins so. Give more digits.")
            gone = TokenRow(**rows[0].model_dump())
            session.delete(rows[0])
            _note(session, by, "token_revoked", gone, now_ms)
            session.commit()
            return gone

        row = await self._store.run(write)
        self._revoked += 1
        self._known.pop(row.hash, None)
        return row

    # ---- who may ----------------------------------------------------------------------------

    def actor(self, caller: Caller, table: HotTable, avatar: AvatarIn) -> Actor:
        """The avatar a caller acts as, if he may.  Unauthorized or Forbidden otherwise."""
        key = Key(avatar.key)
        owner = key == table.owner
        trusted = owner or table.actor(key).rights != NO_RIGHTS
        plays_all_others = caller.scope in ("harness", "local")
        if not caller.owns(table.id) and (trusted or not plays_all_others):
            if caller.hash:
                raise Forbidden
            if trusted:
                raise Unauthorized("Acting as owner or staff of a table needs its token.")
            raise Unauthorized
        himself = caller.scope in ("operator", "local")
        return Actor(key, avatar.name, owner, himself)

    def must_watch(self, caller: Caller, table: HotTable, avatars: list[Key]) -> None:
        """May the caller see what is for these avatars alone?"""
        for key in avatars:
            self.actor(caller, table, AvatarIn(key))

    def must_operate(self, caller: Caller) -> None:
        if caller.scope != "operator":
            raise Forbidden if caller.hash else Unauthorized

    def may_read(self, caller: Caller) -> bool:
        """What is of the whole service: on this machine, the operator, and who reads for him."""
        return caller.scope in ("operator", "read", "local")

    def must_read(self, caller: Caller) -> None:
        """Forbidden or Unauthorized if he may not."""
        if not self.may_read(caller):
            raise Forbidden if caller.hash else Unauthorized

    def must_own(self, caller: Caller, table_id: str) -> None:
        if not caller.owns(table_id):
            raise Forbidden if caller.hash else Unauthorized


def _is_local(headers: Headers) -> bool:
    """Neither sent on by a proxy nor by a page that this machine did not serve.

    A page whose name was made to lead here after it was loaded still gives that name as the host.
    """
    if "forwarded" in headers or "x-forwarded-for" in headers:
        return False
    origin, host = headers.get("origin"), headers.get("host")
    return (host is None or _leads_here(f"//{host}")) and (origin is None or _leads_here(origin))


@lru_cache(1024)
def _leads_here(url: str) -> bool:
    try:
        return is_loopback(urlsplit(url).hostname or "")
    except ValueError:
        return False


def _note(session: Session, by: deeds.By, what: deeds.What, token: TokenRow, at_ms: int) -> None:
    """Who made or revoked a token is noted at the table it is for, if that is there."""
    table_id = token.table_id if session.get(TableRow, token.table_id) else ""
    detail = f"{token.scope}: {token.label}" if token.label else token.scope
    deeds.record(session, by, what, at_ms, table_id=table_id, detail=detail)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
