"""A Redis for the tests: the one that is there, or one started on a free port."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import time
from functools import cache

import redis

THERE = os.environ.get("PERIL_TEST_REDIS", "redis://127.0.0.1:6379/0")


class Started:
    """A Redis of our own, which may be stopped and started again on its port."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = tempfile.mkdtemp(prefix="peril-redis-")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Started:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(
            [*command, "--dir", self._folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + 10
        while not _answers(self.url):
            assert time.monotonic() < until, "redis-server does not start"
            time.sleep(0.02)
        return self

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


@cache
def find_redis() -> str | None:
    """Address of a server; None if there is none and none can be started."""
    if _answers(THERE):
        return THERE
    if find_redis_server() is None:
        return None
    own = Started().start()
    atexit.register(own.remove)
    return own.url


def find_redis_server() -> str | None:
    return shutil.which("redis-server")


def _answers(url: str) -> bool:
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=2) as client:
            client.ping()
    except redis.RedisError:
        return False
    return True
