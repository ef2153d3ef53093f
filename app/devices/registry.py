"""Who the tables in-world are: registration, recognition after a reset or re-rez, copies."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec
from sqlmodel import Session, select

from app.errors import Forbidden, NotFound, PerilError
from app.games import GAMES, texts
from app.games.core import Key
from app.settings import Settings, is_loopback
from app.table.models import DeviceRow
from app.table.service import SILENCE_S, Tables

PORTS = (80, 443, 12043, 12046)
"""Ports of the URLs that a region hands out, and the usual ones."""

URL_CHARS = 255
HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:]+")


class Hello(msgspec.Struct, frozen=True):
    """What a table in-world says of itself."""

    object_key: str
    owner_key: str
    owner_name: str = ""
    device: str = ""
    secret: str = ""
    key: str = ""
    table: str = ""
    name: str = ""
    region: str = ""
    url: str = ""
    version: str = ""
    theme: str = ""
    sets: dict[str, tuple[int, int]] = {}


class Device:
    """A registered linkset.

    `seq`: the state that it acknowledged last, 0 if unknown.  `heard`: the state up to which it has
    said all lines.  `begun`: the state from which it was last told something in parts; it may have
    painted some of them.  `dead_url`: one that did not answer; it is not called again, and the
    linkset is told to ask for another one.
    """

    def __init__(self, row: DeviceRow, seen_s: float) -> None:
        self.id = row.id
        self.table_id = row.table_id
        self.secret_hash = row.secret_hash
        self.object_key = row.object_key
        self.owner_key = row.owner_key
        self.url = row.url
        self.troubles = row.troubles
        self.dead_url = ""
        self.seq = 0
        self.heard = 0
        self.begun = 0
        self.seen_s = seen_s
        self.pushing: asyncio.Task[None] | None = None

    def basis(self, seq: int) -> int:
        """What to tell from to one who has painted `seq`: the whole board, -seq, if parts of
        something newer may be among it."""
        return -seq if seq == self.begun else seq


class Copied(PerilError):
    """Another object with the same secret is alive."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            "copied",
            "Another copy of this table is in use. Only one plays at a time: remove it, or reset"
            " this one with an empty memory to make a table of its own.",
        )


class UnknownDevice(PerilError):
    status = 401

    def __init__(self) -> None:
        super().__init__("unknown_device", "This table is not registered here.")


class Registry:
    """The devices of this process, from the store when they are asked for."""

    def __init__(self, tables: Tables, settings: Settings) -> None:
        self._tables = tables
        self._settings = settings
        self._started_s = tables.clock()
        self._by_id: dict[str, Device] = {}
        self.by_table: dict[str, Device] = {}

    async def hello(self, hello: Hello) -> tuple[Device, str]:
        """Register or recognise a table: the device, and its secret if it is new ('' if not).

        Copied if the same secret is alive in another object; Forbidden if a new table may not
        register.
        """
        if hello.theme and not any(hello.theme in texts.names(game) for game in GAMES):
            raise NotFound("theme", hello.theme)
        device = await self._recognised(hello)
        secret = ""
        if device is None:
            device, secret = await self._new(hello)
        if self._silent(device):
            device.heard = 0
        device.object_key = hello.object_key
        device.url = self._callable(device, hello.url)
        device.seen_s = self._tables.clock()
        device.seq = 0
        await self._set(
            device,
            object_key=device.object_key,
            region=hello.region[:255],
            url=device.url,
            version=hello.version[:32],
            seen_ms=int(device.seen_s * 1000),
        )
        if hello.sets:
            await self._tables.set_text_sets(device.table_id, hello.sets)
        if hello.theme:
            await self._tables.set_theme(device.table_id, hello.theme)
        return device, secret

    async def known(self, device_id: str, secret: str, object_key: str) -> Device:
        """The device of a request.  UnknownDevice or Copied if it is not that one."""
        device = await self._find(device_id)
        if device is None or not hmac.compare_digest(device.secret_hash, _hash(secret)):
            raise UnknownDevice
        if device.object_key != object_key:
            raise UnknownDevice if self._silent(device) else Copied()
        device.seen_s = self._tables.clock()
        return device

    async def examine(self, device: Device, found: Sequence[str], wanted: Collection[str]) -> str:
        """What is wrong with the prims of a table, in words; '' if nothing, or if it was said."""
        missing = sorted(set(wanted) - set(found))
        double = sorted(prim for prim in wanted if found.count(prim) > 1)
        troubles = " ".join(
            f"{what}: {' '.join(prims)}."
            for what, prims in (("Prims missing", missing), ("Prims with the same name", double))
            if prims
        )[:1000]
        if troubles == device.troubles:
            return ""
        device.troubles = troubles
        await self._set(device, troubles=troubles)
        return troubles

    async def recall(self, table_id: str) -> None:
        """Load the device that shows a table, if there is one."""

        def read(session: Session) -> DeviceRow | None:
            return session.exec(select(DeviceRow).where(DeviceRow.table_id == table_id)).first()

        row = await self._tables.store.run(read)
        if row is not None:
            self._remember(row)

    async def set_url(self, device: Device, url: str) -> None:
        """The table has another URL (or none)."""
        url = self._callable(device, url)
        if url == device.url:
            return
        device.url = url
        await self._set(device, url=url)

    async def drop_url(self, device: Device, url: str) -> None:
        """A URL of the table does not answer."""
        device.dead_url = url
        if device.url == url:
            await self.set_url(device, "")

    def _callable(self, device: Device, url: str) -> str:
        """The URL if pushes may go there, else ''."""
        return url if url != device.dead_url and self._may_call(url) else ""

    def _silent(self, device: Device) -> bool:
        return self._tables.clock() - device.seen_s > SILENCE_S

    async def _recognised(self, hello: Hello) -> Device | None:
        device = await self._find(hello.device) if hello.device else None
        if device is None or not hmac.compare_digest(device.secret_hash, _hash(hello.secret)):
            return None
        if device.owner_key != hello.owner_key:
            return None
        if device.object_key != hello.object_key and not self._silent(device):
            raise Copied
        return device

    async def _new(self, hello: Hello) -> tuple[Device, str]:
        if not self._settings.on_loopback:
            wanted = self._settings.device_key
            if not wanted or not hmac.compare_digest(wanted.encode(), hello.key.encode()):
                raise Forbidden(
                    "This server takes new tables only with its key: write the line"
                    " “key = …” into the table's notecard."
                )
        table_id = await self._table_for(hello)
        secret = secrets.token_hex(32)
        row = DeviceRow(
            id=secrets.token_hex(6),
            table_id=table_id,
            secret_hash=_hash(secret),
            object_key=hello.object_key,
            owner_key=hello.owner_key,
            seen_ms=int(self._tables.clock() * 1000),
        )

        def write(session: Session) -> None:
            old = session.exec(select(DeviceRow).where(DeviceRow.table_id == table_id)).first()
            if old is not None:
                session.delete(old)
                session.flush()
            session.add(DeviceRow(**row.model_dump()))
            session.commit()

        await self._tables.store.run(write)
        replaced = self.by_table.pop(table_id, None)
        if replaced is not None:
            self._by_id.pop(replaced.id, None)
        return self._remember(row), secret

    async def _table_for(self, hello: Hello) -> str:
        """The table that the notecard names, if it is this owner's; else a new one."""
        if hello.table:
            table = await self._tables.table(hello.table)
            if table.owner != hello.owner_key:
                raise NotFound("table of yours", hello.table)
            if table.id not in self.by_table:
                await self.recall(table.id)
            device = self.by_table.get(table.id)
            if device is not None and not self._silent(device):
                raise Copied
            return table.id
        name = hello.name or f"{hello.owner_name}'s table"
        table = await self._tables.create(name, Key(hello.owner_key), hello.owner_name)
        return table.id

    async def _set(self, device: Device, **values: Any) -> None:
        def write(session: Session) -> None:
            row = session.get_one(DeviceRow, device.id)
            row.sqlmodel_update(values)
            session.add(row)
            session.commit()

        await self._tables.store.run(write)

    async def _find(self, device_id: str) -> Device | None:
        device = self._by_id.get(device_id)
        if device is not None:
            return device

        def read(session: Session) -> DeviceRow | None:
            return session.get(DeviceRow, device_id)

        row = await self._tables.store.run(read)
        return self._remember(row) if row else None

    def _remember(self, row: DeviceRow) -> Device:
        # Nobody could give a sign of life while the service was down: who was the table then has
        # as long to come back as after any silence, before a copy may take its place.
        device = self._by_id.setdefault(row.id, Device(row, self._started_s))
        self.by_table[device.table_id] = device
        return device

    def _may_call(self, url: str) -> bool:
        """May pushes go there?  By scheme, port and the ending of the host."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or "@" in parts.netloc or len(url) > URL_CHARS:
            return False
        if not HOST.fullmatch(host):
            return False
        if self._settings.on_loopback and (is_loopback(host) or host.endswith(".test")):
            return True
        endings = [e.strip(" .") for e in self._settings.callback_hosts.split(",")]
        usual = port is None or port in PORTS
        return usual and any(e and f".{host}".endswith(f".{e}") for e in endings)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
