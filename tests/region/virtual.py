"""An asyncio loop that lives on the region's clock, and a server that runs on it.

The server's sleeps, deadlines and time-outs take the region's time, in the same thread; so a test
of an hour of play takes seconds, and goes the same way each time.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import anyio
import httpx

from .caps import Arrival
from .region import Region
from .web import Answer, Request

T = TypeVar("T")
PATIENCE_S = 30.0
"""How long, in real time, work in other threads may take."""


class _Selector(selectors.DefaultSelector):
    """Waits as long as it is told to, not as long as the loop's timers would let it."""

    wait_s = 0.0

    def select(self, timeout: float | None = None) -> Any:
        return super().select(self.wait_s)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, now: Callable[[], float]) -> None:
        self._selector_ = _Selector()
        super().__init__(self._selector_)
        self._now = now
        self.in_threads: set[Any] = set()

    def time(self) -> float:
        return self._now()

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        future = super().run_in_executor(executor, func, *args)
        self.in_threads.add(future)
        future.add_done_callback(self.in_threads.discard)
        return future

    def turn(self, wait_s: float = 0.0) -> bool:
        """One round of whatever is ready.  True if there is more to do at once."""
        self._selector_.wait_s = wait_s
        self.call_soon(self.stop)
        self.run_forever()
        due = self.next_due()
        return bool(self._ready) or (due is not None and due <= self.time())  # type: ignore[attr-defined]

    def next_due(self) -> float | None:
        timers = self._scheduled  # type: ignore[attr-defined]
        return min((timer.when() for timer in timers if not timer.cancelled()), default=None)


class AsgiServer:
    """An ASGI app as the region's outside, on the region's clock.

        with AsgiServer(region, app) as server:
            server.request("POST", "/api/v1/tables", json={...})
            region.run(10)

    `busy` tells whether a thread of the app's own is at work, so that time waits for it; work in
    the loop's executor and in AnyIO's threads is seen without that.
    """

    def __init__(
        self,
        region: Region,
        app: Any,
        *,
        base_url: str = "http://server.test",
        busy: Callable[[], bool] = lambda: False,
    ) -> None:
        self.region, self.app, self.base_url = region, app, base_url
        self._busy = busy
        self.loop = VirtualLoop(lambda: region.now)
        self._threads = ThreadPoolExecutor(8)
        self.loop.set_default_executor(self._threads)
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._limiter: anyio.CapacityLimiter | None = None

    def __enter__(self) -> AsgiServer:
        async def client() -> httpx.AsyncClient:
            self._limiter = anyio.to_thread.current_default_thread_limiter()
            transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
            return httpx.AsyncClient(transport=transport, base_url=self.base_url)

        self.client = self.do(client())
        self._life = self.loop.create_task(self._live())
        self.region.connect(self)
        self._until(lambda: self._life.done() or self._started)
        if self._life.done():
            self._life.result()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._until(self._life.done)
        for task in [*self._tasks, *asyncio.all_tasks(self.loop)]:
            task.cancel()
        self.pump()
        self.do(self.client.aclose())
        self._threads.shutdown()
        self.loop.close()

    _started = False

    async def _live(self) -> None:
        async with self.app.router.lifespan_context(self.app):
            self._started = True
            await self._stopping.wait()

    # ---- for tests

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine on the server's loop; time passes if it has to."""
        task = self.loop.create_task(work)
        self._until(task.done)
        return task.result()

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """A request of somebody else than the region, as httpx has it."""
        return self.do(self.client.request(method, path, **more))

    def _until(self, true: Callable[[], bool]) -> None:
        self.pump()
        if not true():
            self.region.run_until(true, 600)

    # ---- what the region wants of its outside

    def send(self, request: Request, done: Callable[[Answer | Exception], None]) -> None:
        async def perform() -> None:
            try:
                done(await fetch(self.client, request))
            except httpx.TransportError as error:
                done(error)

        task = self.loop.create_task(perform())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def _in_threads(self) -> bool:
        borrowed = self._limiter.borrowed_tokens if self._limiter else 0
        return bool(self.loop.in_threads) or borrowed > 0 or self._busy()

    def pump(self) -> bool:
        worked = False
        give_up = time.monotonic() + PATIENCE_S
        while True:
            more = self.loop.turn()
            if not more and self._in_threads:
                more = self.loop.turn(0.01) or True
                if time.monotonic() > give_up:
                    raise TimeoutError("the server's threads do not come to rest")
            if not more:
                return worked
            worked = True

    def next_due(self) -> float | None:
        return self.loop.next_due()


async def fetch(client: httpx.AsyncClient, request: Request) -> Answer:
    """Send a script's request; only GET follows redirects."""
    got = await client.request(
        request.method,
        request.url,
        headers=request.headers,
        content=request.body.encode() if request.method in ("POST", "PUT") else None,
        follow_redirects=request.method == "GET",
    )
    return Answer(got.status_code, dict(got.headers), got.text)


class WatchedStore:
    """A store whose `append` hands its work to a thread of its own, with that work counted.

    `AsgiServer(region, app, busy=store.busy)` then lets no time pass before it is done.
    """

    def __init__(self, store: Any) -> None:
        self._store, self._waiting = store, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def busy(self) -> bool:
        return self._waiting > 0

    async def append(self, append: Any) -> Any:
        self._waiting += 1
        try:
            return await self._store.append(append)
        finally:
            self._waiting -= 1


class RegionTransport(httpx.AsyncBaseTransport):
    """`httpx.AsyncClient(transport=RegionTransport(region))` calls scripts' URLs.

    Calls may come from any loop in any thread; they wait until the region runs.
    """

    def __init__(self, region: Region) -> None:
        self.region = region
        self.requests: list[tuple[str, str, str]] = []
        """(method, URL, body) of every call."""
        self.loses: Callable[[str], str] = lambda _: ""
        """By its body: is the "request" lost on its way, its "answer", or nothing?"""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Answer] = loop.create_future()
        body = (await request.aread()).decode("utf-8", "replace")
        self.requests.append((request.method, str(request.url), body))
        lost = self.loses(body)
        if lost == "request":
            raise httpx.ConnectError("lost on its way", request=request)

        def settle(answer: Answer | Exception) -> None:
            if answered.done():
                return
            if isinstance(answer, Exception):
                answered.set_exception(httpx.ConnectError(str(answer), request=request))
            else:
                answered.set_result(answer)

        def done(answer: Answer | Exception) -> None:
            loop.call_soon_threadsafe(settle, answer)

        headers = {name.lower(): value for name, value in request.headers.items()}
        self.region.caps.arrivals.put(
            Arrival(request.method, str(request.url), headers, body, done)
        )
        answer = await answered
        if lost == "answer":
            raise httpx.ReadTimeout("its answer was lost", request=request)
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body.encode())
