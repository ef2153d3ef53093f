"""Several processes on one database: which of them is asked makes no difference.

Each is a table service of its own, with its own connections to a real PostgreSQL and Redis.
"""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
import pytest
from sqlmodel import col, select, update

from app import people
from app.bus import Bus
from app.errors import TooMany
from app.games import lobby
from app.games.core import SERVER, Actor, Command, Key
from app.limits import Limits
from app.settings import Settings
from app.table import news, speech, talk, themes
from app.table.database import open_postgres
from app.table.deeds import OWNERS_CONSOLE
from app.table.hot import HotTable
from app.table.models import DeadlineRow, DeviceRow, EntryRow
from app.table.service import Tables
from tests.redis_server import Started

ADA, BOB, OWNER = (Key(f"00000000-0000-4000-8000-00000000000{n}") for n in range(3))
NAMES = {ADA: "Ada", BOB: "Bob", OWNER: "Olga"}
SOON_S = 20.0

pytestmark = pytest.mark.parametrize("database", ["postgres"], indirect=True)
Start = Callable[..., Awaitable[Tables]]


@pytest.fixture
async def start(database: str) -> AsyncIterator[Start]:
    """`await start(redis)`: one more process, which hears the others through Redis if it is named;
    all end with the test."""
    running: list[Tables] = []
    channel = f"test:{uuid.uuid4().hex}"

    async def start(redis: str = "") -> Tables:
        tables = Tables(open_postgres(database), bus=Bus(redis, channel))
        running.append(tables)
        await tables.start()
        if redis:
            await until(lambda: tables.sharing.bus.up)
        return tables

    yield start
    for tables in running:
        await tables.stop()


async def until(true: Callable[[], object], soon_s: float = SOON_S) -> None:
    end = time.monotonic() + soon_s
    while not true():
        assert time.monotonic() < end, "it does not happen"
        await asyncio.sleep(0.01)


async def do(tables: Tables, table: HotTable, who: Key, what: Command) -> str:
    """The code of the refusal; "" if it was done."""
    actor = Actor(who, NAMES[who], who == table.owner)
    answer = await talk.command(tables, table.id, actor, what, uuid.uuid4().hex)
    return answer.refusal.code if answer.refusal else ""


async def begun(tables: Tables, **options: object) -> HotTable:
    """A table where Ada and Bob play."""
    table = await tables.create("T", OWNER, "Olga", options={"draw_shown_s": 0, **options})
    for who, what in ((ADA, lobby.Join()), (BOB, lobby.Join()), (BOB, lobby.Ready())):
        assert not await do(tables, table, who, what)
    assert not await do(tables, table, ADA, lobby.Start())
    return table


def names(table: HotTable) -> list[str]:
    return [seat.name for seat in table.now.match.seats]


async def events(tables: Tables, table: HotTable, kind: str) -> int:
    """How often something happened at the table."""
    query = select(EntryRow.events).where(EntryRow.table_id == table.id)
    rows = await tables.store.run(lambda session: list(session.exec(query)))
    return sum(e["type"] == kind for row in rows for e in msgspec.json.decode(row))


@pytest.mark.parametrize("redis", [True, False])
async def test_who_waits_at_one_process_hears_what_another_stored(
    start: Start, need: Callable[[str], str], redis: bool
) -> None:
    url = need("redis") if redis else ""
    one, other = await start(url), await start(url)
    table = await one.create("T", OWNER, "Olga")
    there = await other.table(table.id)
    seq = there.now.seq
    waiting = asyncio.ensure_future(there.changed(seq, SOON_S))
    await asyncio.sleep(0)
    assert not await do(one, table, ADA, lobby.Join())
    assert await waiting
    await until(lambda: there.now.seq == table.now.seq)
    assert there.now.match == table.now.match
    assert there.now.board == table.now.board
    told, known = news.since(there, seq), news.since(table, seq)
    assert (told.kind, told.frames, told.said) == (known.kind, known.frames, known.said)
    assert told.kind == "changes"
    assert any("Ada" in line for line in told.lines)


@pytest.mark.parametrize("redis", [True, False])
async def test_a_command_is_decided_on_the_newest_state_wherever_it_arrives(
    start: Start, need: Callable[[str], str], redis: bool
) -> None:
    url = need("redis") if redis else ""
    one, other = await start(url), await start(url)
    table = await one.create("T", OWNER, "Olga")
    there = await other.table(table.id)
    assert not await do(one, table, ADA, lobby.Join())
    assert not await do(other, there, ADA, lobby.Ready()), "she has a seat, whoever is asked"
    assert not await do(one, table, ADA, lobby.Ready(False))
    assert not await do(other, there, BOB, lobby.Join())
    assert await do(one, table, BOB, lobby.Join()) == "already_seated"
    await one.look(table, there.now.seq)
    assert names(table) == names(there) == ["Ada", "Bob"]


async def test_both_decide_at_once_and_every_command_counts_once(
    start: Start, need: Callable[[str], str]
) -> None:
    tables = [await start(need("redis")) for _ in range(3)]
    table = await tables[0].create("T", OWNER, "Olga")
    keys = [Key(f"00000000-0000-4000-9000-{n:012}") for n in range(10)]
    sent = [
        one.submit(table.id, Actor(key, f"P{n}"), lobby.Join(), f"join-{n}")
        for n, key in enumerate(keys)
        for one in tables
    ]
    outcomes = await asyncio.gather(*sent)
    assert not [o.refusal for o in outcomes if o.refusal]
    assert len({o.seq for o in outcomes}) == len(keys)
    assert await events(tables[0], table, "joined") == len(keys)
    seen = [(await one.table(table.id, max(o.seq for o in outcomes))).now for one in tables]
    assert len({state.seq for state in seen}) == 1
    assert all(state.match == seen[0].match for state in seen)


async def test_nobody_is_shown_an_older_state_than_he_has_seen(start: Start) -> None:
    one, other = await start(), await start()
    table = await one.create("T", OWNER, "Olga")
    await other.table(table.id)
    assert not await do(one, table, ADA, lobby.Join())
    there = await other.table(table.id, table.now.seq)
    assert there.now.seq == table.now.seq


async def test_the_next_match_a_theme_and_a_ranking_are_followed_too(
    start: Start, need: Callable[[str], str]
) -> None:
    one, other = await start(need("redis")), await start(need("redis"))
    table = await begun(one, lives=1, victory_s=0.1)
    there = await other.table(table.id)
    assert not await do(one, table, BOB, lobby.Leave())
    await until(lambda: table.number == 2)
    there = await other.table(table.id, table.now.seq)
    assert (there.number, there.seed, there.choices) == (2, table.seed, table.choices)
    assert there.now.ranking == table.now.ranking
    assert there.now.ranking.rows
    await themes.choose(one, OWNERS_CONSOLE, table.id, "existing")
    there = await other.table(table.id, table.now.seq)
    assert there.theme == "existing"
    assert there.now.board == table.now.board


async def test_a_process_that_joins_others_stops_no_match_and_the_first_one_does(
    start: Start,
) -> None:
    one = await start()
    table = await begun(one)
    other = await start()
    assert await events(one, table, "frozen") == 0
    await one.stop()
    assert await do(other, await other.table(table.id), ADA, lobby.Join()) == "already_seated"
    third = await start()
    assert await events(third, table, "frozen") == 0
    await other.stop()
    await third.stop()
    last = await start()
    assert await events(last, table, "frozen") == 1
    assert await events(last, table, "thawed") == 1
    assert not (await last.table(table.id)).now.match.frozen


async def test_who_has_left_is_not_found_by_the_one_that_comes_next(database: str) -> None:
    """Not even while it is closing: PostgreSQL notices only later that a connection is closed."""
    one, other = open_postgres(database), open_postgres(database)
    assert await one.enter()
    await one.entered()
    await one.leave()
    assert await other.enter()
    one.close()
    other.close()


async def test_deadlines_of_a_process_that_is_gone_are_fired_by_another(start: Start) -> None:
    one = await start()
    table = await begun(one)
    await one.timers.stop()  # as if it had been killed
    other = await start()

    def due(session: object) -> None:
        now_ms = int(other.clock() * 1000)
        session.exec(update(DeadlineRow).values(due_ms=now_ms))  # type: ignore[attr-defined]
        session.commit()  # type: ignore[attr-defined]

    await other.store.run(due)
    there = await other.table(table.id)
    before = there.now.seq
    await until(lambda: there.now.seq > before)


async def test_a_table_that_another_process_hears_is_not_silent(start: Start) -> None:
    one, other = await start(), await start()
    table = await begun(one)

    def pair(session: object) -> None:
        session.add(  # type: ignore[attr-defined]
            DeviceRow(
                id="d", table_id=table.id, secret="s", object_key="o", owner_key=OWNER, seen_ms=0
            )
        )
        session.commit()  # type: ignore[attr-defined]

    await one.store.run(pair)
    await one.keeper.contact(table.id)
    heard = select(DeviceRow.seen_ms).where(col(DeviceRow.table_id) == table.id)

    async def noted() -> int:
        return await one.store.run(lambda session: session.exec(heard).one())

    while not await noted():
        await asyncio.sleep(0.01)
    there = await other.table(table.id)
    assert there.watched
    other.keeper.seen[table.id] = other.clock() - 1000
    await other.keeper.sweep()
    assert not there.now.match.frozen
    await other.store.run(lambda s: (s.exec(update(DeviceRow).values(seen_ms=1)), s.commit()))
    other.keeper.seen[table.id] = other.clock() - 1000
    await other.keeper.sweep()
    assert there.now.match.frozen == "unreachable"


async def test_when_redis_goes_and_comes_nothing_is_missed(
    start: Start, need: Callable[[str], str]
) -> None:
    need("redis-server")
    redis = Started().start()
    try:
        one, other = await start(redis.url), await start(redis.url)
        table = await one.create("T", OWNER, "Olga")
        there = await other.table(table.id)
        redis.kill()
        await until(lambda: one.sharing.bus.state == other.sharing.bus.state == "down")
        assert not await do(one, table, ADA, lobby.Join())
        await there.changed(1, SOON_S)
        assert names(there) == ["Ada"]
        assert not await do(one, table, BOB, lobby.Join())
        redis.start()
        await until(lambda: one.sharing.bus.up and other.sharing.bus.up)
        assert names(await other.table(table.id)) == ["Ada", "Bob"]
        assert not await do(other, there, ADA, lobby.Leave())
        await until(lambda: table.arrived)  # told again
        assert names(await one.table(table.id)) == ["Bob"]
    finally:
        redis.remove()


async def test_limits_hold_for_all_processes_together(
    need: Callable[[str], str], database: str
) -> None:
    settings = Settings(limits=True, avatar_commands_per_s=0.01, avatar_burst=10)
    channel = f"test:{uuid.uuid4().hex}"
    both = []
    for _ in range(2):
        bus, limits = Bus(need("redis"), channel), Limits(settings)
        limits.share(bus)
        bus.start()
        both.append((bus, limits))
    await until(lambda: all(bus.up for bus, _ in both))
    (_, one), (_, other) = both
    for _ in range(6):
        one.check("avatar", ("table", "ada"))
    await asyncio.sleep(0.5)
    for _ in range(4):
        other.check("avatar", ("table", "ada"))
    with pytest.raises(TooMany):
        other.check("avatar", ("table", "ada"))
    other.check("avatar", ("table", "bob"))
    for bus, _ in both:
        await bus.stop()


def speaks(table: HotTable, who: Key, words: str) -> bool:
    hud = table.now.hud(who)
    return hud is not None and words in hud.text


@pytest.mark.parametrize("redis", [True, False])
async def test_a_language_chosen_in_one_process_is_shown_by_the_others_too(
    start: Start, need: Callable[[str], str], redis: bool
) -> None:
    """At the table where he chose, and at one that only another process has in memory."""
    url = need("redis") if redis else ""
    one, other = await start(url), await start(url)
    here, there = await one.create("T", OWNER, "Olga"), await other.create("U", OWNER, "Olga")
    assert not await do(one, here, ADA, lobby.Join())
    assert not await do(other, there, ADA, lobby.Join())
    also = await other.table(here.id)
    assert speaks(also, ADA, "Waiting for the game")
    assert speaks(there, ADA, "Waiting for the game")
    seq = there.now.seq
    await people.speak(one, ADA, "es")
    if not redis:
        await speech.follow(other)
    await until(lambda: speaks(there, ADA, "Esperando el juego"))
    assert there.now.seq > seq
    async with asyncio.timeout(SOON_S):  # either process may be the one that paints it
        while not speaks(also, ADA, "Esperando el juego"):
            await other.look(also)
    assert speaks(here, ADA, "Esperando el juego")
    assert await events(one, here, "repainted") == 1
    assert await events(other, there, "repainted") == 1


async def test_tables_are_painted_once_for_a_language_though_two_processes_show_them(
    start: Start, need: Callable[[str], str]
) -> None:
    one, other = await start(need("redis")), await start(need("redis"))
    table = await one.create("T", OWNER, "Olga")
    assert not await do(one, table, ADA, lobby.Join())
    there = await other.table(table.id)
    assert all(speaks(t, ADA, "Waiting for the game") for t in (table, there))
    await people.speak(one, ADA, "es")
    await until(lambda: other.speaks)
    assert speaks(await other.table(table.id, table.now.seq), ADA, "Esperando el juego")
    await speech.follow(other)
    assert await events(one, table, "repainted") == 1


async def test_a_message_that_is_not_understood_harms_nobody(
    start: Start, need: Callable[[str], str]
) -> None:
    one, other = await start(need("redis")), await start(need("redis"))
    table = await one.create("T", OWNER, "Olga")
    there = await other.table(table.id)
    one.sharing.bus.tell("stored", table.id.encode() + b" nonsense")
    one.sharing.bus.tell("device", b"\xff")
    waiting = asyncio.ensure_future(there.changed(1, SOON_S))
    await asyncio.sleep(0)
    await one.submit(table.id, Actor(SERVER), lobby.Repaint())
    assert await waiting
    assert other.sharing.bus.up
