"""What is left of matches: events, logs, rankings, players; and wiping it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from .service import (
    ADA,
    API,
    BOB,
    OPERATOR,
    OWNER,
    QUICK,
    Service,
    Table,
    bearer,
    ok,
    refused,
    serving,
)
from .test_commands import add_records


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Service, Table]]:
    """A service with one table, where Ada and Bob have played a match."""
    async with serving(tmp_path_factory.mktemp("played")) as service:
        table = await service.table(options={**QUICK, "lives": 1})
        table.winner = await table.play(ADA, BOB)
        yield service, table


# ---- rankings -------------------------------------------------------------------------------


async def test_a_finished_match_counts_for_the_table_and_for_the_service(
    played: tuple[Service, Table],
) -> None:
    service, table = played
    for ranking in (await table.get("/ranking"), await service.get("/rankings")):
        page = ok(ranking).json()
        assert (page["game"], page["page"], page["pages"]) == ("peril", 0, 1)
        first, second = page["rows"]
        assert first["key"] == table.winner
        assert [first[k] for k in ("place", "wins", "losses", "win_rate")] == [1, 1, 0, 1.0]
        assert [second[k] for k in ("place", "wins", "losses", "win_rate")] == [2, 0, 1, 0.0]


async def test_a_player_can_be_looked_up_by_key(played: tuple[Service, Table]) -> None:
    service, table = played
    player = ok(await service.get(f"/players/{table.winner}")).json()
    assert player["name"] in ("Ada", "Bob")
    (record,) = player["records"]
    assert record == {
        "game": "peril",
        "wins": 1,
        "losses": 0,
        "win_rate": 1.0,
        "streak": 1,
        "longest_streak": 1,
    }
    (result,) = player["results"]
    assert (result["match"], result["table"], result["won"]) == ("", "", True)
    assert [(r["won"], r["lost"]) for r in player["rivals"]] == [(1, 0)]


async def test_nobody_is_found_by_name(played: tuple[Service, Table]) -> None:
    service, _ = played
    for name in ("Ada", OWNER["key"], "bot:1", "%"):
        refused(await service.get(f"/players/{name}"), 404, "not_found")


async def test_a_ranking_has_pages_of_ten_and_the_last_one_stands_for_those_behind_it(
    folder: Path,
) -> None:
    async with serving(folder) as service:
        table = await service.table()
        assert ok(await service.get("/rankings")).json()["rows"] == []
        await add_records(service, table, 23)
        for path in ("/rankings", f"/tables/{table.id}/ranking"):
            pages = [ok(await service.get(path, page=n)).json() for n in (0, 1, 2, 3, 100_000)]
            assert [len(p["rows"]) for p in pages] == [10, 10, 3, 3, 3]
            assert [p["page"] for p in pages] == [0, 1, 2, 2, 2]
            places = [row["place"] for page in pages[:3] for row in page["rows"]]
            assert places == list(range(1, 24))


async def test_the_owner_wipes_his_tables_ranking_and_no_other(folder: Path) -> None:
    async with serving(folder) as service:
        table, other = await service.table(), await service.table()
        for one in (table, other):
            await add_records(service, Table(service.client, vars(one)), 0)
        await _score(service, table, other)
        headers = bearer(table.owner_token)
        wiped = ok(await service.client.delete(f"{table.url}/ranking", headers=headers)).json()
        assert wiped["rows"] == []
        assert ok(await table.get("/ranking")).json()["rows"] == []
        assert len(ok(await other.get("/ranking")).json()["rows"]) == 1
        assert len(ok(await service.get("/rankings")).json()["rows"]) == 1


async def test_the_operator_wipes_the_services_ranking_and_the_tables_keep_theirs(
    folder: Path,
) -> None:
    async with serving(folder) as service:
        table = await service.table()
        await _score(service, table)
        wiped = await service.client.delete(f"{API}/rankings", headers=bearer(OPERATOR))
        assert ok(wiped).json()["rows"] == []
        assert len(ok(await table.get("/ranking")).json()["rows"]) == 1
        unknown = f"{API}/rankings?game=chess"
        gone = await service.client.delete(unknown, headers=bearer(OPERATOR))
        refused(gone, 404, "not_found")


async def _score(service: Service, *tables: Table) -> None:
    """Ada has won once on each of the tables."""
    from app.table.models import RecordRow

    def write(session) -> None:
        for scope in ("", *(t.id for t in tables)):
            row = RecordRow(scope=scope, game="peril", key=ADA["key"], name="Ada", wins=1)
            row.reached_ms = 1
            session.add(row)
        session.commit()

    await service.tables.store.run(write)


# ---- matches and their logs -----------------------------------------------------------------


async def test_the_log_of_a_match_tells_everything_that_happened_in_order(
    played: tuple[Service, Table],
) -> None:
    service, table = played
    log = ok(await service.get(f"/matches/{table.id}-1")).json()
    assert (log["match"]["table"], log["match"]["number"]) == (table.id, 1)
    seqs = [entry["seq"] for entry in log["entries"]]
    assert seqs == list(range(1, len(seqs) + 1))
    assert log["entries"][0]["command"] is None
    assert log["entries"][0]["events"][0]["type"] == "match_opened"
    assert log["entries"][1]["command"] == {"type": "join"}
    assert log["entries"][1]["actor"] == ADA["key"]
    told = [event["type"] for entry in log["entries"] for event in entry["events"]]
    assert {"match_started", "numbers_picked", "dice_rolled", "match_won"} <= set(told)


async def test_a_tables_matches_are_listed_the_latest_first(service: Service) -> None:
    table = await service.table()
    for _ in range(3):
        await table.owner("reset_match")
    listed = ok(await table.get("/matches")).json()
    assert [m["number"] for m in listed] == [4, 3, 2, 1]
    assert [m["closed_ms"] is None for m in listed] == [True, False, False, False]
    assert len(ok(await table.get("/matches", limit=2)).json()) == 2


async def test_a_log_holds_no_tokens_and_no_command_ids(service: Service, table: Table) -> None:
    ok(await table.command(ADA, "join", id="secret-id", token=table.owner_token))
    for response in (
        await service.get(f"/matches/{table.id}-1"),
        await table.get("/events"),
    ):
        assert "secret-id" not in ok(response).text
        assert table.owner_token not in response.text


# ---- events ---------------------------------------------------------------------------------


async def test_events_come_after_a_seq_oldest_first(table: Table) -> None:
    for player in (ADA, BOB):
        ok(await table.command(player, "join"))
    every = ok(await table.get("/events")).json()
    assert (every["seq"], [e["seq"] for e in every["entries"]]) == (3, [1, 2, 3])
    later = ok(await table.get("/events", since=1)).json()
    assert [e["actor"] for e in later["entries"]] == [ADA["key"], BOB["key"]]
    assert later["entries"][0]["events"] == [
        {"type": "joined", "key": ADA["key"], "name": "Ada", "bot": False}
    ]
    assert later["entries"][0]["command"] == {"type": "join"}
    first = ok(await table.get("/events", limit=2)).json()
    assert (first["seq"], len(first["entries"])) == (2, 2)


async def test_events_go_on_from_match_to_match(table: Table) -> None:
    ok(await table.command(ADA, "join"))
    await table.owner("reset_match")
    ok(await table.command(BOB, "join"))
    entries = ok(await table.get("/events")).json()["entries"]
    assert [e["seq"] for e in entries] == [1, 2, 3, 4, 5]
    assert [e["match"][-2:] for e in entries] == ["-1", "-1", "-1", "-2", "-2"]


async def test_whoever_is_ahead_of_the_events_is_brought_back(table: Table) -> None:
    ahead = ok(await table.get("/events", since=10_000)).json()
    assert ahead == {"seq": 1, "entries": []}
