"""What is kept of people, in the house: seen, hidden, forgotten."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, select

from app import codes, fairness, games, people, players, ranking
from app.errors import Busy, PerilError
from app.games import lobby
from app.games.core import SERVER, Actor, Key
from app.games.werewolf import events as werewolf
from app.games.werewolf.words import LastWords
from app.table import history, talk
from app.table.log import Append
from app.table.models import CodeRow, PersonRow
from app.table.service import Tables
from app.table.sqlite import SqliteLog
from app.table.step import entry_of

from .house import Avatar, House


@pytest.fixture
async def house(new_house: Callable[..., House]) -> House:
    """With the dice of the service itself, so that draws can be drawn again."""
    house = new_house()
    house.dice = None
    return await house.open(lives=1, victory_s=1)


async def match_of(house: House, *players: Avatar) -> str:
    """A match of these and a bot, to its end; its id."""
    await house.join(*players)
    await house.add_bots(1)
    await house.ready(*players)
    match = house.table.now.match_id
    await house.press_start(players[0])
    await house.run_out()
    return match


async def log_of(house: House, match: str) -> str:
    """Everything that is stored of a match, as text."""
    _, rows = await history.match_log(house.store, match)
    return json.dumps([row.model_dump() for row in rows])


async def verified(house: House, match: str) -> bool:
    """Whether every draw of a match comes from its log again."""
    row, lines = await history.public_log(house.store, match)
    seed, choices, number = bytes.fromhex(row.seed), fairness.NO_CHOICES, 0
    for line in lines:
        kind = json.loads(line.command)["type"] if line.command else ""
        if kind in ("pick", "roll", "mark", "unmark"):
            choices = fairness.chosen(choices, line.actor, line.command)
        for event in json.loads(line.events):
            if event["type"] == "drawn":
                number += 1
                message = f"{match}\n{number}\n{choices}\n{line.id}"
                if fairness.draw(seed, message, event["among"]) != event["index"]:
                    return False
    return number > 0


async def rebuilt(house: House) -> list[tuple[str, int, int]]:
    await house.store.run(ranking.rebuild)
    return sorted(await house.ranking(""))


async def handed_out(house: House) -> list[tuple[str, str]]:
    rows = await house.store.run(lambda s: list(s.exec(select(CodeRow))))
    return [(row.purpose, row.key) for row in rows]


# ---- seeing ---------------------------------------------------------------------------------


async def test_everything_about_an_avatar_is_told(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    match = await match_of(house, ada, bob)
    kept = await people.kept(house.tables, ada.key)
    assert (kept.key, kept.names, kept.hidden) == (ada.key, ["Ada"], False)
    assert {(r.table, r.wins + r.losses) for r in kept.results} == {(house.id, 1), ("", 1)}
    (sat,) = kept.matches
    assert (sat.match, sat.closed_ms is not None) == (match, True)
    done = [json.loads(bytes(deed.command))["type"] for deed in sat.deeds]
    assert done[:2] == ["join", "start"]


async def test_an_owner_sees_his_tables(house: House) -> None:
    kept = await people.kept(house.tables, house.owner.key)
    assert [(t.table, t.owner_name) for t in kept.tables] == [(house.id, "Olga")]
    assert kept.matches == []


async def test_of_a_stranger_nothing_is_kept(house: House) -> None:
    kept = await people.kept(house.tables, Key("5742a6e0-0000-4000-8000-000000000000"))
    assert kept == people.Kept(kept.key, [], False, "", [], [], [], [], [])


async def test_what_others_did_is_not_told(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await match_of(house, ada, bob)
    told = str(await people.kept(house.tables, ada.key))
    assert bob.key not in told
    assert "Bob" not in told


# ---- hiding ---------------------------------------------------------------------------------


async def test_who_hides_leaves_every_ranking_and_the_places_close_up(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await match_of(house, ada, bob)
    first = (await house.tables.ranking("", "peril", 0)).rows[0]
    await people.hide(house.tables, first.key, True)
    for scope in ("", house.id):
        page = await house.tables.ranking(scope, "peril", 0)
        assert [(row.place, row.key == first.key) for row in page.rows] == [(1, False)]
    assert await house.store.run(lambda s: players.player(s, first.key)) is None
    assert (await people.kept(house.tables, first.key)).results[0].name == first.name


async def test_the_board_shows_it_at_once_and_takes_him_back(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await match_of(house, ada, bob)
    await house.look()
    assert "Ada" in house.text("Leaderboard")
    await people.hide(house.tables, ada.key, True)
    await house.look()
    assert "Ada" not in house.text("Leaderboard")
    assert house.text("Leaderboard").count("Bob") == 1
    await people.hide(house.tables, ada.key, False)
    await house.look()
    assert "Ada" in house.text("Leaderboard")
    assert await house.store.run(lambda s: s.get(PersonRow, ada.key)) is None


async def test_the_wish_outlives_a_rebuild_of_the_rankings(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await match_of(house, ada, bob)
    await people.hide(house.tables, ada.key, True)
    assert [name for name, _, _ in await rebuilt(house)] == ["Bob"]


# ---- forgetting -----------------------------------------------------------------------------


async def test_after_it_neither_key_nor_name_is_anywhere_in_the_database(
    house: House, database: Path
) -> None:
    ada, bob = house.avatars("Adamantia", "Bob")
    matches = [await match_of(house, ada, bob) for _ in range(2)]
    await people.hide(house.tables, ada.key, True)
    await people.link(house.tables, ada.key)
    await people.forget(house.tables, ada.key)
    await house.store.run(_checkpoint)
    stored = database.read_bytes()
    for word in (ada.key, "Adamantia"):
        assert word.encode() not in stored
    assert all([people.NAMELESS in await log_of(house, match) for match in matches])
    kept = await people.kept(house.tables, ada.key)
    assert kept == people.Kept(ada.key, [], False, "", [], [], [], [], [])


def _checkpoint(session: Session) -> None:
    session.connection().exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


async def test_each_match_gets_another_key_and_the_others_stay_as_they_were(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    matches = [await match_of(house, ada, bob) for _ in range(2)]
    await people.forget(house.tables, ada.key)
    new = {
        match: set(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text))
        - {bob.key, house.owner.key}
        for match in matches
        if (text := await log_of(house, match))
    }
    assert [len(keys) for keys in new.values()] == [1, 1]
    assert not set.intersection(*new.values())
    assert (await people.kept(house.tables, bob.key)).names == ["Bob"]


async def test_the_matches_still_replay_and_say_that_they_cannot_be_verified(
    house: House,
) -> None:
    ada, bob, cid = house.avatars("Ada", "Bob", "Cid")
    hers, others = await match_of(house, ada, bob), await match_of(house, bob, cid)
    assert await verified(house, hers)
    assert await verified(house, others)
    before = await _replayed(house, hers)
    await people.forget(house.tables, ada.key)
    after = await _replayed(house, hers)
    assert [s.name for s in after.seats] == [people.NAMELESS, "Bob", "Bot1"]
    assert (after.stage, after.closed) == (before.stage, before.closed)
    told = (await log_of(house, hers)).count("forgotten")
    assert (told, "forgotten" in await log_of(house, others)) == (1, False)
    assert await verified(house, others)


async def _replayed(house: House, match: str) -> Any:
    _, rows = await history.match_log(house.store, match)
    return games.replay([e for r in rows for e in games.events_decoder.decode(r.events)])


async def test_a_rebuild_does_not_bring_him_back(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await match_of(house, ada, bob)
    await match_of(house, bob)
    bobs = [row for row in await house.ranking("") if row[0] == "Bob"]
    await people.forget(house.tables, ada.key)
    assert await house.ranking("") == bobs
    assert await rebuilt(house) == bobs


@pytest.mark.parametrize("moment", ["lobby", "playing", "left", "over"])
async def test_who_sits_in_a_match_that_is_not_over_is_refused_and_nothing_changes(
    house: House, moment: str
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await match_of(house, ada, bob)
    await house.join(ada, bob)
    if moment != "lobby":
        await house.add_bots(1)
        await house.ready(ada, bob)
        await house.press_start(ada)
    if moment in ("left", "over"):
        await house.command(ada, lobby.Leave())
    if moment == "over":
        await house.command(bob, lobby.Leave())
    with pytest.raises(PerilError, match="table “House”") as refused:
        await people.forget(house.tables, ada.key)
    assert (refused.value.code, refused.value.status) == ("seated", 409)
    assert (await people.kept(house.tables, ada.key)).results != []


async def test_who_left_the_lobby_is_forgotten_in_the_match_that_is_open(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await match_of(house, ada, bob)
    assert ada.key in house.table.now.match.invited
    await house.join(ada, bob)
    await house.command(ada, lobby.Leave())
    match = house.table.now.match_id
    await people.forget(house.tables, ada.key)
    assert ada.key not in await log_of(house, match)
    assert ada.key not in str(house.table.now.match)
    await house.look()
    await house.join(ada)
    assert house.players() == ["Bob", "Ada"]


async def test_an_owner_keeps_his_table_without_his_name(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    match = await match_of(house, ada, bob, house.owner)
    await people.forget(house.tables, house.owner.key)
    assert house.owner.key not in await log_of(house, match)
    assert (house.table.owner, house.table.owner_name) == (house.owner.key, people.NAMELESS)
    assert not (await house.command(house.owner, lobby.Lock())).refused
    await house.restart()
    assert (house.table.owner_name, house.table.now.match.owner) == (
        people.NAMELESS,
        house.owner.key,
    )


async def test_a_match_that_runs_elsewhere_goes_on(house: House) -> None:
    ada, bob, cid = house.avatars("Ada", "Bob", "Cid")
    await match_of(house, ada, bob)
    match = house.table.now.match_id
    await house.join(bob, cid)
    await house.ready(bob, cid)
    await house.press_start(bob)
    await people.forget(house.tables, ada.key)
    await house.look()
    await house.run_out()
    assert await verified(house, match)


async def test_what_another_process_forgets_is_gone_here_with_the_next_command(
    house: House, database: Path
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await match_of(house, ada, bob)
    other = Tables(SqliteLog(database), clock=house.clock)
    await people.forget(other, ada.key)
    other.store.close()
    assert "Ada" in house.text("Leaderboard")
    assert not (await house.command(house.owner, lobby.Lock())).refused
    assert "Ada" not in house.text("Leaderboard")
    assert ada.key not in str(house.table.now.match)


async def test_a_busy_store_is_a_refusal(house: House) -> None:
    def locked(_: Session) -> None:
        raise OperationalError("", {}, Exception("locked"))

    with pytest.raises(Busy):
        await people._unless_busy(house.store.run(locked))


# ---- the link -------------------------------------------------------------------------------


async def linked(house: House, who: Avatar) -> str:
    """The code of the link that a press of My Data gives."""
    await house.touch(who)
    answer = await talk.press(house.tables, house.id, who.actor, who.dialog.token, "🔎 My Data")
    assert answer.refusal is None
    assert answer.lines == ()
    (code,) = re.findall(r"/me/open\?code=([\w-]{32})", answer.aside)
    return str(code)


async def test_the_button_gives_a_link_to_the_presser_and_says_nothing_to_others(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    before, seq = list(house.public), house.seq
    code = await linked(house, ada)
    await house.look()
    assert (house.public, house.seq, bob.told, ada.told) == (before, seq, [], [])
    visit = await people.enter(house.tables, code)
    assert visit is not None
    assert await people.visitor(house.tables, visit) == ada.key


async def test_the_waiting_have_the_button_and_bots_do_not(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.add_bots(1)
    await house.ready(bob)
    await house.press_start(ada)
    await house.touch(bob)
    assert bob.menu == "wait"
    assert await linked(house, bob)
    dialog = house.table.now.dialog(Key("bot:1"), "wait", 0)
    assert dialog is not None
    assert dialog.made.button("🔎 My Data") is None


async def test_a_link_is_good_once_and_only_the_latest_one(house: House) -> None:
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    old, new = await linked(house, ada), await linked(house, ada)
    assert await people.enter(house.tables, old) is None
    assert await people.enter(house.tables, new) is not None
    assert await people.enter(house.tables, new) is None
    assert await people.enter(house.tables, "") is None


async def test_a_link_and_a_visit_end(house: House) -> None:
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    late = await linked(house, ada)
    house.clock.ms += codes.LIFE_S * 1000 + 1
    assert await people.enter(house.tables, late) is None
    visit = await people.enter(house.tables, await linked(house, ada))
    assert visit is not None
    house.clock.ms += codes.VISIT_S * 1000
    assert await people.visitor(house.tables, visit) == ada.key
    house.clock.ms += 1
    assert await people.visitor(house.tables, visit) is None
    await linked(house, ada)
    assert await handed_out(house) == [("person", ada.key)]


async def test_a_link_does_not_serve_as_a_visit_nor_is_it_stored(
    house: House, database: Path
) -> None:
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    code = await linked(house, ada)
    assert await people.visitor(house.tables, code) is None
    await house.store.run(_checkpoint)
    assert code.encode() not in database.read_bytes()


async def test_a_program_that_plays_any_avatar_gets_no_link(house: House) -> None:
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    await house.touch(ada)
    actor = Actor(ada.key, ada.name, himself=False)
    answer = await talk.press(house.tables, house.id, actor, ada.dialog.token, "🔎 My Data")
    assert answer.refusal is not None
    assert (answer.refusal.code, answer.aside) == ("in_person", "")
    assert await handed_out(house) == []


async def test_logs_hold_neither_names_nor_keys_nor_links(house: House) -> None:
    ada, bob = house.avatars("Adamantia", "Bob")
    with structlog.testing.capture_logs() as lines:
        await house.join(ada, bob)
        code = await linked(house, ada)
        await people.enter(house.tables, code)
        await house.ready(bob)
        await house.press_start(ada)

        async def fails(*_: Any) -> None:
            raise RuntimeError("no")

        house.tables.timers._fire = fails
        await house.tick()
    assert lines != []
    for word in (ada.key, bob.key, "Adamantia", code):
        assert word not in str(lines)


async def test_an_error_of_the_database_quotes_nothing_that_is_stored(house: House) -> None:
    def twice(session: Session) -> None:
        for _ in range(2):
            session.add(PersonRow(key=house.owner.key))
            session.flush()
            session.expunge_all()

    with pytest.raises(IntegrityError) as error:
        await house.store.run(twice)
    assert house.owner.key not in str(error.value)


@pytest.mark.parametrize("written", ["", "bot:1", "Ada", "0f7e1c2a", "ad" * 100])
def test_what_is_no_key_is_refused_in_a_sentence(written: str) -> None:
    with pytest.raises(PerilError, match="is not the key of an avatar") as refused:
        people.key_of(written)
    assert refused.value.code == "bad_key"


def test_a_key_is_taken_as_people_write_it() -> None:
    upper = " 0F7E1C2A-3B4D-4E5F-8A9B-0C1D2E3F4A5B "
    assert people.key_of(upper) == upper.strip().lower()


async def test_what_somebody_wrote_goes_with_him(new_house: Callable[..., House]) -> None:
    house = await new_house().open(game="werewolf")
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    await house.press_start(ada)
    match = house.table.now.match_id
    seq, log = house.table.now.seq + 1, house.store.log
    said = [werewolf.LastWordsPrompt(ada.key)]
    entry = entry_of(house.id, house.table.number, seq, house.clock.ms, SERVER, None, said)
    await log.append(Append(house.id, [entry]))
    await house.restart()
    await house.command(ada, LastWords("I never liked Bert"))
    await house.command(house.owner, lobby.ResetMatch())
    assert "never liked" in await everything_of(house, match)
    await people.forget(house.tables, ada.key)
    left = await everything_of(house, match)
    assert "werewolf.last_words" in left
    assert "never liked" not in left


async def everything_of(house: House, match: str) -> str:
    _, rows = await history.match_log(house.store, match)
    return "".join(row.command + row.events for row in rows)
