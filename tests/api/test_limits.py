"""How much one may ask: buckets by themselves, then address, token, avatar, guesses and streams."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from app import limits
from app.errors import TooMany
from app.limits import KEYS, Limits, network
from app.settings import Settings

from .service import ADA, API, BOB, OPERATOR, Service, bearer, ok, refused, serving

FAR = "203.0.113.9"


class Stopped:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def passes(made: Limits, kind: limits.Kind, id: Any) -> bool:
    try:
        made.check(kind, id)
    except TooMany:
        return False
    return True


# ---- buckets --------------------------------------------------------------------------------


@pytest.fixture
def clock() -> Stopped:
    return Stopped()


@pytest.fixture
def few(clock: Stopped) -> Limits:
    """Three requests at once, two a second."""
    given: dict[str, Any] = {"limits": True, "address_burst": 3, "address_requests_per_s": 2}
    return Limits(Settings(**given), clock)


def test_a_burst_passes_and_then_the_pace_counts(few: Limits, clock: Stopped) -> None:
    assert [passes(few, "address", FAR) for _ in range(5)] == [True] * 3 + [False] * 2
    clock.now_s += 0.5
    assert [passes(few, "address", FAR) for _ in range(2)] == [True, False]
    clock.now_s += 100
    assert [passes(few, "address", FAR) for _ in range(4)] == [True] * 3 + [False]


def test_whoever_keeps_the_pace_is_never_refused(few: Limits, clock: Stopped) -> None:
    for _ in range(10_000):
        clock.now_s += 0.5
        assert passes(few, "address", FAR)


def test_a_refusal_says_when_to_come_again_and_then_one_passes(few: Limits, clock: Stopped) -> None:
    slow = Limits(Settings(limits=True, guess_burst=1, guesses_per_s=0.1), clock)
    slow.check("guess", FAR)
    with pytest.raises(TooMany) as refusal:
        slow.check("guess", FAR)
    assert refusal.value.fields["retry_after_s"] == 10
    assert refusal.value.message == (
        "Too many requests with tokens not known here. Try again in 10 s."
    )
    clock.now_s += 10
    slow.check("guess", FAR)


def test_to_ask_whether_one_more_may_come_costs_nothing(few: Limits) -> None:
    for _ in range(10):
        few.check("address", FAR, spend=False)
    assert [passes(few, "address", FAR) for _ in range(4)] == [True] * 3 + [False]
    with pytest.raises(TooMany):
        few.check("address", FAR, spend=False)


def test_buckets_do_not_touch_each_other_and_refusals_are_counted(few: Limits) -> None:
    for _ in range(5):
        passes(few, "address", FAR)
    assert passes(few, "address", "203.0.113.10")
    assert passes(few, "device", FAR)
    assert few.refused == {
        "address": 2, "token": 0, "guess": 0, "avatar": 0, "device": 0, "stream": 0,
    }  # fmt: skip


def test_memory_is_bounded_and_who_was_seen_lately_is_remembered(few: Limits) -> None:
    for _ in range(3):
        few.check("address", FAR)
    for other in range(KEYS * 3 // 2):
        few.check("address", other)
    assert not passes(few, "address", FAR)
    for other in range(KEYS * 3):
        few.check("address", -other)
    buckets = few._kinds["address"]
    assert len(buckets._new) + len(buckets._old) <= 2 * KEYS
    assert passes(few, "address", FAR)


@pytest.mark.parametrize(
    ("address", "whose"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002"),
        ("2001:db8:1:2::1", "2001:0db8:0001:0002"),
        ("2001:db8:1:3::1", "2001:0db8:0001:0003"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_an_address_stands_for_all_that_one_customer_has(address: str, whose: str) -> None:
    assert network(address) == whose


def test_limits_hold_as_soon_as_others_reach_the_server_unless_it_is_said() -> None:
    assert not Limits(Settings()).on
    assert Limits(Settings(host="0.0.0.0")).on
    assert Limits(Settings(proxies="127.0.0.1")).on
    assert Limits(Settings(limits=True)).on
    assert not Limits(Settings(host="0.0.0.0", limits=False)).on


# ---- settings -------------------------------------------------------------------------------

SECRET = "a-secret-of-sixteen-or-more"


def test_beyond_this_machine_nothing_starts_with_a_secret_that_can_be_guessed() -> None:
    for token in ("", "short", "x" * 40, "ab" * 20):
        said = Settings(host="0.0.0.0", operator_token=token).problem()
        assert "PERIL_OPERATOR_TOKEN" in said
    assert not Settings(host="0.0.0.0", operator_token=SECRET).problem()
    assert not Settings().problem()


def test_a_server_behind_a_proxy_is_as_one_that_others_reach() -> None:
    assert "PERIL_OPERATOR_TOKEN" in Settings(proxies="127.0.0.1").problem()
    assert not Settings(proxies="127.0.0.1").on_loopback


@pytest.mark.parametrize("proxies", ["nginx", "*", "10.0.0.0/8,x", "10.0.0.1/8"])
def test_proxies_are_named_by_their_addresses(proxies: str) -> None:
    with pytest.raises(ValidationError):
        Settings(proxies=proxies)
    Settings(proxies="127.0.0.1, 10.0.0.0/8,2001:db8::/32")


# ---- in the service -------------------------------------------------------------------------


@asynccontextmanager
async def limited(folder: Path, **settings: Any) -> AsyncIterator[Service]:
    async with serving(folder, limits=True, **settings) as service:
        yield service


def come_again(response: httpx.Response) -> str:
    """The sentence of a 429 that says when one may come again."""
    assert int(response.headers["retry-after"]) >= 1
    said = refused(response, 429, "too_many")
    assert "Try again in " in said
    return said


def client_at(service: Service, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=service.app, client=(address, 4711))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8700")


async def test_an_address_that_asks_too_often_is_refused_and_others_are_not(folder: Path) -> None:
    async with limited(folder, address_burst=5, address_requests_per_s=0.1) as service:
        async with client_at(service, FAR) as far:
            for path in ("/", "/healthz", f"{API}/tables", "/static/css/base.css", "/nothing"):
                assert (await far.get(path)).status_code in (200, 404)
            said = come_again(await far.get("/healthz"))
            assert said.startswith("Too many requests from your address.")
            come_again(await far.post("/lsl/v1/hello"))
        health = ok(await service.client.get("/healthz")).json()
        assert health["refused"]["address"] == 2


async def test_an_avatar_at_a_table_has_a_pace_of_its_own(folder: Path) -> None:
    async with limited(folder, avatar_burst=3, avatar_commands_per_s=0.1) as service:
        table, other = await service.table(), await service.table()
        for _ in range(3):
            assert (await table.touch(ADA)).status_code in (200, 409)
        said = come_again(await table.touch(ADA))
        assert said.startswith("Too many requests by this avatar.")
        come_again(await table.command(ADA, "join"))
        come_again(await table.press(ADA, "x", "y"))
        ok(await table.command(BOB, "join"))
        ok(await other.command(ADA, "join"))
        assert service.app.state.limits.refused["avatar"] == 3


async def test_what_is_refused_for_its_pace_changed_nothing(folder: Path) -> None:
    async with limited(folder, avatar_burst=1, avatar_commands_per_s=0.1) as service:
        table = await service.table()
        ok(await table.command(ADA, "join"))
        seq = await table.seq()
        come_again(await table.command(ADA, "leave"))
        assert await table.seq() == seq


async def test_a_token_has_a_pace_of_its_own(folder: Path) -> None:
    async with limited(folder, token_burst=4, token_requests_per_s=0.1) as service:
        table = await service.table()
        for player in (ADA, BOB, ADA, BOB):
            await table.touch(player, token=table.owner_token)
        said = come_again(await table.touch(ADA, token=table.owner_token))
        assert said.startswith("Too many requests with this token.")
        ok(await table.get("/frames", token=OPERATOR))


async def test_streams_and_waiting_answers_are_bounded_for_each_address(folder: Path) -> None:
    async with limited(folder, streams_per_address=2, long_poll_limit_s=2) as service:
        table = await service.table()
        url = f"{table.url}/frames?since=1&wait_s=2"
        async with client_at(service, FAR) as far:
            waiting = [asyncio.create_task(far.get(url)) for _ in range(2)]
            while service.app.state.watchers.waiting < 2:
                await asyncio.sleep(0.01)
            for path in (url, f"{table.url}/stream", f"{table.url}/events?since=1&wait_s=2"):
                answer = await far.get(path)
                refused(answer, 429, "busy")
                assert answer.headers["retry-after"] == "1"
            near = asyncio.create_task(service.client.get(url))
            for answer in await asyncio.gather(*waiting, near):
                ok(answer)
        assert service.app.state.watchers.waiting == 0
        assert service.app.state.limits.refused["stream"] == 3


async def test_a_flood_at_one_moment_takes_no_more_places_than_there_are(folder: Path) -> None:
    async with limited(folder, streams_per_address=5, long_poll_limit_s=0.3) as service:
        table = await service.table()
        url = f"{table.url}/events?since=1&wait_s=1"
        answers = await asyncio.gather(*(service.client.get(url) for _ in range(40)))
        assert sorted(a.status_code for a in answers) == [200] * 5 + [429] * 35


async def test_a_whole_match_at_full_speed_meets_no_limit(folder: Path) -> None:
    async with limited(folder) as service:
        table = await service.table()
        names = {p["key"]: p["name"] for p in (ADA, BOB)}
        assert await table.play(ADA, BOB) in names
        assert not any(service.app.state.limits.refused.values())


async def test_a_token_is_counted_by_its_hash_alone(folder: Path) -> None:
    async with limited(folder) as service:
        await service.client.get(f"{API}/tables", headers=bearer(OPERATOR))
        made = ok(await service.client.post(f"{API}/tables", json={}, headers=bearer(OPERATOR)))
        kinds = service.app.state.limits._kinds
        assert OPERATOR not in json.dumps([*kinds["token"]._new, *kinds["guess"]._new])
        assert made.status_code == 201
