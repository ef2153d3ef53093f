"""Who the tables in-world are: registration, recognition after a reset or re-rez, copies."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec
from sqlmodel import Session, col, delete, select, update

from app import codes, troubles
from app.devices import callback, signing
from app.devices.device import Copied, Device, Hello, NotPaired, UnknownDevice, free_bytes
from app.errors import NotFound
from app.games import GAMES, texts
from app.games.core import Key
from app.settings import Settings
from app.table import deeds, themes
from app.table.keeper import SILENCE_S
from app.table.models import DeviceRow
from app.table.service import Tables

CHECK_S = 2
"""How old what is known of a device may be; nobody waits while it is read again."""


COPY_SEEN = "copy_seen"
"""What its owner is told of a copy; see `[notice]` in the themes."""


def cut_off(session: Session, by: deeds.By, table_id: str, at_ms: int) -> bool:
    """Forget the device of a table; whether there was one."""
    gone = session.exec(delete(DeviceRow).where(col(DeviceRow.table_id) == table_id)).rowcount > 0
    if gone:
        deeds.record(session, by, "cut_off", at_ms, table_id=table_id)
    session.commit()
    return gone


class Registry:
    """The devices of this process, from the store when they are asked for."""

    def __init__(self, tables: Tables, settings: Settings) -> None:
        self._tables = tables
        self._settings = settings
        self._started_s = tables.clock()
        self._checking: asyncio.Future[None] | None = None
        self._by_id: dict[str, Device] = {}
        self.by_table: dict[str, Device] = {}
        self.answers: Callable[[Device], Awaitable[bool]] | None = None
        """Whether the object of a device answers at its URL; who pushes can tell."""
        self._bus = tables.sharing.bus
        self._bus.on("device", self._changed_elsewhere)
        self._bus.on("known", self._knows)
        self._bus.on("nonce", self._used)

    def named(self, form: Mapping[str, str]) -> Device | None:
        """The device of this process that a request names, be it that one or not."""
        return self._by_id.get(form.get("d", ""))

    @property
    def devices(self) -> Collection[Device]:
        return self._by_id.values()

    def errors(self, row: DeviceRow) -> dict[str, int]:
        """What all processes answered to a device since it was paired."""
        stored = {"4xx": row.errors_4xx, "429": row.errors_429, "5xx": row.errors_5xx}
        device = self._by_id.get(row.id)
        return {k: n + device.errors[k] for k, n in stored.items()} if device else stored

    def free_bytes(self, row: DeviceRow) -> dict[str, int]:
        """Script → bytes of memory that it has left; {} if the table never said."""
        return free_bytes(row)

    @property
    def open(self) -> bool:
        """Tables register without a code: only this machine can reach the server."""
        return self._settings.on_loopback

    async def signed(self, verb: str, body: str, form: Mapping[str, str]) -> Device | None:
        """The device that signed a request just now, of whatever object; None if none did."""
        device = await self._find(form["d"]) if form.get("d") else None
        if device is not None:
            if device.doubtful:
                await self.check(device)
            elif self._tables.clock() - device.checked_s > CHECK_S:
                device.checked_s = self._tables.clock()
                self._checking = asyncio.ensure_future(self.check(device))
        at, now_s = form.get("ts", ""), int(self._tables.clock())
        if device is None or not (at.isascii() and at.isdecimal() and len(at) < 12):
            return None
        secret = signing.is_signed((device.secret, device.next_secret), verb, body)
        nonce = form.get("nonce", "")
        if not secret or not device.nonces.fresh(nonce, int(at), now_s):
            return None
        if self._bus.up:
            self._bus.tell("nonce", msgspec.msgpack.encode((device.id, nonce, int(at))))
        if secret == device.next_secret:
            device.secret, device.next_secret = secret, ""
            await self._set(device, secret=secret, next_secret="")
        return device

    async def check(self, device: Device) -> None:
        """See what another process has changed of the device, or whether it cut it off."""
        device.doubtful, device.checked_s = False, self._tables.clock()

        def read(session: Session) -> DeviceRow | None:
            return session.get(DeviceRow, device.id)

        row = await self._tables.store.run(read)
        if row is None:
            self._forget(device)
            return
        device.secret, device.next_secret = row.secret, row.next_secret
        if self._tables.store.shared:
            device.object_key, device.troubles = row.object_key, row.troubles
            device.free_stored, device.lost_stored = free_bytes(row), row.lost
            device.url = self._callable(device, row.url)
            device.seen_s = max(device.seen_s, row.seen_ms / 1000)

    async def fresh(self, table_id: str) -> Device | None:
        """The device that shows a table, as other processes have it too."""
        device = self.by_table.get(table_id)
        if device is None:
            await self.recall(table_id)
        elif device.doubtful or self._tables.clock() - device.checked_s > CHECK_S:
            await self.check(device)
        return self.by_table.get(table_id)

    # ---- other processes --------------------------------------------------------------------

    def told(self, device: Device) -> None:
        """The device was told something: others need not tell it again."""
        if self._bus.up:
            known = (device.id, device.seq, device.heard, device.begun)
            self._bus.tell("known", msgspec.msgpack.encode(known))

    def _knows(self, body: bytes) -> None:
        device_id, seq, heard, begun = msgspec.msgpack.decode(body)
        if device := self._by_id.get(device_id):
            device.seq, device.heard, device.begun = seq, heard, begun

    def _used(self, body: bytes) -> None:
        device_id, nonce, at_s = msgspec.msgpack.decode(body)
        if device := self._by_id.get(device_id):
            device.nonces.fresh(nonce, at_s, int(self._tables.clock()))

    def _changed(self, device: Device) -> None:
        if self._bus.up:
            self._bus.tell("device", msgspec.msgpack.encode((device.id, device.dead_url)))

    def _changed_elsewhere(self, body: bytes) -> None:
        device_id, dead_url = msgspec.msgpack.decode(body)
        if device := self._by_id.get(device_id):
            device.doubtful, device.dead_url = True, dead_url

    async def hello(self, hello: Hello, device: Device | None) -> tuple[Device, str]:
        """Recognise or register a table: the device, and its secret if it is new ('' if not).

        `device`: who signed.  Copied if that one is alive in another object; NotPaired if it is
        nobody's and tables need a code here.
        """
        if hello.theme and not any(hello.theme in texts.names(game) for game in GAMES):
            raise NotFound("theme", hello.theme)
        if hello.language and hello.language not in texts.LANGUAGES:
            raise NotFound("language", hello.language)
        secret = ""
        if device is not None and device.owner_key == hello.owner_key:
            await self._one_of(device, hello.object_key)
        elif self.open:
            table_id = await self._table_for(hello)
            device = await self._new(deeds.NOTECARD, hello.object_key, hello.owner_key, table_id)
            secret = device.secret
        else:
            raise NotPaired
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
            await themes.choose(self._tables, deeds.NOTECARD, device.table_id, hello.theme)
        return device, secret

    async def known(self, verb: str, body: str, form: Mapping[str, str]) -> Device:
        """The device of a request.  UnknownDevice or Copied if it is not that one."""
        device = await self.signed(verb, body, form)
        if device is None:
            raise UnknownDevice
        if device.object_key != form.get("o", ""):
            await self._one_of(device, form.get("o", ""))
            if device.object_key != form.get("o", ""):
                raise UnknownDevice  # it takes its place by a hello
        device.seen_s = self._tables.clock()
        return device

    async def pair(self, code: str, object_key: str, owner_key: str, name: str) -> Device | None:
        """Pair an object with its owner's code; None if that is not (or no more) good.

        A code made for a table moves that table to this object: the one before is cut off.
        """
        now_ms = int(self._tables.clock() * 1000)
        found = await codes.use(self._tables.store, "pair", code, owner_key, now_ms)
        if found is None:
            return None
        table_id = found.table_id
        if not table_id:
            made = await self._tables.create(f"{name}'s table", Key(owner_key), name)
            table_id = made.id
        return await self._new(deeds.AT_THE_TABLE, object_key, owner_key, table_id)

    async def rotate(self, by: deeds.By, table_id: str) -> None:
        """Hand the device of a table another secret; the old one ends when it uses that."""
        device = await self._of(table_id)
        device.next_secret = secrets.token_hex(32)

        def write(session: Session) -> None:
            session.get_one(DeviceRow, device.id).next_secret = device.next_secret
            deeds.record(session, by, "secret_rotated", self._now_ms(), table_id=table_id)
            session.commit()

        await self._tables.store.run(write)
        self._changed(device)

    async def revoke(self, by: deeds.By, table_id: str) -> None:
        """Cut off the device of a table at once; it has to be paired anew."""
        device = await self._of(table_id)

        def write(session: Session) -> None:
            cut_off(session, by, table_id, self._now_ms())

        self._forget(device)
        await self._tables.store.run(write)
        self._changed(device)

    async def _of(self, table_id: str) -> Device:
        if table_id not in self.by_table:
            await self.recall(table_id)
        device = self.by_table.get(table_id)
        if device is None:
            raise NotFound("device of the table", table_id)
        return device

    async def _one_of(self, device: Device, object_key: str) -> None:
        """Copied if another object than this one is alive as this device.

        One that was taken and rezzed anew need not wait: the URL of the old object is dead.
        """
        if self._tables.store.shared:
            await self.check(device)
        if device.object_key == object_key or self._silent(device):
            return
        if device.url and self.answers is not None and not await self.answers(device):
            return
        if COPY_SEEN not in device.notices:
            device.notices.append(COPY_SEEN)
        raise Copied

    async def examine(self, device: Device, found: Sequence[str], wanted: Collection[str]) -> str:
        """What is wrong with the prims of a table, in short; '' if nothing, or if it was said."""
        wrong = troubles.between(found, wanted)
        if wrong == device.troubles:
            return ""
        device.troubles = wrong
        await self._set(device, troubles=wrong)
        return wrong

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
            device.url = ""

        def write(session: Session) -> None:
            mine = update(DeviceRow).where(col(DeviceRow.id) == device.id)
            session.exec(mine.where(col(DeviceRow.url) == url).values(url=""))
            session.commit()

        await self._tables.store.run(write)
        self._changed(device)

    def _callable(self, device: Device, url: str) -> str:
        """The URL if pushes may go there, else ''."""
        return url if url != device.dead_url and callback.may_call(url, self._settings) else ""

    def _now_ms(self) -> int:
        return int(self._tables.clock() * 1000)

    def _silent(self, device: Device) -> bool:
        return self._tables.clock() - device.seen_s > SILENCE_S

    async def _new(self, by: deeds.By, object_key: str, owner_key: str, table_id: str) -> Device:
        """A device for a table; the one that showed it before is cut off."""
        row = DeviceRow(
            id=secrets.token_hex(6),
            table_id=table_id,
            secret=secrets.token_hex(32),
            object_key=object_key,
            owner_key=owner_key,
            seen_ms=int(self._tables.clock() * 1000),
        )

        def write(session: Session) -> None:
            old = session.exec(select(DeviceRow).where(DeviceRow.table_id == table_id)).first()
            if old is not None:
                session.delete(old)
                session.flush()
            session.add(DeviceRow(**row.model_dump()))
            deeds.record(session, by, "paired", row.seen_ms, table_id=table_id)
            session.commit()

        await self._tables.store.run(write)
        replaced = self.by_table.get(table_id)
        if replaced is not None:
            self._forget(replaced)
            self._changed(replaced)
        return self._remember(row)

    def _forget(self, device: Device) -> None:
        self.by_table.pop(device.table_id, None)
        self._by_id.pop(device.id, None)
        device.url = ""

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
        self._changed(device)

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
