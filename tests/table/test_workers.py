"""`peril serve --workers`: several processes behind one port, as their supervisor runs them."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chaos.server import OPERATOR
from tests.postgres import new_database


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


KEY = "00000000-0000-4000-8000-00000000000{}"
Running = tuple[str, subprocess.Popen[bytes]]
"""Where the service answers, and its supervisor."""
SOON_S = 60.0
"""A process takes a second to start, more while other tests run."""


def eventually(look: Callable[[], Any]) -> Any:
    """What `look` gives as soon as it is true."""
    end = time.monotonic() + SOON_S
    while True:
        try:
            if found := look():
                return found
        except httpx.TransportError:
            pass
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)


@contextmanager
def served(folder: Path, database: str, redis: str) -> Iterator[Running]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "serve", "--port", str(port), "--workers", "2"],
        env={
            **os.environ,
            "PERIL_DATA_DIR": str(folder),
            "PERIL_DATABASE_URL": database,
            "PERIL_REDIS_URL": redis,
            "PERIL_OPERATOR_TOKEN": OPERATOR["authorization"].split()[1],
        },
        stdout=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(SOON_S)


@pytest.fixture
def service(tmp_path: Path, empty_postgres: str, need: Callable[[str], str]) -> Iterator[Running]:
    with (
        new_database(need("postgresql"), empty_postgres.rpartition("/")[2]) as database,
        served(tmp_path, database, need("redis")) as running,
    ):
        yield running


def get(url: str, path: str, **params: Any) -> httpx.Response:
    """On a connection of its own, which any process may take."""
    return httpx.get(url + path, params=params, headers=OPERATOR, timeout=SOON_S)


def workers(process: subprocess.Popen[bytes]) -> set[int]:
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return {int(pid) for pid in listed.split()}


def join(url: str, table: str, number: int) -> None:
    avatar = {"key": KEY.format(number), "name": f"P{number}"}
    body = {"id": f"j{number}", "avatar": avatar, "command": {"type": "join"}}
    path = f"{url}/api/v1/tables/{table}/commands"
    answer = httpx.post(path, json=body, headers=OPERATOR, timeout=SOON_S)
    assert answer.status_code == 200, answer.text


def test_any_process_answers_and_together_they_count_everything(
    service: Running,
) -> None:
    url, process = service
    eventually(lambda: get(url, "/healthz").json()["redis"] == "up")
    eventually(lambda: len(workers(process)) == 2)
    made = httpx.post(f"{url}/api/v1/tables", json={}, headers=OPERATOR)
    table = made.json()["id"]
    for number in range(8):
        join(url, table, number)
        seen = [get(url, f"/api/v1/tables/{table}/frames", since=number + 2) for _ in range(3)]
        assert {answer.json()["seq"] for answer in seen} == {number + 2}
    for _ in range(6):
        accepted = re.search(
            r'commands_total\{result="accepted"\} (\S+)', get(url, "/metrics").text
        )
        assert accepted
        assert float(accepted[1]) == 8

    before = workers(process)
    os.kill(min(before), signal.SIGKILL)
    for number in (8, 9):
        join(url, table, number)
    eventually(lambda: len(workers(process) - before) == 1)

    process.send_signal(signal.SIGHUP)
    eventually(lambda: not workers(process) & before and len(workers(process)) == 2)
    assert len(get(url, f"/api/v1/tables/{table}").json()["state"]["seats"]) == 10


def test_several_processes_need_a_database_for_all(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "app.cli", "serve", "--port", str(free_port()), "--workers", "2"],
        env={**os.environ, "PERIL_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert "PERIL_DATABASE_URL" in told.stderr
