"""Tokens: made, listed, revoked; what each scope opens; by REST and by the command line."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from typer.testing import CliRunner

from app import cli
from app.api import access as access_module
from app.errors import PerilError

from .service import (
    ADA,
    API,
    BOB,
    OPERATOR,
    OWNER,
    Service,
    Table,
    bearer,
    ok,
    refused,
    running,
    serving,
    soon,
)  # fmt: skip

SCOPES = ("operator", "owner", "harness", "read")


@pytest_asyncio.fixture(loop_scope="module")
async def beyond(folder: Path) -> AsyncIterator[Service]:
    """A service that others than this machine can reach."""
    async with serving(folder, host="0.0.0.0") as service:
        yield service


async def make(service: Service, scope: str, **more: Any) -> dict[str, Any]:
    body = {"scope": scope, **more}
    made = await service.client.post(f"{API}/tokens", json=body, headers=bearer(OPERATOR))
    return dict(ok(made).json())


async def revoke(service: Service, id: str, token: str = OPERATOR) -> httpx.Response:
    return await service.client.delete(f"{API}/tokens/{id}", headers=bearer(token))


async def listed(service: Service) -> list[dict[str, Any]]:
    """All tokens, asked for page by page."""
    out: list[dict[str, Any]] = []
    while True:
        after = out[-1]["id"] if out else ""
        page = ok(await service.get("/tokens", OPERATOR, after=after, limit=3)).json()["tokens"]
        if not page:
            return out
        out += page


# ---- making, listing, revoking --------------------------------------------------------------


async def test_a_token_is_shown_once_and_never_again(beyond: Service) -> None:
    made = await make(beyond, "harness", label="nightly\n\x1b[31mtests")
    token = made.pop("token")
    assert made["label"] == "nightly [31mtests"
    assert len(token) >= 43
    tokens = await listed(beyond)
    assert made in tokens
    assert token not in json.dumps(tokens)
    row = next(t for t in tokens if t["id"] == made["id"])
    assert set(row) == {"id", "scope", "table", "label", "created_ms"}


async def test_the_list_has_every_token_once(beyond: Service) -> None:
    made = {(await make(beyond, "read"))["id"] for _ in range(7)}
    await beyond.table()
    tokens = await listed(beyond)
    ids = [t["id"] for t in tokens]
    assert ids == sorted(set(ids))
    assert made <= set(ids)
    assert [t["scope"] for t in tokens].count("owner") == 1


async def test_tokens_are_the_operators_business_alone(beyond: Service) -> None:
    table = await beyond.table()
    others = [(await make(beyond, s))["token"] for s in ("harness", "read")]
    id = (await make(beyond, "read"))["id"]
    for token, status, code in [
        ("", 401, "unauthorized"),
        ("guessed", 401, "unauthorized"),
        *((t, 403, "forbidden") for t in (*others, table.owner_token)),
    ]:
        headers = bearer(token)
        post = await beyond.client.post(f"{API}/tokens", json={"scope": "read"}, headers=headers)
        refused(post, status, code)
        refused(await beyond.get("/tokens", token), status, code)
        refused(await revoke(beyond, id, token), status, code)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"scope": "king"},
        {"scope": "local"},
        {"scope": "nobody"},
        {"scope": "owner"},
        {"scope": "harness", "table": "?"},
        {"scope": "read", "label": "x" * 64},
        {"scope": "read", "label": "\ud800"},
        {"scope": "read", "token": "mine"},
    ],
)
async def test_a_token_that_cannot_be_meant_is_a_422(service: Service, body: Any) -> None:
    table = await service.table()
    body = {k: table.id if v == "?" else v for k, v in body.items()}
    content = json.dumps(body)
    answer = await service.client.post(f"{API}/tokens", content=content, headers=bearer(OPERATOR))
    refused(answer, 422, "malformed")


async def test_no_owners_token_is_made_for_a_table_that_is_not_there(service: Service) -> None:
    body = {"scope": "owner", "table": "nope"}
    answer = await service.client.post(f"{API}/tokens", json=body, headers=bearer(OPERATOR))
    refused(answer, 404, "not_found")


async def test_a_token_is_revoked_by_the_beginning_of_its_hash(beyond: Service) -> None:
    made = await make(beyond, "read")
    refused(await revoke(beyond, made["id"][:7]), 422, "malformed")
    refused(await revoke(beyond, "%" * 8), 422, "malformed")
    refused(await revoke(beyond, "_" * 8), 422, "malformed")
    refused(await revoke(beyond, "x" * 65), 422, "malformed")
    refused(await revoke(beyond, "0" * 16), 404, "not_found")
    assert ok(await revoke(beyond, made["id"][:8])).json()["id"] == made["id"]
    refused(await revoke(beyond, made["id"]), 404, "not_found")


async def test_a_beginning_that_two_tokens_share_revokes_neither(
    beyond: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    hash_of = access_module._hash
    monkeypatch.setattr(access_module, "_hash", lambda token: "0" * 9 + hash_of(token)[9:])
    monkeypatch.setattr(beyond.app.state.access, "_operator", access_module._hash(OPERATOR))
    made = [await make(beyond, "read") for _ in range(2)]
    refused(await revoke(beyond, "0" * 9), 409, "ambiguous")
    for one in made:
        ok(await revoke(beyond, one["id"]))


async def test_a_revoked_token_is_cut_off_at_once(beyond: Service) -> None:
    table = await beyond.table()
    made = await make(beyond, "harness")
    ok(await table.command(ADA, "join", token=made["token"]))
    ok(await revoke(beyond, made["id"]))
    refused(await table.command(ADA, "leave", token=made["token"]), 401, "unauthorized")
    refused(await table.get("/frames", token=made["token"]), 401, "unauthorized")


async def test_a_token_revoked_while_it_is_looked_up_is_not_remembered(
    beyond: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await beyond.table()
    made = await make(beyond, "harness")
    run, has_read, go_on = beyond.tables.store.run, asyncio.Event(), asyncio.Event()

    async def slow(work: Any) -> Any:
        row = await run(work)
        has_read.set()
        await go_on.wait()
        return row

    ok(await beyond.get("/tokens", OPERATOR))
    monkeypatch.setattr(beyond.tables.store, "run", slow)
    early = asyncio.create_task(table.get("/frames", made["token"]))
    await has_read.wait()
    monkeypatch.setattr(beyond.tables.store, "run", run)
    ok(await revoke(beyond, made["id"]))
    go_on.set()
    ok(await early)
    refused(await table.get("/frames", made["token"]), 401, "unauthorized")


async def test_the_token_of_an_owner_is_revoked_and_made_anew(beyond: Service) -> None:
    table = await beyond.table()
    before = next(t for t in await listed(beyond) if t["table"] == table.id)
    await table.owner("lock")
    ok(await revoke(beyond, before["id"]))
    refused(await table.command(OWNER, "unlock", token=table.owner_token), 401, "unauthorized")
    made = await make(beyond, "owner", table=table.id)
    ok(await table.command(OWNER, "unlock", token=made["token"]))


async def test_a_waiting_answer_tells_a_revoked_token_nothing_private(beyond: Service) -> None:
    table = await beyond.table()
    made = await make(beyond, "harness")
    waiting = asyncio.create_task(
        table.get("/frames", made["token"], since=1, wait_s=10, avatar=ADA["key"])
    )
    while not beyond.app.state.watchers.waiting:
        await asyncio.sleep(0.01)
    ok(await revoke(beyond, made["id"]))
    ok(await table.command(ADA, "join", token=table.owner_token))
    refused(await soon(waiting), 401, "unauthorized")


def test_a_stream_of_a_revoked_token_ends_before_anything_more_is_told(tmp_path: Path) -> None:
    with running("serve", tmp_path) as server:
        table, http = server.table(), httpx.Client(base_url=server.url + API)
        body = {"scope": "harness"}
        made = ok(http.post("/tokens", json=body, headers=bearer(OPERATOR))).json()
        params = {"token": made["token"], "avatar": ADA["key"]}
        told = []
        with http.stream("GET", f"/tables/{table['id']}/stream", params=params) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    told.append(json.loads(line[6:])["seq"])
                    ok(httpx.delete(
                        f"{server.url}{API}/tokens/{made['id']}", headers=bearer(OPERATOR)
                    ))  # fmt: skip
                    server.command(table["id"], ADA, "join")
        assert told == [1]
        http.close()


async def test_what_another_process_revokes_is_cut_off_within_a_second(beyond: Service) -> None:
    table = await beyond.table()
    made = await make(beyond, "harness")
    ok(await table.command(ADA, "join", token=made["token"]))
    database = beyond.tables.store.path.parent
    words = ("token", "revoke", made["id"], "--data-dir", str(database))
    printed = await asyncio.to_thread(peril, *words)
    assert printed.startswith(f"Revoked: {made['id']}  harness")
    await asyncio.sleep(access_module.FRESH_S + 0.05)
    refused(await table.command(ADA, "leave", token=made["token"]), 401, "unauthorized")


# ---- what a scope opens ---------------------------------------------------------------------


async def tokens_of(service: Service, table: Table) -> dict[str, str]:
    made = {s: (await make(service, s))["token"] for s in ("operator", "harness", "read")}
    return made | {"owner": table.owner_token}


PLAY = {"operator", "owner", "harness"}
Send = Callable[[Table, str], Any]
MAY: dict[str, tuple[Send, set[str]]] = {
    "play an avatar": (lambda t, k: t.command(ADA, "join", token=k), PLAY),
    "touch": (lambda t, k: t.touch(BOB, token=k), PLAY),
    "act as the owner": (lambda t, k: t.command(OWNER, "lock", token=k), {"operator", "owner"}),
    "see what an avatar sees": (
        lambda t, k: t.get("/frames", k, avatar=ADA["key"]), PLAY,
    ),
    "see what the owner sees": (
        lambda t, k: t.get("/frames", k, avatar=OWNER["key"]), {"operator", "owner"},
    ),
    "change options": (
        lambda t, k: t.client.patch(
            f"{t.url}/options", json={"options": {"lives": 2}}, headers=bearer(k)
        ),
        {"operator", "owner"},
    ),
    "give a sign of life": (lambda t, k: t.post("/contact", None, k), {"operator", "owner"}),
    "wipe its ranking": (
        lambda t, k: t.client.delete(f"{t.url}/ranking", headers=bearer(k)), {"operator", "owner"},
    ),
    "create a table": (
        lambda t, k: t.client.post(f"{API}/tables", json={}, headers=bearer(k)), {"operator"},
    ),
    "list tokens": (lambda t, k: t.client.get(f"{API}/tokens", headers=bearer(k)), {"operator"}),
    "read a table": (lambda t, k: t.get("", k), set(SCOPES)),
    "read the board": (lambda t, k: t.get("/frames", k), set(SCOPES)),
    "read the events": (lambda t, k: t.get("/events", k), set(SCOPES)),
    "read a match": (
        lambda t, k: t.client.get(f"{API}/matches/{t.id}-1", headers=bearer(k)), set(SCOPES),
    ),
    "read the rankings": (
        lambda t, k: t.client.get(f"{API}/rankings", headers=bearer(k)), set(SCOPES),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", MAY)
async def test_a_scope_opens_what_it_is_for_and_nothing_else(beyond: Service, what: str) -> None:
    send, may = MAY[what]
    for scope in SCOPES:
        table = await beyond.table()
        answer = await send(table, (await tokens_of(beyond, table))[scope])
        if scope in may:
            assert answer.status_code < 300 or answer.status_code == 409, (scope, answer.text)
        else:
            refused(answer, 403, "forbidden")


async def test_a_harness_plays_a_whole_match_beyond_loopback(beyond: Service) -> None:
    table = await beyond.table()
    made = await make(beyond, "harness")
    client = beyond.client
    client.headers["Authorization"] = f"Bearer {made['token']}"
    try:
        assert await table.play(ADA, BOB) in (ADA["key"], BOB["key"])
    finally:
        del client.headers["Authorization"]


async def test_a_scope_this_version_does_not_know_opens_nothing(beyond: Service) -> None:
    from app.table.models import TokenRow

    token = "of-a-version-to-come"

    def write(session: Any) -> None:
        session.add(TokenRow(hash=access_module._hash(token), scope="emperor", created_ms=0))
        session.commit()

    await beyond.tables.store.run(write)
    table = await beyond.table()
    for send, may in MAY.values():
        if len(may) < len(SCOPES):
            assert (await send(table, token)).status_code in (401, 403)


# ---- the command line -----------------------------------------------------------------------


def peril(*words: str) -> str:
    """What a command prints; its error is raised."""
    result = CliRunner().invoke(cli.app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_line_makes_lists_and_revokes_tokens(folder: Path) -> None:
    where = ("--data-dir", str(folder))
    made = json.loads(peril("token", "create", "harness", "--label", "for the region", *where))
    assert made["scope"] == "harness"
    shown = peril("token", "list", *where)
    assert shown.split()[:2] == [made["id"], "harness"]
    assert shown.endswith("for the region\n")
    assert made["token"] not in shown
    assert peril("token", "revoke", made["id"][:8], *where).startswith(f"Revoked: {made['id']}")
    assert peril("token", "list", *where) == ""


def test_the_command_line_makes_a_token_for_one_table(folder: Path) -> None:
    where = ("--data-dir", str(folder))
    table = json.loads(peril("table", "create", "Roof", *where))["table"]
    assert json.loads(peril("token", "create", "owner", "--table", table, *where))["table"] == table
    assert peril("token", "list", *where).count(table) == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("create", "owner"), "malformed"),
        (("create", "owner", "--table", "nope"), "not_found"),
        (("revoke", "0123"), "malformed"),
        (("revoke", "0123456789"), "not_found"),
    ],
)
def test_the_command_line_says_what_is_wrong_with_a_token(
    folder: Path, words: tuple[str, ...], code: str
) -> None:
    with pytest.raises(PerilError) as error:
        peril("token", *words, "--data-dir", str(folder))
    assert error.value.code == code


def test_the_command_line_knows_no_other_scope() -> None:
    assert CliRunner().invoke(cli.app, ["token", "create", "king"]).exit_code == 2


async def test_a_token_of_the_command_line_is_good_at_the_server(folder: Path) -> None:
    made = await asyncio.to_thread(peril, "token", "create", "operator", "--data-dir", str(folder))
    async with serving(folder, operator_token="") as service:
        headers = bearer(json.loads(made)["token"])
        ok(await service.client.post(f"{API}/tables", json={}, headers=headers))
