"""Server processes that are measured: started, asked, ended."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

TOKEN = "the operator's token of a measurement"
WIDE = {
    "PERIL_LIMITS": "1",
    **{
        f"PERIL_{name}": "1000000000"
        for name in (
            *("ADDRESS_REQUESTS_PER_S", "TOKEN_REQUESTS_PER_S"),
            *("AVATAR_COMMANDS_PER_S", "DEVICE_REQUESTS_PER_S", "STREAMS_PER_ADDRESS"),
        )
    },
}
"""Limits are counted as for everybody, and so wide that one machine may send all."""
ECHO = ["-m", "uvicorn", "bench.echo:app", "--no-access-log", "--log-level", "warning"]
TABLE = ["-m", "app.cli", "serve"]
START_LIMIT_S = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A process that answers on `port`; `started_s`: from its start to its first answer."""

    def __init__(self, port: int, process: subprocess.Popen[bytes], started_s: float) -> None:
        self.port = port
        self.process = process
        self.started_s = started_s

    def cpu_s(self) -> float:
        """CPU time that all its threads have used, to the nanosecond."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((t / "schedstat").read_text().split()[0]) for t in tasks) / 1e9

    def memory_bytes(self) -> int:
        """What of its memory is its own and in use."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))


@contextlib.contextmanager
def echo(workers: int = 1) -> Iterator[Server]:
    with _running([*ECHO, "--workers", str(workers)], "/docs", {}) as server:
        yield server


@contextlib.contextmanager
def table(folder: str, path: str = "/healthz") -> Iterator[Server]:
    """The whole service on the embedded store in `folder`; `path`: where its first answer is."""
    env = {"PERIL_DATA_DIR": folder, "PERIL_OPERATOR_TOKEN": TOKEN, **WIDE}
    with _running(TABLE, path, env) as server:
        yield server


@contextlib.contextmanager
def grown(folder: str, database: str, redis: str, workers: int) -> Iterator[Server]:
    """The same on PostgreSQL and Redis."""
    env = {
        "PERIL_DATA_DIR": folder,
        "PERIL_DATABASE_URL": database,
        "PERIL_REDIS_URL": redis,
        "PERIL_OPERATOR_TOKEN": TOKEN,
        **WIDE,
    }
    with _running([*TABLE, "--workers", str(workers)], "/healthz", env) as server:
        yield server


@contextlib.contextmanager
def _running(command: list[str], path: str, env: dict[str, str]) -> Iterator[Server]:
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command, "--port", str(port)],
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
    )
    try:
        while not _answers(port, path):
            late = time.perf_counter() - began > START_LIMIT_S
            if late or process.poll() is not None:
                raise RuntimeError("the server does not answer")
            time.sleep(0.01)
        yield Server(port, process, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait(20)


def _answers(port: int, path: str) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 30) as peer:
        peer.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        return peer.recv(100).startswith(b"HTTP/1.1 200")
    return False
