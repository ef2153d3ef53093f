"""The ranking: order, pages, who may wipe it, and that no result is lost."""

import asyncio
import sqlite3
import threading

import pytest
from sqlmodel import Session

from app.errors import Busy
from app.games import lobby
from app.games.core import RankingPage
from app.table.models import RecordRow

from .house import Avatar, House


async def seed(house: House, *records: tuple[str, int, int]) -> None:
    """Results from long ago: name, wins, losses; each reached a second after the one before."""

    def write(session: Session) -> None:
        for number, (name, wins, losses) in enumerate(records):
            for scope in (house.id, ""):
                row = RecordRow(
                    scope=scope,
                    game="peril",
                    key=f"old-{number}",
                    name=name,
                    wins=wins,
                    losses=losses,
                    reached_ms=house.clock.ms - 1_000_000 + number * 1000,
                )
                session.add(row)
        session.commit()

    await house.tables.store.run(write)
    house.seq = None  # nothing happened at the table, so there is no difference to ask for
    await house.restart()


def shown(house: House) -> list[str]:
    """The lines of the ranking, without the column of the arrows and the space between."""
    rows = [" ".join(cells[:-1].split()) for cells in house.board["Leaderboard"].rows]
    return [row for row in rows if row]


async def win_by_departure(house: House, winner: Avatar, loser: Avatar) -> None:
    await house.start(winner, loser, peril=winner)
    await house.round({winner: [1], loser: [2]}, roll=3)
    await house.command(loser, lobby.Leave())


async def test_pb_188_more_wins_stand_higher(house: House) -> None:
    await seed(house, ("Twelve", 12, 0), ("Seven", 7, 0), ("Hundred", 100, 90))
    assert [name for name, _, _ in await house.ranking()] == ["Hundred", "Twelve", "Seven"]
    assert shown(house) == [
        "1. Hundred 100/90",
        "2. Twelve 12/0",
        "3. Seven 7/0",
    ]


async def test_pb_189_ties_go_to_fewer_losses_then_to_who_was_first(house: House) -> None:
    await seed(house, ("Late", 5, 3), ("Later", 5, 3), ("Few", 5, 2), ("Latest", 5, 3))
    order = ["Few", "Late", "Later", "Latest"]
    assert [name for name, _, _ in await house.ranking()] == order
    ada, bob = house.avatars("Ada", "Bob")
    await win_by_departure(house, ada, bob)
    await house.run_out()
    cy, dan = house.avatars("Cy", "Dan")
    await win_by_departure(house, cy, dan)
    names = [name for name, _, _ in await house.ranking()]
    assert names == [*order, "Ada", "Cy", "Bob", "Dan"]


async def test_pb_191_pb_201_the_ranking_is_there_after_a_restart(house: House) -> None:
    assert shown(house) == []
    ada, bob = house.avatars("Ada", "Bob")
    await win_by_departure(house, ada, bob)
    await house.run_out()
    lines = shown(house)
    assert lines == ["1. Ada 1/0", "2. Bob 0/1"]
    await house.restart()
    house.seq = None
    await house.look()
    assert shown(house) == lines


async def test_pb_192_the_first_result_ever_is_stored(house: House) -> None:
    assert await house.ranking() == []
    ada, bob = house.avatars("Ada", "Bob")
    await win_by_departure(house, ada, bob)
    assert shown(house)[0] == "1. Ada 1/0"
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]


async def test_pb_193_all_of_120_players_keep_their_numbers(house: House) -> None:
    await seed(house, *((f"Player {n}", 200 - n, n) for n in range(120)))
    ada, bob = house.avatars("Ada", "Bob")
    await win_by_departure(house, ada, bob)
    ranking = await house.ranking()
    assert len(ranking) == 122
    assert ranking[:120] == [(f"Player {n}", 200 - n, n) for n in range(120)]


async def test_pb_194_an_owner_wipes_his_own_table_and_nobody_else_any(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await win_by_departure(house, ada, bob)
    await house.run_out()
    before = shown(house)
    for command in (lobby.ResetRanking(), lobby.ResetAll()):
        answer = await house.command(ada, command)
        assert answer.said == "Only the owner of this table can do that."
    assert shown(house) == before
    await house.touch(house.owner)
    for label in ("Owner Menu", "🔄 Reset Options", "Reset Leaderboard", "NO, CANCEL"):
        await house.press(house.owner, label)
    assert shown(house) == before
    await house.press(house.owner, "Reset Leaderboard")
    await house.press(house.owner, "YES, WIPE LB")
    assert house.public[-1] == "🔄 The owner has reset the ranking of this table."
    assert await house.ranking() == []
    assert shown(house) == []
    assert await house.ranking("") == [("Ada", 1, 0), ("Bob", 0, 1)]


async def test_pb_196_two_tables_that_finish_at_once_both_count(house: House) -> None:
    door = await house.next_door()
    ada, bob = house.avatars("Ada", "Bob")
    here = [ada, bob]
    there = [door.avatar(w.name, w.key) for w in here]
    for _ in range(3):
        for table, (one, two) in ((house, here), (door, there)):
            await table.start(one, two, peril=one)
            await table.round({one: [1], two: [2]}, roll=3)
        await asyncio.gather(
            house.command(here[1], lobby.Leave()), door.command(there[0], lobby.Leave())
        )
        await house.run_out()
        await door.look()
        assert door.state.stage == "lobby"
    assert await house.ranking() == [("Ada", 3, 0), ("Bob", 0, 3)]
    assert await door.ranking() == [("Bob", 3, 0), ("Ada", 0, 3)]
    assert await house.ranking("") == [("Ada", 3, 3), ("Bob", 3, 3)]


async def test_pb_197_a_writer_that_dies_in_the_middle_of_a_save_holds_nobody_up(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    writer = sqlite3.connect(house.path, isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM records")
    writer.execute(
        "INSERT INTO records VALUES (?, 'peril', 'x', 'Half saved', 9, 0, 0, '')", (house.id,)
    )
    dies = threading.Timer(0.3, writer.close)
    dies.start()
    answer = await house.command(bob, lobby.Leave())
    dies.join()
    assert answer.refused == ""
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]


async def test_pb_198_a_result_delivered_twice_counts_once(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    for _ in range(3):
        assert (await house.command(bob, lobby.Leave(), "bye")).refused == ""
    await house.run_out()
    assert (await house.command(bob, lobby.Leave(), "bye")).refused == ""
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]


async def test_pb_199_a_reset_while_a_result_is_saved_loses_nothing(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    await asyncio.gather(
        house.command(bob, lobby.Leave()), house.command(house.owner, lobby.ResetMatch())
    )
    assert house.state.stage == "lobby"
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]
    assert shown(house) == ["1. Ada 1/0", "2. Bob 0/1"]


async def test_pb_202_nothing_moves_on_a_page_that_nobody_turns(house: House) -> None:
    await seed(house, *((f"Player {n}", 200 - n, n) for n in range(23)))
    await house.touch_ranking(house.avatar("Ada"), 23, 9)
    assert shown(house)[0].startswith("11. Player 10")
    seen = len(house.news)
    await house.advance(60)
    await house.look()
    assert all(n.frames == {} for n in house.news[seen:])
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    assert not any("Leaderboard" in n.frames for n in house.news[seen:])


async def test_pb_203_pages_go_as_far_as_there_are_entries(house: House) -> None:
    await seed(house, *((f"Player {n}", 200 - n, n) for n in range(23)))
    ada = house.avatar("Ada")

    def page() -> tuple[str, int, str, str]:
        rows = house.board["Leaderboard"].rows
        return shown(house)[0].split()[0], len(shown(house)), rows[0][-1], rows[-1][-1]

    assert page() == ("1.", 10, " ", "→")
    await house.touch_ranking(ada, 23, 0)
    assert page() == ("1.", 10, " ", "→")
    for expected in (("11.", 10, "←", "→"), ("21.", 3, "←", " "), ("21.", 3, "←", " ")):
        await house.touch_ranking(ada, 23, 9)
        assert page() == expected
    await house.touch_ranking(ada, 23, 0)
    assert page() == ("11.", 10, "←", "→")
    assert house.hear() == []


@pytest.mark.parametrize("rows", [1, 3, 12])
async def test_turning_pages_reaches_everybody_on_a_set_of_any_size(
    house: House, rows: int
) -> None:
    """Also while matches go on and the ranking changes, and after a restart."""
    await seed(house, *((f"Player {n}", 200 - n, n) for n in range(13)))
    await house.tables.set_text_sets(house.id, {"Leaderboard": (24, rows)})
    await house.look()
    ada, bob = house.avatars("Ada", "Bob")

    async def everybody() -> list[str]:
        seen = []
        for page in range(house.state.ranking.pages):
            if page:
                await house.touch_ranking(ada, 23, rows - 1)
            seen += [r.name for r in house.state.ranking.rows]
            text = house.text("Leaderboard")
            assert all(r.name in text for r in house.state.ranking.rows)
        for _ in range(house.state.ranking.pages):
            await house.touch_ranking(ada, 0, 0)
        assert house.state.ranking.page == 0
        return seen

    players = [f"Player {n}" for n in range(13)]
    assert await everybody() == players
    await win_by_departure(house, ada, bob)
    assert await everybody() == [*players, "Ada", "Bob"]
    await house.restart()
    assert await everybody() == [*players, "Ada", "Bob"]


async def test_a_set_that_grows_shows_more_of_its_page_at_once(house: House) -> None:
    await seed(house, *((f"Player {n}", 200 - n, n) for n in range(23)))
    for rows, shown_rows, pages in ((4, 4, 6), (10, 10, 3), (2, 2, 12)):
        await house.tables.set_text_sets(house.id, {"Leaderboard": (24, rows)})
        await house.look()
        assert (len(shown(house)), house.state.ranking.pages) == (shown_rows, pages)


async def test_pb_204_a_name_with_comma_and_pipe_is_kept_whole(house: House) -> None:
    john, bob = house.avatars("Smith, John", "B|o|b")
    await win_by_departure(house, john, bob)
    await house.run_out()
    await house.restart()
    assert await house.ranking() == [("Smith, John", 1, 0), ("B|o|b", 0, 1)]
    assert shown(house) == ["1. Smith, John 1/0", "2. B|o|b 0/1"]


async def test_pb_206_bots_are_never_ranked(house: House) -> None:
    await house.add_bots(3)
    await house.press_start(house.owner)
    await house.run_out()
    assert await house.ranking() == await house.ranking("") == []
    ada = house.avatar("Ada")
    await house.start(ada, peril=ada, bots=1)
    await house.run_out()
    assert {name for name, _, _ in await house.ranking()} == {"Ada"}


async def test_pb_207_a_store_that_is_busy_loses_nothing(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    house.store.busy = 3
    for _ in range(3):
        with pytest.raises(Busy):
            await house.command(bob, lobby.Leave(), "bye")
        assert house.lives["Bob"] == 3
    assert (await house.command(bob, lobby.Leave(), "bye")).refused == ""
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]
    house.store.busy = 2
    await house.advance(26)  # the deadline of the celebration tries again each second
    assert house.state.stage == "lobby"


async def test_practice_does_not_count_where_the_table_says_so(house: House) -> None:
    await house.command(house.owner, lobby.SetOptions(options={"rank_practice": False}))
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, peril=ada, bots=1)
    await house.strike(house.bot(1))
    await house.run_out()
    assert await house.ranking() == []
    await win_by_departure(house, ada, bob)
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]
    assert (await house.tables.ranking(house.id, "peril", 99)) == RankingPage(
        (await house.tables.ranking(house.id, "peril", 0)).rows, 0, 1
    )
