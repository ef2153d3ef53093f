"""The theme of a table over REST: read, changed, refused, kept."""

from typing import Any

import httpx
import pytest

from .service import ADA, Service, Table, ok


async def put(
    table: Table, changes: dict[str, Any], token: str = "", **more: Any
) -> httpx.Response:
    body = {"game": "peril", "changes": changes, **more}
    headers = {"Authorization": f"Bearer {token or table.owner_token}"}
    return await table.client.put(table.url + "/theme", json=body, headers=headers)


async def text(table: Table, section: str, name: str) -> str:
    told = ok(await table.get("/theme", table.owner_token)).json()
    (line,) = [x for x in told["lines"] if (x["section"], x["name"]) == (section, name)]
    return str(line["text"])


async def frames(table: Table) -> dict[str, Any]:
    return ok(await table.get("/frames")).json()["frames"]


async def test_the_owner_writes_lines_of_his_own_and_the_board_follows(service: Service) -> None:
    table = await service.table()
    changes = {"say": {"joined": "{name} dares."}, "status": {"lobby_1": "DARE"}}
    ok(await put(table, changes))
    assert "DARE" in (await frames(table))["Status"]["rows"][0]
    seq = await table.seq()
    ok(await table.command(ADA, "join"))
    assert ok(await table.get("/frames", since=seq)).json()["lines"] == ["Ada dares."]
    assert await text(table, "say", "joined") == "{name} dares."


async def test_an_empty_line_is_the_one_of_the_theme_again(service: Service) -> None:
    table = await service.table()
    ok(await put(table, {"status": {"lobby_1": "DARE"}}))
    ok(await put(table, {"status": {"lobby_1": ""}}))
    assert await text(table, "status", "lobby_1") == "JOIN THE PERIL!"


async def test_what_cannot_be_changes_nothing_and_all_of_it_is_told(service: Service) -> None:
    table = await service.table()
    answer = await put(
        table,
        {"status": {"lobby_1": "{count.real}"}, "colors": {"marked": "red"}, "say": {"left": "!"}},
    )
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "bad_theme")
    assert "status.lobby_1: {count.real} cannot be filled in here" in error["message"]
    assert "colors.marked: A colour looks like #ff8800." in error["message"]
    assert await text(table, "say", "left") == "{name} has left the table."


async def test_the_changes_outlive_the_memory(service: Service) -> None:
    table = await service.table()
    ok(await put(table, {"status": {"lobby_1": "DARE"}}))
    del service.tables.hot[table.id]
    assert "DARE" in (await frames(table))["Status"]["rows"][0]


@pytest.mark.parametrize(
    "body", [{"changes": {"say": []}}, {"changes": {"say": {"x": "y" * 1001}}}]
)
async def test_nonsense_is_malformed(service: Service, body: dict[str, Any]) -> None:
    table = await service.table()
    assert (await put(table, **body)).status_code == 422


async def test_it_is_for_the_owner_alone(service: Service) -> None:
    table, other = await service.table(), await service.table()
    assert (await put(table, {}, other.owner_token)).status_code == 403
    assert (await table.get("/theme", other.owner_token)).status_code == 403
    answer = await put(table, {}, game="chess")
    assert answer.json()["error"]["message"] == "There is no game “chess” here."
