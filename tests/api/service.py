"""The service as its clients see it: in this process without a network, or as a process of its own.

`Service` is the real app over an ASGI transport; `Running` is `peril` on a free port.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from app.games.core import Dice
from app.main import create_app
from app.settings import Settings

API = "/api/v1"
OPERATOR = "operator-token-for-tests"
ADA = {"key": "ada00000-0000-4000-8000-000000000001", "name": "Ada"}
BOB = {"key": "b0b00000-0000-4000-8000-000000000002", "name": "Bob"}
CAT = {"key": "ca700000-0000-4000-8000-000000000003", "name": "Cat"}
OWNER = {"key": "0e000000-0000-4000-8000-000000000009", "name": "Olive"}
QUICK = {"draw_shown_s": 0, "roll_shown_s": 0, "outcome_shown_s": 0, "elimination_shown_s": 0}

Avatar = dict[str, str]


class Clock:
    """The machine's time, moved on by as many seconds as a test likes."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead_s


class Table:
    """A table, and the requests one sends to it; `token` goes along where none is given."""

    def __init__(self, client: httpx.AsyncClient, made: dict[str, Any]) -> None:
        self.client = client
        self.id: str = made["id"]
        self.owner_token: str = made["owner_token"]
        self.url = f"{API}/tables/{self.id}"

    async def get(self, path: str = "", token: str = "", **params: Any) -> httpx.Response:
        return await self.client.get(self.url + path, params=params, headers=bearer(token))

    async def post(self, path: str, body: Any, token: str = "") -> httpx.Response:
        return await self.client.post(self.url + path, json=body, headers=bearer(token))

    async def command(
        self, avatar: Avatar, what: str, *, token: str = "", id: str | None = None, **fields: Any
    ) -> httpx.Response:
        body: dict[str, Any] = {"avatar": avatar, "command": {"type": what, **fields}}
        return await self.post("/commands", body | ({"id": id} if id else {}), token)

    async def touch(self, avatar: Avatar, token: str = "", **where: Any) -> httpx.Response:
        return await self.post("/touches", {"avatar": avatar, **where}, token)

    async def press(
        self, avatar: Avatar, dialog: str, button: str, token: str = "", **more: Any
    ) -> httpx.Response:
        body = {"avatar": avatar, "token": dialog, "button": button, **more}
        return await self.post("/presses", body, token)

    async def owner(self, what: str, **fields: Any) -> httpx.Response:
        """A command of the owner, which has to work."""
        return ok(await self.command(OWNER, what, token=self.owner_token, **fields))

    async def state(self) -> dict[str, Any]:
        return ok(await self.get()).json()["state"]

    async def seq(self) -> int:
        return ok(await self.get()).json()["seq"]

    async def start(self, *players: Avatar) -> None:
        """Everybody joins and is ready, the first one starts."""
        for player in players:
            ok(await self.command(player, "join"))
        for player in players[1:]:
            ok(await self.command(player, "ready"))
        ok(await self.command(players[0], "start"))
        await self.until(lambda state: state["moment"] == "picking")

    async def until(self, true: Any) -> dict[str, Any]:
        """The state of the match as soon as it is so."""
        while True:
            seq = await self.seq()
            state = await self.state()
            if true(state):
                return state
            ok(await self.get("/frames", since=seq, wait_s=10))

    async def act(self, state: dict[str, Any], names: dict[str, str]) -> None:
        """Do what the table waits for."""
        for key in state["waiting_for"]:
            avatar = {"key": key, "name": names[key]}
            if state["moment"] == "rolling":
                ok(await self.command(avatar, "roll"))
                continue
            taken = {n for seat in state["seats"] for n in seat["picks"]}
            free = [n for n in range(1, state["sides"] + 1) if n not in taken]
            ok(await self.command(avatar, "pick", numbers=free[: state["picks_each"]]))

    async def play(self, *players: Avatar) -> str:
        """A whole match; the winner's key."""
        await self.start(*players)
        names = {p["key"]: p["name"] for p in players}
        while True:
            state = await self.until(lambda s: s["waiting_for"] or s["winner"])
            if state["winner"]:
                return str(state["winner"])
            await self.act(state, names)


class Service:
    """The app, started, and a client of it."""

    def __init__(self, app: FastAPI, client: httpx.AsyncClient, clock: Clock) -> None:
        self.app = app
        self.client = client
        self.clock = clock
        self.tables = app.state.tables

    async def table(self, **body: Any) -> Table:
        body = {"owner": OWNER, "options": QUICK, **body}
        made = await self.client.post(f"{API}/tables", json=body, headers=bearer(OPERATOR))
        return Table(self.client, ok(made).json())

    async def get(self, path: str, token: str = "", **params: Any) -> httpx.Response:
        return await self.client.get(API + path, params=params, headers=bearer(token))


@asynccontextmanager
async def serving(
    folder: Path, dice: Dice | None = None, **settings: Any
) -> AsyncIterator[Service]:
    """The service on the database in `folder`, from its start to its stop."""
    clock = Clock()
    given = {"operator_token": OPERATOR, "log_level": "error", **settings}
    app = create_app(Settings(data_dir=folder, **given), dice=dice, clock=clock)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8700") as client,
    ):
        yield Service(app, client, clock)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def ok(response: httpx.Response) -> httpx.Response:
    assert response.is_success, f"{response.status_code} {response.text}"
    return response


def refused(response: httpx.Response, status: int, code: str) -> str:
    """The sentence of an error, once its status, its code and its form are as they should be."""
    assert (response.status_code, response.headers["content-type"]) == (status, "application/json")
    body = response.json()
    assert set(body) <= {"error", "dialog"}
    assert set(body["error"]) == {"code", "message"}
    assert body["error"]["code"] == code, body
    message = body["error"]["message"]
    assert 8 < len(message) <= 1000
    assert message[-1] in ".!…"
    return str(message)


# ---- a process of its own -------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _environment(given: dict[str, str]) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PERIL_")}
    return clean | {"PERIL_OPERATOR_TOKEN": OPERATOR} | given


class Running:
    """`peril serve` or `play`, once it answers."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.said = ""

    def table(self, **body: Any) -> dict[str, Any]:
        body = {"owner": OWNER, "options": QUICK, **body}
        made = httpx.post(f"{self.url}{API}/tables", json=body, headers=bearer(OPERATOR))
        return dict(ok(made).json())

    def command(self, table_id: str, avatar: Avatar, what: str, **fields: Any) -> dict[str, Any]:
        body = {"avatar": avatar, "command": {"type": what, **fields}}
        return dict(ok(httpx.post(f"{self.url}{API}/tables/{table_id}/commands", json=body)).json())


@contextmanager
def running(what: str, folder: Path, **environment: str) -> Iterator[Running]:
    """`peril serve` or `peril play` on a free port, until the block ends."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", what, "--port", str(port), "--data-dir", str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=_environment({"PYTHONUNBUFFERED": "1", **environment}),
    )  # fmt: skip
    server = Running(process, port)
    try:
        _await_answer(server)
        yield server
    finally:
        if process.poll() is None:
            process.terminate()
        server.said = process.communicate(timeout=20)[0]


def _await_answer(server: Running) -> None:
    for _ in range(400):
        try:
            ok(httpx.get(f"{server.url}/healthz"))
            return
        except httpx.TransportError:
            if server.process.poll() is not None:
                raise AssertionError(server.process.communicate()[0]) from None
            time.sleep(0.05)
    raise AssertionError("the server does not answer")


async def messages(lines: AsyncIterator[str]) -> AsyncIterator[dict[str, Any]]:
    """The news of a stream of server-sent events, each with the `id` it came with."""
    fields: dict[str, str] = {}
    async for line in lines:
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
        elif not line and fields:
            assert fields["event"] == "news"
            yield {"id": int(fields["id"]), **json.loads(fields["data"])}
            fields = {}


async def soon(wanted: Any, seconds: float = 10) -> Any:
    """What comes before those who wait are sent home; a test that waits longer has failed."""
    async with asyncio.timeout(seconds):
        return await wanted
