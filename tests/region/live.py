"""Real sockets: requests go to a server elsewhere, and the region's URLs are on a port."""

from __future__ import annotations

import http.server
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from .caps import Arrival
from .region import Region
from .web import Answer, Request

PATIENCE_S = 30.0
LOOK_S = 0.005


class LiveServer:
    """A server that listens somewhere, as the region's outside; and the simulator's HTTP-in port.

        with LiveServer(region) as live:
            region.run(1)
            live.follow(lambda: table.prim("slot:0").shown)

    Time in the region stands still while the server thinks, unless it waits for a script.
    """

    def __init__(self, region: Region) -> None:
        self.region = region
        self._client = httpx.Client(timeout=PATIENCE_S)
        self._threads = ThreadPoolExecutor(8)
        self._answers: queue.SimpleQueue[tuple[Any, Answer | Exception]] = queue.SimpleQueue()
        self._flying = 0
        self._port = _Port(region)

    def __enter__(self) -> LiveServer:
        self.region.caps.base = f"http://127.0.0.1:{self._port.server_port}"
        threading.Thread(target=self._port.serve_forever, args=(0.02,), daemon=True).start()
        self.region.connect(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._port.shutdown()
        self._port.server_close()
        self._threads.shutdown()
        self._client.close()

    def send(self, request: Request, done: Callable[[Answer | Exception], None]) -> None:
        self._flying += 1
        self._threads.submit(self._perform, request, done)

    def _perform(self, request: Request, done: Callable[[Answer | Exception], None]) -> None:
        try:
            got = self._client.request(
                request.method,
                request.url,
                headers=request.headers,
                content=request.body.encode() if request.method in ("POST", "PUT") else None,
                follow_redirects=request.method == "GET",
            )
            answer: Answer | Exception = Answer(got.status_code, dict(got.headers), got.text)
        except Exception as error:
            answer = error
        self._answers.put((done, answer))

    def pump(self) -> bool:
        give_up = time.monotonic() + PATIENCE_S
        while self._flying:
            try:
                done, answer = self._answers.get(timeout=LOOK_S)
            except queue.Empty:
                # A server that waits for a script needs the script's time to go on.
                if not self.region.caps.arrivals.empty():
                    return True
                if self.region.caps.serving:
                    return False
                if time.monotonic() > give_up:
                    raise TimeoutError("the server does not answer") from None
            else:
                self._flying -= 1
                done(answer)
                return True
        return False

    def next_due(self) -> float | None:
        return None

    def follow(self, true: Callable[[], Any], limit_s: float = 10.0) -> Any:
        """Let the region run with the clock on the wall until something is so."""
        end = time.monotonic() + limit_s
        while not (found := true()):
            assert time.monotonic() < end, f"not so within {limit_s} s"
            self.region.run(0.02)
            time.sleep(0.02)
        return found


class _Port(http.server.ThreadingHTTPServer):
    """Each request waits in its thread until the region has answered."""

    daemon_threads = True

    def __init__(self, region: Region) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                body = self.rfile.read(length).decode("utf-8", "replace")
                answered: queue.SimpleQueue[Answer | Exception] = queue.SimpleQueue()
                headers = {name.lower(): value for name, value in self.headers.items()}
                url = region.caps.base + self.path
                region.caps.arrivals.put(Arrival(self.command, url, headers, body, answered.put))
                answer = answered.get(timeout=PATIENCE_S)
                if isinstance(answer, Exception):
                    self.close_connection = True
                    return
                content = answer.body.encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    if name != "Server":
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_DELETE = do_POST

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
