"""Tables themselves: create, list, read, options, text sets, signs of life."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from app.display import LARGEST_SET

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


async def create(service: Service, **body: Any) -> httpx.Response:
    return await service.client.post(f"{API}/tables", json=body, headers=bearer(OPERATOR))


async def owned(table: Table, method: str, path: str, body: Any = None) -> httpx.Response:
    """A request of the table's owner."""
    headers = bearer(table.owner_token)
    return await table.client.request(method, table.url + path, json=body, headers=headers)


# ---- create ---------------------------------------------------------------------------------


async def test_a_new_table_has_an_open_lobby_and_a_token_for_its_owner(service: Service) -> None:
    response = await create(service, name="The Rooftop", owner=OWNER, preset="high_stakes")
    assert response.status_code == 201
    made = response.json()
    assert (made["name"], made["owner"], made["stage"]) == ("The Rooftop", OWNER, "lobby")
    assert (made["match"], made["seq"]) == (f"{made['id']}-1", 1)
    assert made["options"]["lives"] == 2
    assert len(made["owner_token"]) >= 32


async def test_a_table_needs_nothing_at_all(service: Service) -> None:
    made = ok(await create(service)).json()
    assert (made["name"], made["game"], made["owner"]["name"]) == ("Peril Table", "peril", "Owner")


async def test_single_options_stand_above_the_preset(service: Service) -> None:
    made = ok(await create(service, preset="high_stakes", options={"lives": 1})).json()
    assert made["options"]["lives"] == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"game": "chess"}, "no_such_game"),
        ({"preset": "slow"}, "no_such_preset"),
        ({"options": {"lives": 4}}, "bad_option"),
        ({"options": {"colour": "red"}}, "bad_option"),
        ({"options": {"turn_s": 4}}, "bad_option"),
        ({"options": {"turn_s": 3601}}, "bad_option"),
        ({"options": {"turn_s": int("9" * 400)}}, "bad_option"),
        ({"options": {"pace": ["brisk"]}}, "bad_option"),
        ({"options": {"afk_limit": {"a": {"b": 1}}}}, "bad_option"),
        ({"options": {"": None}}, "bad_option"),
        ({"options": {"turn_s": "\x00"}}, "bad_option"),
    ],
)
async def test_a_table_that_cannot_be_is_refused_with_the_reason(
    service: Service, body: Any, code: str
) -> None:
    refused(await create(service, **body), 409, code)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
async def test_an_option_is_a_number_that_can_be_counted(service: Service, number: str) -> None:
    content = '{"options": {"turn_s": %s}}' % number  # noqa: UP031 - braces
    headers = {"Content-Type": "application/json"} | bearer(OPERATOR)
    response = await service.client.post(f"{API}/tables", content=content, headers=headers)
    refused(response, 409, "bad_option")


async def test_a_server_takes_so_many_tables_and_no_more(folder: Path) -> None:
    async with serving(folder, tables_limit=2) as service:
        ok(await create(service))
        ok(await create(service))
        refused(await create(service), 409, "too_many_tables")


# ---- list and read --------------------------------------------------------------------------


async def test_the_list_pages_through_all_tables_once(folder: Path) -> None:
    async with serving(folder) as service:
        made = {(await service.table()).id for _ in range(7)}
        seen: list[str] = []
        while lines := ok(
            await service.get("/tables", after=seen[-1] if seen else "", limit=3)
        ).json()["tables"]:
            seen += [line["id"] for line in lines]
    assert seen == sorted(made)


async def test_a_line_of_the_list_says_whether_one_can_join(folder: Path) -> None:
    async with serving(folder) as service:
        table = await service.table(name="The Rooftop")
        ok(await table.command(ADA, "join"))
        await table.owner("lock")
        lines = ok(await service.get("/tables")).json()["tables"]
    assert lines == [
        {"id": table.id, "name": "The Rooftop", "game": "peril", "stage": "lobby",
         "players": 1, "seats": 10, "locked": True}
    ]  # fmt: skip


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "after=" + "x" * 17])
async def test_the_list_has_bounds(service: Service, query: str) -> None:
    refused(await service.client.get(f"{API}/tables?{query}"), 422, "malformed")


async def test_reading_a_table_tells_no_token(table: Table) -> None:
    read = ok(await table.get(token=table.owner_token))
    assert "token" not in read.text
    assert read.json()["presets"] == {
        "classic": {}, "speed_peril": {"turn_s": 60}, "high_stakes": {"lives": 2}
    }  # fmt: skip
    assert read.json()["text_sets"]["Leaderboard"] == [24, 10]
    assert "120 s" in read.json()["options_text"]


# ---- options --------------------------------------------------------------------------------


async def test_options_are_changed_one_by_one_or_by_a_preset(table: Table) -> None:
    changed = ok(await owned(table, "PATCH", "/options", {"options": {"lives": 1}})).json()
    assert (changed["options"]["lives"], changed["options"]["draw_shown_s"]) == (1, 0)
    both = {"preset": "speed_peril", "options": {"lives": 2}}
    changed = ok(await owned(table, "PATCH", "/options", both)).json()
    assert (changed["options"]["turn_s"], changed["options"]["lives"]) == (60, 2)
    assert (await table.state())["options"] == changed["options"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"preset": "slow"}, "no_such_preset"),
        ({"options": {"lives": "three"}}, "bad_option"),
        ({"options": {"turn_s": int("9" * 400)}}, "bad_option"),
    ],
)
async def test_options_that_do_not_work_change_nothing(table: Table, body: Any, code: str) -> None:
    before = ok(await table.get()).json()
    refused(await owned(table, "PATCH", "/options", body), 409, code)
    assert ok(await table.get()).json() == before


async def test_options_stand_while_a_match_runs(table: Table) -> None:
    await table.start(ADA, BOB)
    body = {"options": {"lives": 1}}
    refused(await owned(table, "PATCH", "/options", body), 409, "options_fixed")


# ---- text sets ------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [[32, 12], [1, 1], [2, 1], [1, 12], list(LARGEST_SET)])
async def test_the_frames_fit_the_text_sets_of_the_linkset(table: Table, size: list[int]) -> None:
    sets = {"Leaderboard": size, "Status": size, "Dice": size}
    ok(await owned(table, "PUT", "/text-sets", {"text_sets": sets}))
    frames = ok(await table.get("/frames")).json()["frames"]
    for name in sets:
        rows = frames[name]["rows"]
        assert [len(row) for row in rows] == [size[0]] * size[1]


async def test_a_set_that_is_not_named_keeps_its_size(table: Table) -> None:
    body = {"text_sets": {"Leaderboard": [32, 12]}}
    sets = ok(await owned(table, "PUT", "/text-sets", body)).json()["text_sets"]
    assert sets == {"Leaderboard": [32, 12], "Status": [24, 2], "Dice": [32, 1]}


@pytest.mark.parametrize(
    "sets",
    [
        {"Leaderboard": [0, 1]},
        {"Leaderboard": [1, 0]},
        {"Leaderboard": [LARGEST_SET[0] + 1, 1]},
        {"Leaderboard": [1, LARGEST_SET[1] + 1]},
        {"Leaderboard": [10**30, 1]},
        {"Leaderboard": [24]},
        {"Leaderboard": [24, 10, 1]},
        {"Leaderboard": [24.5, 10]},
        {"Leaderboard": "24x10"},
        {"Leaderboard": None},
        {"Unknown": [24, 10]},
        {"": [1, 1]},
        {f"set{n}": [1, 1] for n in range(9)},
    ],
)
async def test_sizes_that_cannot_be_are_malformed(table: Table, sets: Any) -> None:
    refused(await owned(table, "PUT", "/text-sets", {"text_sets": sets}), 422, "malformed")


async def test_the_sizes_survive_a_restart(folder: Path) -> None:
    async with serving(folder) as service:
        table = await service.table()
        ok(await owned(table, "PUT", "/text-sets", {"text_sets": {"Status": [40, 3]}}))
    async with serving(folder) as service:
        read = ok(await service.get(f"/tables/{table.id}")).json()
    assert read["text_sets"]["Status"] == [40, 3]


# ---- signs of life --------------------------------------------------------------------------


async def test_a_table_that_falls_silent_is_frozen_and_goes_on_when_it_is_back(
    folder: Path,
) -> None:
    async with serving(folder) as service:
        table = await service.table()
        ok(await owned(table, "POST", "/contact"))
        await table.start(ADA, BOB)

        service.clock.ahead_s += 89
        await service.tables.keeper.sweep()
        assert ok(await table.get()).json()["frozen"] == ""

        service.clock.ahead_s += 10
        await service.tables.keeper.sweep()
        assert ok(await table.get()).json()["frozen"] == "unreachable"
        waiting = (await table.state())["waiting_for"]
        player = next(p for p in (ADA, BOB) if p["key"] in waiting)
        refused(await table.command(player, "pick", numbers=[1]), 409, "frozen")

        answer = ok(await owned(table, "POST", "/contact")).json()
        assert answer == {"match": f"{table.id}-1", "seq": await table.seq()}
        assert ok(await table.get()).json()["frozen"] == ""
        ok(await table.command(player, "pick", numbers=[1]))


async def test_a_table_nobody_watches_in_world_is_never_frozen(folder: Path) -> None:
    async with serving(folder) as service:
        table = await service.table(options={**QUICK, "turn_s": 3600})
        await table.start(ADA, BOB)
        service.clock.ahead_s += 1000
        await service.tables.keeper.sweep()
        assert ok(await table.get()).json()["frozen"] == ""
