"""What is different between the stores: how each is locked, lost and found again."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import bindparam, insert, text

from app import codes
from app.errors import Busy
from app.games import lobby
from app.games.core import Actor, Key
from app.table.database import Unusable, open_postgres
from app.table.deeds import COMMAND_LINE
from app.table.move import Moved, move
from app.table.sqlite import SqliteLog
from tests.postgres import new_database

from .conftest import BOTH
from .house import House

POSTGRES = pytest.mark.parametrize("database", ["postgres"], indirect=True)


async def joined(house: House) -> int:
    return sum('"joined"' in row.events for row in await house.entries(0))


async def test_a_locked_file_makes_the_command_wait_or_busy_but_never_half_done(
    house: House,
) -> None:
    ada = house.avatar("Ada")
    other = sqlite3.connect(house.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    joining = asyncio.ensure_future(house.command(ada, lobby.Join(), "j"))
    await asyncio.sleep(0.1)
    assert house.players() == []
    other.execute("ROLLBACK")
    other.close()
    assert (await joining).refused == ""
    assert await joined(house) == 1


@POSTGRES
async def test_while_postgresql_is_gone_commands_are_busy_and_the_same_id_counts_once_later(
    house: House, need: Callable[[str], str]
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.command(ada, lobby.Join(), "first")
    name = str(house.path).rpartition("/")[2]
    with psycopg.connect(need("postgresql"), autocommit=True) as admin:
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )
        for _ in range(3):
            with pytest.raises(Busy):
                await house.command(bob, lobby.Join(), "second")
        assert house.players() == ["Ada"]
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    for _ in range(2):
        assert not (await house.command(bob, lobby.Join(), "second")).refused
    assert house.players() == ["Ada", "Bob"]
    assert await joined(house) == 2


@POSTGRES
async def test_a_connection_that_breaks_off_is_made_anew(
    house: House, need: Callable[[str], str]
) -> None:
    names = house.avatars("Ada", "Bob", "Cid")
    name = str(house.path).rpartition("/")[2]
    for who in names:
        with psycopg.connect(need("postgresql"), autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )
        for _ in range(5):
            try:
                await house.command(who, lobby.Join(), f"join-{who.name}")
                break
            except Busy:
                await asyncio.sleep(0.05)
    assert house.players() == ["Ada", "Bob", "Cid"]
    assert await joined(house) == 3


@BOTH
async def test_many_commands_at_once_are_each_stored_once(house: House) -> None:
    doors = [house, *[await house.next_door() for _ in range(7)]]
    names = [Actor(Key(f"00000000-0000-4000-9000-{n:012}"), f"P{n}") for n in range(10)]
    orders = [
        door.tables.submit(door.id, who, lobby.Join(), f"{door.id}-{who.key}")
        for who in names
        for door in doors
    ]
    outcomes = await asyncio.gather(*orders)
    assert not any(outcome.refusal for outcome in outcomes)
    for door in doors:
        assert await joined(door) == 10
        assert [row.seq for row in await door.entries(0)] == list(range(1, 12))


def test_two_processes_that_start_at_once_migrate_once(need: Callable[[str], str]) -> None:
    with new_database(need("postgresql")) as address:
        with psycopg.connect(address, autocommit=True) as other:
            other.execute("SELECT 1")

        async def both() -> None:
            opened = await asyncio.gather(
                *(asyncio.to_thread(open_postgres, address) for _ in range(4))
            )
            for store in opened:
                store.close()

        asyncio.run(both())


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://nobody@127.0.0.1:1/nothing", "does not answer"),
        ("mysql://somebody@host/name", "postgresql://"),
        ("nonsense", "not an address"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused_in_a_sentence(url: str, said: str) -> None:
    with pytest.raises(Unusable, match=said):
        open_postgres(url)


# ---- from a file to a server ----------------------------------------------------------------


async def played(house: House) -> None:
    """Something of everything: a match that is over, one that is on, records, codes, wishes."""
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.command(bob, lobby.Leave())
    await house.run_out()
    await house.join(ada, bob)
    await house.ready(bob)
    await house.press_start(ada)
    await house.until("picking")
    await codes.pairing(house.tables.store, COMMAND_LINE, ada.key, "", house.clock.ms)


async def test_a_file_is_moved_row_by_row_and_its_tables_go_on(
    new_house: Callable[..., House], need: Callable[[str], str]
) -> None:
    house = await new_house().open(lives=1)
    await played(house)
    board, asked = house.board, house.asked
    await house.close()
    with new_database(need("postgresql")) as address:
        old, new = SqliteLog(Path(house.path)), open_postgres(address)
        counts = move(old.engine, new.engine)
        assert counts["matches"] == 2
        assert counts["entries"] > 10
        assert counts["records"] > 0
        assert counts["deadlines"] > 0
        assert counts["deeds"] == 1
        with pytest.raises(Moved, match="already"):
            move(old.engine, new.engine)
        old.close()
        new.close()
        house.path = address
        await house.restart()
        assert (house.board["TitleAction:0:0"], house.asked) == (board["TitleAction:0:0"], asked)
        await house.run_out()
        await house.close()


async def test_a_move_that_would_lose_something_is_undone(
    new_house: Callable[..., House], need: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await new_house().open(lives=1)
    await played(house)
    await house.close()
    with new_database(need("postgresql")) as address:
        old, new = SqliteLog(Path(house.path)), open_postgres(address)
        monkeypatch.setattr("app.table.move.insert", _forgetful)
        with pytest.raises(Moved, match="not the same in both"):
            move(old.engine, new.engine)
        with new.engine.begin() as connection:
            assert connection.execute(text("SELECT count(*) FROM entries")).scalar() == 0
        old.close()
        new.close()


def _forgetful(table: Any) -> Any:
    """Leaves out what happened."""
    made = insert(table)
    return made.values(events=bindparam("lost", "[]")) if table.name == "entries" else made
