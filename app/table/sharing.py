"""Several processes on one database: they tell each other what they stored.

What is told may be lost, and without Redis nothing is told.  Then a process doubts what it has in
memory and asks the database, at most once in `DOUBT_S` for each table that somebody uses.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from app.bus import Bus
from app.table import speech
from app.table.hot import HotTable
from app.table.log import Append

if TYPE_CHECKING:
    from app.table.service import Tables

DOUBT_S = 0.5
AT_ONCE = 16
"""A table that nobody looks at takes in so many appends together."""


class Sharing:
    """What the tables of this process hear from others, and tell them."""

    def __init__(self, tables: Tables, bus: Bus) -> None:
        self.bus = bus
        self._tables = tables
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Append).decode
        bus.on("stored", self._stored)
        bus.on("spoken", partial(speech.hear, tables))

    def doubts(self, table: HotTable) -> bool:
        """Whether another process may have stored something of which this one has not heard."""
        if not self._tables.store.shared:
            return False
        since_s = self.bus.up_since_s
        if since_s is not None:
            return table.sure_at < since_s
        return self._tables.clock() - table.sure_at > DOUBT_S

    def tell(self, append: Append) -> None:
        """This process stored something."""
        if self.bus.up:
            self.bus.tell("stored", append.table_id.encode() + b" " + self._encode(append))

    def _stored(self, body: bytes) -> None:
        table_id, _, rest = body.partition(b" ")
        table = self._tables.hot.get(table_id.decode())
        if table is None or not table.states:
            return
        table.arrived = (*table.arrived, self._decode(rest))
        if table.awaited or len(table.arrived) > AT_ONCE:
            self._tables.spawn(self._tables.look(table))
