"""`peril serve` on a folder; it can be killed or stopped at any moment, and started again."""

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


class Server:
    """As its supervisor has it: the socket stays when processes come and go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=2048)
        self.socket.set_inheritable(True)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
        handed = self.socket.fileno()
        self.process = subprocess.Popen(
            [*command, "--data-dir", str(self.folder), "--fd", str(handed)],
            env={**os.environ, "PERIL_OPERATOR_TOKEN": OPERATOR["authorization"].split()[1]},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[handed],
        )

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def replace(self) -> subprocess.Popen[bytes]:
        """Stop the process and start the next one while it drains; the one that goes."""
        going = self.process
        assert going is not None
        going.send_signal(signal.SIGTERM)
        self.start()
        return going


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Server, httpx.AsyncClient]]:
    server = Server(folder)
    server.start()
    try:
        async with httpx.AsyncClient(base_url=server.url, timeout=10) as client:
            yield server, client
    finally:
        server.kill()
        server.socket.close()
