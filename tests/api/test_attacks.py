"""Attacks on the API, each with what stops it."""

import asyncio
import gzip
import json
import socket
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.api.http import HEAD_BYTES

from .service import (
    ADA,
    API,
    BOB,
    CAT,
    OPERATOR,
    OWNER,
    Avatar,
    Running,
    Service,
    Table,
    bearer,
    ok,
    refused,
    running,
    serving,
)  # fmt: skip


@pytest_asyncio.fixture(loop_scope="module")
async def beyond(folder: Path) -> AsyncIterator[Service]:
    """A service that others than this machine can reach, with the limits it has by default."""
    async with serving(folder, host="0.0.0.0") as service:
        yield service


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server behind a proxy on this machine."""
    limits = {"PERIL_ADDRESS_BURST": "30", "PERIL_ADDRESS_REQUESTS_PER_S": "0.1"}
    folder = tmp_path_factory.mktemp("proxied")
    with running("serve", folder, PERIL_PROXIES="127.0.0.1", **limits) as server:
        yield server


# ---- bytes that come slowly, or never end ---------------------------------------------------


def sent(server: Running, *parts: bytes, every_s: float = 0.0) -> tuple[bytes, float]:
    """What comes back till the server hangs up, and after how many seconds it did."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=8) as connection:
        answer = b""
        connection.settimeout(every_s or 8)
        try:
            for part in parts:
                connection.sendall(part)
                if every_s:
                    try:
                        piece = connection.recv(65536)
                    except TimeoutError:
                        continue
                    answer += piece
                    if not piece:
                        break
            connection.settimeout(8)
            while piece := connection.recv(65536):
                answer += piece
        except (ConnectionResetError, BrokenPipeError):
            pass
    return answer, time.monotonic() - began


def code(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]


POST = b"POST " + API.encode() + b"/tables HTTP/1.1\r\nHost: x\r\n"


def test_a_body_that_trickles_in_is_cut_off(server: Running) -> None:
    parts = [
        POST + b"Authorization: Bearer " + OPERATOR.encode() + b"\r\nContent-Length: 900\r\n\r\n"
    ]
    answer, seconds = sent(server, *parts, *[b" "] * 40, every_s=0.1)
    assert code(answer) == (408, "too_slow")
    assert seconds < 4


def test_a_head_that_trickles_in_is_cut_off(server: Running) -> None:
    answer, seconds = sent(server, POST, *[b"X-A: b\r\n"] * 40, every_s=0.1)
    assert code(answer) == (408, "too_slow")
    assert seconds < 4


def test_a_second_head_that_trickles_in_is_cut_off(server: Running) -> None:
    first = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    answer, seconds = sent(server, first, POST, *[b"X-A: b\r\n"] * 40, every_s=0.1)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in answer
    assert seconds < 4


def test_whoever_says_nothing_is_hung_up_on(server: Running) -> None:
    answer, seconds = sent(server)
    assert answer == b""
    assert seconds < 4


@pytest.mark.parametrize("endless", [b"X-A: b\r\n" * 512, b"A" * 4096], ids=["lines", "one line"])
def test_a_head_without_end_is_cut_off(server: Running, endless: bytes) -> None:
    answer, _ = sent(server, POST, b"X: ", *[endless] * (4 * HEAD_BYTES // 4096), every_s=0.001)
    assert code(answer) == (431, "head_too_large")


def test_an_address_without_end_is_cut_off(server: Running) -> None:
    answer, _ = sent(server, b"GET /", *[b"a" * 4096] * 32, every_s=0.001)
    assert code(answer) == (431, "head_too_large")


def test_a_body_that_unpacks_to_a_giant_one_is_not_unpacked(server: Running) -> None:
    bomb = gzip.compress(b" " * 10_000_000)
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json", **bearer(OPERATOR)}
    answer = httpx.post(f"{server.url}{API}/tables", content=bomb[:16_000], headers=headers)
    refused(answer, 422, "malformed")


def test_a_waiting_answer_is_not_cut_off_for_the_time_a_request_may_take(server: Running) -> None:
    url = f"{server.url}{API}/tables/{server.table()['id']}/frames"
    with httpx.Client(timeout=10) as client:
        for _ in range(2):
            ok(client.get(url, params={"since": 1, "wait_s": 1.5}))


# ---- others' dialogs ------------------------------------------------------------------------


async def dialog_of(table: Table, avatar: Avatar, token: str) -> dict[str, Any]:
    return dict(ok(await table.touch(avatar, token=token)).json()["dialog"])


async def test_the_dialog_of_another_avatar_does_nothing(beyond: Service) -> None:
    table = await beyond.table()
    mine = table.owner_token
    ok(await table.command(ADA, "join", token=mine))
    ok(await table.command(BOB, "join", token=mine))
    dialog = await dialog_of(table, ADA, mine)
    seq = await table.seq()
    for thief in (BOB, CAT):
        for button in (*dialog["buttons"], "Ready"):
            stolen = await table.press(thief, dialog["token"], button, mine)
            refused(stolen, 409, "not_due")
    assert await table.seq() == seq


async def test_the_owners_menu_does_nothing_in_another_hand(beyond: Service) -> None:
    table = await beyond.table()
    mine = table.owner_token
    menu = await dialog_of(table, OWNER, mine)
    seq = await table.seq()
    for button in menu["buttons"]:
        refused(await table.press(ADA, menu["token"], button, mine), 409, "not_due")
    for name in ("owner", "owner_players", "owner_game", "options"):
        forged = menu["token"].replace(menu["name"], name)
        refused(await table.press(ADA, forged, menu["buttons"][0], mine), 409, "not_due")
    assert await table.seq() == seq


async def test_a_dialog_of_another_table_does_nothing(beyond: Service) -> None:
    table, other = await beyond.table(), await beyond.table()
    for one in (table, other):
        ok(await one.command(ADA, "join", token=one.owner_token))
    dialog = await dialog_of(other, ADA, other.owner_token)
    for button in dialog["buttons"]:
        pressed = await table.press(ADA, dialog["token"], button, table.owner_token)
        refused(pressed, 409, "not_due")


# ---- tokens ---------------------------------------------------------------------------------


async def test_whoever_guesses_tokens_soon_cannot_tell_a_right_one(beyond: Service) -> None:
    table = await beyond.table()
    quiet = ok(await beyond.client.post(
        f"{API}/tokens", json={"scope": "operator"}, headers=bearer(OPERATOR)
    )).json()["token"]  # fmt: skip
    for n in range(20):
        refused(await beyond.get("/tokens", f"guess-{n}"), 401, "unauthorized")
    said = refused(await beyond.get("/tokens", "guess-20"), 429, "too_many")
    assert "tokens not known here" in said
    refused(await beyond.get("/tokens", quiet), 429, "too_many")
    refused(await table.get("/stream", avatar=ADA["key"], token="guess"), 429, "too_many")
    ok(await beyond.get("/tokens", OPERATOR))  # in use all the time, it is known
    transport = httpx.ASGITransport(app=beyond.app, client=("203.0.113.7", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as elsewhere:
        ok(await elsewhere.get(f"{API}/tokens", headers=bearer(quiet)))
    assert beyond.app.state.limits.refused["guess"] == 3


async def test_the_hash_of_a_token_is_no_token(beyond: Service) -> None:
    await beyond.table()
    for row in ok(await beyond.get("/tokens", OPERATOR)).json()["tokens"]:
        refused(await beyond.get("/tokens", row["id"]), 401, "unauthorized")


async def test_the_token_of_another_table_opens_nothing_here(beyond: Service) -> None:
    table, other = await beyond.table(), await beyond.table()
    theirs = bearer(other.owner_token)
    body = {"avatar": ADA, "command": {"type": "join"}}
    press = {"avatar": ADA, "token": "x", "button": "y"}
    for method, path, content in [
        ("POST", "/commands", body),
        ("POST", "/touches", {"avatar": ADA}),
        ("POST", "/presses", press),
        ("POST", "/contact", None),
        ("PATCH", "/options", {"options": {"lives": 2}}),
        ("PUT", "/text-sets", {"text_sets": {}}),
        ("DELETE", "/ranking", None),
        ("GET", f"/frames?avatar={ADA['key']}", None),
        ("GET", f"/stream?avatar={ADA['key']}", None),
        ("GET", f"/stream?avatar={ADA['key']}&token={other.owner_token}", None),
    ]:
        url = table.url + path
        headers = {} if "token=" in path else theirs
        answer = await beyond.client.request(method, url, json=content, headers=headers)
        refused(answer, 403, "forbidden")


async def test_no_error_repeats_a_token(beyond: Service) -> None:
    table, secret = await beyond.table(), "a-token-that-was-mistyped"
    for answer in (
        await table.command(ADA, "join", token=secret),
        await table.get("/stream", avatar=ADA["key"], token=secret),
        await beyond.client.get(f"{table.url}/stream?avatar={ADA['key']}&token={secret}"),
        await beyond.client.get(f"{table.url}/stream?since=x&token={secret}"),
    ):
        assert 400 <= answer.status_code < 500
        assert secret not in answer.text + str(answer.headers)


async def test_of_two_tokens_neither_lends_the_other_its_rights(beyond: Service) -> None:
    table = await beyond.table()
    headers = [("Authorization", "Bearer guessed"), ("Authorization", f"Bearer {OPERATOR}")]
    answer = await table.client.get(f"{API}/tokens", headers=headers)
    refused(answer, 401, "unauthorized")


# ---- being somebody else --------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        {"X-SecondLife-Owner-Key": OWNER["key"], "X-SecondLife-Owner-Name": OWNER["name"]},
        {"X-SecondLife-Object-Key": OWNER["key"], "X-SecondLife-Shard": "Production"},
        {"X-Peril-Owner": "true", "X-Avatar": OWNER["key"]},
        {"X-HTTP-Method-Override": "DELETE", "X-Original-URL": f"{API}/tokens"},
        {"Cookie": f"token={OPERATOR}; operator_token={OPERATOR}"},
        {"X-Authorization": f"Bearer {OPERATOR}", "Proxy-Authorization": f"Bearer {OPERATOR}"},
    ],
    ids=lambda header: next(iter(header)),
)
async def test_a_header_makes_nobody_the_owner(
    beyond: Service, table: Table, header: dict[str, str]
) -> None:
    body = {"avatar": OWNER, "command": {"type": "lock"}}
    for one in (table, await beyond.table()):
        answer = await one.client.post(f"{one.url}/commands", json=body, headers=header)
        refused(answer, 401, "unauthorized")
        refused(await one.client.get(f"{API}/tokens", headers=header), 401, "unauthorized")


async def test_of_two_avatars_in_one_body_the_one_who_acts_is_the_one_checked(
    table: Table,
) -> None:
    ada, owner = json.dumps(ADA), json.dumps(OWNER)
    for first, second in ((ada, owner), (owner, ada)):
        body = f'{{"avatar": {first}, "avatar": {second}, "command": {{"type": "lock"}}}}'
        answer = await table.client.post(f"{table.url}/commands", content=body)
        assert answer.status_code in (401, 409, 422)
        assert answer.json()["error"]["code"] in ("unauthorized", "owner_only", "malformed")
    assert not (await table.get()).json()["locked"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/tables/../tokens", "/api/v1//tokens", "//api/v1/tokens", "/api/v1/tokens/",
        "/api/v1/%2e%2e/v1/tokens", "/api/v1/tokens%00", "/api/v1/tokens;x=1", "/API/V1/TOKENS",
        "/static/../api/v1/tokens", "/static/%2e%2e/%2e%2e/pyproject.toml",
    ],
)  # fmt: skip
def test_no_spelling_of_an_address_goes_around_the_token(server: Running, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    answer, _ = sent(server, request)
    assert int(answer.split()[1]) in (401, 404)


# ---- where a request comes from -------------------------------------------------------------


def test_behind_a_proxy_nobody_is_on_this_machine(proxied: Running) -> None:
    table = proxied.table()
    url = f"{proxied.url}{API}/tables/{table['id']}/commands"
    body = {"avatar": ADA, "command": {"type": "join"}}
    for headers in ({}, {"X-Forwarded-For": "127.0.0.1"}, {"X-Forwarded-For": "::1, 127.0.0.1"}):
        refused(httpx.post(url, json=body, headers=headers), 401, "unauthorized")


def test_addresses_made_up_in_front_of_the_true_one_do_not_widen_a_limit(
    proxied: Running,
) -> None:
    def ask(forwarded: str) -> int:
        headers = {"X-Forwarded-For": forwarded}
        return httpx.get(f"{proxied.url}{API}/tables", headers=headers).status_code

    statuses = [ask(f"198.51.100.{n}, 127.0.0.1, 203.0.113.66") for n in range(40)]
    assert statuses == [200] * 30 + [429] * 10
    assert ask("203.0.113.66") == 429
    assert ask("203.0.113.67") == 200


def test_one_who_has_a_whole_network_is_one_address(proxied: Running) -> None:
    def ask(n: int) -> int:
        headers = {"X-Forwarded-For": f"2001:db8:5:6:{n:x}::{n:x}"}
        return httpx.get(f"{proxied.url}{API}/tables", headers=headers).status_code

    assert [ask(n) for n in range(35)] == [200] * 30 + [429] * 5


@pytest.mark.parametrize("forwarded", ["", ",", "x" * 5000, "unknown", "[::1", "1.2.3.4:x", "é"])
def test_nonsense_from_a_proxy_harms_nothing(proxied: Running, forwarded: str) -> None:
    headers = {"X-Forwarded-For": forwarded.encode("latin-1")}
    answer = httpx.get(f"{proxied.url}{API}/rankings", headers=headers)
    assert answer.status_code in (200, 429)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost.evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8700@evil.example"},
        {"Host": "evil.example:8700"},
        {"Host": "evil.example:8700", "Origin": "http://127.0.0.1:8700"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "127.0.0.1:8700", "Origin": "http://evil.example:8700"},
        {"Host": "["},
    ],
    ids=str,
)
async def test_a_page_elsewhere_reaches_nothing_that_is_open_on_this_machine(
    table: Table, headers: dict[str, str]
) -> None:
    body = json.dumps({"avatar": ADA, "command": {"type": "join"}})
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json"):
        forged = {**headers, "Content-Type": kind}
        answer = await table.client.post(f"{table.url}/commands", content=body, headers=forged)
        refused(answer, 401, "unauthorized")
    private = f"{table.url}/frames?avatar={ADA['key']}"
    refused(await table.client.get(private, headers=headers), 401, "unauthorized")


async def test_no_answer_lets_a_page_elsewhere_read_it(table: Table) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for method in ("GET", "OPTIONS", "POST"):
        answer = await table.client.request(method, f"{table.url}/frames", headers=headers)
        assert not [h for h in answer.headers if h.startswith("access-control-")]


# ---- too much of it -------------------------------------------------------------------------

MORE = ["0", "-1", "101", "201", "1000000000", "9" * 30, "1e3", "NaN", "", "ten"]


@pytest.mark.parametrize("limit", MORE)
async def test_nobody_gets_a_larger_page_than_there_is(table: Table, limit: str) -> None:
    for path in (f"{API}/tables", f"{table.url}/matches", f"{API}/tokens"):
        answer = await table.client.get(path, params={"limit": limit}, headers=bearer(OPERATOR))
        refused(answer, 422, "malformed")
    if limit != "101":
        answer = await table.client.get(f"{table.url}/events", params={"limit": limit})
        refused(answer, 422, "malformed")


async def test_a_limit_said_twice_is_no_larger(table: Table) -> None:
    answer = await table.client.get(f"{API}/tables?limit=1&limit=100000")
    refused(answer, 422, "malformed")
    assert (
        len(ok(await table.client.get(f"{API}/tables?limit=100000&limit=1")).json()["tables"]) == 1
    )


async def test_a_flood_of_streams_takes_the_places_there_are_and_gives_them_back(
    server: Running,
) -> None:
    url = f"{API}/tables/{server.table()['id']}/stream"
    request = f"GET {url} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    flood = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(30)]
    for _, writer in flood:
        writer.write(request)
    first = [await asyncio.wait_for(reader.readline(), 5) for reader, _ in flood]
    assert sorted(line.split()[1] for line in first) == [b"200"] * 4 + [b"429"] * 26
    ok(httpx.get(f"{server.url}/healthz"))
    for _, writer in flood:
        writer.close()
    events = server.url + url.replace("/stream", "/events?since=1&wait_s=0.01")
    async with asyncio.timeout(5), httpx.AsyncClient() as client:
        while (await client.get(events)).status_code == 429:
            await asyncio.sleep(0.05)


async def test_a_hundred_thousand_avatars_leave_no_more_than_a_bounded_trace(
    beyond: Service,
) -> None:
    made = beyond.app.state.limits
    for n in range(100_000):
        made.check("avatar", ("table", n))
    buckets = made._kinds["avatar"]
    assert len(buckets._new) + len(buckets._old) <= 40_000
