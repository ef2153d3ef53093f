"""Profile pictures, as residents show them on their public profile pages.

Nobody waits for one: a board shows the silhouette until a picture is known, and is painted anew
then.  A picture belongs to its avatar, wherever he sits.  Only the two hosts named here are asked.
"""

from __future__ import annotations

import asyncio
import contextlib
from html.parser import HTMLParser
from typing import Final, NamedTuple

import httpx
import structlog
from sqlmodel import Session, col, select

from app.errors import Busy, PerilError
from app.games import lobby
from app.games.core import SERVER, Actor, Key
from app.people import key_of
from app.table.hot import HotTable
from app.table.models import PictureRow
from app.table.service import Tables

log = structlog.get_logger("pictures")

PROFILES: Final = "https://world.secondlife.com/resident/"
IMAGES: Final = "https://picture-service.secondlife.com/"
HOSTS: Final = frozenset(httpx.URL(url).host for url in (PROFILES, IMAGES))
"""Who may be asked, redirects included."""
SIZE: Final = "256x192.jpg"

FRESH_S: Final = 7 * 86_400
"""So long a picture is good; then it is shown on, and looked for again."""
AGAIN_S: Final = 86_400
"""So long nobody looks again for one that was not there."""
RETRY_S: Final = 60
"""After a page that could not be had, once."""
PAUSE_S: Final = 0.5
"""Between two pages, so that a full venue is no burden to others."""
LIMIT_S: Final = 10
PAGE_BYTES: Final = 65_536
"""The head of a page is far shorter; more is not read."""
IMAGE_BYTES: Final = 200_000
JPEG: Final = b"\xff\xd8\xff"
"""So every JPEG begins."""
MOST_WAITING: Final = 1_000
MOST_KNOWN: Final = 20_000
MOST_IMAGES: Final = 200
IMAGES_AT_ONCE: Final = 4
_LOST = (httpx.HTTPError, httpx.InvalidURL, ValueError, TimeoutError)


class _Errand(NamedTuple):
    """Whose picture to look for; `ask`: also on his page."""

    key: Key
    ask: bool = True
    retried: bool = False


class Pictures:
    """Looks for the pictures of all who sit at tables, one after the other.

    `transport`, `retry_s` and `pause_s` are for tests.
    """

    def __init__(
        self,
        tables: Tables,
        transport: httpx.AsyncBaseTransport | None = None,
        retry_s: float = RETRY_S,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._tables = tables
        self._retry_s, self._pause_s = retry_s, pause_s
        self._client = httpx.AsyncClient(
            timeout=LIMIT_S,
            follow_redirects=True,
            max_redirects=2,
            event_hooks={"request": [_allowed]},
            transport=transport,
        )
        self._queue: asyncio.Queue[_Errand] = asyncio.Queue(MOST_WAITING)
        self._due_s: dict[Key, float] = {}
        """When to look for an avatar's picture again, by the tables' clock."""
        self._images: dict[str, asyncio.Task[bytes | None]] = {}
        self._gate = asyncio.Semaphore(IMAGES_AT_ONCE)
        self._textures: set[str] = set()
        self._worker: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take what was found before, and begin to look."""
        newest = select(PictureRow).order_by(col(PictureRow.due_ms).desc()).limit(MOST_KNOWN)
        for row in await self._tables.store.run(lambda s: list(s.exec(newest))):
            self._remember(Key(row.key), row.picture)
        self._tables.listeners.append(self.look)
        self._tables.followers.append(self.follow)
        self._worker = asyncio.ensure_future(self._work())

    async def close(self) -> None:
        tasks = [t for t in (self._worker, *self._images.values()) if t is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.aclose()

    # ---- whose picture is which -------------------------------------------------------------

    def look(self, table: HotTable) -> None:
        """Somebody may have sat down: look for the pictures that are not known."""
        self._look(table, ask=True)

    def follow(self, table: HotTable) -> None:
        """The same where another process stored that, which asks; here one hears what it found."""
        self._look(table, ask=False)

    def _look(self, table: HotTable, ask: bool) -> None:
        now_s = self._tables.clock()
        for seat in table.now.match.seats:
            if not seat.bot and now_s >= self._due_s.get(seat.key, 0):
                self._want(_Errand(seat.key, ask))

    def _want(self, errand: _Errand) -> None:
        with contextlib.suppress(asyncio.QueueFull):  # then at the next state of his table
            self._queue.put_nowait(errand)
            if len(self._due_s) >= MOST_KNOWN:
                self._due_s.clear()
            self._due_s[errand.key] = self._tables.clock() + AGAIN_S

    async def _work(self) -> None:
        while True:
            errand = await self._queue.get()
            try:
                await self._one(*errand)
            except Exception:
                log.exception("picture_failed")
            finally:
                self._queue.task_done()

    async def idle(self) -> None:
        """Wait until all that were wanted have been looked for."""
        await self._queue.join()

    async def _one(self, key: Key, ask: bool, retried: bool) -> None:
        row = await self._tables.store.run(lambda s: s.get(PictureRow, key))
        if row is not None:
            await self._show(key, row.picture)
            if row.due_ms > self._tables.clock() * 1000:
                self._due_s[key] = row.due_ms / 1000
                return
        if not ask:
            self._due_s.pop(key, None)
            return
        found, good_s = row.picture if row else "", AGAIN_S
        try:
            found = await self._asked(key)
            good_s = FRESH_S if found else AGAIN_S
        except _LOST as error:
            log.info("picture_not_there", why=type(error).__name__)
            if not retried:
                again = _Errand(key, retried=True)
                asyncio.get_running_loop().call_later(self._retry_s, self._want, again)
                return
        due_s = self._tables.clock() + good_s
        await self._keep(PictureRow(key=key, picture=found, due_ms=int(due_s * 1000)))
        self._due_s[key] = due_s
        await self._show(key, found)
        await asyncio.sleep(self._pause_s)

    async def _asked(self, key: Key) -> str:
        """The picture on somebody's page; "" if he shows none.  _LOST if it is not to be had."""
        page = await self._get(PROFILES + key_of(key), PAGE_BYTES)
        return picture_in(page.decode(errors="replace"))

    async def _get(self, url: str, most_bytes: int) -> bytes:
        """The first bytes behind an address, in time and from an allowed host."""
        body = b""
        async with asyncio.timeout(LIMIT_S), self._client.stream("GET", url) as answer:
            answer.raise_for_status()
            async for part in answer.aiter_bytes():
                body += part
                if len(body) >= most_bytes:
                    break
        return body[:most_bytes]

    async def _keep(self, row: PictureRow) -> None:
        def write(session: Session) -> None:
            session.merge(row)
            session.commit()

        await self._tables.store.run(write)

    def _remember(self, key: Key, picture: str) -> bool:
        """Whether that is news."""
        known = self._tables.pictures
        if known.get(key, "") == picture:
            return False
        known.pop(key, None)
        if picture:
            known[key] = picture
            self._textures.add(picture)
            if len(known) > MOST_KNOWN:
                del known[next(iter(known))]
        return True

    async def _show(self, key: Key, picture: str) -> None:
        if not self._remember(key, picture):
            return
        for table in list(self._tables.hot.values()):
            if table.now.match.seat(key) is not None:
                with contextlib.suppress(Busy):  # then it comes with the next state
                    await self._tables.submit(table.id, Actor(SERVER), lobby.Repaint())

    # ---- the pictures themselves, for browsers ----------------------------------------------

    async def image(self, picture: str) -> bytes | None:
        """A known profile picture as JPEG; None if there is none, or it cannot be had now."""
        if picture not in self._textures:
            return None
        task = self._images.pop(picture, None) or asyncio.ensure_future(self._image(picture))
        self._images[picture] = task  # the one used last is the last to go
        if len(self._images) > MOST_IMAGES:
            del self._images[next(iter(self._images))]
        return await asyncio.shield(task)

    async def _image(self, picture: str) -> bytes | None:
        try:
            async with self._gate:
                body = await self._get(f"{IMAGES}{picture}/{SIZE}", IMAGE_BYTES)
        except _LOST as error:
            log.info("picture_not_there", why=type(error).__name__)
            body = b""
        if body.startswith(JPEG) and len(body) < IMAGE_BYTES:
            return body
        # Till then nobody asks again.
        asyncio.get_running_loop().call_later(self._retry_s, self._images.pop, picture, None)
        return None


async def _allowed(request: httpx.Request) -> None:
    if request.url.scheme != "https" or request.url.host not in HOSTS:
        raise httpx.RequestError("that host is not to be asked", request=request)


class _Head(HTMLParser):
    picture = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "meta" and (told.get("name") or "").lower() == "imageid" and not self.picture:
            self.picture = told.get("content") or ""


def picture_in(page: str) -> str:
    """The key of the picture that a profile page names; "" if it names none."""
    head = _Head()
    head.feed(page)
    try:
        key = key_of(head.picture)
    except PerilError:
        return ""
    return "" if set(key) <= {"0", "-"} else str(key)
