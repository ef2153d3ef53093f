"""What tables speak to each avatar alone: chosen in one process, shown at once in all of them."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from typing import TYPE_CHECKING

import msgspec

from app.errors import Busy
from app.games import lobby
from app.games.core import SERVER, Actor, Key
from app.table import history

if TYPE_CHECKING:
    from app.table.hot import HotTable
    from app.table.service import Tables


class Spoken(msgspec.Struct, array_like=True):
    """What one process tells the others: who chose what, and which tables it paints anew."""

    key: Key
    language: str
    tables: list[str]


async def choose(tables: Tables, key: Key, language: str) -> None:
    """He has chosen, and that is stored; "": what the tables speak.

    His HUD and his dialogs change with it, wherever he sits.
    """
    _remember(tables, key, language)
    painted = _otherwise(tables, [key])
    if tables.sharing.bus.up:
        spoken = Spoken(key, language, [table.id for table in painted])
        tables.sharing.bus.tell("spoken", msgspec.msgpack.encode(spoken))
    await _paint(tables, painted)


def hear(tables: Tables, body: bytes) -> None:
    """Another process tells that somebody chose."""
    spoken = msgspec.msgpack.decode(body, type=Spoken)
    _remember(tables, spoken.key, spoken.language)
    mine = [t for t in _otherwise(tables, [spoken.key]) if t.id not in spoken.tables]
    if mine:
        tables.spawn(_paint(tables, mine))


async def follow(tables: Tables) -> None:
    """Look what was chosen in other processes, of which this one may not have heard."""
    chosen = await tables.store.run(history.languages)
    news = dict(chosen.items() ^ tables.speaks.items())
    for key in news:
        _remember(tables, key, chosen.get(key, ""))
    if news:
        await _paint(tables, _otherwise(tables, news))


def _remember(tables: Tables, key: Key, language: str) -> None:
    if language:
        tables.speaks[key] = language
    else:
        tables.speaks.pop(key, None)


def _otherwise(tables: Tables, keys: Collection[Key]) -> list[HotTable]:
    """The tables that this process has shown to one of these in another language than his."""
    return [t for t in tables.hot.values() if any(_in_another(t, key) for key in keys)]


def _in_another(table: HotTable, key: Key) -> bool:
    for state in reversed(table.states):
        if (huds := state.made_huds) is not None:
            return key in huds and huds[key] != state.new_hud(key)
    return False


async def _paint(tables: Tables, painted: list[HotTable]) -> None:
    for table in painted:
        with contextlib.suppress(Busy):  # then it shows with what changes next
            await tables.submit(table.id, Actor(SERVER), lobby.Repaint())
