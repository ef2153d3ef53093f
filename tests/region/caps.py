"""HTTP in: the addresses that scripts get, and what comes in there."""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lummao import Key

from .chat import cut
from .definitions import LSL
from .prims import new_key
from .web import Answer

if TYPE_CHECKING:
    from .region import Region
    from .script import Runner

BODY_BYTES = 2048
HEADER_BYTES = 255
ANSWER_S, HEADERS_KEPT_S = 25.0, 30.0
ATTACHED_URLS = 38

Done = Callable[[Answer | Exception], None]


@dataclass(eq=False)
class Incoming:
    """A request that came in at a script's URL."""

    id: Key
    runner: Runner
    headers: dict[str, str]
    done: Done
    content_type: str = "text/plain; charset=utf-8"
    answered: bool = False


@dataclass(eq=False)
class Arrival:
    """A request on its way in, perhaps from another thread."""

    method: str
    url: str
    headers: dict[str, str]
    body: str
    done: Done = field(repr=False)


class Caps:
    def __init__(self, region: Region) -> None:
        self.region = region
        self.host = "simhost.test"
        self.base = ""
        """Set by a real socket in place of `http://{host}:12046`."""
        self.urls: dict[str, Runner] = {}
        self.pending: dict[Key, Incoming] = {}
        self.arrivals: queue.SimpleQueue[Arrival] = queue.SimpleQueue()
        self.deny_next = 0
        """How many of the next requests for a URL are denied."""

    # ---- URLs

    def request(self, runner: Runner, secure: bool) -> Key:
        query = new_key()
        self.region.after(0.1, lambda: self._grant(runner, query, secure))
        return query

    def _grant(self, runner: Runner, query: Key, secure: bool) -> None:
        if runner.gone:
            return
        if self.deny_next > 0 or self.free(runner) <= 0:
            self.deny_next = max(0, self.deny_next - 1)
            runner.post("http_request", query, LSL.URL_REQUEST_DENIED, "No free URLs")
            return
        scheme, port = ("https", 12043) if secure else ("http", 12046)
        base = self.base or f"{scheme}://{self.host}:{port}"
        url = f"{base}/cap/{new_key()}"
        self.urls[url] = runner
        runner.post("http_request", query, LSL.URL_REQUEST_GRANTED, url)

    def free(self, runner: Runner) -> int:
        """What is left of the parcel's pool, or of the wearer's."""
        wearer = runner.prim.linkset.attached_to
        if wearer is None:
            used = sum(r.prim.linkset.attached_to is None for r in self.urls.values())
            return self.region.land.urls - used
        return ATTACHED_URLS - sum(r.prim.linkset.attached_to is wearer for r in self.urls.values())

    def of(self, runner: Runner) -> list[str]:
        """The URLs a script holds, oldest first."""
        return [url for url, holder in self.urls.items() if holder is runner]

    def release(self, url: str) -> None:
        self.urls.pop(url, None)

    def release_all(self, runner: Runner | None = None) -> None:
        """All URLs end: of one script, or at a restart of the region."""
        self.urls = {u: r for u, r in self.urls.items() if runner and r is not runner}
        for incoming in list(self.pending.values()):
            if runner in (None, incoming.runner):
                self._close(incoming, Answer(404, {}, "cap not found"))

    # ---- requests

    def take_arrivals(self) -> bool:
        """Hand over what came in, perhaps from other threads.  True if there was anything."""
        worked = False
        while not self.arrivals.empty():
            self.receive(self.arrivals.get())
            worked = True
        return worked

    def receive(self, arrival: Arrival) -> None:
        if self.region.down:
            arrival.done(ConnectionRefusedError("the region is down"))
            return
        parts = urlsplit(arrival.url)
        _, cap, key, *path = parts.path.split("/")
        url = f"{parts.scheme}://{parts.netloc}/{cap}/{key}"
        runner = self.urls.get(url)
        if runner is None:
            arrival.done(Answer(404, {}, "cap not found"))
            return
        if parts.query and not path:
            arrival.done(Answer(500, {}, "a query needs a slash before it"))
            return
        if arrival.method not in ("GET", "POST", "PUT", "DELETE"):
            arrival.done(Answer(405, {}, "method not allowed"))
            return
        shown = {
            "x-script-url": url,
            "x-path-info": "".join(f"/{part}" for part in path),
            "x-query-string": parts.query,
            "x-remote-ip": "192.0.2.1",
            "user-agent": arrival.headers.get("user-agent", ""),
        }
        # Of the caller's own headers only those that llHTTPRequest sends are handed on.
        shown |= {name: value for name, value in arrival.headers.items() if "x-secondlife-" in name}
        headers = {name: cut(value, HEADER_BYTES) for name, value in shown.items()}
        incoming = Incoming(new_key(), runner, headers, arrival.done)
        self.pending[incoming.id] = incoming
        text = arrival.body if arrival.method in ("POST", "PUT") else ""
        data = text.encode()[:BODY_BYTES]
        self.region.after(ANSWER_S, lambda: self._close(incoming, Answer(502, {}, "no answer")))
        self.region.after(HEADERS_KEPT_S, lambda: self._forget(incoming))
        runner.post("http_request", incoming.id, arrival.method, data.decode(errors="replace"))

    def answer(self, runner: Runner, key: Key, status: int, body: str) -> None:
        incoming = self.pending.get(key)
        if incoming and incoming.runner is runner and not incoming.answered:
            headers = {
                "Server": "Second Life LSL/Second Life Server 2026-01-06.20757451310",
                "Content-Type": incoming.content_type,
                "Access-Control-Allow-Origin": "*",
                **self.region.web.headers(runner),
            }
            self._close(incoming, Answer(status, headers, body))

    def _close(self, incoming: Incoming, answer: Answer) -> None:
        if not incoming.answered:
            incoming.answered = True
            self.pending.pop(incoming.id, None)
            incoming.done(answer)

    def _forget(self, incoming: Incoming) -> None:
        self.pending.pop(incoming.id, None)

    def header(self, key: Key, name: str) -> str:
        incoming = self.pending.get(key)
        return incoming.headers.get(name.lower(), "") if incoming else ""

    @property
    def serving(self) -> bool:
        """Somebody outside waits for a script."""
        return any(not incoming.answered for incoming in self.pending.values())
