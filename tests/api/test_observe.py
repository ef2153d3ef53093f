"""What the people who look after the server see: readiness, metrics, the log, a table's health."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.exc import OperationalError

from app.main import create_app
from app.settings import Settings
from app.table.deeds import COMMAND_LINE
from app.table.log import StoreBusy

from .service import ADA, API, BOB, OPERATOR, OWNER, Service, Table, bearer, ok, refused, serving

DASHBOARD = Path(__file__).parents[2] / "ops" / "grafana-dashboard.json"
FAR = "203.0.113.9"

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


async def scraped(service: Service) -> Samples:
    text = ok(await service.client.get("/metrics")).text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


class Scrapes:
    """How far metrics moved since the first look."""

    def __init__(self, service: Service, before: Samples) -> None:
        self.service = service
        self.before = before

    async def __call__(self, name: str, **labels: str) -> float:
        key = name, frozenset(labels.items())
        return (await scraped(self.service))[key] - self.before.get(key, 0)


@pytest.fixture
async def moved(service: Service) -> Scrapes:
    return Scrapes(service, await scraped(service))


# ---- ready ----------------------------------------------------------------------------------


async def test_a_server_is_ready_between_its_start_and_its_end(folder: Path) -> None:
    app = create_app(Settings(data_dir=folder, log_level="error"))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        said = refused(await client.get("/readyz"), 503, "not_ready")
        assert said == "The server is starting."
        async with app.router.lifespan_context(app):
            assert ok(await client.get("/readyz")).json() == {"status": "ready"}
        said = refused(await client.get("/readyz"), 503, "not_ready")
        assert said == "The server is stopping; the next one goes on."


async def test_a_server_without_its_store_is_not_ready(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(_: Any) -> None:
        raise OperationalError("SELECT 1", {}, Exception("disk I/O error"))

    monkeypatch.setattr(service.tables.store, "run", lost)
    said = refused(await service.client.get("/readyz"), 503, "not_ready")
    assert said == "The store does not answer."


# ---- metrics --------------------------------------------------------------------------------


async def test_commands_are_counted_by_what_came_of_them(
    service: Service, table: Table, moved: Scrapes, monkeypatch: pytest.MonkeyPatch
) -> None:
    ok(await table.command(ADA, "join"))
    refused(await table.command(ADA, "join"), 409, "already_seated")

    async def full(_: Any) -> None:
        raise StoreBusy("database or disk is full")

    monkeypatch.setattr(service.tables.store, "append", full)
    refused(await table.command(BOB, "join"), 429, "busy")
    for result in ("accepted", "refused", "busy"):
        assert await moved("peril_commands_total", result=result) == 1
    assert await moved("peril_command_seconds_count") == 3
    assert await moved("peril_requests_total", route="api", status="4xx") == 2


async def test_deadlines_are_counted_with_how_late_they_were(
    service: Service, moved: Scrapes
) -> None:
    table = await service.table()
    await table.start(ADA, BOB)
    assert await moved("peril_deadlines_fired_total") > 0
    fired = await moved("peril_deadlines_fired_total")
    assert await moved("peril_deadline_late_seconds_count") == fired
    assert await moved("peril_deadline_late_seconds_bucket", le="10.0") == fired
    assert (await scraped(service))["peril_deadlines_running", frozenset()] > 0


async def test_tables_and_who_waits_are_counted_as_they_are_now(
    service: Service, table: Table, moved: Scrapes
) -> None:
    before = (await scraped(service))["peril_tables", frozenset({("stage", "lobby")})]
    await service.table()
    assert (await scraped(service))["peril_tables", frozenset({("stage", "lobby")})] == before + 1
    waiting = asyncio.create_task(table.get("/frames", since=1, wait_s=10))
    async with asyncio.timeout(5):
        while await moved("peril_waiting", kind="long_poll") != 1:
            await asyncio.sleep(0.01)
    ok(await table.command(ADA, "join"))
    await waiting
    assert await moved("peril_waiting", kind="long_poll") == 0


async def test_refusals_of_limits_are_counted(folder: Path) -> None:
    async with serving(folder, limits=True, avatar_burst=1) as service:
        moved = Scrapes(service, await scraped(service))
        table = await service.table()
        ok(await table.command(ADA, "join"))
        refused(await table.command(ADA, "ready"), 429, "too_many")
        assert await moved("peril_limited_total", limit="avatar") == 1


async def test_no_label_names_a_person_a_table_or_a_key(service: Service, table: Table) -> None:
    ok(await table.command(ADA, "join"))
    await service.client.get(f"/{table.id}/{ADA['key']}")
    text = ok(await service.client.get("/metrics")).text
    for secret in (
        ADA["key"],
        ADA["name"],
        OWNER["key"],
        OWNER["name"],
        table.id,
        table.owner_token,
    ):
        assert secret not in text
    ours = [label for name, labels in await scraped(service) for label in labels]
    assert {name for name, _ in ours} <= {
        "result", "le", "route", "status", "stage", "kind", "limit",
        "implementation", "major", "minor", "patchlevel", "version",
    }  # fmt: skip


async def test_metrics_are_for_this_machine_and_for_tokens_that_read(folder: Path) -> None:
    async with serving(folder, host="0.0.0.0", limits=False) as service:

        async def get(token: str) -> httpx.Response:
            return await service.client.get("/metrics", headers=bearer(token))

        refused(await get(""), 401, "unauthorized")
        refused(await get("guessed"), 401, "unauthorized")
        ok(await get(OPERATOR))
        for scope, table_id, allowed in (
            ("read", "", True),
            ("harness", "", False),
            ("owner", (await service.table()).id, False),
        ):
            token, _ = await service.app.state.access.grant(COMMAND_LINE, scope, 1, table_id)
            answer = await get(token)
            assert answer.status_code == (200 if allowed else 403)


async def test_the_dashboard_uses_exactly_the_metrics_there_are(service: Service) -> None:
    shown = set(re.findall(r"\b(?:peril|process)_\w+", DASHBOARD.read_text("utf-8")))
    there = {name for name, _ in await scraped(service)}
    assert shown <= there
    ours = {n for n in there if n.startswith("peril_") and not n.endswith("_created")}
    # A histogram is shown by its buckets, which hold its count too.
    assert {n for n in ours if not re.search(r"_seconds_(count|sum)$", n)} <= shown
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    assert all(target["expr"] for panel in panels for target in panel["targets"])


# ---- the log --------------------------------------------------------------------------------


@pytest.fixture
def lines() -> Any:
    with structlog.testing.capture_logs() as lines:
        yield lines


async def test_a_line_of_the_log_names_table_match_and_commands_and_nobody(
    table: Table, service: Service, monkeypatch: pytest.MonkeyPatch, lines: list[dict[str, Any]]
) -> None:
    async def broken(_: Any) -> None:
        raise StoreBusy("database or disk is full")

    monkeypatch.setattr(service.tables.store, "append", broken)
    refused(await table.command(ADA, "join", id="c-1"), 429, "busy")
    line = next(line for line in lines if line["event"] == "store_busy")
    assert (line["table"], line["match"], line["commands"]) == (table.id, f"{table.id}-1", ["c-1"])
    assert not {ADA["key"], ADA["name"], OWNER["name"], table.owner_token} & set(
        re.findall(r"[\w-]+", json.dumps(lines))
    )


# ---- a table's health -----------------------------------------------------------------------


@pytest.fixture
async def linkset(service: Service) -> dict[str, str]:
    """What a table in-world says of itself, once it is known."""
    form = {"o": "0b000000-0000-4000-8000-000000000001", "owner": OWNER["key"], "name": "Olive"}
    said = ok(await service.client.post("/lsl/v1/hello", data=form)).text
    identity = next(line for line in said.splitlines() if line.startswith("I"))
    _, device, _, table = re.split("[|¦]", identity)
    return {"d": device, "table": table}


async def test_an_owner_sees_how_many_errors_his_table_was_answered(
    service: Service, linkset: dict[str, str]
) -> None:
    url = f"{API}/tables/{linkset['table']}/device"
    health = ok(await service.client.get(url, headers=bearer(OPERATOR))).json()
    assert health["errors"] == {"4xx": 0, "429": 0, "5xx": 0}
    refused(await service.client.post("/lsl/v1/poll", data=linkset), 401, "unknown_device")
    health = ok(await service.client.get(url, headers=bearer(OPERATOR))).json()
    assert health["errors"] == {"4xx": 1, "429": 0, "5xx": 0}
