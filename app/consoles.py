"""The ways into the consoles: an owner by a link from his table, the operator by his token.

Either leads to a session, which the store knows by the hash of what the browser's cookie holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sqlalchemy.exc import OperationalError

from app import codes
from app.errors import Busy
from app.games.core import Key

if TYPE_CHECKING:
    from app.table.service import Tables

Console = Literal["owner", "operator"]


async def link(tables: Tables, owner: Key) -> str:
    """An address that lets `owner` in, good once and for `codes.CONSOLE_S` seconds.

    An earlier one is void.
    """
    code = await _make(tables, "console", owner)
    return f"{tables.public_url}/owner/enter?code={code}"


async def is_good(tables: Tables, code: str) -> bool:
    """Whether the code of a link would let somebody in; it stays good."""
    return await codes.find(tables.store, "console", code, _now_ms(tables)) is not None


async def enter(tables: Tables, code: str) -> str | None:
    """What the cookie of an owner holds for `codes.OWNER_S` seconds, if his code is good."""
    found = await codes.use(tables.store, "console", code, None, _now_ms(tables))
    return await _make(tables, "owner", found.key) if found else None


async def operate(tables: Tables, token_hash: str) -> str:
    """The same of an operator, for `codes.OPERATOR_S` seconds."""
    return await _make(tables, "operator", token_hash)


async def whose(tables: Tables, console: Console, session: str) -> str | None:
    """The owner's key, or the hash of the operator's token; None if that session is over."""
    found = await codes.find(tables.store, console, session, _now_ms(tables))
    return found.key if found else None


async def leave(tables: Tables, console: Console, session: str) -> None:
    """End a session."""
    await codes.use(tables.store, console, session, None, _now_ms(tables))


async def _make(tables: Tables, purpose: codes.Purpose, key: str) -> str:
    try:
        return await codes.make(tables.store, purpose, key, "", _now_ms(tables))
    except OperationalError as error:
        raise Busy from error


def _now_ms(tables: Tables) -> int:
    return int(tables.clock() * 1000)
