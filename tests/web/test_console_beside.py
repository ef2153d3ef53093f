"""What was done beside the matches: each way leaves a trace, and its owner reads it."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from app.table import deeds
from app.table.models import DeedRow
from tests.api.service import ADA, OPERATOR, OWNER, Service, bearer, ok, serving

from .test_console import HOSTILE, Console, enter
from .test_operator import do, entered, made

OBJECT = "77777777-0000-4000-8000-000000000007"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path) as service:
        yield service


@pytest.fixture
async def console(service: Service) -> Console:
    table = await service.table()
    return Console(await enter(service), table)


async def log_page(console: Console, **headers: str) -> str:
    return unescape(ok(await console.client.get(f"{console.path}/log", headers=headers)).text)


def beside(page: str) -> list[tuple[str, str, str]]:
    """(who, by which way, did) of each line, the latest first."""
    part = page[page.index('id="beside"') :]
    row = r'<td><bdi>(.*?)</bdi> <span class="aside">(.*?)</span></td><td><p dir="auto">(.*?)</p>'
    return [(who, re.sub("<.*?>", "", way), did) for who, way, did in re.findall(row, part)]


async def stored(service: Service) -> list[DeedRow]:
    return list(await service.tables.store.run(lambda s: deeds.everywhere(s, 99)))


# ---- each way leaves a trace ----------------------------------------------------------------


async def test_what_the_owner_does_in_his_console_is_noted(
    console: Console, service: Service
) -> None:
    await console.done("staff", key=ADA["key"], name="Ada", may_matches="on")
    await console.done("ban", key=ADA["key"], name=HOSTILE["name"])
    await console.done("theme", theme="existing")
    await console.done("listed", listed="on")
    ok(await console.do("pair"))
    editor = ok(await console.client.get(f"/owner/{console.table.id}/theme")).text
    (form,) = set(re.findall(r'name="form" value="([0-9a-f]{64})"', editor))
    await console.client.post(
        f"/owner/{console.table.id}/theme",
        data={"form": form, "game": "peril", "say.joined": "{name} dares."},
    )
    page = await log_page(console)
    assert [did for _, _, did in beside(page)][:-1] == [
        "changed lines, colours or textures of peril",
        "made a pairing code",
        "listed the table on the front page",
        "chose the theme existing",
        f"banned {HOSTILE['name']}".replace("\u202e", ""),
        "trusted Ada with: matches",
    ]
    assert {(who, way) for who, way, _ in beside(page)[:-1]} == {("Olive", "in the console")}
    assert "<img src=x" not in ok(await console.client.get(f"{console.path}/log")).text


async def test_who_comes_by_the_api_is_noted_with_the_label_of_his_token(
    console: Console, service: Service
) -> None:
    """The owner's token stands for the owner, an operator's for the operator."""
    table, client = console.table, console.client
    nightly = (await made(service, "operator", label="nightly tests"))["token"]
    url = table.url
    ok(await client.patch(url, json={"listed": True}, headers=bearer(table.owner_token)))
    ok(await client.patch(url, json={"listed": False}, headers=bearer(nightly)))
    body = {"game": "peril", "changes": {"say": {"joined": "{name} dares."}}}
    ok(await client.put(f"{url}/theme", json=body, headers=bearer(nightly)))
    body = {"owner": OWNER["key"], "table": table.id}
    ok(await client.post("/api/v1/pairing-codes", json=body, headers=bearer(table.owner_token)))
    assert beside(await log_page(console)) == [
        ("Olive", "by the API", "made a pairing code"),
        (
            "the operator",
            "by the API, nightly tests",
            "changed lines, colours or textures of peril",
        ),
        ("the operator", "by the API, nightly tests", "took the table off the front page"),
        ("Olive", "by the API", "listed the table on the front page"),
        ("the operator", "by the API", "made a token: owner"),
    ]


async def test_what_the_operator_does_in_the_owners_place_is_told_apart(
    console: Console,
) -> None:
    """The log of the match has it as the owner's, whose command it is."""
    table, client = console.table, console.client
    options = {"preset": "speed_peril", "options": {"lives": 2}}
    for token in (OPERATOR, table.owner_token):
        ok(await client.patch(f"{table.url}/options", json=options, headers=bearer(token)))
        ok(await client.delete(f"{table.url}/ranking", headers=bearer(token)))
    refused = {"options": {"lives": 9000}}
    headers = bearer(OPERATOR)
    assert (await client.patch(f"{table.url}/options", json=refused, headers=headers)).is_error
    assert beside(await log_page(console))[:-1] == [
        ("the operator", "by the API", "wiped the ranking of the table in the owner’s place"),
        (
            "the operator",
            "by the API",
            "set options in the owner’s place: speed_peril, lives",
        ),
    ]


async def test_what_happens_to_the_linkset_is_noted(console: Console, service: Service) -> None:
    """Paired by its owner in-world, given a new secret, cut off; of none of it the secret."""
    table, registry = console.table, service.app.state.registry
    page = unescape(ok(await console.do("pair")).text)
    code = re.search(r"<code>([A-Z2-9]{8})</code>", page)
    assert code is not None
    device = await registry.pair(code[1], OBJECT, OWNER["key"], "Olive")
    headers = bearer(table.owner_token)
    ok(await console.client.post(f"{table.url}/device/rotate", headers=headers))
    ok(await console.client.delete(f"{table.url}/device", headers=bearer(OPERATOR)))
    assert beside(await log_page(console))[:4] == [
        ("the operator", "by the API", "cut the linkset off"),
        ("Olive", "by the API", "gave the linkset a new secret"),
        ("Olive", "in-world", "paired a linkset with the table"),
        ("Olive", "in the console", "made a pairing code"),
    ]
    everything = json.dumps([row.model_dump() for row in await stored(service)])
    for secret in (code[1], device.secret, device.next_secret, table.owner_token):
        assert secret
        assert secret not in everything


async def test_what_the_operator_does_in_his_console_is_noted_there(service: Service) -> None:
    table = await service.table()
    client = await entered(service)
    await do(client, "/operator", do="announce", text="Restart at 14:00")
    await do(client, "/operator", do="wipe", game="peril", sure="on")
    shown = await do(client, "/operator/tokens", do="grant", scope="owner", table=table.id)
    token = (await stored(service))[0]
    assert (token.what, token.detail, token.table_id) == ("token_made", "owner", table.id)
    page = unescape(ok(await client.get("/operator")).text)
    assert beside(page)[:3] == [
        ("the operator", "in the console", "made a token: owner"),
        ("the operator", "in the console", "wiped the service’s ranking of peril"),
        ("the operator", "in the console", "announced on all boards: Restart at 14:00"),
    ]
    assert f'href="/t/{table.id}"' in page
    ok(await client.patch(table.url, json={"listed": True}, headers=bearer(table.owner_token)))
    page = unescape(ok(await client.get("/operator")).text)
    assert beside(page)[0] == ("Olive", "by the API", "listed the table on the front page")
    new = re.findall(r"<code>([\w-]{43})</code>", shown.text)
    assert new
    assert new[0] not in page


async def test_the_command_line_leaves_a_trace_too(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        table = await service.table()
    for command in (
        ["device", "code", OWNER["key"], "--table", table.id],
        ["token", "create", "owner", "--table", table.id, "--label", "harness"],
        ["notice", "set", "Restart"],
    ):
        run = [sys.executable, "-m", "app.cli", *command, "--data-dir", str(tmp_path)]
        subprocess.run(run, check=True, capture_output=True, timeout=60)
    async with serving(tmp_path) as service:
        rows = [(r.what, r.who, r.way, r.table_id) for r in await stored(service)]
    assert rows[:3] == [
        ("announced", "operator", "command_line", ""),
        ("token_made", "operator", "command_line", table.id),
        ("code_made", "operator", "command_line", table.id),
    ]


# ---- reading it -----------------------------------------------------------------------------


async def test_a_table_with_nothing_noted_says_so(service: Service, tmp_path: Path) -> None:
    made = await service.tables.create("Quiet", OWNER["key"], "Olive")
    client = await enter(service)
    page = ok(await client.get(f"/owner/t/{made.id}/log")).text
    assert "Nothing yet." in page[page.index('id="beside"') :]


async def test_the_files_begin_with_it(console: Console) -> None:
    """In the form that a match has there, with no match named; the earliest first."""
    await console.done("ban", key=ADA["key"], name="=1+1")
    await console.done("listed", listed="on")
    path = f"{console.path}/log"
    told: list[dict[str, Any]] = ok(await console.client.get(path + ".json")).json()
    assert (told[0]["match"], told[1]["match"]) == ("", f"{console.table.id}-1")
    banned, listed = told[0]["entries"][-2:]
    assert (banned["actor"], banned["name"]) == (OWNER["key"], "Olive")
    assert banned["command"] == {
        "type": "banned",
        "way": "console",
        "token": "",
        "about": {"key": ADA["key"], "name": "=1+1"},
        "detail": "",
    }
    assert listed["command"]["type"] == "listed"
    answer = ok(await console.client.get(path + ".csv"))
    cells = [
        c for c in csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))) if not c["match"]
    ]
    last = cells[-1]
    assert (last["actor"], last["name"], last["command"]) == (OWNER["key"], "Olive", "listed")
    assert last["said"] == "listed the table on the front page (in the console)"
    assert cells[-2]["said"] == "banned =1+1 (in the console)"


async def test_notes_that_are_too_old_go_when_the_service_starts(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        table = await service.table()
        await deeds_of_long_ago(service, table.id)
        assert [r.detail for r in await stored(service)][-1] == "long ago"
    async with serving(tmp_path) as service:
        for _ in range(100):
            if all(r.detail != "long ago" for r in await stored(service)):
                break
        assert [r.detail for r in await stored(service)] == ["owner"]


async def deeds_of_long_ago(service: Service, table_id: str) -> None:
    old_ms = int((service.clock() - (deeds.KEPT_DAYS + 1) * 24 * 60 * 60) * 1000)

    def write(session: Any) -> None:
        by = deeds.COMMAND_LINE
        deeds.record(session, by, "announced", old_ms, table_id=table_id, detail="long ago")
        session.commit()

    await service.tables.store.run(write)
