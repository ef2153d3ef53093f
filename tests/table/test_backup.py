"""Backups of the embedded store: whole though a server writes, put back only when none does."""

import asyncio
import os
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app import cli
from app.table.database import Unusable, hold, open_log
from tests.chaos.check import check
from tests.chaos.players import Players, create_table
from tests.chaos.server import Store, serving

ENTRIES = "SELECT match_id, seq, command_id, events FROM entries ORDER BY table_id, seq"


def rows(database: Path, query: str = ENTRIES) -> list[tuple]:
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.execute(query))


def peril(*words: object, folder: Path) -> Result:
    done = CliRunner().invoke(cli.app, [*map(str, words), "--data-dir", str(folder)])
    assert done.exception is None or isinstance(done.exception, Exception)
    return done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a database that nobody uses, and a copy of it that is called `copy`."""
    open_log(tmp_path / "peril.db").close()
    assert peril("backup", tmp_path / "copy", folder=tmp_path).exit_code == 0
    return tmp_path


async def test_a_backup_under_load_is_whole_and_a_server_goes_on_from_it(tmp_path: Path) -> None:
    copies = [tmp_path / f"copy-{n}" for n in range(3)]
    before: list[set[str]] = []
    async with serving(Store(tmp_path / "data")) as (server, client):
        players = [Players(client, await create_table(client), seed) for seed in range(3)]
        load = [asyncio.ensure_future(some.play_until(lambda: False)) for some in players]
        for copy in copies:
            await asyncio.sleep(0.7)
            before.append({i for some in players for i in some.acknowledged})
            done = await asyncio.to_thread(peril, "backup", copy, folder=tmp_path / "data")
            assert done.exit_code == 0, done.output
        await asyncio.to_thread(server.kill)
        for task in load:
            task.cancel()
        await asyncio.gather(*load, return_exceptions=True)
    log = rows(tmp_path / "data" / "peril.db")
    for copy, acknowledged in zip(copies, before, strict=True):
        kept = rows(copy)
        assert rows(copy, "PRAGMA integrity_check") == [("ok",)]
        assert {row[2] for row in kept} >= acknowledged
        assert set(kept) <= set(log)
        for some in players:
            seqs = [row[1] for row in kept if row[0].startswith(some.table)]
            assert seqs == list(range(1, len(seqs) + 1))
    done = peril("restore", copies[1], folder=tmp_path / "data")
    assert done.exit_code == 0, done.output
    async with serving(Store(tmp_path / "data")) as (_, client):
        again = [Players(client, some.table, seed=9) for some in players]
        for some in again:
            some.ids = count(10_000)
        await asyncio.gather(*(some.finish() for some in again))
    assert set(rows(copies[1])) < set(rows(tmp_path / "data" / "peril.db"))
    for some in again:
        check(Store(tmp_path / "data").url, some)


def test_a_backup_never_overwrites_a_file(folder: Path) -> None:
    (folder / "precious").write_text("mine")
    done = peril("backup", folder / "precious", folder=folder)
    assert str(done.exception).endswith("is there already. Choose another name.")
    assert (folder / "precious").read_text() == "mine"


def test_a_restored_database_is_the_copy_and_the_old_one_is_kept(folder: Path) -> None:
    database = folder / "peril.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE later (x)")
    assert peril("restore", folder / "copy", folder=folder).exit_code == 0
    kept = list(folder.glob("peril.db.before-restore-*"))
    later = "SELECT name FROM sqlite_master WHERE name = 'later'"
    assert [rows(kept[0], later), rows(database, later)] == [[("later",)], []]
    assert not list(folder.glob(".*.part*"))


def test_what_is_no_sound_database_is_not_put_in_its_place(folder: Path) -> None:
    (folder / "junk").write_bytes(b"SQLite format 3\0" + b"junk" * 999)
    (folder / "copy").write_bytes((folder / "copy").read_bytes()[:9000])
    with closing(sqlite3.connect(folder / "other")) as connection:
        connection.execute("CREATE TABLE other (x)")
    before = rows(folder / "peril.db", "SELECT * FROM sqlite_master")
    for name in ("junk", "copy", "other", "nothing"):
        done = peril("restore", folder / name, folder=folder)
        assert done.exit_code == 1
        assert str(done.exception)[-1] == "."
    assert rows(folder / "peril.db", "SELECT * FROM sqlite_master") == before


def test_even_a_damaged_database_is_replaced_and_kept(folder: Path) -> None:
    (folder / "peril.db").write_bytes(b"no database at all")
    assert peril("restore", folder / "copy", folder=folder).exit_code == 0
    kept = next(folder.glob("peril.db.before-restore-*"))
    assert kept.read_bytes() == b"no database at all"
    open_log(folder / "peril.db").close()


def test_nothing_is_restored_while_a_server_uses_the_folder(folder: Path) -> None:
    store = open_log(folder / "peril.db")
    done = peril("restore", folder / "copy", folder=folder)
    assert str(done.exception).endswith("Stop it, then restore.")
    store.close()
    assert peril("restore", folder / "copy", folder=folder).exit_code == 0


def test_no_server_starts_while_a_copy_is_put_back(folder: Path) -> None:
    lock = hold(folder, alone=True)
    with pytest.raises(Unusable, match="being put back"):
        open_log(folder / "peril.db")
    os.close(lock)
    open_log(folder / "peril.db").close()


def test_what_lies_in_postgresql_is_left_to_its_own_tools(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERIL_DATABASE_URL", "postgresql://somewhere/peril")
    for word in ("backup", "restore"):
        assert "pg_dump" in str(peril(word, folder / "new", folder=folder).exception)
