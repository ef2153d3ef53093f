"""Results match by match: seasons, search, streaks, rivals; kept, rebuilt, from old logs."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

from alembic import command
from alembic.config import Config
from sqlmodel import Session, select

from app import people, players, ranking
from app.games import lobby
from app.table import listing
from app.table.database import MIGRATIONS, migrate
from app.table.deeds import COMMAND_LINE, OWNERS_CONSOLE
from app.table.models import RecordRow, ResultRow

from .conftest import BOTH
from .house import Avatar, House


async def wins(house: House, winner: Avatar, *losers: Avatar) -> str:
    """A match that `winner` wins by the others' leaving; its id."""
    await house.start(winner, *losers, peril=winner)
    match = house.table.now.match_id
    await house.round({who: [n] for n, who in enumerate((winner, *losers), 1)}, roll=6)
    for loser in losers:
        await house.command(loser, lobby.Leave())
    await house.run_out()
    return match


def go_to(house: House, year: int, month: int, day: int = 1) -> None:
    house.clock.ms = int(datetime(year, month, day, tzinfo=UTC).timestamp() * 1000)


async def page(house: House, scope: str = "", **wanted: str) -> list[tuple[int, str, int, int]]:
    found = await house.store.run(lambda s: ranking.page(s, scope, "peril", 0, **wanted))
    return [(r.place, r.name, r.wins, r.losses) for r in found.rows]


async def player(house: House, who: Avatar) -> players.Player | None:
    return await house.store.run(lambda s: players.player(s, who.key))


async def results(house: House) -> list[dict[str, Any]]:
    def read(session: Session) -> list[dict[str, Any]]:
        rows = session.exec(select(ResultRow).order_by(ResultRow.match_id, ResultRow.key))
        return [row.model_dump() for row in rows]

    return await house.store.run(read)


@BOTH
async def test_a_season_is_a_month_in_utc_and_counts_its_own_matches_alone(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    go_to(house, 2026, 10, 31)
    await wins(house, ada, bob)
    await wins(house, ada, bob)
    go_to(house, 2026, 12, 1)
    await wins(house, bob, ada)
    assert await house.store.run(lambda s: ranking.seasons(s, "", "peril")) == [
        "2026-12",
        "2026-10",
    ]
    for scope in ("", house.id):
        assert await page(house, scope) == [(1, "Ada", 2, 1), (2, "Bob", 1, 2)]
        october = await page(house, scope, season="2026-10")
        assert october == [(1, "Ada", 2, 0), (2, "Bob", 0, 2)]
        assert await page(house, scope, season="2026-12") == [(1, "Bob", 1, 0), (2, "Ada", 0, 1)]
        assert await page(house, scope, season="2026-11") == []


@BOTH
async def test_who_is_searched_for_stands_at_his_place_whatever_the_letters_case(
    house: House,
) -> None:
    ada, zoe, odd = house.avatars("Ada", "ZOË Straße", "100%_sure")
    await wins(house, ada, zoe, odd)
    await wins(house, odd, zoe)
    assert [name for _, name, _, _ in await page(house)] == ["Ada", "100%_sure", "ZOË Straße"]
    assert await page(house, search="zoë STRASSE") == [(3, "ZOË Straße", 0, 2)]
    assert [name for _, name, _, _ in await page(house, search="%_")] == ["100%_sure"]
    assert await page(house, search="nobody\0") == []


@BOTH
async def test_who_is_searched_for_stands_where_the_whole_ranking_has_him(house: House) -> None:
    """Also among those who have the same wins, losses, or both, or were there at the same time."""
    chance = random.Random(1)

    def seed(session: Session) -> None:
        for number in range(60):
            row = RecordRow(scope="", game="peril", key=f"{number}", name=f"Name {number:02}")
            row.wins, row.losses = chance.randrange(3), chance.randrange(3)
            row.reached_ms, row.folded = chance.randrange(3), row.name.lower()
            session.add(row)
        session.commit()

    await house.store.run(seed)
    whole = [
        (r.place, r.name)
        for number in range(6)
        for r in (await house.store.run(lambda s, n=number: ranking.page(s, "", "peril", n))).rows
    ]
    assert [place for place, _ in whole] == list(range(1, 61))
    found = [(await page(house, search=name.upper()))[0][:2] for _, name in whole]
    assert found == whole


@BOTH
async def test_a_player_has_streaks_and_rivals(house: House) -> None:
    ada, bob, cid = house.avatars("Ada", "Bob", "Cid")
    for winner, loser in ((ada, bob), (ada, bob), (bob, ada), (ada, cid), (cid, bob)):
        await wins(house, winner, loser)
    hers = await player(house, ada)
    assert hers is not None
    assert await house.store.run(lambda s: players.player(s, "\0")) is None
    (record,) = hers.records
    assert (record.wins, record.losses, record.rate) == (3, 1, 0.75)
    assert record.streaks == players.Streaks(now=1, longest=2)
    assert [r.won for r in hers.results] == [True, True, False, True]
    assert [(r.name, r.matches, r.won, r.lost) for r in hers.rivals] == [
        ("Bob", 3, 2, 1),
        ("Cid", 1, 1, 0),
    ]


async def test_who_hides_is_nobody_in_seasons_in_search_and_among_rivals(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    go_to(house, 2026, 10)
    await wins(house, ada, bob)
    await people.hide(house.tables, ada.key, True)
    assert await player(house, ada) is None
    his = await player(house, bob)
    assert his is not None
    assert his.rivals == []
    assert await page(house, season="2026-10") == [(1, "Bob", 0, 1)]
    assert await page(house, search="ada") == []
    kept = await people.kept(house.tables, ada.key)
    assert [sat.won for sat in kept.matches] == [True]
    await people.hide(house.tables, ada.key, False)
    assert await player(house, ada) is not None


async def test_who_deletes_his_data_leaves_no_result_behind(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await wins(house, ada, bob)
    await people.forget(house.tables, ada.key)
    assert [row["key"] for row in await results(house)] == [bob.key]
    before = await results(house)
    await house.store.run(ranking.rebuild)
    assert await results(house) == before


async def test_an_unknown_key_is_no_player(house: House) -> None:
    assert await player(house, house.avatar("Ada")) is None


async def history(house: House) -> None:
    """Matches here and next door, a reset of one ranking, a wipe of the service's, and more."""
    door = await house.next_door()
    ada, bob = house.avatars("Ada", "Bob")
    there = [door.avatar(who.name, who.key) for who in (ada, bob)]
    await wins(house, ada, bob)
    await wins(door, *there)
    await house.command(house.owner, lobby.ResetRanking())
    await wins(house, bob, ada)
    house.clock.ms += 1000
    await house.store.run(lambda s: ranking.wipe_service(s, COMMAND_LINE, "peril", house.clock.ms))
    await wins(door, there[1], there[0])


async def test_what_a_reset_or_a_wipe_took_no_longer_counts_in_its_scope(house: House) -> None:
    await history(house)
    season = ranking.season_of(house.clock.ms)
    for wanted in ({}, {"season": season}):
        assert await page(house, **wanted) == [(1, "Bob", 1, 0), (2, "Ada", 0, 1)]
        assert await page(house, house.id, **wanted) == [(1, "Bob", 1, 0), (2, "Ada", 0, 1)]
    his = await player(house, house.people[next(k for k in house.people if k != house.owner.key)])
    assert his is not None
    assert len(his.results) == 1


async def test_results_made_anew_from_the_log_are_those_that_were_kept(house: House) -> None:
    await history(house)
    kept = await results(house)
    assert len(kept) == 8
    assert await house.store.run(ranking.rebuild) == 8
    assert await results(house) == kept


async def test_an_older_database_brings_its_results_along(house: House) -> None:
    """Back to the schema before results, and forward again: they come from the log."""
    await history(house)
    kept, ranked = await results(house), await page(house, search="ADA")
    await house.close()
    engine = house.store.log.engine
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")
    migrate(engine)
    await house.restart()
    assert await results(house) == kept
    assert await page(house, search="ADA") == ranked


async def test_a_table_is_listed_when_its_owner_says_so_and_stays_so(house: House) -> None:
    async def listed() -> list[str]:
        return [line.id for line in await listing.tables(house.tables, unlisted=False)]

    assert await listed() == []
    await listing.set_listed(house.tables, OWNERS_CONSOLE, house.id, True)
    await house.restart()
    assert await listed() == [house.id]
    assert house.table.listed
    await listing.set_listed(house.tables, OWNERS_CONSOLE, house.id, False)
    assert await listed() == []
    assert [line.id for line in await listing.tables(house.tables)] == [house.id]
