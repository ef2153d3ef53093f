"""What is done beside the matches is noted: by whom, by which way, for so long."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from app import codes, people, ranking
from app.errors import PerilError
from app.games.core import Key
from app.table import deeds, listing, notices, standings, themes
from app.table.deeds import AT_THE_TABLE, COMMAND_LINE, OWNERS_CONSOLE, By
from app.table.models import DeedRow

from .conftest import BOTH
from .house import House

DAY_MS = 24 * 60 * 60 * 1000


async def noted(house: House) -> list[DeedRow]:
    """What the owner of the house's table can read, the earliest first."""
    owner = house.owner.key
    rows = await house.store.run(lambda s: deeds.at_table(s, owner, house.id, deeds.MOST))
    return rows[::-1]


async def whats(house: House) -> list[str]:
    return [row.what for row in await noted(house)]


@BOTH
async def test_how_people_stand_is_noted_with_who_changed_it(house: House) -> None:
    """For all tables of the owner, with what somebody may do now; in the order of time."""
    ada = house.avatar("Ada")
    who = house.tables, OWNERS_CONSOLE, house.owner.key, ada.key
    await standings.change(*who, "Ada", frozenset({"matches"}))
    await standings.change(*who, "", frozenset({"matches", "options"}))
    await standings.change(*who)
    house.clock.ms += 1000
    await standings.change(*who, "Ada", banned=True)
    await standings.change(*who)
    rows = await noted(house)
    assert [(r.what, r.detail) for r in rows] == [
        ("trusted", "matches"),
        ("trusted", "matches options"),
        ("trust_taken", ""),
        ("banned", ""),
        ("ban_lifted", ""),
    ]
    assert {(r.about_key, r.about_name) for r in rows} == {(ada.key, "Ada")}
    assert {(r.who, r.way, r.table_id) for r in rows} == {("owner", "console", "")}
    assert rows[-1].at_ms - rows[0].at_ms == 1000
    second = await house.tables.create("Second", house.owner.key, "Olga")
    at_second = await house.store.run(lambda s: deeds.at_table(s, house.owner.key, second.id, 9))
    assert len(at_second) == 5


@BOTH
async def test_theme_and_listing_are_noted_at_their_table(house: House) -> None:
    tables, table_id = house.tables, house.id
    by = By("operator", "rest", "nightly tests")
    await themes.choose(tables, by, table_id, "existing")
    await themes.change(tables, by, table_id, "peril", {"say": {"joined": "{name} dares."}})
    await themes.change(tables, by, table_id, "peril", {})
    await listing.set_listed(tables, by, table_id, True)
    await listing.set_listed(tables, by, table_id, False)
    rows = await noted(house)
    assert [(r.what, r.detail) for r in rows] == [
        ("theme_chosen", "existing"),
        ("theme_changed", "peril"),
        ("theme_reset", "peril"),
        ("listed", ""),
        ("unlisted", ""),
    ]
    told = {(r.who, r.way, r.label, r.table_id, r.owner_key) for r in rows}
    assert told == {("operator", "rest", "nightly tests", table_id, house.owner.key)}
    second = await house.tables.create("Second", house.owner.key, "Olga")
    assert await house.store.run(lambda s: deeds.at_table(s, second.owner, second.id, 9)) == []


async def test_what_changes_nothing_is_not_noted(house: House) -> None:
    ada, table_id = house.avatar("Ada"), house.id
    tables, owner = house.tables, house.owner.key
    await standings.change(tables, OWNERS_CONSOLE, owner, ada.key)
    await standings.change(tables, OWNERS_CONSOLE, owner, ada.key, "Ada", banned=True)
    await standings.change(tables, OWNERS_CONSOLE, owner, ada.key, "Ada again", banned=True)
    await themes.choose(tables, OWNERS_CONSOLE, table_id, "classic")
    await themes.change(tables, OWNERS_CONSOLE, table_id, "peril", {})
    await listing.set_listed(tables, OWNERS_CONSOLE, table_id, False)
    await notices.announce(tables, COMMAND_LINE, "")
    with pytest.raises(PerilError):
        await themes.choose(tables, OWNERS_CONSOLE, table_id, "no such theme")
    assert await whats(house) == ["banned"]
    assert await house.store.run(lambda s: len(deeds.everywhere(s, 99))) == 1


async def test_a_deed_and_its_note_are_stored_together_or_not_at_all(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever keeps the note from being written undoes the deed too."""
    await listing.set_listed(house.tables, OWNERS_CONSOLE, house.id, True)
    (first,) = await noted(house)
    monkeypatch.setattr(deeds.secrets, "token_hex", lambda _: first.id[-6:])
    monkeypatch.setattr(deeds, "_count", iter([int(first.id[12:18], 16)] * 9))
    with pytest.raises(IntegrityError):
        await listing.set_listed(house.tables, OWNERS_CONSOLE, house.id, False)
    await house.restart()
    assert house.table.listed
    assert await whats(house) == ["listed"]


async def test_what_the_operator_does_to_the_service_is_noted(house: House) -> None:
    by = By("operator", "console")
    await notices.announce(house.tables, by, "Restart at 14:00 UTC")
    await notices.announce(house.tables, by, "")
    await house.store.run(lambda s: ranking.wipe_service(s, by, "peril", house.clock.ms))
    rows = await house.store.run(lambda s: deeds.everywhere(s, 99))
    assert [(r.what, r.detail, r.owner_key) for r in rows] == [
        ("service_ranking_wiped", "peril", ""),
        ("announced_nothing", "", ""),
        ("announced", "Restart at 14:00 UTC", ""),
    ]
    assert await noted(house) == []


async def test_a_code_is_noted_and_never_stored(house: House, database: Path) -> None:
    by, owner = COMMAND_LINE, house.owner.key
    code = await codes.pairing(house.store, by, owner, house.id, house.clock.ms)
    (row,) = await noted(house)
    assert (row.what, row.who, row.way) == ("code_made", "operator", "command_line")
    await house.close()
    assert code.encode() not in database.read_bytes()


# ---- for how long ---------------------------------------------------------------------------


@BOTH
async def test_they_go_after_four_hundred_days(house: House) -> None:
    begun_ms = house.clock.ms
    await listing.set_listed(house.tables, OWNERS_CONSOLE, house.id, True)
    house.clock.ms += DAY_MS
    await listing.set_listed(house.tables, OWNERS_CONSOLE, house.id, False)
    for after_ms, left in ((0, 2), (1, 1), (DAY_MS, 1), (DAY_MS + 1, 0)):
        now_ms = begun_ms + 400 * DAY_MS + after_ms
        await house.store.run(lambda s, now=now_ms: deeds.prune(s, now))
        assert len(await noted(house)) == left, after_ms


@BOTH
async def test_of_an_owner_the_latest_are_kept_and_others_lose_none(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deeds, "MOST", 3)
    other = await house.tables.create("Other", Key("11111111-0000-4000-8000-000000000001"), "Zoe")
    await listing.set_listed(house.tables, AT_THE_TABLE, other.id, True)
    for number in range(7):
        await listing.set_listed(house.tables, OWNERS_CONSOLE, house.id, number % 2 == 0)
        house.clock.ms += 1
    assert await whats(house) == ["listed", "unlisted", "listed"]
    assert await house.store.run(lambda s: len(deeds.at_table(s, other.owner, other.id, 9))) == 1


# ---- people ---------------------------------------------------------------------------------


async def test_who_deletes_his_data_is_nameless_in_the_notes_of_others(
    house: House, database: Path
) -> None:
    """He sees before what is noted about him, and nothing of what is noted about others."""
    ada, bob = house.avatars("Adamantia", "Bobadil")
    for who in (ada, bob):
        rights = frozenset({"matches"})
        change = house.tables, OWNERS_CONSOLE, house.owner.key, who.key
        await standings.change(*change, who.name, rights)
        await standings.change(*change)
    kept = await people.kept(house.tables, ada.key)
    assert [(b.what, b.owner) for b in kept.beside] == [
        ("trust_taken", house.owner.key),
        ("trusted", house.owner.key),
    ]
    assert bob.key not in str(kept)
    await people.forget(house.tables, ada.key)
    about = [(r.about_key, r.about_name) for r in await noted(house)]
    assert about == [("", people.NAMELESS)] * 2 + [(bob.key, "Bobadil")] * 2
    assert (await people.kept(house.tables, ada.key)).beside == []
    await house.store.run(_checkpoint)
    stored = database.read_bytes()
    assert ada.key.encode() not in stored
    assert b"Adamantia" not in stored


async def test_with_the_data_of_an_owner_the_notes_of_his_tables_go(house: House) -> None:
    ada = house.avatar("Ada")
    await standings.change(
        house.tables, OWNERS_CONSOLE, house.owner.key, ada.key, "Ada", banned=True
    )
    await listing.set_listed(house.tables, By("operator", "rest"), house.id, True)
    kept = await people.kept(house.tables, house.owner.key)
    assert [(b.what, b.who, b.table) for b in kept.beside] == [
        ("listed", "operator", house.id),
        ("banned", "owner", ""),
    ]
    assert ada.key not in str(kept)
    await people.forget(house.tables, house.owner.key)
    assert await noted(house) == []
    await house.look()
    assert house.table.standings[ada.key].banned


def _checkpoint(session: Session) -> None:
    session.connection().exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
