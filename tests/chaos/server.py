"""`peril serve` on a store: its processes can be killed or stopped at any moment."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

OPERATOR = {"authorization": "Bearer operator-of-this-test"}


class Store:
    """Where the tables are kept: a folder, or a database for `workers` processes."""

    def __init__(self, folder: Path, database: str = "", redis: str = "", workers: int = 1) -> None:
        self.url = database or f"sqlite:///{folder / 'peril.db'}"
        self.workers = workers
        self.env = {
            "PERIL_DATA_DIR": str(folder),
            "PERIL_DATABASE_URL": database,
            "PERIL_REDIS_URL": redis,
        }


class Server:
    """As its supervisor has it: the socket stays when processes come and go."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=2048)
        self.socket.set_inheritable(True)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """As many processes as there should be."""
        while len(self.processes) < self.store.workers:
            self.processes.append(self._started())

    def _started(self) -> subprocess.Popen[bytes]:
        handed = self.socket.fileno()
        return subprocess.Popen(
            [sys.executable, "-m", "app.cli", "serve", "--fd", str(handed)],
            env={
                **os.environ,
                **self.store.env,
                "PERIL_OPERATOR_TOKEN": OPERATOR["authorization"].split()[1],
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[handed],
        )

    def kill(self, which: int = 0) -> None:
        process = self.processes.pop(which)
        process.kill()
        process.wait()

    def replace(self) -> subprocess.Popen[bytes]:
        """Stop a process and start the next one while it drains; the one that goes."""
        going = self.processes.pop(0)
        going.send_signal(signal.SIGTERM)
        self.start()
        return going


@asynccontextmanager
async def serving(store: Store) -> AsyncIterator[tuple[Server, httpx.AsyncClient]]:
    server = Server(store)
    server.start()
    try:
        async with httpx.AsyncClient(base_url=server.url, timeout=10) as client:
            yield server, client
    finally:
        while server.processes:
            server.kill()
        server.socket.close()
