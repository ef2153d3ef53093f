"""Resets, restarts, and parts that were away in between."""

import msgspec

from app import games
from app.display import TEXT_SETS
from app.games import lobby
from app.games.peril.board import PerilPublic
from app.table import news

from .house import House


async def test_pb_139_after_a_reset_everything_is_fresh(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    await house.until("picking")
    await house.pick(ada, 1, 2)
    await house.pick(bob, 3, 4)
    assert house.state.moment == "rolling"
    await house.command(house.owner, lobby.ResetMatch())
    assert house.public[-1] == "🔄 The owner has reset the game."
    await house.start(ada, bob, peril=bob)
    assert house.lives == {"Ada": 3, "Bob": 3}
    assert house.picked == {"Ada": (), "Bob": ()}
    assert (house.peril, house.state.roll, house.state.round) == ("Bob", 0, 1)
    assert house.state.picks_each == 1
    assert await house.ranking() == []


async def test_pb_141_the_state_of_an_empty_table_has_all_its_fields(house: House) -> None:
    await house.command(house.owner, lobby.ResetMatch())
    told = msgspec.json.decode(msgspec.json.encode(house.state))
    assert set(told) == set(PerilPublic.__struct_fields__)
    assert (told["seats"], told["waiting_for"], told["peril"], told["moment"]) == ([], [], "", None)
    assert len(house.board) == 34 + len(TEXT_SETS)
    assert set(TEXT_SETS) <= set(house.board)


async def test_pb_142_what_belongs_to_the_match_before_the_reset_is_ignored(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    old, seq = ada.dialog, house.seq
    await house.command(house.owner, lobby.ResetMatch())
    board = house.board
    await house.advance(0.3)
    assert (await house.press(ada, "3", old)).refused == "not_due"
    late = news.since(house.table, seq)
    assert late.kind == "changes"
    assert late.frames["profile:0:0"].alpha == 0.0
    assert house.players() == []
    assert house.board == board


async def test_pb_143_every_part_follows_updates_after_a_start(house: House) -> None:
    await house.restart()
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.restart()
    await house.round({ada: [1], bob: [2]}, roll=1)
    assert house.lives == {"Ada": 2, "Bob": 3}
    assert house.slot(0)[1].picture == "hearts_2"
    assert ada.hud is not None
    assert ada.hud.picture == "hearts_2"


async def test_pb_144_a_part_that_was_slow_fetches_the_state_when_it_is_ready(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    slow_seq, slow_board = house.seq, dict(house.board)
    await house.command(house.owner, lobby.ResetMatch())
    await house.join(bob)
    await house.advance(10)
    got = news.since(house.table, slow_seq)
    assert {**slow_board, **got.frames} == house.board
    assert got.seq == house.seq


def test_pb_147_every_word_has_one_meaning_and_a_schema() -> None:
    for kinds in (games.COMMANDS + lobby.SERVER_COMMANDS, games.EVENTS):
        tags = [kind.__struct_config__.tag for kind in kinds]
        assert len(set(tags)) == len(tags)
    commands = msgspec.json.schema_components([games.AnyCommand])[1]
    events = msgspec.json.schema_components([games.AnyEvent])[1]
    assert set(commands) == {kind.__name__ for kind in games.COMMANDS}
    # Some events have parts, which have schemas of their own.
    described = {name.rpartition(".")[2] for name in events}
    assert {kind.__name__ for kind in games.EVENTS} <= described
    assert len(events) >= len(games.EVENTS)


async def test_a_restart_gives_everybody_full_time_and_says_so(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.advance(110)
    house.hear()
    await house.restart()
    assert house.hear() == [
        "⏸️ The game waits for the server.",
        "▶️ The game goes on where it stopped. Everybody has full time again.",
    ]
    await house.advance(119)
    assert house.picked == {"Ada": (), "Bob": ()}
    assert len(ada.told) == 2  # reminded before the restart, and again after it
    await house.advance(1)
    assert len(house.picked["Ada"]) == 1
