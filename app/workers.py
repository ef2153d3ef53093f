"""Several processes that serve the same socket: `peril serve --workers N`.

Each is a `peril serve --fd` of its own.  One that dies is replaced; SIGHUP replaces all, one after
the other, so that somebody always answers.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

LOOK_S = 0.2
AGAIN_S = 1.0
"""Before a worker that did not live so long is started again."""
END_S = 15
"""So long a worker may drain."""


class Workers:
    """The processes, and what the supervisor was told by signals."""

    def __init__(self, listening: socket.socket, count: int, env: dict[str, str]) -> None:
        self._count = count
        self._env = {**os.environ, **env}
        self._fd = listening.fileno()
        os.set_inheritable(self._fd, True)
        self._running: list[subprocess.Popen[bytes]] = []
        self._ending = self._renew = False

    def run(self) -> None:
        """Until SIGTERM or SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        signal.signal(signal.SIGHUP, self._replace)
        with tempfile.TemporaryDirectory(prefix="peril-metrics-") as counted:
            self._env["PROMETHEUS_MULTIPROC_DIR"] = counted
            self._running = [self._start() for _ in range(self._count)]
            while not self._ending:
                time.sleep(LOOK_S)
                self._look_after()
            for worker in self._running:
                _stop(worker)
            for worker in self._running:
                _wait(worker)

    def _end(self, *_: object) -> None:
        self._ending = True

    def _replace(self, *_: object) -> None:
        self._renew = True

    def _look_after(self) -> None:
        for place, worker in enumerate(self._running):
            if worker.poll() is not None and not self._ending:
                time.sleep(AGAIN_S)
                self._running[place] = self._start()
        if self._renew:
            self._renew = False
            for place, worker in enumerate(self._running):
                self._running[place] = self._start()
                _stop(worker)
                _wait(worker)

    def _start(self) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl+C reaches the supervisor alone, which then lets all drain.
        return subprocess.Popen(
            [sys.executable, "-m", "app.cli", "serve", "--fd", str(self._fd)],
            env=self._env,
            stdout=subprocess.DEVNULL,
            pass_fds=[self._fd],
            start_new_session=True,
        )


def _stop(worker: subprocess.Popen[bytes]) -> None:
    if worker.poll() is None:
        worker.send_signal(signal.SIGTERM)


def _wait(worker: subprocess.Popen[bytes]) -> None:
    try:
        worker.wait(END_S)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
