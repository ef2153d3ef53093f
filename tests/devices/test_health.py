"""How a table in-world is: the memory of its scripts, the errors it was answered."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from app.errors import Busy
from app.table.models import DeviceRow

from .inworld import OUTSIDE, Linkset, Server

AUTH = {"Authorization": f"Bearer {OUTSIDE['operator_token']}"}


async def row(server: Server) -> DeviceRow:
    def read(session: Any) -> DeviceRow:
        return DeviceRow(**session.exec(select(DeviceRow)).one().model_dump())

    return await server.tables.store.run(read)


async def told(linkset: Linkset) -> dict[str, Any]:
    """What an owner is told of the health of his table."""
    path = f"/api/v1/tables/{linkset.table.id}/device"
    answer = await linkset.server.client.get(path, headers=AUTH)
    return dict(answer.json())


# ---- memory ---------------------------------------------------------------------------------


async def test_what_memory_scripts_have_left_is_told_to_the_owner(serve: Any) -> None:
    """By its hello or a poll, of the scripts `requests` and `link`; it outlives the process."""
    server = await serve(**OUTSIDE)
    linkset = await server.paired()
    assert (await told(linkset))["free_bytes"] == {}
    await linkset.hello(m="41000.0.38022")
    await server.app.state.tally.save()
    assert (await told(linkset))["free_bytes"] == {"requests": 41000, "link": 38022}
    await linkset.act(m="20000.0.38022")
    await server.app.state.tally.save()
    assert (await told(linkset))["free_bytes"] == {"requests": 20000, "link": 38022}


@pytest.mark.parametrize(
    "said",
    [
        *("", "-1.0.5", "1", "1.2", "1.2.3.4", "1.0.", "..", "99999.0.1", "65537.0.0", "0.0.65537"),
        *("1e3.0.2", "0x1.0.1", "1.1000000.1", "١.0.٢", "1.0.2\n", " 1.0.2", "9" * 5000),
        *("1.0." + "0" * 5000, "nan.0.inf", "\ud800.0.1"),
    ],
)
async def test_hostile_numbers_are_not_taken_for_memory(server: Server, said: str) -> None:
    """The rest of the request counts as usual."""
    linkset = await server.linkset(m="41000.0.38022")
    said = said.encode(errors="replace").decode()
    await linkset.hello(m=said)
    await linkset.touch(m=said)
    assert linkset.known.free_bytes == {"requests": 41000, "link": 38022}
    assert [seat.name for seat in linkset.table.now.match.seats] == ["Ann"]


async def test_memory_that_hardly_differs_is_not_stored_again(server: Server) -> None:
    linkset = await server.linkset(m="41000.0.38022")
    for said, stored in (
        ("41000.0.38022", '{"requests":41000,"link":38022}'),
        ("40000.0.38500", '{"requests":41000,"link":38022}'),
        ("39976.0.38500", '{"requests":39976,"link":38500}'),
        ("65536.0.0", '{"requests":65536,"link":0}'),
    ):
        await linkset.act(m=said)
        await server.app.state.tally.save()
        assert (await row(server)).free_bytes == stored, said


async def test_a_poll_that_tells_memory_neither_reads_nor_writes_the_store(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    linkset = await server.linkset(m="41000.0.38022")
    await linkset.act()
    used = []
    run = server.tables.store.run

    async def counted(work: Any) -> Any:
        used.append(work)
        return await run(work)

    monkeypatch.setattr(server.tables.store, "run", counted)
    await linkset.act(m="12000.0.11000")
    assert used == []
    await server.app.state.tally.save()
    await server.app.state.tally.save()
    assert len(used) == 1


async def test_requests_that_got_no_answer_are_told_to_the_owner(serve: Any) -> None:
    """As the scripts count them: from anew when they are reset."""
    server = await serve(**OUTSIDE)
    linkset = await server.paired()
    assert (await told(linkset))["lost"] == 0
    for lost in (3, 4, 0):
        await linkset.act(m=f"41000.{lost}.38022")
        await server.app.state.tally.save()
        assert (await told(linkset))["lost"] == lost


# ---- errors ---------------------------------------------------------------------------------


async def test_errors_count_from_the_pairing_on_and_outlive_the_process(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the store cannot take is kept for the next time, and nothing counts twice."""
    server = await serve()
    linkset = await server.linkset()
    for status in (401, 429, 429, 500):
        linkset.known.answered(status)
    due = {"4xx": 1, "429": 2, "5xx": 1}
    assert server.registry.errors(await row(server)) == due

    async def busy(_: Any) -> None:
        raise Busy

    with monkeypatch.context() as patch:
        patch.setattr(server.tables.store, "run", busy)
        await server.app.state.tally.save()
    assert server.registry.errors(await row(server)) == due
    assert (await row(server)).errors_429 == 0
    for _ in range(2):
        await server.app.state.tally.save()
        assert server.registry.errors(await row(server)) == due
    assert (await row(server)).errors_429 == 2
    linkset.known.answered(429)
    await server.__aexit__()
    again = await serve()
    assert again.registry.errors(await row(again)) == {"4xx": 1, "429": 3, "5xx": 1}


async def test_a_table_paired_anew_begins_to_count_anew(server: Server) -> None:
    linkset = await server.linkset()
    linkset.known.answered(500)
    await server.app.state.tally.save()
    await server.later(100)
    await Linkset(server, table=linkset.known.table_id).hello()
    assert server.registry.errors(await row(server)) == {"4xx": 0, "429": 0, "5xx": 0}
