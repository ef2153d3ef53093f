"""Tables in-world over the real app: registration, recognition, copies, requests, pushes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from app.main import create_app
from app.settings import Settings

OBJECT, OTHER = (f"00000000-0000-4000-8000-00000000000{n}" for n in (1, 2))
OWNER, ANN = (f"00000000-0000-4000-9000-00000000000{n}" for n in (1, 2))
URL = "https://simhost-1.agni.secondlife.io:12043/cap/1"


class InWorld:
    """A table in-world, as its scripts behave: it remembers who it is and what it knows."""

    def __init__(self, client: httpx.AsyncClient, key: str = OBJECT, owner: str = OWNER) -> None:
        self.client, self.key, self.owner = client, key, owner
        self.device = self.secret = self.table = ""
        self.seq = 0

    async def post(self, verb: str, **form: Any) -> httpx.Response:
        return await self.client.post(
            f"/lsl/v1/{verb}",
            content=urlencode({k: str(v) for k, v in form.items()}),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )

    async def hello(self, **more: Any) -> list[list[str]]:
        records = self.read(
            await self.post(
                "hello", o=self.key, owner=self.owner, d=self.device, k=self.secret, **more
            )
        )
        for record in records:
            if record[0] == "I":
                self.device, self.table = record[1], record[3]
                self.secret = record[2] or self.secret
        return records

    async def do(self, verb: str, **more: Any) -> list[list[str]]:
        form = {"d": self.device, "k": self.secret, "o": self.key, "since": self.seq, **more}
        return self.read(await self.post(verb, **form))

    def read(self, answer: httpx.Response) -> list[list[str]]:
        assert answer.status_code == 200, answer.text
        assert len(answer.content) <= 3000
        records = [line.split("¦") for line in answer.text.split("\n")]
        if records[0][0] == "S":
            self.seq = int(records[0][2])
        return records


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


Service = Callable[..., Any]


@pytest.fixture
def service(tmp_path: Path) -> Service:
    """`async with service(…) as (client, clock, app)`."""

    @contextlib.asynccontextmanager
    async def make(
        transport: httpx.AsyncBaseTransport | None = None, **settings: Any
    ) -> AsyncIterator[Any]:
        clock = Clock()
        app = create_app(
            Settings(data_dir=tmp_path, log_level="error", **settings),
            push_transport=transport or httpx.MockTransport(lambda _: httpx.Response(404)),
            clock=clock,
        )
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
        ):
            yield client, clock, app

    return make


def of(kind: str, records: list[list[str]]) -> list[list[str]]:
    return [r for r in records if r[0] == kind]


async def test_a_new_table_is_given_a_secret_and_the_whole_board(service: Service) -> None:
    async with service() as (client, _, _app):
        table = InWorld(client)
        records = await table.hello(name="Olive")
        assert records[0][:2] == ["S", "0"]
        assert len(table.secret) == 64
        assert len(of("F", records)) == 34
        assert {r[1] for r in of("X", records)} == {"Leaderboard", "Status", "Dice"}


async def test_it_is_recognised_by_its_secret_and_gets_none_again(service: Service) -> None:
    async with service() as (client, _, _app):
        table = InWorld(client)
        await table.hello()
        first = table.table
        assert of("I", await table.hello())[0][2] == ""
        assert table.table == first


@pytest.mark.parametrize("wrong", [{"k": "guess"}, {"d": "guess"}, {"o": "guess"}])
async def test_a_request_without_the_right_secret_is_refused(
    service: Service, wrong: dict[str, str]
) -> None:
    async with service() as (client, clock, _app):
        table = InWorld(client)
        await table.hello()
        clock.now += 100
        form = {"d": table.device, "k": table.secret, "o": table.key, **wrong}
        assert (await table.post("poll", **form)).status_code == 401


async def test_a_copy_is_refused_while_the_first_one_lives_and_taken_when_it_is_gone(
    service: Service,
) -> None:
    async with service() as (client, clock, _app):
        table = InWorld(client)
        await table.hello()
        copy = InWorld(client, OTHER)
        copy.device, copy.secret = table.device, table.secret
        records = await copy.hello()
        assert records[0][:3] == ["S", "0", "0"]
        assert of("P", records)[0][2] == OWNER
        clock.now += 91
        await copy.hello()
        assert copy.table == table.table


async def test_another_owner_gets_another_table(service: Service) -> None:
    async with service() as (client, _, _app):
        table = InWorld(client)
        await table.hello()
        sold = InWorld(client, OBJECT, ANN)
        sold.device, sold.secret = table.device, table.secret
        await sold.hello()
        assert sold.table not in ("", table.table)


async def test_the_notecard_can_name_a_table_of_this_owner_only(service: Service) -> None:
    async with service(operator_token="t" * 20) as (client, _, _app):
        made = await client.post(
            "/api/v1/tables",
            json={"owner": {"key": OWNER}},
            headers={"Authorization": "Bearer " + "t" * 20},
        )
        mine = InWorld(client)
        await mine.hello(table=made.json()["id"])
        assert mine.table == made.json()["id"]
        other = InWorld(client, OTHER, ANN)
        assert "There is no table of yours" in of("P", await other.hello(table=mine.table))[0][3]


async def test_beyond_this_machine_a_new_table_needs_the_key(service: Service) -> None:
    settings = {"host": "0.0.0.0", "operator_token": "t" * 20, "device_key": "open sesame"}
    async with service(**settings) as (client, _, _app):
        table = InWorld(client)
        assert "key = …" in of("P", await table.hello())[0][3]
        assert not table.device
        await table.hello(key="open sesame")
        assert table.device


async def test_sizes_of_text_sets_and_the_theme_are_taken_over(service: Service) -> None:
    async with service() as (client, _, _app):
        table = InWorld(client)
        records = await table.hello(sets="Leaderboard:32x12,Status:10x3,", theme="existing")
        [ranking] = [r for r in of("X", records) if r[1] == "Leaderboard"]
        assert len(ranking[3:]) == 12
        assert len(of("T", records)[0]) == 33


async def test_one_touch_brings_dialog_lines_and_frames_in_one_answer(service: Service) -> None:
    async with service() as (client, _, _app):
        table = InWorld(client)
        await table.hello()
        records = await table.do("touch", a=ANN, n="Ann", id="t1")
        assert of("D", records)[0][1:3] == ["0", ANN]
        assert "Ann has entered the deadly game" in of("L", records)[0][2]
        assert of("H", records)[0][1:3] == [ANN, "h"]
        assert {r[1] for r in of("F", records)} == {"root", "profile:0:0", "life:0:0"}
        assert await table.do("poll") == [["S", str(table.seq), str(table.seq), "5"]]


async def test_a_refusal_is_said_to_the_sender_alone(service: Service) -> None:
    async with service() as (client, _, _app):
        table = InWorld(client)
        await table.hello()
        dialog = of("D", await table.do("touch", a=ANN, n="Ann"))[0]
        records = await table.do("press", a=ANN, n="Ann", t=dialog[3], b="Start Game")
        assert of("P", records) == [["P", "0", ANN, "At least 2 players are needed. Bots count."]]
        assert not of("L", records)


@pytest.mark.parametrize("body", [b"\xff\xfe", b"a", b"=&=", b"o=x&owner=y", b"&" * 100])
async def test_what_is_no_form_is_malformed_and_never_an_error_of_ours(
    service: Service, body: bytes
) -> None:
    async with service() as (client, _, _app):
        for verb in ("hello", "poll", "touch", "press", "nonsense"):
            answer = await client.post(f"/lsl/v1/{verb}", content=body)
            assert 400 <= answer.status_code < 500


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        (URL, True),
        ("http://simhost-1.agni.secondlife.io:12046/cap/1", True),
        ("https://evil.example/cap", False),
        ("https://secondlife.io.evil.example/cap", False),
        ("https://simhost-1.agni.secondlife.io:22/cap", False),
        ("https://user@simhost-1.agni.secondlife.io:12043/cap", False),
        ("http://169.254.169.254/latest", False),
        ("file:///etc/passwd", False),
        ("http://[::1", False),
        ("", False),
    ],
)
async def test_pushes_go_only_where_regions_are(service: Service, url: str, taken: bool) -> None:
    settings = {"host": "0.0.0.0", "operator_token": "t" * 20, "device_key": "k"}
    async with service(**settings) as (client, _, app):
        table = InWorld(client)
        await table.hello(key="k", u=url)
        assert bool(app.state.registry.by_table[table.table].url) == taken


async def test_a_push_is_the_difference_from_what_was_acknowledged(service: Service) -> None:
    pushed: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        pushed.append(request.content.decode())
        return httpx.Response(200, text=pushed[-1].split("\n")[0].split("¦")[2])

    async with service(httpx.MockTransport(answer)) as (client, _, _app):
        table = InWorld(client)
        await table.hello(u=URL)
        path = f"/api/v1/tables/{table.table}/commands"
        for key, name in ((ANN, "Ann"), (OTHER, "Bob")):
            body = {"avatar": {"key": key, "name": name}, "command": {"type": "join"}}
            assert (await client.post(path, json=body)).status_code == 200
            await asyncio.sleep(0.05)
        assert [p.split("\n")[0] for p in pushed] == ["S¦1¦2¦30", "S¦2¦3¦30"]
        assert all(len(p.encode()) <= 2000 for p in pushed)
        assert "Bob has entered" not in pushed[0]


async def test_after_a_push_that_failed_the_next_request_brings_everything(
    service: Service,
) -> None:
    async with service() as (client, _, app):
        table = InWorld(client)
        await table.hello(u=URL)
        body = {"avatar": {"key": ANN, "name": "Ann"}, "command": {"type": "join"}}
        await client.post(f"/api/v1/tables/{table.table}/commands", json=body)
        await asyncio.sleep(0.05)
        assert app.state.registry.by_table[table.table].url == ""
        records = await table.do("poll")
        assert "Ann has entered" in of("L", records)[0][2]
        assert records[0][3] == "5"


async def test_a_slow_region_holds_up_nobody_else(service: Service) -> None:
    class Slow(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.sleep(30)
            return httpx.Response(200)

    async with service(Slow()) as (client, _, _app):
        table = InWorld(client)
        await table.hello(u=URL)
        async with asyncio.timeout(5):
            await table.do("touch", a=ANN, n="Ann")
            await table.do("touch", a=OTHER, n="Bob")
