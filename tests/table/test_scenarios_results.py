"""What a roll means: plot twist, direct hit, no shield."""

from app.games import lobby
from app.games.peril import words as peril

from .house import ROLL, House


async def test_pb_106_any_number_of_another_player_is_a_plot_twist(house: House) -> None:
    tom, rosa = house.avatars("Tom", "Rosa")
    await house.start(tom, rosa, peril=tom)
    await house.round({tom: [6], rosa: [5]}, roll=4)
    await house.round({tom: [5, 6], rosa: [3, 1]}, roll=1)
    assert house.peril == "Rosa"
    assert house.lives == {"Tom": 2, "Rosa": 3}
    assert house.public[-1] == (
        "🔄 PLOT TWIST! Rosa held the 1 and is in peril now. Tom breathes again."
    )


async def test_pb_107_a_roll_right_after_the_last_pick_sees_it(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    house.falls(roll=[7])
    await house.stake(cy, 7)
    assert (await house.command(ada, peril.Roll())).refused == ""
    await house.until("outcome")
    assert house.peril == "Cy"
    assert house.lives == {"Ada": 3, "Bob": 3, "Cy": 3}


async def test_pb_108_hearts_change_together_with_the_result(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    house.falls(roll=[1])
    await house.press(ada, ROLL)
    assert house.status == "DICE SETTLED! / Ada"
    assert house.text("Dice") == "Ada: rolled 1 of d6"
    assert house.slot(0)[1].picture == "hearts_3"
    await house.tick()
    step = house.news[-1]
    assert step.frames["life:0:0"].picture == "hearts_2"
    assert step.frames["TitleAction:0:0"].picture == "direct_hit"
    assert house.status == "DIRECT HIT! / Ada"
    assert step.lines == ("💥 DIRECT HIT! Ada staked on the 1 and loses a life. Lives left: 2.",)
    assert ada.hud is not None
    assert ada.hud.picture == "hearts_2"


async def test_pb_109_the_number_of_who_left_is_nobodys(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await house.pick(ada, 1)
    await house.pick(bob, 8)
    await house.pick(cy, 3)
    await house.command(bob, lobby.Leave())
    assert house.picked["Bob"] == ()
    await house.roll(8)
    await house.until("outcome")
    assert house.public[-1].startswith("💔 NO SHIELD! Nobody held the 8")
    assert house.peril == "Ada"
    assert house.lives == {"Ada": 2, "Bob": 0, "Cy": 3}
