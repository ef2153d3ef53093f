"""Pushes: a table in-world that has a URL hears at once of what changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import pytest

from app import metrics
from app.devices import signing, wire
from app.games import lobby
from app.games.core import Actor, Key
from app.table.hot import HotTable

from .conftest import Serve
from .inworld import ANN, OWNER, URL, Linkset, Server

OLIVE = Actor(Key(OWNER), "Olive", owner=True)


async def lock(server: Server, table: HotTable, times: int = 1) -> None:
    """So many changes."""
    for _ in range(times):
        locked = table.now.match.locked
        await server.tables.submit(table.id, OLIVE, lobby.Unlock() if locked else lobby.Lock())


@pytest.fixture
async def linkset(server: Server) -> Linkset:
    """With a URL that works."""
    made = Linkset(server)
    made.takes_pushes()
    await made.hello()
    await server.settled()
    server.grid.calls.clear()
    return made


def bodies(server: Server, url: str = URL) -> list[str]:
    return [body for to, body in server.grid.calls if to == url]


async def test_a_change_is_pushed_as_the_difference(server: Server, linkset: Linkset) -> None:
    known = linkset.seq
    await lock(server, linkset.table)
    await server.settled()
    (body,) = bodies(server)
    head, *records = body.split("\n")
    assert head == f"S¦{known}¦{linkset.table.now.seq}¦30"
    assert [r.split("¦")[1] for r in records if r[0] == "F"] == ["root"]
    assert linkset.seq == linkset.table.now.seq == linkset.known.seq


async def test_nothing_is_pushed_without_a_url(server: Server) -> None:
    linkset = await server.linkset()
    await lock(server, linkset.table)
    await server.settled()
    assert server.grid.calls == []


async def test_pushes_keep_within_what_a_script_is_given(server: Server, linkset: Linkset) -> None:
    for n in range(10):
        name = f"{'🎲é' * 15}{n}"
        who = Actor(Key(f"a0000000-0000-4000-8000-{n:012}"), name)
        await server.tables.submit(linkset.table.id, who, lobby.Join())
    await server.settled()
    linkset.seq = linkset.known.seq = 0
    await lock(server, linkset.table)
    await server.settled()
    assert linkset.seq == linkset.table.now.seq
    assert all(len(body.encode()) <= wire.BODY_BYTES for body in bodies(server))
    assert any(body.startswith("M¦0¦") for body in bodies(server))


async def test_pushes_are_counted_by_what_came_of_them(server: Server, linkset: Linkset) -> None:
    before = {result: count._value.get() for result, count in metrics.PUSHES.items()}
    await lock(server, linkset.table)
    await server.settled()
    linkset.known.url = "http://cap.test/nobody"
    await lock(server, linkset.table)
    await server.settled()
    moved = {r: count._value.get() - before[r] for r, count in metrics.PUSHES.items()}
    assert moved == {"taken": 1, "refused": 0, "lost": 1}


async def test_one_push_at_a_time_and_what_happens_meanwhile_in_the_next(
    server: Server, linkset: Linkset
) -> None:
    gate, flying, most = asyncio.Event(), 0, 0

    async def slow(request: httpx.Request) -> httpx.Response:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        await gate.wait()
        flying -= 1
        return httpx.Response(200, text=linkset.read((await request.aread()).decode()))

    server.grid.urls[URL] = slow
    known = linkset.seq
    await lock(server, linkset.table, 5)
    gate.set()
    await server.settled()
    assert most == 1
    heads = [body.split("\n")[0] for body in bodies(server)]
    assert heads == [f"S¦{known}¦{known + 1}¦30", f"S¦{known + 1}¦{known + 5}¦30"]


async def test_a_slow_device_does_not_delay_others(server: Server, linkset: Linkset) -> None:
    other = Linkset(server)
    other.takes_pushes("http://cap.test/2")
    await other.hello()
    gate = asyncio.Event()

    async def slow(_: httpx.Request) -> httpx.Response:
        await gate.wait()
        return httpx.Response(200, text="0")

    server.grid.urls[URL] = slow
    await lock(server, linkset.table)
    await lock(server, other.table)
    for _ in range(200):
        if other.seq == other.table.now.seq:
            break
        await asyncio.sleep(0.005)
    assert other.seq == other.table.now.seq
    assert linkset.known.pushing
    server.grid.urls.pop(URL)
    gate.set()
    await server.settled()


async def test_no_more_pushes_at_once_than_are_allowed(serve: Serve) -> None:
    server = await serve(pushes_at_once=2)
    gate, flying, most = asyncio.Event(), 0, 0
    linksets = []
    for n in range(5):
        linkset = await server.linkset(u=f"http://cap.test/{n}")

        async def slow(request: httpx.Request, linkset: Linkset = linkset) -> httpx.Response:
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            await gate.wait()
            flying -= 1
            return httpx.Response(200, text=linkset.read((await request.aread()).decode()))

        server.grid.urls[f"http://cap.test/{n}"] = slow
        linksets.append(linkset)
    for linkset in linksets:
        await lock(server, linkset.table)
    await asyncio.sleep(0.05)
    gate.set()
    await server.settled()
    assert most == 2
    assert all(x.seq == x.table.now.seq for x in linksets)


def _status(status: int, text: str) -> Callable[[], httpx.Response]:
    return lambda: httpx.Response(status, text=text)


BAD = [
    _status(404, ""),
    _status(503, "9"),
    _status(200, "nonsense"),
    _status(200, ""),
    _status(200, "9" * 5000),
    _status(302, "1"),
    _status(200, "-1"),
    _status(200, "²"),
]


@pytest.mark.parametrize("bad", BAD)
async def test_after_a_failed_push_the_table_asks_for_everything_and_gets_a_new_url(
    server: Server, linkset: Linkset, bad: Callable[[], httpx.Response]
) -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        return bad()

    server.grid.urls[URL] = answer
    known = linkset.seq
    await lock(server, linkset.table)
    await server.settled()
    assert linkset.known.url == ""
    assert len(bodies(server)) == 1
    await lock(server, linkset.table)
    await server.settled()
    assert len(bodies(server)) == 1  # a dead URL is not called again
    await linkset.act()
    assert linkset.records[0] == ["S", str(known), str(linkset.table.now.seq), "15"]
    assert linkset.of("U") == [["U"]]
    assert linkset.known.url == ""
    await linkset.hello()
    assert linkset.of("U") == [["U"]]
    linkset.takes_pushes("http://cap.test/new")
    await linkset.act()
    assert linkset.of("U") == []
    assert linkset.records[0][3] == "30"
    await lock(server, linkset.table)
    await server.settled()
    assert linkset.seq == linkset.table.now.seq
    assert bodies(server, "http://cap.test/new")


async def test_a_url_that_nobody_answers_is_dead(server: Server, linkset: Linkset) -> None:
    server.grid.urls.clear()
    await lock(server, linkset.table)
    await server.settled()
    assert linkset.known.url == ""
    await linkset.act()
    assert linkset.of("U")


async def test_an_answer_that_drips_is_not_waited_for(serve: Serve) -> None:
    server = await serve(push_timeout_s=0.1)
    linkset = Linkset(server)
    linkset.takes_pushes()
    await linkset.hello()
    await server.settled()

    async def drips(_: httpx.Request) -> httpx.Response:
        async def body() -> object:
            while True:
                yield b" "
                await asyncio.sleep(0.06)

        return httpx.Response(200, content=body())  # type: ignore[arg-type]

    server.grid.urls[URL] = drips
    await lock(server, linkset.table)
    await asyncio.wait_for(server.settled(), 2)
    assert linkset.known.url == ""


async def test_a_new_url_given_meanwhile_is_used(server: Server, linkset: Linkset) -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        linkset.takes_pushes("http://cap.test/2")
        await linkset.act(since="0")
        linkset.seq = linkset.known.seq = 1
        raise httpx.ReadTimeout("gone")

    server.grid.urls[URL] = answer
    await lock(server, linkset.table)
    await server.settled()
    assert linkset.known.url == "http://cap.test/2"
    assert linkset.seq == linkset.table.now.seq


async def test_a_device_that_does_not_follow_is_left_alone_until_the_next_change(
    server: Server, linkset: Linkset
) -> None:
    async def stuck(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text="1")

    server.grid.urls[URL] = stuck
    linkset.known.seq = 1
    await lock(server, linkset.table)
    await server.settled()
    assert len(bodies(server)) == 3
    assert linkset.known.url == URL
    linkset.takes_pushes()
    await lock(server, linkset.table)
    await server.settled()
    assert linkset.seq == linkset.table.now.seq


async def test_a_device_that_says_it_knows_nothing_gets_the_whole_board(
    server: Server, linkset: Linkset
) -> None:
    linkset.seq = 0  # its script was reset
    await lock(server, linkset.table)
    await server.settled()
    heads = [body.split("\n")[0].split("¦") for body in bodies(server)]
    assert heads[0][1] != "0"
    assert heads[-1][:2] == ["S", "0"]
    assert linkset.seq == linkset.table.now.seq


async def test_after_a_push_that_broke_off_comes_the_whole_board_with_its_lines(
    server: Server, linkset: Linkset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "BODY_BYTES", 120 + signing.STAMP_BYTES)
    known = linkset.seq
    read = server.grid.urls[URL]

    async def breaks_off(request: httpx.Request) -> httpx.Response:
        if len(bodies(server)) == 2:
            raise httpx.ReadTimeout("gone")
        return await read(request)

    server.grid.urls[URL] = breaks_off
    await server.tables.submit(linkset.table.id, Actor(Key(ANN), "Ann"), lobby.Join())
    await server.settled()
    assert [body.split("¦")[:2] for body in bodies(server)] == [["M", str(known)]] * 2
    monkeypatch.undo()
    await linkset.act()
    assert linkset.records[0][:2] == ["S", str(-known)]
    assert {r[1] for r in linkset.of("F") + linkset.of("X")} == set(linkset.table.now.board)
    assert linkset.of("L")[0][1] == str((known + 1) * wire.LINES + 1)


async def test_who_knows_nothing_yet_hears_the_lines_since_his_hello(
    server: Server, linkset: Linkset
) -> None:
    linkset.seq = 0  # the answer to its hello is still on its way
    await server.tables.submit(linkset.table.id, Actor(Key(ANN), "Ann"), lobby.Join())
    await server.settled()
    heads = [body.split("¦")[1] for body in bodies(server)]
    assert heads == ["1", "0"]
    assert all("Ann has entered" in body for body in bodies(server))


async def test_doubled_and_reordered_pushes_are_told_apart_by_their_seqs(
    server: Server, linkset: Linkset
) -> None:
    await lock(server, linkset.table, 1)
    await server.settled()
    await lock(server, linkset.table, 1)
    await server.settled()
    first, second = bodies(server)
    now = linkset.seq
    assert linkset.read(second) == str(now)  # doubled
    assert linkset.read(first) == str(now)  # late
    linkset.seq = now - 2
    assert linkset.read(second) == str(now - 2)  # early: not taken, and the ack says so
    await linkset.act()
    assert linkset.seq == now


async def test_after_a_restart_the_tables_that_play_hear_of_it(
    serve: Serve, server: Server
) -> None:
    linkset = Linkset(server)
    linkset.takes_pushes()
    await linkset.hello()
    await linkset.touch()
    await linkset.touch("b0000000-0000-4000-8000-000000000002", "Bob")
    await linkset.press("Ready", "b0000000-0000-4000-8000-000000000002")
    await linkset.touch()
    await linkset.press("Start Game")
    await server.settled()
    urls = server.grid.urls
    await server.__aexit__()
    again = Server(server.settings.data_dir)
    again.grid.urls = urls
    async with again:
        await again.settled()
        assert bodies(again)
        linkset.server = again
        assert linkset.seq == linkset.table.now.seq
