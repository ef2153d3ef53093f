"""Who may do what: no token, a wrong one, an owner's, the operator's; on loopback and beyond."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from .service import ADA, API, BOB, OPERATOR, OWNER, Service, Table, bearer, ok, refused, serving


@pytest_asyncio.fixture(loop_scope="module")
async def beyond(folder: Path) -> AsyncIterator[Service]:
    """A service that others than this machine can reach."""
    async with serving(folder, host="0.0.0.0") as service:
        yield service


# ---- on loopback ----------------------------------------------------------------------------


async def test_creating_a_table_needs_the_operators_token(service: Service) -> None:
    said = refused(await service.client.post(f"{API}/tables", json={}), 401, "unauthorized")
    assert said == "That needs a token: Authorization: Bearer …"


async def test_an_owners_token_creates_no_tables(service: Service, table: Table) -> None:
    headers = bearer(table.owner_token)
    made = await service.client.post(f"{API}/tables", json={}, headers=headers)
    refused(made, 403, "forbidden")


async def test_without_a_token_one_plays_any_avatar_on_loopback(table: Table) -> None:
    ok(await table.command(ADA, "join"))
    ok(await table.command(BOB, "join"))


async def test_acting_as_the_owner_needs_the_tables_token(table: Table) -> None:
    said = refused(await table.command(OWNER, "join"), 401, "unauthorized")
    assert said == "Acting as owner or staff of a table needs its token."
    refused(await table.touch(OWNER), 401, "unauthorized")
    refused(await table.press(OWNER, "x", "y"), 401, "unauthorized")
    ok(await table.command(OWNER, "join", token=table.owner_token))


async def test_the_operators_token_acts_as_the_owner_of_every_table(service: Service) -> None:
    for table in (await service.table(), await service.table()):
        ok(await table.command(OWNER, "lock", token=OPERATOR))


async def test_the_owners_token_acts_as_any_avatar_at_his_table(table: Table) -> None:
    ok(await table.command(ADA, "join", token=table.owner_token))


async def test_the_owners_token_does_nothing_at_another_table(
    service: Service, table: Table
) -> None:
    other = await service.table(owner=ADA)
    refused(await other.command(ADA, "lock", token=table.owner_token), 403, "forbidden")
    refused(await other.command(BOB, "join", token=table.owner_token), 403, "forbidden")
    options = {"options": {"lives": 2}}
    patched = await service.client.patch(
        f"{other.url}/options", json=options, headers=bearer(table.owner_token)
    )
    refused(patched, 403, "forbidden")


async def test_a_token_nobody_gave_out_is_refused_even_where_none_is_needed(table: Table) -> None:
    said = refused(await table.command(ADA, "join", token="guessed"), 401, "unauthorized")
    assert said == "That token is not known here."


@pytest.mark.parametrize(
    "header",
    ["Basic b3BlcmF0b3I6", "Bearer", "Bearer ", OPERATOR, "Bearer " + "x" * 8000, "Bearer é"],
)
async def test_a_header_that_is_no_token_of_ours_is_refused(table: Table, header: str) -> None:
    body = {"avatar": ADA, "command": {"type": "join"}}
    headers = {"Authorization": header.encode("latin-1")}
    response = await table.client.post(f"{table.url}/commands", json=body, headers=headers)
    refused(response, 401, "unauthorized")
    assert response.headers["www-authenticate"] == "Bearer"


async def test_owning_is_of_the_avatar_not_of_its_name(table: Table) -> None:
    ok(await table.command({**ADA, "name": OWNER["name"]}, "join"))
    said = await table.command({**ADA, "name": OWNER["name"]}, "lock")
    refused(said, 409, "owner_only")


async def test_the_token_alone_does_not_make_an_avatar_the_owner(table: Table) -> None:
    refused(await table.command(ADA, "lock", token=OPERATOR), 409, "owner_only")


async def test_a_page_of_another_site_cannot_play_here_behind_the_visitors_back(
    table: Table,
) -> None:
    body = {"avatar": ADA, "command": {"type": "join"}}
    for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example", "http://["):
        headers = {"Origin": origin}
        response = await table.client.post(f"{table.url}/commands", json=body, headers=headers)
        refused(response, 401, "unauthorized")
    for origin in ("http://127.0.0.1:8700", "http://localhost:8700", "http://[::1]:8700"):
        headers = {"Origin": origin}
        response = await table.client.post(f"{table.url}/touches", json=body, headers=headers)
        assert response.status_code == 422  # let in: a touch takes no command


async def test_whoever_comes_through_a_proxy_is_not_on_this_machine(table: Table) -> None:
    body = {"avatar": ADA, "command": {"type": "join"}}
    for header in ("X-Forwarded-For", "Forwarded"):
        headers = {header: "203.0.113.9"}
        response = await table.client.post(f"{table.url}/commands", json=body, headers=headers)
        refused(response, 401, "unauthorized")


async def test_without_an_operators_token_nobody_is_the_operator(folder: Path) -> None:
    async with serving(folder, operator_token="") as service:
        for header in ({}, {"Authorization": "Bearer "}):
            made = await service.client.post(f"{API}/tables", json={}, headers=header)
            refused(made, 401, "unauthorized")


async def test_an_owners_token_is_still_good_after_a_restart(folder: Path) -> None:
    async with serving(folder) as service:
        before = await service.table()
    async with serving(folder) as service:
        after = Table(service.client, {"id": before.id, "owner_token": before.owner_token})
        await after.owner("lock")


async def test_only_the_hash_of_a_token_is_stored(folder: Path) -> None:
    async with serving(folder) as service:
        token = (await service.table()).owner_token
    stored = b"".join(p.read_bytes() for p in folder.iterdir() if p.is_file())
    assert token.encode() not in stored


# ---- beyond loopback ------------------------------------------------------------------------


async def test_beyond_loopback_nobody_acts_without_a_token(beyond: Service) -> None:
    table = await beyond.table()
    refused(await table.command(ADA, "join"), 401, "unauthorized")
    refused(await table.touch(ADA), 401, "unauthorized")
    refused(await table.press(ADA, "x", "y"), 401, "unauthorized")
    ok(await table.command(ADA, "join", token=table.owner_token))


async def test_beyond_loopback_everybody_may_watch_the_board(beyond: Service) -> None:
    table = await beyond.table()
    for path in ("", "/frames", "/events", "/ranking", "/matches"):
        ok(await table.get(path))


async def test_beyond_loopback_what_is_for_one_avatar_needs_a_token(beyond: Service) -> None:
    table = await beyond.table()
    for path in ("/frames", "/stream"):
        refused(await table.get(path, avatar=ADA["key"]), 401, "unauthorized")
    ok(await table.get("/frames", token=table.owner_token, avatar=ADA["key"]))


# ---- what the owner alone may do ------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/options", {"options": {"lives": 2}}),
        ("PUT", "/text-sets", {"text_sets": {"Status": [30, 2]}}),
        ("POST", "/contact", None),
        ("DELETE", "/ranking", None),
    ],
)
async def test_the_owners_requests_need_his_token(
    service: Service, table: Table, method: str, path: str, body: object
) -> None:
    async def send(token: str) -> httpx.Response:
        url = table.url + path
        return await service.client.request(method, url, json=body, headers=bearer(token))

    other = await service.table()
    refused(await send(""), 401, "unauthorized")
    refused(await send("guessed"), 401, "unauthorized")
    refused(await send(other.owner_token), 403, "forbidden")
    ok(await send(table.owner_token))
    ok(await send(OPERATOR))


async def test_wiping_the_services_ranking_needs_the_operators_token(
    service: Service, table: Table
) -> None:
    async def send(token: str) -> httpx.Response:
        return await service.client.delete(f"{API}/rankings", headers=bearer(token))

    refused(await send(""), 401, "unauthorized")
    refused(await send(table.owner_token), 403, "forbidden")
    ok(await send(OPERATOR))
