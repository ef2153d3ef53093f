"""A table in-world whose requests reach one process after the other, as behind any balancer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from sqlmodel import Session, select

from app.devices.push import FOLLOW_S
from app.games import lobby
from app.games.core import Actor, Key
from app.table.deeds import OWNERS_CONSOLE
from app.table.models import DeviceRow, RefusalRow
from tests.postgres import new_database
from tests.table.conftest import empty_postgres

from .inworld import ANN, BOB, OWNER, URL, Linkset, Server

__all__ = ["empty_postgres"]

OLIVE = Actor(Key(OWNER), "Olive", owner=True)
OTHER_URL = "http://cap.test/2"
SOON_S = 20.0


async def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + SOON_S
    while not true():
        assert time.monotonic() < end, "it does not happen"
        await asyncio.sleep(0.01)


@pytest.fixture(params=["Redis", "no Redis"])
async def servers(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    empty_postgres: str,
    need: Callable[[str], str],
) -> AsyncIterator[tuple[Server, Server]]:
    """Two of them on one database, with one grid around them."""
    redis = need("redis") if request.param == "Redis" else ""
    async with AsyncExitStack() as stack:
        template = empty_postgres.rpartition("/")[2]
        database = stack.enter_context(new_database(need("postgresql"), template))
        made = []
        for _ in range(2):
            server = Server(tmp_path, database_url=database, redis_url=redis)
            if made:
                server.grid, server.clock = made[0].grid, made[0].clock
            made.append(await stack.enter_async_context(server))
        if redis:
            await until(lambda: all(s.tables.sharing.bus.up for s in made))
        yield made[0], made[1]


async def pushed_to(server: Server) -> Linkset:
    """A linkset with a URL that works, which has nothing more to hear."""
    made = Linkset(server)
    made.takes_pushes()
    await made.hello()
    await server.settled()
    return made


async def tick(*servers: Server) -> None:
    """So long that everybody looks again at what he knows."""
    servers[0].clock.ms += 3000


async def test_its_requests_may_reach_any_process(servers: tuple[Server, Server]) -> None:
    one, other = servers
    linkset = await one.linkset()
    for number, server in enumerate((other, one, other, one)):
        linkset.server = server
        await linkset.touch(f"a0000000-0000-4000-8000-{number:012}", f"P{number}")
        assert any(f"P{number} " in line for _, _, line in linkset.of("L"))
        assert linkset.seq == linkset.table.now.seq
    assert [s.name for s in linkset.table.now.match.seats] == ["P0", "P1", "P2", "P3"]


async def test_a_dialog_of_one_process_is_pressed_at_another(
    servers: tuple[Server, Server],
) -> None:
    one, other = servers
    linkset = await one.linkset()
    await linkset.touch(ANN, "Ann")
    await linkset.touch(BOB, "Bob")
    token = linkset.of("D", BOB)[-1][3]
    linkset.server = other
    await linkset.press("Ready", BOB, t=token)
    ready = {s.name: s.ready for s in linkset.table.now.match.seats}
    assert ready["Bob"]


async def test_the_process_that_stored_something_pushes_it_and_no_other_does(
    servers: tuple[Server, Server],
) -> None:
    one, other = servers
    linkset = await pushed_to(one)
    table = await other.tables.table(linkset.known.table_id)
    await other.tables.keeper.contact(table.id)
    one.grid.calls.clear()
    await other.tables.submit(table.id, OLIVE, lobby.Lock())
    await until(lambda: linkset.seq == table.now.seq)
    await asyncio.sleep(FOLLOW_S * 1.2)
    await one.settled()
    news = [body for _, body in one.grid.calls if "¦root¦" in body]
    assert len(news) == 1


async def test_a_url_that_another_process_heard_of_is_used(
    servers: tuple[Server, Server],
) -> None:
    one, other = servers
    linkset = await pushed_to(one)
    table = await one.tables.table(linkset.known.table_id)
    linkset.server = other
    del one.grid.urls[URL]
    linkset.takes_pushes(OTHER_URL)
    await linkset.act()
    await tick(one, other)
    one.grid.calls.clear()
    await one.tables.submit(table.id, OLIVE, lobby.Lock())
    await until(lambda: linkset.seq == table.now.seq)
    assert {url for url, _ in one.grid.calls} == {OTHER_URL}


async def test_a_push_that_came_out_of_order_does_not_cost_the_url(
    servers: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = servers
    monkeypatch.setattr("app.devices.push.AHEAD_S", 0.01)
    linkset = await pushed_to(one)
    takes, refused = one.grid.urls[URL], []

    async def once(request: httpx.Request) -> httpx.Response:
        if not refused:
            refused.append(request)
            return httpx.Response(403, text="")
        return await takes(request)

    one.grid.urls[URL] = once
    await one.tables.submit(linkset.table.id, OLIVE, lobby.Lock())
    await one.settled()
    assert refused
    assert linkset.seq == linkset.table.now.seq
    assert linkset.known.url == URL


async def test_pushes_of_all_processes_are_numbered_by_the_clock(
    servers: tuple[Server, Server],
) -> None:
    one, other = servers
    linkset = await one.linkset()
    linkset.server = other
    await linkset.act()
    mine, theirs = (s.registry._by_id[linkset.id] for s in (one, other))
    stamps = []
    for moment in range(4):
        now_s = one.clock() + moment / 1000
        stamps += [(mine, theirs)[moment % 2].next_stamp(now_s)]
    stamps += [theirs.next_stamp(one.clock()) for _ in range(3)]
    assert stamps == sorted(set(stamps))


async def test_a_secret_that_one_process_ended_is_ended_at_all(
    servers: tuple[Server, Server],
) -> None:
    one, other = servers
    linkset = await one.linkset()
    linkset.server = other
    await linkset.act()
    await one.registry.revoke(OWNERS_CONSOLE, linkset.known.table_id)
    await tick(one, other)
    form = {name: linkset.form[name] for name in ("d", "k", "o", "owner", "u")}
    statuses = []
    for _ in range(20):
        statuses.append((await linkset.post("poll", form)).status_code)
        await asyncio.sleep(0.02)
    assert statuses[-1] == 401


@pytest.mark.parametrize("servers", ["Redis"], indirect=True)
async def test_a_request_is_taken_once_by_all_processes_that_hear_each_other(
    servers: tuple[Server, Server],
) -> None:
    one, other = servers
    linkset = await one.linkset()
    linkset.server = other
    await linkset.act()
    body = linkset.signed("poll", f"d={linkset.id}&o={linkset.form['o']}", linkset.form["k"])
    assert (await linkset.send("poll", body)).status_code == 200
    nonce = body.partition("nonce=")[2].partition("&")[0]
    await until(lambda: nonce in one.registry._by_id[linkset.id].nonces._seen)
    linkset.server = one
    assert (await linkset.send("poll", body)).status_code == 401


async def test_a_table_rezzed_anew_is_known_to_all(servers: tuple[Server, Server]) -> None:
    one, other = servers
    linkset = await one.linkset()
    linkset.server = other
    await linkset.act()
    again = linkset.copy()
    again.server = one
    one.clock.ms += 100_000  # the old one is gone for long
    await again.hello()
    again.server = other
    await again.act()
    assert again.seq == again.table.now.seq


# ---- what they count together ---------------------------------------------------------------


async def summed(server: Server) -> list[dict[str, int]]:
    """Errors of all tables in-world, as this process tells them."""

    def read(session: Session) -> list[DeviceRow]:
        return [DeviceRow(**row.model_dump()) for row in session.exec(select(DeviceRow))]

    return [server.registry.errors(row) for row in await server.tables.store.run(read)]


async def test_errors_are_summed_over_processes_and_stay_when_one_dies(
    servers: tuple[Server, Server], tmp_path: Path
) -> None:
    """Whoever is asked tells those of all; what a process had not stored yet goes with it."""
    one, other = servers
    linkset = await one.linkset()
    bad = {name: linkset.form[name] for name in ("d", "k", "o", "owner", "u")} | {"a": "nobody"}
    for server, times in ((one, 2), (other, 3)):
        linkset.server = server
        for _ in range(times):
            assert (await linkset.post("touch", bad)).status_code == 422
    await asyncio.gather(*(s.app.state.tally.save() for s in (one, other, one, other)))
    for server in servers:
        assert await summed(server) == [{"4xx": 5, "429": 0, "5xx": 0}]
    linkset.known.answered(500)  # and then it is killed
    async with Server(tmp_path, database_url=one.settings.database_url) as third:
        assert await summed(third) == [{"4xx": 5, "429": 0, "5xx": 0}]


async def test_memory_is_what_was_told_last_to_whichever_process(
    servers: tuple[Server, Server],
) -> None:
    """Also when it is again what the process that is asked now had stored before."""
    one, other = servers
    linkset = await one.linkset()
    for server, said in ((one, 40000), (other, 20000), (one, 40000)):
        linkset.server = server
        await tick(one, other)
        await linkset.act(m=f"{said}.{said}.30000")
        await server.registry.check(linkset.known)
        await server.app.state.tally.save()
        for asked in servers:
            read = asked.registry.free_bytes
            row = await asked.tables.store.run(lambda s: s.exec(select(DeviceRow)).one())
            assert read(row) == {"requests": said, "link": 30000}
            assert row.lost == said


async def test_refusals_are_summed_over_processes_by_days(
    servers: tuple[Server, Server], tmp_path: Path
) -> None:
    """Those of this process at once, those of others when they stored them; for a month."""
    one, other = servers
    for server, times in ((one, 3), (other, 4)):
        server.app.state.limits.refused["device"] += times
    await other.app.state.tally.save()

    async def device(server: Server) -> tuple[int, int]:
        found = {r.limit: (r.today, r.week) for r in await server.app.state.tally.refused()}
        assert found["address"] == (0, 0)
        return found["device"]

    assert [await device(s) for s in servers] == [(7, 7), (4, 4)]
    await one.app.state.tally.save()
    assert [await device(s) for s in servers] == [(7, 7), (7, 7)]
    async with Server(tmp_path, database_url=one.settings.database_url) as third:
        assert await device(third) == (7, 7)
    day_ms = 24 * 60 * 60 * 1000
    for days, due in ((1, (0, 7)), (5, (0, 7)), (1, (0, 0))):
        one.clock.ms += days * day_ms
        assert await device(one) == due
    one.clock.ms += 23 * day_ms
    one.app.state.limits.refused["device"] += 1
    await one.app.state.tally.save()
    kept = await one.tables.store.run(lambda s: [r.refused for r in s.exec(select(RefusalRow))])
    assert kept == [1]
