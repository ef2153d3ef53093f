"""A real server is killed in the middle of matches; what it acknowledged is never lost."""

import asyncio
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from app import games

OPERATOR = {"authorization": "Bearer operator-of-this-test"}
KILLS = 6
QUICK = {
    "draw_shown_s": 0.05,
    "roll_shown_s": 0.05,
    "outcome_shown_s": 0.05,
    "elimination_shown_s": 0.05,
    "victory_s": 0.2,
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """`peril serve` on a folder; it can be killed without warning and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
        self.process = subprocess.Popen(
            [*command, "--data-dir", str(self.folder), "--port", str(self.port)],
            env={**os.environ, "PERIL_OPERATOR_TOKEN": OPERATOR["authorization"].split()[1]},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Server, httpx.AsyncClient]]:
    server = Server(folder)
    server.start()
    base = f"http://127.0.0.1:{server.port}"
    try:
        async with httpx.AsyncClient(base_url=base, timeout=5) as client:
            yield server, client
    finally:
        server.kill()


async def insist(client: httpx.AsyncClient, method: str, path: str, **sent: Any) -> httpx.Response:
    """Ask again, with the same words, until somebody answers."""
    for _ in range(600):
        try:
            answer = await client.request(method, path, **sent)
        except httpx.TransportError:
            await asyncio.sleep(0.03)
            continue
        assert answer.status_code < 500, answer.text
        if answer.status_code != 429:
            return answer
    raise AssertionError("the server does not come back")


class Players:
    """Three people who play by REST, and note what the server acknowledged."""

    def __init__(self, client: httpx.AsyncClient, path: str) -> None:
        self.client = client
        self.path = path
        self.random = random.Random(7)
        self.ids = count(1)
        keys = [f"00000000-0000-4000-8000-00000000000{n}" for n in range(3)]
        self.names = {key: f"Player {key[-1]}" for key in keys}
        self.acknowledged: dict[str, tuple[str, int]] = {}
        """Command id → match and seq of the answer."""
        self.refused: set[str] = set()

    async def send(self, key: str, **command: Any) -> None:
        command_id = f"c{next(self.ids)}"
        avatar = {"key": key, "name": self.names[key]}
        body = {"id": command_id, "avatar": avatar, "command": command}
        answer = await insist(self.client, "POST", f"{self.path}/commands", json=body)
        if answer.status_code == 200:
            self.acknowledged[command_id] = (answer.json()["match"], answer.json()["seq"])
        else:
            assert answer.status_code == 409, answer.text
            self.refused.add(command_id)

    async def play(self) -> int:
        """Do what is due on the table; the number of the match it was due in."""
        now = (await insist(self.client, "GET", self.path)).json()
        state = now["state"]
        if now["stage"] == "lobby":
            await self.begin(state)
        elif not state["waiting_for"]:
            await asyncio.sleep(0.02)
        elif state["moment"] == "rolling":
            await self.send(state["waiting_for"][0], type="roll")
        else:
            taken = {n for s in state["seats"] for n in s["picks"]}
            free = [n for n in range(1, state["sides"] + 1) if n not in taken]
            numbers = self.random.sample(free, state["picks_each"])
            await self.send(state["waiting_for"][0], type="pick", numbers=numbers)
        return int(now["match"].rsplit("-", 1)[1])

    async def begin(self, state: dict[str, Any]) -> None:
        ready = {s["key"]: s["ready"] for s in state["seats"]}
        for key in self.names:
            if key not in ready:
                await self.send(key, type="join")
            if not ready.get(key):
                await self.send(key, type="ready")
        await self.send(next(iter(self.names)), type="start")


async def kill_now_and_then(server: Server, players: Players) -> None:
    for _ in range(KILLS):
        heard = len(players.acknowledged)
        while len(players.acknowledged) < heard + 5:
            await asyncio.sleep(0.01)
        await asyncio.sleep(players.random.uniform(0, 0.3))
        server.kill()
        server.start()


async def test_a_server_killed_at_random_moments_keeps_every_acknowledged_command(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as (server, client):
        options = {"options": QUICK}
        made = await insist(client, "POST", "/api/v1/tables", json=options, headers=OPERATOR)
        table = made.json()["id"]
        players = Players(client, f"/api/v1/tables/{table}")
        killing = asyncio.ensure_future(kill_now_and_then(server, players))
        number = 1
        while not killing.done():
            number = await players.play()
        killing.result()
        while await players.play() == number:
            pass
    assert len(players.acknowledged) > KILLS * 5
    database = sqlite3.connect(tmp_path / "peril.db")
    query = "SELECT command_id, match_id, seq, events FROM entries WHERE table_id = ? ORDER BY seq"
    log = list(database.execute(query, (table,)))
    database.close()
    assert [seq for _, _, seq, _ in log] == list(range(1, len(log) + 1))
    stored = {command_id: (match, seq) for command_id, match, seq, _ in log if command_id}
    assert len(stored) == sum(command_id is not None for command_id, _, _, _ in log)
    assert {i: stored.get(i) for i in players.acknowledged} == players.acknowledged
    assert not players.refused & set(stored)
    matches: dict[str, list[Any]] = {}
    for _, match, _, events in log:
        matches.setdefault(match, []).extend(games.events_decoder.decode(events))
    assert games.replay(matches[f"{table}-{number}"]).closed == "victory"
