"""One die a round, one roll a round, and only by the Peril Player."""

import asyncio

import pytest

from app.games import lobby
from app.games.peril import words as peril

from .house import ROLL, House, time_up
from .test_scenarios_picks import offered

DICE = [(2, 6), (3, 12), (4, 12), (5, 20), (6, 20), (7, 30), (8, 30), (9, 30), (10, 30)]


@pytest.mark.parametrize(("seats", "sides"), DICE)
async def test_pb_093_pb_103_the_die_offered_announced_and_rolled_is_one(
    house: House, seats: int, sides: int
) -> None:
    ada = house.avatar("Ada")
    await house.start(ada, peril=ada, bots=seats - 1)
    assert f"🎲 Round 1 on the d{sides}. Numbers to stake: 1 each." in house.public
    assert house.text("Dice") == f"The die of this round: d{sides}"
    numbers = offered(ada)
    while "Next ▶" in ada.labels:
        await house.press(ada, "Next ▶")
        numbers |= offered(ada)
    assert numbers == set(range(1, sides + 1))
    assert (await house.stake(ada, sides + 1)).said == (
        f"{sides + 1} is not on the die. Choose 1 to {sides}."
    )
    await house.pick(ada, sides)
    await house.until("rolling")
    assert f"Roll the d{sides}." in ada.text
    await house.roll(sides)
    assert f"🎲 Ada rolls the d{sides}… {sides}!" in house.public


async def test_pb_103_one_player_alone_cannot_start(house: House) -> None:
    ada = house.avatar("Ada")
    await house.join(ada)
    assert (await house.press(ada, "Start Game")).refused == "too_few_players"


async def test_pb_094_eight_players_begin_one_round_on_one_d30(house: House) -> None:
    await house.start(peril="bot:1", bots=8)
    await house.until("rolling")
    assert len([line for line in house.public if line.startswith("🎲 Round")]) == 1
    assert house.state.round == 1
    assert house.state.sides == 30
    picks = [numbers for numbers in house.picked.values() if numbers]
    assert len(picks) == 8


async def test_pb_096_a_double_click_rolls_once(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    house.falls(roll=[3])
    dialog = ada.dialog
    house.hear()
    answers = await asyncio.gather(house.press(ada, ROLL, dialog), house.press(ada, ROLL, dialog))
    assert sorted(a.refused for a in answers) == ["", "not_rolling"]
    await house.advance(2)
    assert (await house.press(ada, ROLL, dialog)).refused == "not_due"
    await house.until("outcome")
    assert (await house.press(ada, ROLL, dialog)).refused == "not_due"
    assert house.hear() == [
        "🎲 Ada rolls the d6… 3!",
        "💔 NO SHIELD! Nobody held the 3; Ada loses a life. Lives left: 2.",
    ]
    assert house.lives == {"Ada": 2, "Bob": 3}


async def test_pb_097_a_left_over_roll_dialog_does_not_roll_in_the_next_round(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    old = ada.dialog
    await house.touch(ada)
    await house.roll(3)
    await house.until("picking")
    before = house.state
    assert (await house.press(ada, ROLL, old)).refused == "not_due"
    await house.pick(ada, 1, 2)
    await house.pick(bob, 3, 4)
    assert house.state.moment == "rolling"
    assert (await house.press(ada, ROLL, old)).refused == "not_due"
    assert house.state.moment == "rolling"
    assert house.lives == {s.name: s.lives for s in before.seats}


async def test_pb_098_only_the_peril_player_rolls(house: House) -> None:
    ada, bob, eve = house.avatars("Ada", "Bob", "Eve")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    answer = await house.command(bob, peril.Roll())
    assert answer.said == "Only Ada rolls the dice of fate."
    assert (await house.command(eve, peril.Roll())).refused == "not_seated"
    assert (await house.command(house.owner, peril.Roll())).refused == "not_seated"
    assert (await house.send_press(eve, ada.dialog.token, ROLL)).refused == "not_due"
    assert house.state.moment == "rolling"


async def test_pb_099_pb_101_a_roll_before_the_last_pick_is_stored_does_nothing(
    house: House,
) -> None:
    ada, bob, eve = house.avatars("Ada", "Bob", "Eve")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=1)
    old = ada.shown[-1]
    assert old.made.name == "roll"
    await house.until("picking")
    await house.pick(ada, 1, 2)
    assert (await house.press(ada, ROLL, old)).refused == "not_due"
    assert (await house.command(ada, peril.Roll())).said == "Not yet: Bob has still to pick."
    assert (await house.command(eve, peril.Roll())).refused == "not_seated"
    assert house.asked == ["Bob"]
    house.falls(roll=[3])
    sent = await asyncio.gather(
        house.command(ada, peril.Roll()), house.stake(bob, 3, 4), house.command(ada, peril.Roll())
    )
    assert [a.refused for a in sent] == ["picks_missing", "", ""]
    await house.until("outcome")
    assert house.peril == "Bob"


async def test_pb_102_the_die_of_a_round_stays_when_somebody_leaves(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await house.pick(ada, 9)
    await house.pick(bob, 10)
    await house.pick(cy, 11)
    await house.touch(cy)
    await house.press(cy, "Leave Game")
    await house.press(cy, "YES, LEAVE")
    assert house.state.sides == 12
    await house.roll(12)
    assert "🎲 Ada rolls the d12… 12!" in house.public
    await house.until("picking")
    assert house.state.sides == 6


async def test_pb_104_the_die_is_told_once_a_round(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    await house.until("picking")
    assert house.text("Dice") == "The die of this round: d6"
    seen = len(house.news)
    await house.pick(ada, 1, 2)
    await house.pick(bob, 3, 4)
    assert not any("Dice" in n.frames for n in house.news[seen:])
    assert len([line for line in house.public if "on the d6" in line]) == 2


async def test_a_roll_when_time_is_up_is_made_once(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    phase = house.state.phase
    house.falls(roll=[1])
    await house.advance(120)
    assert "⏳ Ada did not answer in time. The table answers instead." in house.public
    assert await time_up(house, f"expire:{ada.key}", phase) == "stale"
    assert (await house.command(ada, peril.Roll())).refused == "not_rolling"
    await house.until("outcome")
    assert house.lives["Ada"] == 2
    assert (await house.command(ada, lobby.TakeBack())).refused == "nothing_to_take_back"
