"""What only a real server shows: waiting answers, streams, bodies in pieces, its end, a match."""

import asyncio
import json
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from .service import (
    ADA,
    API,
    BOB,
    OPERATOR,
    OWNER,
    Running,
    bearer,
    messages,
    ok,
    refused,
    running,
    soon,
)

HARNESS = Path(__file__).parents[2] / "examples" / "harness.py"


@pytest.fixture
def table(server: Running) -> dict[str, Any]:
    return server.table()


@asynccontextmanager
async def streaming(
    server: Running, table_id: str, *, headers: dict[str, str] | None = None, **params: Any
) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """The news of a table's stream, while it is open."""
    url = f"{server.url}{API}/tables/{table_id}/stream"
    async with (
        httpx.AsyncClient(timeout=10) as client,
        client.stream("GET", url, params=params, headers=headers or {}) as response,
    ):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
        yield messages(response.aiter_lines())


# ---- streams --------------------------------------------------------------------------------


async def test_a_stream_begins_with_the_whole_board_and_goes_on_with_changes(
    server: Running, table: dict[str, Any]
) -> None:
    async with streaming(server, table["id"]) as news:
        first = await soon(anext(news))
        assert (first["kind"], first["id"], first["seq"]) == ("whole", 1, 1)
        server.command(table["id"], ADA, "join")
        second = await soon(anext(news))
        assert (second["kind"], second["id"]) == ("changes", 2)
        assert second["lines"][0].startswith("💀 Ada ")


async def test_a_stream_goes_on_where_the_browser_lost_it(
    server: Running, table: dict[str, Any]
) -> None:
    for player in (ADA, BOB):
        server.command(table["id"], player, "join")
    # A browser sends the id of the last message, and the address it had at first.
    async with streaming(server, table["id"], headers={"Last-Event-ID": "2"}, since=1) as news:
        first = await soon(anext(news))
    assert (first["kind"], first["seq"]) == ("changes", 3)
    assert [line.split()[1] for line in first["lines"]] == ["Bob"]


@pytest.mark.parametrize("last", ["", "x", "-1", "9" * 400, "1e3", "²", "9007199254740993"])
async def test_a_nonsense_last_event_id_harms_nothing(
    server: Running, table: dict[str, Any], last: str
) -> None:
    headers = {"Last-Event-ID": last.encode("utf-8")}
    async with streaming(server, table["id"], headers=headers) as news:
        assert (await soon(anext(news)))["kind"] == "whole"


async def test_a_stream_tells_nothing_private_unless_it_is_asked_to(
    server: Running, table: dict[str, Any]
) -> None:
    params = {"avatar": [ADA["key"], OWNER["key"]], "token": table["owner_token"]}
    async with (
        streaming(server, table["id"]) as public,
        streaming(server, table["id"], **params) as private,
    ):
        for news in (public, private):
            await soon(anext(news))
        server.command(table["id"], ADA, "join")
        assert (await soon(anext(public)))["seats"] == {}
        assert set((await soon(anext(private)))["seats"]) == {ADA["key"], OWNER["key"]}


async def test_as_many_wait_as_may_and_no_more(server: Running, table: dict[str, Any]) -> None:
    url = f"{server.url}{API}/tables/{table['id']}"
    async with httpx.AsyncClient() as client:
        async with AsyncExitStack() as streams:
            opened = [
                await streams.enter_async_context(streaming(server, table["id"])) for _ in range(4)
            ]
            for news in opened:
                await soon(anext(news))
            refused(await client.get(f"{url}/stream"), 429, "busy")
            for path in ("frames", "events"):
                waiting = await client.get(f"{url}/{path}", params={"since": 1, "wait_s": 5})
                refused(waiting, 429, "busy")
            ok(await client.get(f"{url}/frames", params={"since": 1}))
        # The places are free again as soon as the server has seen that they left.
        async with asyncio.timeout(5):
            while (await client.get(f"{url}/events?since=1&wait_s=0.01")).status_code == 429:
                await asyncio.sleep(0.05)


# ---- waiting answers ------------------------------------------------------------------------


async def test_a_waiting_answer_comes_over_the_net_as_soon_as_something_changes(
    server: Running, table: dict[str, Any]
) -> None:
    url = f"{server.url}{API}/tables/{table['id']}/frames"
    async with httpx.AsyncClient(timeout=20) as client:
        waiting = asyncio.create_task(client.get(url, params={"since": 1, "wait_s": 20}))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        server.command(table["id"], ADA, "join")
        assert ok(await soon(waiting)).json()["seq"] == 2


async def test_nobody_waits_longer_than_the_server_lets_him(
    server: Running, table: dict[str, Any]
) -> None:
    began = time.monotonic()
    params = {"since": 1, "wait_s": 60}
    async with httpx.AsyncClient(timeout=20) as client:
        url = f"{server.url}{API}/tables/{table['id']}/frames"
        assert ok(await client.get(url, params=params)).json()["kind"] == "up_to_date"
    assert time.monotonic() - began > 1.8  # and the client gave it 20 s, not 60


# ---- bodies ---------------------------------------------------------------------------------


def raw(server: Running, request: bytes, *later: bytes, pause_s: float = 0) -> tuple[int, str]:
    """What comes back for these bytes: status and body."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request)
        for part in later:
            time.sleep(pause_s)
            connection.sendall(part)
        answer = b""
        while b"\r\n\r\n" not in answer or not _is_whole(answer):
            piece = connection.recv(65536)
            if not piece:
                break
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body.decode()


def _is_whole(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    lengths = [h for h in head.lower().split(b"\r\n") if h.startswith(b"content-length:")]
    return not lengths or len(body) >= int(lengths[0].split(b":")[1])


def post(table: dict[str, Any], *headers: str) -> bytes:
    lines = [
        f"POST {API}/tables/{table['id']}/commands HTTP/1.1",
        "Host: localhost",
        *headers,
        "",
        "",
    ]
    return "\r\n".join(lines).encode("latin-1")


def test_a_body_that_comes_in_pieces_is_read_whole(server: Running, table: dict[str, Any]) -> None:
    body = json.dumps({"avatar": ADA, "command": {"type": "join"}}).encode()
    pieces = [b"%x\r\n%s\r\n" % (len(p), p) for p in (body[:9], body[9:20], body[20:])]
    sent = post(table, "Transfer-Encoding: chunked")
    status, _ = raw(server, sent, *pieces, b"0\r\n\r\n", pause_s=0.02)
    assert status == 200


def test_pieces_without_end_are_cut_off(server: Running, table: dict[str, Any]) -> None:
    piece = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
    status, body = raw(server, post(table, "Transfer-Encoding: chunked"), *[piece] * 6)
    assert (status, json.loads(body)["error"]["code"]) == (413, "too_large")


def test_a_claimed_length_is_refused_before_anything_is_sent(
    server: Running, table: dict[str, Any]
) -> None:
    status, body = raw(server, post(table, "Content-Length: 999999999"))
    assert (status, json.loads(body)["error"]["code"]) == (413, "too_large")


def test_a_body_that_never_comes_is_not_waited_for(server: Running, table: dict[str, Any]) -> None:
    began = time.monotonic()
    status, body = raw(server, post(table, "Content-Length: 100"), b"{", pause_s=0.3)
    assert (status, json.loads(body)["error"]["code"]) == (408, "too_slow")
    assert json.loads(body)["error"]["message"] == "A request must be here whole within 1 seconds."
    assert time.monotonic() - began > 0.9  # and `raw` does not wait for ever


@pytest.mark.parametrize(
    "header",
    ["Content-Length: abc", "Content-Length: -1", "Content-Length: 1\r\nContent-Length: 2",
     "Transfer-Encoding: chunked\r\nContent-Length: 5", "Bad Header", "X: \x00"],
)  # fmt: skip
def test_a_request_that_is_no_http_is_refused(
    server: Running, table: dict[str, Any], header: str
) -> None:
    status, _ = raw(server, post(table, header), b"0\r\n\r\n")
    assert 400 <= status < 500


def test_a_header_may_hold_anything(server: Running, table: dict[str, Any]) -> None:
    sent = post(table, "Content-Length: 2", "Authorization: Bearer \xff\xfe", "X-\xe9: \xe9")
    status, _ = raw(server, sent + b"{}")
    assert 400 <= status < 500


def test_head_of_a_page_brings_no_body(server: Running) -> None:
    response = ok(httpx.head(f"{server.url}/"))
    assert response.content == b""
    assert int(response.headers["content-length"]) > 500


def test_a_storm_of_connections_keeps_nobody_else_out(tmp_path: Path) -> None:
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (150, usual[1]))
    with ExitStack() as stack:
        server = stack.enter_context(running("serve", tmp_path))
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
        table = server.table()
        for n in range(400):
            peer = socket.create_connection(("127.0.0.1", server.port), timeout=5)
            stack.enter_context(peer)
            if n % 2:
                peer.sendall(b"POST /lsl/v1/poll HTTP/1.1\r\nHost: x\r\n")
        assert server.command(table["id"], ADA, "join")["seq"] == 2
        assert ok(httpx.get(f"{server.url}/readyz")).json() == {"status": "ready"}


# ---- the end --------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Running]:
    with running("serve", tmp_path) as own:
        yield own


def test_a_server_that_is_stopped_sends_those_who_wait_home_at_once(own: Running) -> None:
    table = own.table()
    url = f"{own.url}{API}/tables/{table['id']}"
    ended: list[Any] = []

    def wait() -> None:
        params = {"since": 1, "wait_s": 20}
        ended.append(httpx.get(f"{url}/frames", params=params, timeout=30).json()["kind"])

    def watch() -> None:
        with httpx.stream("GET", f"{url}/stream", timeout=30) as response:
            ended.append(sum(line == "event: news" for line in response.iter_lines()))

    threads = [threading.Thread(target=work) for work in (wait, watch)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    own.process.send_signal(signal.SIGTERM)
    own.process.wait(timeout=10)  # who waits would wait for 20 s
    for thread in threads:
        thread.join(timeout=5)
    assert sorted(map(str, ended)) == ["1", "up_to_date"]
    assert own.process.returncode in (0, -signal.SIGTERM)


# ---- a harness ------------------------------------------------------------------------------


def harness(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(HARNESS), *words],
        capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": "", "PYTHONIOENCODING": "utf-8", **environment},
    )  # fmt: skip


def test_the_example_plays_a_whole_match(server: Running) -> None:
    played = harness(server.url, PERIL_OPERATOR_TOKEN=OPERATOR)
    assert played.returncode == 0, played.stderr
    lines = played.stdout.splitlines()
    assert lines[0] == "💀 Ada has entered the deadly game! Welcome to your potential doom! 💀"
    winner = lines[-1].removeprefix("Winner: ")
    assert winner in ("Ada", "Bob", "Cleo", "Dan")
    assert f"✨ ULTIMATE VICTORY! {winner} is the Ultimate Survivor! ✨" in lines
    assert sum("has been eliminated" in line for line in lines) == 3
    rankings = ok(httpx.get(f"{server.url}{API}/rankings")).json()["rows"]
    assert winner in [row["name"] for row in rankings if row["wins"] == 1]


def test_the_example_says_what_the_server_refused(server: Running) -> None:
    refused_ = harness(server.url, "--token", "guessed")
    assert refused_.returncode == 1
    assert refused_.stderr == "/tables: That token is not known here.\n"


def test_the_example_is_short_enough_to_be_read() -> None:
    assert len(HARNESS.read_text("utf-8").splitlines()) < 80


def test_an_answer_is_the_same_over_the_net(server: Running, table: dict[str, Any]) -> None:
    url = f"{server.url}{API}/tables/{table['id']}/commands"
    body = {"avatar": OWNER, "command": {"type": "lock"}}
    refused(httpx.post(url, json=body), 401, "unauthorized")
    ok(httpx.post(url, json=body, headers=bearer(table["owner_token"])))
