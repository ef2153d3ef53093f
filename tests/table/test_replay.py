"""A replay shows what the table showed: the same boards and the same lines, made from the log."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import played
import pytest

from app import people, replay
from app.display import Board
from app.errors import NotFound
from app.games import GAMES, lobby
from app.games.core import NOBODY
from app.games.lines import Line
from app.table.hot import HotTable

from .house import Avatar, House
from .test_players import wins

Shown = dict[int, tuple[Board, tuple[Line, ...], bool]]
"""A table as it went: seq → its board, what was said to all with it, and whether it was seen so.

Of states that were stored together only the last one is seen, and only that one's ranking is made.
"""


@pytest.fixture
async def house(new_house: Callable[..., House]) -> House:
    return new_house()


async def open_(house: House, game: str, **options: object) -> Shown:
    """Open the table, and look at it whenever it has another state."""
    await house.open(game, **options)
    shown: Shown = {house.table.now.seq: (house.table.now.board, (), True)}

    def look(table: HotTable) -> None:
        for state in table.states:
            seen = state is table.now
            public = tuple(line for line in state.lines if line[0] == NOBODY)
            shown.setdefault(state.seq, (state.board, public, seen))

    house.tables.listeners.append(look)
    return shown


async def replayed(house: House, match: str, shown: Shown) -> int:
    """See to it that the replay is what was shown; in how many states."""
    found = await replay.load(house.tables, match)
    assert [state.seq for state in found.states] == [line.seq for line in found.log]
    for state in found.states:
        board, lines, seen = shown[state.seq]
        same = state.board if seen else {**state.board, "Leaderboard": board["Leaderboard"]}
        assert (same, state.lines) == (board, lines), f"not so at {state.seq} of {match}"
    return sum(shown[state.seq][2] for state in found.states)


@pytest.mark.parametrize("game", GAMES)
async def test_every_board_of_every_game_is_shown_again(house: House, game: str) -> None:
    """Two matches of bots, one after the other: all frames of all states, and all lines."""
    shown = await open_(house, game, victory_s=1)
    for number in (1, 2):
        await house.add_bots(GAMES[game].seats[0] + 2)
        assert not (await house.command(house.owner, lobby.Start())).refused
        await house.run_out()
        assert await replayed(house, f"{house.id}-{number}", shown) > 10


@pytest.mark.parametrize(("game", "rows"), [("peril", 10), ("roulette", 3)])
async def test_a_replay_of_people_has_the_ranking_as_it_stood_then(
    house: House, game: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People who leave, sleep and turn the ranking's page, in three matches that count."""
    chance = played.rig(monkeypatch, 7)
    house.dice = None
    shown = await open_(house, game, victory_s=1, turn_s=20)
    await house.tables.set_text_sets(house.id, {"Leaderboard": (24, rows)})
    shown[1] = house.table.now.board, (), True  # replays have the size of now from the beginning
    players = house.avatars(*(f"Ädä {n} 😀" for n in range(12 if game == "roulette" else 8)))
    matches = [await _match(house, players, chance) for _ in range(3)]
    await people.hide(house.tables, house.avatar("Nobody").key, True)
    for match in matches:
        assert await replayed(house, match, shown) > 20
    ranked = [row for board, _, _ in shown.values() for row in board["Leaderboard"].rows]
    assert any("Ädä" in row for row in ranked)


async def _match(house: House, players: list[Avatar], chance: random.Random) -> str:
    match = played.Match(house, chance)
    match.people = chance.sample(players, 6)
    match.sleepy = {match.people[0].key}
    for who in match.people:
        await match.do(who, lobby.Join())
        await match.do(who, lobby.Ready())
    assert await match.do(house.owner, lobby.Start())
    await match.run()
    return match.id


async def test_while_a_match_is_on_there_is_no_replay(house: House) -> None:
    """A board of it may tell what somebody may not know yet."""
    await open_(house, "peril")
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    with pytest.raises(replay.NotOver, match=r"is not over yet\. Then it can be replayed\."):
        await replay.load(house.tables, f"{house.id}-1")
    with pytest.raises(NotFound):
        await replay.load(house.tables, "nowhere-1")


async def test_who_hides_is_left_out_of_the_ranking_in_replays_too(house: House) -> None:
    await open_(house, "peril", victory_s=1)
    ada, bob = house.avatars("Ada", "Bob")
    for _ in range(2):
        await wins(house, ada, bob)
    await people.hide(house.tables, ada.key, True)
    found = await replay.load(house.tables, f"{house.id}-2")
    ranked = msgspec.json.encode([state.board["Leaderboard"] for state in found.states])
    assert b"Bob" in ranked
    assert b"Ada" not in ranked
