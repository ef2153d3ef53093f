"""Leaving, kicks, and bots that come and go."""

import pytest

from app.games import lobby
from app.games.peril import words as peril

from .house import Avatar, House


async def walk_out(house: House, who: Avatar) -> None:
    await house.touch(who)
    await house.press(who, "Leave Game")
    await house.press(who, "YES, LEAVE")


async def kick(house: House, name: str) -> None:
    owner = house.owner
    await house.touch(owner)
    for label in ("👥 Players", "Kick Player", f"👢 {name}"):
        await house.press(owner, label)


async def test_pb_126_leaving_is_a_departure_and_nothing_else(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await house.pick(ada, 1)
    house.hear()
    await walk_out(house, cy)
    assert house.hear() == ["🏳️ Cy flees the deadly game and is eliminated."]
    assert [(s.name, s.lives, s.picks, s.out, s.gone) for s in house.state.seats] == [
        ("Ada", 3, (1,), False, False),
        ("Bob", 3, (), False, False),
        ("Cy", 0, (), True, True),
    ]
    assert (house.peril, house.asked, house.state.round) == ("Ada", ["Bob"], 1)


@pytest.mark.parametrize("moment", ["picking", "rolling", "rolled"])
async def test_pb_127_when_the_peril_player_leaves_the_round_is_void(
    house: House, moment: str
) -> None:
    people = ada, _, cy, _ = house.avatars("Ada", "Bob", "Cy", "Dan")
    await house.start(*people, peril=ada)
    if moment != "picking":
        for number, who in enumerate(people, 1):
            await house.pick(who, number)
    if moment == "rolled":
        await house.roll(2)
    house.hear()
    house.falls(peril=[cy])
    await walk_out(house, ada)
    assert house.hear() == [
        "🏳️ Ada flees the deadly game and is eliminated.",
        "🌫️ Round 1 is void: nobody is in peril, nobody loses a life.",
        "🎯 Fate points at Cy: the Peril Player!",
    ]
    assert house.peril == "Cy"
    assert house.status == "IN PERIL / Cy"
    await house.advance(4)
    assert house.hear() == ["🎲 Round 2 on the d12. Numbers to stake: 1 each."]
    assert house.lives == {"Ada": 0, "Bob": 3, "Cy": 3, "Dan": 3}
    assert cy.menu == "pick"
    assert await house.ranking() == [("Ada", 0, 1)]


@pytest.mark.parametrize("how", ["leaves", "is kicked"])
async def test_pb_128_when_the_picker_goes_the_next_is_asked(house: House, how: str) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=cy)
    await house.pick(cy, 1)
    assert house.asked == ["Ada"]
    await (walk_out(house, ada) if how == "leaves" else kick(house, "Ada"))
    assert house.asked == ["Bob"]
    assert bob.menu == "pick"
    lost = [("Ada", 0, 1)] if how == "leaves" else []
    assert await house.ranking() == lost


async def test_pb_129_a_later_picker_who_left_is_not_asked(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await walk_out(house, cy)
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    assert house.state.moment == "rolling"
    assert (await house.stake(cy, 3)).refused == "already_out"


async def test_pb_131_the_board_closes_up_behind_a_kicked_one_in_the_lobby(
    house: House,
) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.join(ada, bob, cy)
    await house.touch(house.owner)
    await house.press(house.owner, "Owner Menu")
    for label in ("👥 Players", "Kick Player", "👢 Bob"):
        await house.press(house.owner, label)
    assert house.players() == ["Ada", "Cy"]
    assert [house.slot(n)[0].alpha for n in range(3)] == [1.0, 1.0, 0.0]
    assert [frame.alpha for frame in house.slot(2)] == [0.0, 0.0, 0.0]
    assert house.public[-1] == "👢 Bob was removed by the owner."


async def test_pb_132_a_departure_takes_no_other_hud(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.join(ada, bob, cy)
    await house.command(ada, lobby.Leave())
    await house.command(cy, lobby.Leave())
    assert (ada.hud, cy.hud) == (None, None)
    assert bob.hud is not None
    assert "Bob" in bob.hud.text


async def test_pb_133_only_the_leavers_picks_vanish(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=cy)
    await house.pick(cy, 7)
    await house.pick(ada, 8)
    await walk_out(house, ada)
    assert house.picked == {"Ada": (), "Bob": (), "Cy": (7,)}
    assert (await house.stake(bob, 7)).refused == "number_taken"
    assert (await house.stake(bob, 8)).refused == ""


async def test_pb_134_pb_136_the_kick_list_is_a_list_and_leads_back_to_the_players(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    owner = house.owner
    await house.touch(owner)
    await house.press(owner, "👥 Players")
    house.hear()
    answer = await house.press(owner, "Kick Player")
    assert answer.refused == ""
    assert owner.text == "Whom do you want to remove? Page 1 of 1."
    assert owner.labels == {"👢 Ada", "👢 Bob", "⬅️ Back"}
    await house.press(owner, "⬅️ Back")
    assert owner.menu == "players"
    assert owner.text == "At the table (2): Ada, Bob"
    assert house.hear() == []
    assert owner.told == []


async def test_pb_137_bot_names_do_not_repeat(house: House) -> None:
    await house.add_bots(2)
    await house.command(house.owner, lobby.Kick(house.bot(1).key))
    await house.add_bots(2)
    assert sorted(house.players()) == ["Bot1", "Bot2", "Bot3"]


async def test_pb_138_bots_come_only_before_the_game(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.touch(house.owner)
    await house.press(house.owner, "👥 Players")
    answer = await house.press(house.owner, "Add Test Player")
    assert answer.said == "Bots come and go only before the game begins."
    assert house.players() == ["Ada", "Bob"]


async def test_a_kick_of_the_last_but_one_ends_the_match_with_the_others_win(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    await house.until("picking")
    await kick(house, "Bob")
    assert house.public[-1] == "✨ ULTIMATE VICTORY! Ada is the Ultimate Survivor! ✨"
    assert await house.ranking() == [("Ada", 1, 0)]
    assert bob.hud is None
    assert (await house.command(bob, peril.Roll())).refused == "match_over"
