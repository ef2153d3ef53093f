"""Pushes: a table in-world that has a URL hears at once of what changed.

One push at a time goes to a device, always the difference from what it acknowledged to now; what
happens meanwhile makes the next one larger.  A push that fails ends it: the table's next request
brings everything, and asks for a new URL if the old one is dead.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import structlog

from app import metrics
from app.devices import callback, signing, wire
from app.devices.device import Device
from app.devices.registry import Registry
from app.devices.routes import POLL_PUSHED_S, since_part
from app.settings import Settings
from app.table.hot import HotTable
from app.table.service import Tables

log = structlog.get_logger("push")

ACK_BYTES = 64
LOST = (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError)

VAIN_PUSHES = 3
"""So often a device may answer that it still knows no more; then it has to ask itself."""


FOLLOW_S = 1.0
"""So long the process that stored something has for telling the device."""
AHEAD_S = 1.5


class Lost(Exception):
    """Nobody is at that URL."""


class NotTaken(Exception):
    """The scripts are there and do not take this push."""


class Pusher:
    """Sends the news of changed tables to their devices, a bounded number at one time."""

    def __init__(
        self,
        tables: Tables,
        registry: Registry,
        settings: Settings,
        transport: httpx.AsyncBaseTransport | None = None,
        resolve: callback.Resolve = callback.resolve,
    ) -> None:
        self._tables = tables
        self._registry = registry
        self._gate = asyncio.Semaphore(settings.pushes_at_once)
        self._limit_s = settings.push_timeout_s
        self._anywhere = settings.on_loopback or settings.callback_private
        self._resolve = resolve
        self._client = httpx.AsyncClient(
            timeout=settings.push_timeout_s, follow_redirects=False, transport=transport
        )
        tables.listeners.append(self.changed)
        tables.followers.append(self.followed)
        registry.answers = self.answers

    async def resume(self) -> None:
        """After a start: tell the tables that go on where the last process stopped."""
        for table in list(self._tables.hot.values()):
            await self._registry.recall(table.id)
            self.changed(table)

    async def close(self) -> None:
        tasks = [d.pushing for d in self._registry.by_table.values() if d.pushing]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.aclose()

    def changed(self, table: HotTable) -> None:
        """A table has a new state: see that its device hears of it."""
        device = self._registry.by_table.get(table.id)
        if device is None:
            if self._tables.store.shared and table.watched:
                self._tables.spawn(self._find(table))
        elif (device.url or device.doubtful) and device.pushing is None:
            device.pushing = asyncio.ensure_future(self._push(device, table))

    async def _find(self, table: HotTable) -> None:
        """Another process knows the device of this table."""
        device = await self._registry.fresh(table.id)
        if device is not None:
            self.changed(table)

    def followed(self, table: HotTable) -> None:
        """Another process stored a new state: it pushes, and should it not, this one does."""
        asyncio.get_running_loop().call_later(FOLLOW_S, self._if_behind, table)

    def _if_behind(self, table: HotTable) -> None:
        device = self._registry.by_table.get(table.id)
        if device is not None and device.seq < table.now.seq:
            self.changed(table)

    async def _push(self, device: Device, table: HotTable) -> None:
        try:
            async with self._gate:
                if self._tables.store.shared:
                    await self._registry.fresh(table.id)
                vain = 0
                while device.url and device.seq != table.now.seq and vain < VAIN_PUSHES:
                    known, url = device.seq, device.url
                    try:
                        await self._bring(device, table, url)
                    except Lost:
                        await self._registry.drop_url(device, url)
                        continue
                    except NotTaken:
                        # Another process, whose clock is ahead, pushed a moment ago.
                        await asyncio.sleep(AHEAD_S)
                    vain = vain + 1 if device.seq == known else 0
        except Exception:
            log.exception("push_failed", **table.logged())
        finally:
            device.pushing = None

    async def _bring(self, device: Device, table: HotTable, url: str) -> None:
        """Push from what the device knows to now, in as many parts as it takes."""
        budget_bytes = wire.BODY_BYTES - signing.STAMP_BYTES
        upto, since, heard, start = table.now, device.basis(device.seq), device.heard, 0
        while True:
            part = since_part(table, since, heard, [], start, upto, POLL_PUSHED_S, budget_bytes)
            if part.rest:
                device.begun = abs(since)
            acknowledged = await self._post(device, url, part.text)
            if not part.rest:
                device.seq = acknowledged
                device.heard = acknowledged or device.heard
                self._registry.told(device)
                return
            start = part.rest

    async def answers(self, device: Device) -> bool:
        """Whether the object is there: a push without news is acknowledged."""
        nothing = wire.record("S", str(device.seq), str(device.seq), str(POLL_PUSHED_S))
        try:
            await self._post(device, device.url, nothing)
        except NotTaken:
            return True
        except Lost:
            return False
        return True

    async def _post(self, device: Device, url: str, text: str) -> int:
        """The seq that the device says it has now.  Lost or NotTaken."""
        stamp = device.next_stamp(self._tables.clock())
        body = signing.stamped(device.secret, text, *stamp)
        try:
            async with asyncio.timeout(self._limit_s), self._call(url, body) as response:
                raw = b""
                async for chunk in response.aiter_bytes():
                    raw += chunk
                    if len(raw) > ACK_BYTES:
                        break
        except (*LOST, callback.Forbidden) as error:
            metrics.PUSHES["lost"].inc()
            log.info("push_lost", why=type(error).__name__, **self._logged(device))
            raise Lost from error
        said = raw.decode(errors="ignore").strip()
        if response.status_code != 200 or not said.isdecimal() or len(said) > 9:
            metrics.PUSHES["refused"].inc()
            log.info("push_refused", status=response.status_code, **self._logged(device))
            raise NotTaken if response.status_code == 403 else Lost
        metrics.PUSHES["taken"].inc()
        return int(said)

    def _logged(self, device: Device) -> dict[str, Any]:
        table = self._tables.hot.get(device.table_id)
        return table.logged() if table else {"table": device.table_id}

    @asynccontextmanager
    async def _call(self, url: str, body: str) -> AsyncIterator[httpx.Response]:
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        extensions = {}
        if not self._anywhere:
            ip = await callback.address(url, self._resolve)
            host = httpx.URL(url).host
            url, headers["Host"] = callback.pinned(url, ip)
            extensions = {"sni_hostname": host}
        async with self._client.stream(
            "POST", url, content=body.encode(), headers=headers, extensions=extensions
        ) as response:
            yield response
