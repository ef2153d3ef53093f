"""Watching a table: frames since a seq, waiting answers, what is for one avatar alone."""

import asyncio
import time
from pathlib import Path

import pytest

from app.api import watch
from app.api.schemas import frames_out

from .service import ADA, BOB, CAT, OWNER, Service, Table, ok, refused, serving, soon

# ---- since a seq ----------------------------------------------------------------------------


async def test_without_a_seq_one_gets_the_whole_board(table: Table) -> None:
    news = ok(await table.get("/frames")).json()
    assert (news["table"], news["match"], news["seq"]) == (table.id, f"{table.id}-1", 1)
    assert (news["kind"], news["lines"], news["seats"], news["waiting"]) == ("whole", [], {}, None)
    assert len(news["frames"]) == 37  # 34 prims and three text sets
    assert {"root", "TitleAction:0:0", "profile:4:1", "Status"} <= set(news["frames"])


async def test_whoever_knows_the_latest_state_is_up_to_date(table: Table) -> None:
    news = ok(await table.get("/frames", since=await table.seq())).json()
    assert (news["kind"], news["frames"], news["lines"]) == ("up_to_date", {}, [])


async def test_whoever_is_behind_gets_what_changed_and_what_was_said(table: Table) -> None:
    seq = await table.seq()
    ok(await table.command(ADA, "join"))
    ok(await table.command(BOB, "join"))
    news = ok(await table.get("/frames", since=seq)).json()
    assert (news["kind"], news["seq"]) == ("changes", seq + 2)
    assert {"profile:0:0", "profile:0:1", "life:0:0"} <= set(news["frames"])
    assert "profile:1:0" not in news["frames"]
    assert news["lines"] == [
        f"💀 {name} has entered the deadly game! Welcome to your potential doom! 💀"
        for name in ("Ada", "Bob")
    ]


@pytest.mark.parametrize("since", [0, 99, 2**31, 2**53])
async def test_whoever_is_too_far_behind_or_ahead_gets_the_whole_board(
    table: Table, since: int
) -> None:
    news = ok(await table.get("/frames", since=since, wait_s=20)).json()
    assert (news["kind"], news["seq"]) == ("whole", 1)


async def test_frames_leave_out_what_is_as_always(table: Table) -> None:
    frames = ok(await table.get("/frames")).json()["frames"]
    assert frames["TitleAction:0:0"] == {"picture": "title"}
    assert frames["profile:0:0"] == {"alpha": 0.0}


async def test_the_answer_says_who_is_waited_for_and_how_long(table: Table) -> None:
    await table.start(ADA, BOB)
    waiting = ok(await table.get("/frames")).json()["waiting"]
    assert waiting["for"] in (["Ada"], ["Bob"])
    assert 100 < waiting["left_s"] <= 120


async def test_what_many_wait_for_is_serialised_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many spectators know the same, a change is put into words for all of them once."""
    made = []
    monkeypatch.setattr(watch, "frames_out", lambda told: made.append(told) or frames_out(told))
    seq = await table.seq()
    waiting = [asyncio.create_task(table.get("/frames", since=seq, wait_s=20)) for _ in range(20)]
    await asyncio.sleep(0.2)
    ok(await table.command(ADA, "join"))
    bodies = {ok(await soon(answer)).content for answer in waiting}
    assert len(bodies) == 1
    assert len([told for told in made if told.seq == seq + 1]) == 1


# ---- long poll ------------------------------------------------------------------------------


async def test_a_waiting_answer_comes_at_once_when_something_changes(table: Table) -> None:
    seq = await table.seq()
    waiting = asyncio.create_task(table.get("/frames", since=seq, wait_s=20))
    events = asyncio.create_task(table.get("/events", since=seq, wait_s=20))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    ok(await table.command(ADA, "join"))
    news = ok(await soon(waiting)).json()
    assert (news["kind"], news["seq"]) == ("changes", seq + 1)
    assert [e["seq"] for e in ok(await soon(events)).json()["entries"]] == [seq + 1]


async def test_a_refused_command_wakes_nobody(table: Table) -> None:
    waiting = asyncio.create_task(table.get("/frames", since=await table.seq(), wait_s=0.3))
    await asyncio.sleep(0.05)
    refused(await table.command(ADA, "roll"), 409, "touch_to_join")
    assert ok(await soon(waiting)).json()["kind"] == "up_to_date"


async def test_a_waiting_answer_comes_empty_when_the_wait_is_over(table: Table) -> None:
    began = time.monotonic()
    news = ok(await soon(table.get("/frames", since=await table.seq(), wait_s=0.2))).json()
    assert news["kind"] == "up_to_date"
    assert time.monotonic() - began > 0.15
    events = ok(await table.get("/events", since=1, wait_s=0.1)).json()
    assert events == {"seq": 1, "entries": []}


async def test_whoever_is_behind_does_not_wait(table: Table) -> None:
    ok(await table.command(ADA, "join"))
    assert ok(await soon(table.get("/frames", since=1, wait_s=20))).json()["kind"] == "changes"
    assert ok(await soon(table.get("/frames", wait_s=20))).json()["kind"] == "whole"


async def test_many_wait_for_one_change(table: Table) -> None:
    waiting = [asyncio.create_task(table.get("/frames", since=1, wait_s=20)) for _ in range(50)]
    await asyncio.sleep(0.1)
    ok(await table.command(ADA, "join"))
    assert {ok(await soon(w)).json()["seq"] for w in waiting} == {2}


async def test_nobody_is_counted_as_waiting_any_more(service: Service) -> None:
    assert service.app.state.watchers.waiting == 0


# ---- what is for one avatar alone -----------------------------------------------------------


async def test_private_parts_come_only_when_they_are_asked_for(table: Table) -> None:
    await table.start(ADA, BOB)
    assert ok(await table.get("/frames")).json()["seats"] == {}
    seats = ok(await table.get("/frames", avatar=[ADA["key"], BOB["key"]])).json()["seats"]
    assert set(seats) == {ADA["key"], BOB["key"]}


async def test_the_dialog_that_is_due_comes_to_the_one_who_is_to_act(table: Table) -> None:
    await table.start(ADA, BOB)
    first = (await table.state())["waiting_for"][0]
    other = next(p["key"] for p in (ADA, BOB) if p["key"] != first)
    seats = ok(await table.get("/frames", avatar=[first, other])).json()["seats"]
    assert seats[first]["dialog"]["name"] == "pick"
    assert seats[other].get("dialog") is None
    assert seats[first]["hud"]["text"]


async def test_a_dialog_comes_once_and_not_with_every_change(table: Table) -> None:
    await table.start(ADA, BOB)
    key = (await table.state())["waiting_for"][0]
    seq = await table.seq()
    assert ok(await table.get("/frames", avatar=key)).json()["seats"][key]["dialog"]
    await table.owner("lock")
    later = ok(await table.get("/frames", since=seq, avatar=key)).json()
    assert later["seq"] == seq + 1
    assert later["seats"][key].get("dialog") is None
    assert "hud" not in later["seats"][key]


async def test_a_line_to_one_alone_is_told_to_nobody_else(table: Table) -> None:
    for player in (ADA, BOB, CAT):
        ok(await table.command(player, "join"))
    seq = await table.seq()
    answer = ok(await table.command(ADA, "leave")).json()  # Bob may start the game now
    keys = [ADA["key"], BOB["key"], CAT["key"]]
    news = ok(await table.get("/frames", since=seq, avatar=keys)).json()
    lines = {key: seat.get("lines", []) for key, seat in news["seats"].items()}
    assert [len(lines[key]) for key in keys] == [0, 1, 0]
    assert answer["lines"] == []
    assert lines[BOB["key"]][0] not in news["lines"]
    assert ok(await table.get("/frames", since=seq)).json()["seats"] == {}


async def test_somebody_who_has_no_seat_has_no_hud_and_no_dialog(table: Table) -> None:
    seats = ok(await table.get("/frames", avatar=CAT["key"])).json()["seats"]
    assert seats == {CAT["key"]: {"hud": None}}


async def test_what_is_for_the_owner_needs_his_token_on_loopback_too(table: Table) -> None:
    refused(await table.get("/frames", avatar=OWNER["key"]), 401, "unauthorized")
    refused(await table.get("/stream", avatar=[ADA["key"], OWNER["key"]]), 401, "unauthorized")
    ok(await table.get("/frames", token=table.owner_token, avatar=OWNER["key"]))


async def test_the_owners_token_does_not_look_at_other_tables(
    service: Service, table: Table
) -> None:
    other = await service.table()
    refused(
        await other.get("/frames", token=table.owner_token, avatar=ADA["key"]), 403, "forbidden"
    )
    ok(await other.get("/frames", token=table.owner_token))


# ---- restarts -------------------------------------------------------------------------------


async def test_whoever_watches_goes_on_after_a_restart_where_the_match_does(folder: Path) -> None:
    async with serving(folder) as service:
        before = await service.table()
        await before.start(ADA, BOB)
        seq = await before.seq()
        seats = ok(await before.get("/frames", avatar=[ADA["key"], BOB["key"]])).json()["seats"]
    async with serving(folder) as service:
        table = Table(service.client, {"id": before.id, "owner_token": before.owner_token})
        news = ok(await table.get("/frames", avatar=[ADA["key"], BOB["key"]])).json()
        assert (news["match"], news["seq"]) == (f"{table.id}-1", seq + 2)
        assert news["seats"] == seats
        assert 100 < news["waiting"]["left_s"] <= 120
        told = ok(await table.get("/events", since=seq)).json()["entries"]
        assert [e["events"][0]["type"] for e in told] == ["frozen", "thawed"]
