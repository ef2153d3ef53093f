"""Linksets as the server meets them: requests in, pushes out, without scripts."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from app import codes
from app.devices.device import Device
from app.devices.registry import Registry
from app.devices.signing import sign
from app.main import create_app
from app.settings import Settings
from app.table.hot import HotTable
from app.table.service import Tables
from tests.games.dice import SeededDice
from tests.table.house import Clock

OWNER = "0e000000-0000-4000-8000-000000000009"
ANN = "a0000000-0000-4000-8000-000000000001"
BOB = "b0000000-0000-4000-8000-000000000002"
URL = "http://cap.test/1"
NEWLINE = "\n"
OUTSIDE = {"host": "0.0.0.0", "operator_token": "an operator's own token"}
"""Settings of a server that others can reach."""

Answer = Callable[[httpx.Request], Awaitable[httpx.Response]]


class Grid(httpx.AsyncBaseTransport):
    """Where pushes go: each URL is answered by a function, or is dead."""

    def __init__(self) -> None:
        self.urls: dict[str, Answer] = {}
        self.calls: list[tuple[str, str]] = []
        """(URL, body) of each push."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        self.calls.append((url, (await request.aread()).decode()))
        if url not in self.urls:
            raise httpx.ConnectError("nobody there")
        return await self.urls[url](request)


class Server:
    """The app, with a clock that stands still and a grid of its own."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.clock, self.grid = Clock(), Grid()
        self.addresses = ["8.8.8.8"]
        """Of every host that is looked up."""
        self.settings = Settings(data_dir=folder, log_level="error", **settings)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Server:
        self.app = create_app(
            self.settings,
            push_transport=self.grid,
            resolve=self._resolve,
            clock=self.clock,
            dice=SeededDice(1),
        )
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://server.test")
        await self._stack.enter_async_context(self.app.router.lifespan_context(self.app))
        await self._stack.enter_async_context(self.client)
        return self

    async def __aexit__(self, *why: Any) -> None:
        await self._stack.aclose()

    async def _resolve(self, _: str, __: int) -> list[str]:
        return self.addresses

    @property
    def tables(self) -> Tables:
        return self.app.state.tables  # type: ignore[no-any-return]

    @property
    def registry(self) -> Registry:
        return self.app.state.registry  # type: ignore[no-any-return]

    async def later(self, seconds: float) -> None:
        self.clock.ms += round(seconds * 1000)
        await self.tables.keeper.sweep()

    async def settled(self) -> None:
        """All pushes under way have come to an end."""
        while tasks := [d.pushing for d in self.registry.by_table.values() if d.pushing]:
            await asyncio.wait(tasks, timeout=5)

    async def linkset(self, **more: str) -> Linkset:
        """One that has said hello."""
        made = Linkset(self, **more)
        await made.hello()
        return made

    async def code(self, owner: str = OWNER, table: str = "") -> str:
        """A pairing code for a table of this owner."""
        return await codes.make(self.tables.store, "pair", owner, table, self.clock.ms)

    async def paired(self, **more: str) -> Linkset:
        """One whose owner has typed its code, and that has said hello then."""
        made = Linkset(self, **more)
        await made.pair(await self.code(made.form["owner"]))
        await made.hello()
        return made


class Linkset:
    """What `link.lsl` keeps of a table, and what it sends."""

    def __init__(self, server: Server, **more: str) -> None:
        self.server = server
        self.form = {
            "o": str(uuid.uuid4()), "owner": OWNER, "name": "Olive Owner", "title": "Peril Table",
            "d": "", "k": "", "u": "", **more,
        }  # fmt: skip
        self.seq = 0
        self.records: list[list[str]] = []
        """Fields of the records of the last answer, the header first."""

    @property
    def id(self) -> str:
        return self.form["d"]

    @property
    def known(self) -> Device:
        return self.server.registry._by_id[self.id]

    @property
    def table(self) -> HotTable:
        return self.server.tables.hot[self.known.table_id]

    def copy(self) -> Linkset:
        """Another object with the same memory."""
        made = Linkset(self.server)
        made.form = {**self.form, "o": str(uuid.uuid4())}
        return made

    async def post(self, verb: str, form: dict[str, str]) -> httpx.Response:
        """Send a form, signed with the secret `k` in it, which is not sent itself."""
        fields = {name: value for name, value in form.items() if name != "k"}
        return await self.send(verb, self.signed(verb, urlencode(fields), form.get("k", "")))

    def signed(self, verb: str, body: str, secret: str) -> str:
        if not secret:
            return body
        body += f"&ts={int(self.server.clock())}&nonce={uuid.uuid4()}"
        return f"{body}&sig={quote(sign(secret, f'{verb}{NEWLINE}{body}'), safe='')}"

    async def send(self, verb: str, body: str) -> httpx.Response:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return await self.server.client.post(f"/lsl/v1/{verb}", content=body, headers=kind)

    async def pair(self, code: str, who: str = "") -> list[list[str]]:
        """Its owner (or somebody) touches it and types a code."""
        who = who or self.form["owner"]
        keys = {name: self.form[name] for name in ("o", "owner", "d", "k")}
        press = {**keys, "a": who, "n": "Olive Owner", "t": "pair", "b": code}
        return self._take(await self.post("press", press))

    async def hello(self, **more: str) -> list[list[str]]:
        response = await self.post("hello", {**self.form, **more})
        return self._take(response)

    async def act(self, verb: str = "poll", **more: str) -> list[list[str]]:
        keys = {name: self.form[name] for name in ("d", "k", "o", "owner", "u")}
        response = await self.post(verb, {**keys, "since": str(self.seq), **more})
        return self._take(response)

    async def touch(self, who: str = ANN, name: str = "Ann", **more: str) -> list[list[str]]:
        return await self.act("touch", a=who, n=name, **more)

    async def press(self, label: str, who: str = ANN, **more: str) -> list[list[str]]:
        token = more.pop("t", "") or self.of("D", who)[-1][3]
        return await self.act("press", a=who, n="", t=token, b=label, **more)

    def _take(self, response: httpx.Response) -> list[list[str]]:
        assert response.status_code == 200, response.text
        self.records = [line.split("¦") for line in response.text.split("\n")]
        for fields in self.records:
            if fields[0] == "I":
                self.form |= {"d": fields[1], "k": fields[2] or self.form["k"]}
            if fields[0] == "S" and fields[2] != "0":
                self.seq = int(fields[2])
        return self.records

    def of(self, kind: str, who: str = "") -> list[list[str]]:
        """The records of a kind in the last answer, those for one avatar if he is named."""
        return [r for r in self.records if r[0] == kind and (not who or who in r)]

    def takes_pushes(self, url: str = URL) -> None:
        """Pushes to that URL are read and acknowledged as the script does."""

        async def answer(request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, text=self.read((await request.aread()).decode()))

        self.form["u"] = url
        self.server.grid.urls[url] = answer

    def read(self, body: str) -> str:
        """Take a push as `link.lsl` does, and say what is known now."""
        kind, *numbers = body.split("\n", maxsplit=1)[0].split("¦")
        since, upto, _ = map(int, numbers)
        whole = since == -self.seq or (since == 0 and upto >= self.seq)
        if kind == "S" and (whole or since == self.seq):
            self.seq = upto
        return str(self.seq)
