"""Three people at each table, who ask again until they are answered, and note every answer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from itertools import count
from typing import Any

import httpx

from .server import OPERATOR

QUICK = {
    "draw_shown_s": 0.05,
    "roll_shown_s": 0.05,
    "outcome_shown_s": 0.05,
    "elimination_shown_s": 0.05,
    "victory_s": 0.2,
}
PAUSE_S = 0.03
"""Before the same request goes again; the scripts in-world wait two seconds and more."""
TRIES = 1000


async def create_table(client: httpx.AsyncClient) -> str:
    """A quick table; its id."""
    wanted = {"options": QUICK}
    for _ in range(TRIES):
        try:
            made = await client.post("/api/v1/tables", json=wanted, headers=OPERATOR)
        except httpx.TransportError:
            await asyncio.sleep(PAUSE_S)
            continue
        assert made.status_code == 201, made.text
        return str(made.json()["id"])
    raise AssertionError("the server does not come")


class Players:
    """The people at one table."""

    def __init__(self, client: httpx.AsyncClient, table: str, seed: int) -> None:
        self.client = client
        self.table = table
        self.path = f"/api/v1/tables/{table}"
        self.random = random.Random(seed)
        self.ids = count(1)
        keys = [f"00000000-0000-4000-8000-00000000000{n}" for n in range(3)]
        self.names = {key: f"Player {key[-1]}" for key in keys}
        self.number = 1
        """Of the match that was on when somebody looked last."""
        self.acknowledged: dict[str, tuple[str, int]] = {}
        """Command id → match and seq of the answer."""
        self.refused: set[str] = set()
        self.boards: dict[int, dict[str, Any]] = {}
        """seq → what the prims showed then."""
        self.errors = 0
        self.in_a_row = 0
        self.worst = 0
        """Most errors in a row."""

    async def ask(self, method: str, path: str = "", **sent: Any) -> httpx.Response:
        """Ask again, with the same words, until somebody answers."""
        for _ in range(TRIES):
            try:
                answer = await self.client.request(method, self.path + path, **sent)
            except httpx.TransportError:
                failed = True
            else:
                assert answer.status_code < 500, answer.text
                failed = answer.status_code == 429
            if not failed:
                self.in_a_row = 0
                return answer
            self.errors += 1
            self.in_a_row += 1
            self.worst = max(self.worst, self.in_a_row)
            await asyncio.sleep(PAUSE_S)
        raise AssertionError("the server does not come back")

    async def send(self, key: str, **command: Any) -> None:
        command_id = f"{self.table}-{next(self.ids)}"
        avatar = {"key": key, "name": self.names[key]}
        body = {"id": command_id, "avatar": avatar, "command": command}
        answer = await self.ask("POST", "/commands", json=body)
        if answer.status_code == 200:
            self.acknowledged[command_id] = (answer.json()["match"], answer.json()["seq"])
        else:
            assert answer.status_code == 409, answer.text
            self.refused.add(command_id)

    async def play(self) -> int:
        """Do what is due on the table; the number of the match it was due in."""
        now = (await self.ask("GET")).json()
        state = now["state"]
        if now["stage"] == "lobby":
            await self.begin(state)
        elif not state["waiting_for"]:
            board = (await self.ask("GET", "/frames")).json()
            self.boards[board["seq"]] = board["frames"]
            news = {"since": board["seq"], "wait_s": 1}
            await self.ask("GET", "/frames", params=news)
        elif state["moment"] == "rolling":
            await self.send(state["waiting_for"][0], type="roll")
        else:
            taken = {n for s in state["seats"] for n in s["picks"]}
            free = [n for n in range(1, state["sides"] + 1) if n not in taken]
            numbers = self.random.sample(free, state["picks_each"])
            await self.send(state["waiting_for"][0], type="pick", numbers=numbers)
        self.number = int(now["match"].rsplit("-", 1)[1])
        return self.number

    async def begin(self, state: dict[str, Any]) -> None:
        ready = {s["key"]: s["ready"] for s in state["seats"]}
        for key in self.names:
            if key not in ready:
                await self.send(key, type="join")
            if not ready.get(key):
                await self.send(key, type="ready")
        await self.send(next(iter(self.names)), type="start")

    async def play_until(self, done: Callable[[], bool]) -> None:
        while not done():
            await self.play()

    async def finish(self) -> None:
        """Play the match that is on to its end."""
        number = await self.play()
        await self.play_until(lambda: self.number > number)
