"""What the service promises, whatever comes in between: nothing lost, nothing twice."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlmodel import Session, select

from app import games, ranking
from app.display import Board
from app.errors import Busy, NotFound, Refused
from app.games import lobby
from app.games.core import NOBODY, SERVER, Actor, Refusal
from app.games.peril import words as peril
from app.table import history, news, talk
from app.table.deeds import COMMAND_LINE
from app.table.hot import RECENT_STATES
from app.table.models import DeadlineRow, EntryRow, RecordRow
from app.table.service import Tables

from .conftest import BOTH
from .house import Avatar, House, Store

pytestmark = BOTH
Build = Callable[..., Awaitable[House]]
SEEDS = range(4)


async def entries(house: House) -> list[EntryRow]:
    """The whole log of the table, oldest first."""

    def read(session: Session) -> list[EntryRow]:
        rows = session.exec(select(EntryRow).where(EntryRow.table_id == house.id))
        return sorted(rows, key=lambda e: e.seq)

    return await house.store.run(read)


async def told(house: House, kind: str) -> list[dict[str, Any]]:
    """All events of a kind in the log of the table."""
    events = [e for entry in await entries(house) for e in json.loads(entry.events)]
    return [e for e in events if e["type"] == kind]


class Crowd:
    """People who do this and that, sensible or not; the same for the same seed."""

    def __init__(self, house: House, seed: int) -> None:
        self.house = house
        self.random = random.Random(seed)
        self.people = house.avatars("Ada", "Bob", "Cy", "Dan")

    async def sit(self) -> None:
        await self.house.start(*self.people, peril=self.people[0], bots=2)

    async def act(self) -> None:
        """One more thing happens, and everybody looks."""
        house, chance = self.house, self.random.random()
        who = self.random.choice([*self.people, house.owner])
        waiting = [w for w in self.people if w.key in house.state.waiting_for]
        if chance < 0.35 or (chance < 0.7 and not waiting):
            await (house.tick() if house.table.deadlines else self.begin())
        elif chance < 0.7:
            await self.answer(waiting[0])
        elif chance < 0.8:
            await house.touch(who)
        elif chance < 0.9 and who.shown:
            await house.press(who, self.random.choice(sorted(self.harmless(who))))
        elif chance < 0.93:
            await house.command(who, peril.Pick((self.random.randint(0, 31),)))
        elif chance < 0.95:
            await house.command(self.random.choice(self.people), lobby.Leave())
        else:
            await house.command(house.owner, self.random.choice((lobby.Lock(), lobby.Unlock())))

    async def begin(self) -> None:
        """Another match, once the last one is over."""
        await self.house.command(self.house.owner, lobby.Unlock())
        for who in self.people:
            await self.house.command(who, lobby.Join())
            await self.house.command(who, lobby.Ready())
        await self.house.command(self.house.owner, lobby.Start())

    def harmless(self, who: Avatar) -> set[str]:
        resets = {"YES, RESET GAME", "YES, RESET ALL"}
        return who.labels - resets or who.labels

    async def answer(self, who: Avatar) -> None:
        house = self.house
        if house.state.moment == "rolling":
            await house.command(who, peril.Roll())
            return
        taken = {n for numbers in house.picked.values() for n in numbers}
        free = [n for n in range(1, house.state.sides + 1) if n not in taken]
        await house.stake(who, *self.random.sample(free, house.state.picks_each))


async def replayed(house: House) -> Any:
    _, rows = await history.match_log(house.store, house.table.now.match_id)
    return games.replay([e for row in rows for e in games.events_decoder.decode(row.events)])


# ---- the same id, the same answer -----------------------------------------------------------


async def test_a_command_id_gets_the_same_answer_however_often_it_is_sent(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    first = await house.command(ada, peril.Pick((5,)), "pick-1")
    other = await house.command(bob, peril.Pick((4,)), "pick-2")
    for _ in range(2):
        again = await house.command(ada, peril.Pick((5,)), "pick-1")
        assert (again.refused, again.match, again.seq) == ("", first.match, first.seq)
        await house.restart()
    again = await house.command(bob, peril.Pick((4,)), "pick-2")
    assert (again.refused, again.seq) == ("", other.seq)
    assert len(await told(house, "numbers_picked")) == 2


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("pressed", [False, True])
async def test_a_command_id_gets_its_answer_when_another_match_has_begun(
    house: House, restarted: bool, pressed: bool
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.choose(ada, 5)
    dialog = ada.dialog
    first = await house.press(ada, "✅ Done", dialog, "done-1")
    await house.command(house.owner, lobby.ResetMatch(), "reset-1")
    if restarted:
        await house.restart()
    await house.join(ada)
    length = len(await entries(house))
    if pressed:
        again = await house.press(ada, "✅ Done", dialog, "done-1")
    else:
        again = await house.command(ada, peril.Pick((5,)), "done-1")
    assert (again.refused, again.match, again.seq) == ("", first.match, first.seq)
    assert (await house.command(house.owner, lobby.ResetMatch(), "reset-1")).refused == ""
    assert house.players() == ["Ada"]
    assert len(await entries(house)) == length


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_command_id_of_somebody_else_is_refused(house: House, restarted: bool) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada)
    await house.command(bob, lobby.Join(), "x")
    if restarted:
        await house.restart()
    assert (await house.command(ada, lobby.Ready(), "x")).refused == "id_used"
    await house.touch(ada)
    assert (await house.press(ada, "Leave Game", None, "x")).refused == "id_used"
    assert (await house.command(bob, lobby.Join(), "x")).refused == ""
    assert house.players() == ["Ada", "Bob"]


# ---- one after the other --------------------------------------------------------------------


async def test_commands_sent_at_once_are_decided_in_order_and_share_commits(house: House) -> None:
    people = house.avatars(*(f"P{n}" for n in range(10)))
    house.store.appends.clear()
    sent = [house.command(who, lobby.Join()) for who in people for _ in range(3)]
    answers = await asyncio.gather(*sent)
    assert [a.refused for a in answers] == ["", "already_seated", "already_seated"] * 10
    assert house.players() == [p.name for p in people]
    assert len(house.store.appends) == 2
    assert [e.seq for e in await entries(house)] == list(range(1, 12))


async def test_who_gives_up_waiting_leaves_nobody_else_without_an_answer(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    house.store.gate = asyncio.Event()
    gone = asyncio.ensure_future(house.command(ada, lobby.Join()))
    await asyncio.sleep(0)
    others = [asyncio.ensure_future(house.command(who, lobby.Join())) for who in (bob, cy)]
    await asyncio.sleep(0)
    gone.cancel()
    house.store.gate.set()
    answers = await asyncio.wait_for(asyncio.gather(*others), 5)
    assert [a.refused for a in answers] == ["", ""]
    assert house.players() == ["Bob", "Cy"]


async def test_two_writers_on_one_file_lose_and_double_nothing(house: House) -> None:
    second = Tables(Store(house.path), house.dice, house.clock)
    await second.table(house.id)
    people = house.avatars(*(f"P{n}" for n in range(10)))
    for number, who in enumerate(people):
        writer = (house.tables, second)[number % 2]
        answer = await talk.command(writer, house.id, who.actor, lobby.Join(), None)
        assert answer.refusal is None
        assert answer.seq == number + 2
    both = [
        talk.command(tables, house.id, who.actor, lobby.Ready(), f"r{who.key}")
        for who in people
        for tables in (house.tables, second)
    ]
    answers = await asyncio.gather(*both)
    assert all(a.refusal is None for a in answers)
    assert [a.seq for a in answers[::2]] == [a.seq for a in answers[1::2]]
    log = await entries(house)
    assert [e.seq for e in log] == list(range(1, 22))
    assert [e["name"] for e in await told(house, "joined")] == [p.name for p in people]
    assert sorted(e["key"] for e in await told(house, "ready_changed")) == sorted(
        p.key for p in people
    )
    for tables in (house.tables, second):
        await talk.command(tables, house.id, Actor(house.owner.key, "", True), lobby.Lock(), None)
        assert tables.hot[house.id].now.match == await replayed(house)
    await second.stop()


async def test_a_deadline_that_two_writers_fire_happens_once(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    second = Tables(Store(house.path), house.dice, house.clock)
    await second.table(house.id)
    await house.advance(59)
    house.clock.ms += 61_000
    await asyncio.gather(house.tables.timers.run_due(), second.timers.run_due())
    assert len(await told(house, "reminded")) == 1
    assert len(await told(house, "timed_out")) == 1
    assert len(await told(house, "numbers_picked")) == 1
    await second.stop()


# ---- a store that fails ---------------------------------------------------------------------


async def test_a_full_store_changes_nothing_and_the_same_id_works_later(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    before, board, deadlines = house.state, house.board, dict(house.table.deadlines)
    house.store.busy = 1
    with pytest.raises(Busy):
        await house.command(ada, peril.Pick((5,)), "p")
    assert house.state == before
    assert house.table.deadlines == deadlines
    await house.look()
    assert house.board == board
    assert (await house.command(ada, peril.Pick((5,)), "p")).refused == ""
    assert house.picked["Ada"] == (5,)


async def test_a_deadline_that_meets_a_busy_store_comes_again(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.advance(119)
    house.store.busy = 3
    await house.advance(1)
    assert house.asked == ["Ada"]
    await house.advance(3)
    assert house.asked == ["Bob"]


async def test_silence_is_noticed_although_the_store_was_busy(house: House) -> None:
    door = await house.next_door()
    for table in (house, door):
        ada, bob = table.avatars("Ada", "Bob")
        await table.start(ada, bob, peril=ada)
        await house.tables.keeper.contact(table.id)
    house.clock.ms += 91_000
    house.store.busy = 1
    await house.tables.keeper.sweep()
    assert {house.state.frozen, door.state.frozen} == {"", "unreachable"}
    await house.tables.keeper.sweep()
    assert house.state.frozen == door.state.frozen == "unreachable"


async def test_unknown_tables_and_options_are_told(house: House) -> None:
    with pytest.raises(NotFound):
        await house.tables.submit("nothere", house.owner.actor, lobby.Join())
    for wrong in ({"lives": 4}, {"turn_s": 1}, {"colour": "red"}):
        with pytest.raises(Refused):
            await house.tables.create("T", house.owner.key, "Olga", options=wrong)
    with pytest.raises(Refused):
        await house.tables.create("T", house.owner.key, "Olga", game="chess")
    with pytest.raises(Refused):
        await house.tables.create("T", house.owner.key, "Olga", preset="nightmare")


# ---- kill at any point ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
async def test_at_any_point_the_log_gives_the_live_state(build: Build, seed: int) -> None:
    house = await build(seed, lives=2)
    crowd = Crowd(house, seed)
    await crowd.sit()
    for _ in range(120):
        await crowd.act()
        now = house.table.now
        assert await replayed(house) == now.match
        assert set(house.table.deadlines) == {t.id for t in games.timers(now.match)}

        def rows(session: Session) -> dict[tuple[str, int, int], int]:
            found = session.exec(select(DeadlineRow))
            return {(d.name, d.phase, d.epoch): d.due_ms for d in found}

        assert await house.store.run(rows) == house.table.deadlines


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_restart_at_any_point_goes_on_with_full_time(build: Build, seed: int) -> None:
    house = await build(seed, lives=1)
    crowd = Crowd(house, seed)
    await crowd.sit()
    for _ in range(25):
        for _ in range(crowd.random.randint(1, 5)):
            await crowd.act()
        before, running = house.table.now.match, bool(house.table.deadlines)
        answers_of = house.id
        house.hear()
        await house.restart()
        after = house.table.now.match
        assert answers_of == house.id
        assert (after.seats, after.play, after.locked) == (before.seats, before.play, before.locked)
        assert after.frozen == ""
        wanted = {t.id: house.clock.ms + round(t.after_s * 1000) for t in games.timers(after)}
        assert house.table.deadlines == wanted
        said = house.hear()
        assert bool(said) == running
        if running:
            assert said[-1].startswith("▶️ The game goes on where it stopped.")
            assert len(house.store.appends) == 1  # both lines in one commit, or it stays frozen


# ---- frozen ---------------------------------------------------------------------------------


async def test_a_watched_table_that_falls_silent_freezes_and_thaws_with_full_time(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.tables.keeper.contact(house.id)
    await house.advance(60)
    await house.tables.keeper.contact(house.id)
    await house.advance(50)
    assert house.state.frozen == ""
    await house.tables.keeper.contact(house.id)
    await house.advance(5)
    house.clock.ms += 85_500  # nobody swept in this time
    await house.tables.keeper.sweep()
    await house.look()
    assert house.state.frozen == "unreachable"
    assert house.public[-1] == "⏸️ The table cannot be reached. The game waits."
    assert house.status == "THE GAME WAITS / for the table"
    answer = await house.stake(ada, 3)
    assert answer.refused == "frozen"
    seq = house.seq
    await house.advance(5000)
    assert house.seq == seq
    await house.restart()
    assert house.state.frozen == "unreachable"
    await house.tables.keeper.contact(house.id)
    await house.look()
    assert house.state.frozen == ""
    assert house.public[-1].startswith("▶️ The game goes on where it stopped.")
    await house.tables.keeper.contact(house.id)
    await house.advance(80)
    await house.tables.keeper.contact(house.id)
    await house.advance(39)
    assert house.asked == ["Ada"]
    await house.advance(1)
    assert house.asked == ["Bob"]


async def test_a_table_nobody_watches_does_not_freeze(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.advance(100)
    await house.tables.keeper.sweep()
    assert house.state.frozen == ""


async def test_idle_tables_leave_memory_and_come_back_when_used(house: House) -> None:
    ada = house.avatar("Ada")
    await house.join(ada)
    await house.advance(800)
    await house.tables.submit(house.id, ada.actor, lobby.Ready())
    await house.advance(800)
    await house.tables.keeper.sweep()
    assert house.id in house.tables.hot
    await house.advance(200)
    await house.tables.keeper.sweep()
    assert house.id not in house.tables.hot
    await house.look()
    assert house.players() == ["Ada"]


# ---- rankings -------------------------------------------------------------------------------


async def records(house: House) -> list[dict[str, Any]]:
    def read(session: Session) -> list[dict[str, Any]]:
        return sorted(
            (row.model_dump() for row in session.exec(select(RecordRow))),
            key=lambda r: (r["scope"], r["key"]),
        )

    return await house.store.run(read)


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_rankings_made_anew_from_the_log_are_those_that_were_kept(
    build: Build, seed: int
) -> None:
    house = await build(seed, lives=1, victory_s=0)
    chance = random.Random(seed)
    tables = [house, await house.next_door(lives=1)]
    for _ in range(8):
        table = chance.choice(tables)
        ada, bob = table.avatar("Ada", "ada"), table.avatar("Bob", "bob")
        await table.start(ada, bob, peril=ada, bots=1)
        await table.stake(ada, 1)
        await table.advance(130)
        await table.run_out() if table.state.stage != "lobby" else None
        house.clock.ms += 10
        match chance.random():
            case r if r < 0.25:
                await table.command(table.owner, lobby.ResetRanking())
            case r if r < 0.5:
                at_ms = house.clock.ms
                await house.store.run(
                    lambda s, at=at_ms: ranking.wipe_service(s, COMMAND_LINE, "peril", at)
                )
        house.clock.ms += 10
    kept = await records(house)
    assert kept
    assert await house.store.run(ranking.rebuild) == 8 * 2
    assert await records(house) == kept


async def test_a_result_and_a_reset_in_one_commit_count_in_their_order(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    house.store.gate = asyncio.Event()
    first = asyncio.ensure_future(house.command(ada, peril.Mark(1)))
    await asyncio.sleep(0)
    leaving = asyncio.ensure_future(house.command(bob, lobby.Leave()))
    resetting = asyncio.ensure_future(house.command(house.owner, lobby.ResetRanking()))
    await asyncio.sleep(0)
    house.store.gate.set()
    await asyncio.gather(first, leaving, resetting)
    assert len(house.store.appends[-1].entries) == 2
    kept = await records(house)
    assert await house.ranking() == []
    assert await house.ranking("") == [("Bob", 0, 1)]
    await house.store.run(ranking.rebuild)
    assert await records(house) == kept


# ---- the difference since a seq -------------------------------------------------------------


async def test_news_are_nothing_new_the_changes_or_the_whole_board(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada)
    seq = house.seq or 0
    current = news.since(house.table, seq)
    assert (current.kind, current.frames, current.lines) == ("up_to_date", {}, ())
    await house.join(bob)
    changed = news.since(house.table, seq)
    assert changed.kind == "changes"
    assert {"profile:0:1", "life:0:1", "Status"} <= set(changed.frames)
    assert "profile:0:0" not in changed.frames
    assert len(changed.lines) == 1
    for unknown in (None, seq + 10, -1, 0):
        whole = news.since(house.table, unknown)
        assert (whole.kind, whole.frames, whole.seq) == ("whole", house.board, seq + 1)
    for _ in range(RECENT_STATES):
        await house.press(bob, "Ready" if "Ready" in bob.labels else "Not Ready")
        await house.touch(bob)
    assert news.since(house.table, seq).kind == "whole"
    assert news.since(house.table, house.seq).kind == "up_to_date"


@pytest.mark.parametrize("seed", SEEDS)
async def test_whoever_applies_the_differences_has_the_board_however_late_he_asks(
    build: Build, seed: int
) -> None:
    house = await build(seed, lives=2)
    crowd = Crowd(house, seed)
    await crowd.sit()
    devices: list[tuple[int | None, Board]] = [(None, {})] * 6
    for _ in range(250):
        await crowd.act()
        number = crowd.random.randrange(60)
        if number < len(devices):
            seq, board = devices[number]
            got = news.since(house.table, seq)
            board = got.frames if got.kind == "whole" else {**board, **got.frames}
            assert board == house.table.now.board
            devices[number] = (got.seq, board)
    kinds = {n.kind for n in house.news}
    assert "changes" in kinds


@pytest.mark.parametrize("seed", SEEDS)
async def test_nothing_private_is_said_or_shown_in_public(build: Build, seed: int) -> None:
    house = await build(seed)
    crowd = Crowd(house, seed)
    await crowd.sit()
    for _ in range(150):
        await crowd.act()
    everybody = list(house.people.values())
    assert not {line for who in everybody for line in who.told} & set(house.public)
    for step in house.news:
        assert set(step.lines) == {s.text for s in step.said if s.who == NOBODY}


async def test_numbers_chosen_and_not_staked_are_seen_by_their_player_alone(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    before, board, others = house.state, house.board, bob.hud
    house.hear()
    await house.choose(ada, 5)
    assert (house.state, house.board, bob.hud) == (before, board, others)
    assert house.hear() == []
    assert ada.hud is not None
    assert "Numbers: 5" in ada.hud.text


# ---- many tables ----------------------------------------------------------------------------


async def test_many_tables_run_at_once_with_options_of_their_own(house: House) -> None:
    wanted = [
        {"lives": 1 + n % 3, "turn_s": 30 + n, "succession": ("random", "join_order")[n % 2]}
        for n in range(12)
    ]
    doors = [await house.next_door(**options) for options in wanted]
    for door in doors:
        await door.add_bots(3)
    await asyncio.gather(*(door.press_start(door.owner) for door in doors))
    for door, options in zip(doors, wanted, strict=True):
        assert options.items() <= door.state.options.items()
        assert set(door.lives.values()) == {options["lives"]}
    while any(door.table.number == 1 for door in doors):
        await house.tick()
    for door in doors:
        await door.look()
        assert door.state.stage == "lobby"
        assert len(await told(door, "match_won")) == 1
    assert house.players() == []


async def test_the_options_of_a_running_match_are_fixed(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.command(house.owner, lobby.SetOptions("high_stakes"))
    await house.start(ada, bob, peril=ada)
    assert set(house.lives.values()) == {2}
    answer = await house.command(house.owner, lobby.SetOptions("classic"))
    assert answer.refused == "options_fixed"
    assert house.state.options["lives"] == 2
    await house.command(house.owner, lobby.ResetMatch())
    await house.command(house.owner, lobby.SetOptions(options={"lives": 1}))
    await house.start(ada, bob, peril=ada)
    assert set(house.lives.values()) == {1}


async def test_only_the_server_fires_deadlines(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    name, phase, epoch = next(iter(house.table.deadlines))
    what = lobby.TimeUp(name, phase, epoch)
    refused = await house.tables.submit(house.id, house.owner.actor, what)
    assert refused.refusal == Refusal("server_only")
    done = await house.tables.submit(house.id, Actor(SERVER), what)
    assert done.refusal is None


async def test_a_table_in_world_that_is_silent_and_idle_leaves_memory_and_comes_back(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.tables.keeper.contact(house.id)
    await house.advance(91 + 10)
    assert house.state.frozen == "unreachable"
    stored = len(await entries(house))
    house.clock.ms += 20 * 60 * 1000
    await house.tables.keeper.sweep()
    assert house.id not in house.tables.hot
    await house.tables.keeper.sweep()
    assert len(await entries(house)) == stored
    await house.tables.keeper.contact(house.id)
    await house.look()
    assert house.state.frozen == ""
    assert house.asked == ["Ada"]
