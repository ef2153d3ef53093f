"""Picking numbers: whose turn, which are free, dialogs that come back, bots that pick."""

import asyncio

from app.games import lobby
from app.games.core import Key
from app.games.peril import words as peril

from .house import DONE, NEXT, PREVIOUS, Avatar, House, time_up


def offered(who: Avatar) -> set[int]:
    return {int(label) for label in who.labels if label.isdecimal()}


async def test_pb_064_everybody_picks_by_the_lives_of_the_peril_player(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=6)
    await house.round({ada: [1, 2], bob: [3, 4]}, roll=6)
    await house.until("picking")
    assert house.lives == {"Ada": 1, "Bob": 3}
    assert (await house.stake(ada, 1, 2)).said == "You need 3 numbers, not 2."
    await house.pick(ada, 1, 2, 3)
    assert (await house.stake(bob, 4)).said == "You need 3 numbers, not 1."
    assert (await house.stake(bob, 4, 5, 6)).refused == ""


async def test_pb_066_numbers_of_humans_and_bots_alike_are_no_longer_offered(
    house: House,
) -> None:
    ada, cy = house.avatars("Ada", "Cy")
    await house.join(ada)
    await house.add_bots(1)
    await house.join(cy)
    await house.ready(cy)
    house.falls(peril=[ada])
    await house.press_start(ada)
    bot = house.bot(1)
    await house.round({ada: [1], bot: [2], cy: [3]}, roll=1)
    await house.until("picking")
    await house.pick(ada, 5, 6)
    await house.pick(bot, 2, 9)
    assert offered(cy) == set(range(1, 13)) - {2, 5, 6, 9}


async def test_pb_067_a_taken_number_is_refused_with_a_reason_and_the_dialog_comes_again(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=1)
    await house.until("picking")
    await house.pick(ada, 5, 6)
    answer = await house.stake(bob, 4, 5)
    assert answer.said == "5 is taken by Ada."
    assert answer.dialog is not None
    assert offered(bob) == {1, 2, 3, 4}
    assert house.picked["Bob"] == ()
    assert (await house.command(bob, peril.Mark(6))).said == "6 is taken by Ada."


async def test_pb_068_picks_of_the_last_round_neither_block_nor_count(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [5], bob: [2]}, roll=2)
    await house.until("picking")
    assert house.picked == {"Ada": (), "Bob": ()}
    await house.round({bob: [6], ada: [4]}, roll=5)
    assert house.peril == "Bob"
    assert house.lives == {"Ada": 3, "Bob": 2}
    await house.round({bob: [5, 6], ada: [1, 2]}, roll=3)
    assert house.lives == {"Ada": 3, "Bob": 1}


async def test_pb_069_bots_pick_one_after_the_other_and_all_differ(house: House) -> None:
    await house.start(peril="bot:3", bots=4)
    order = []
    for _ in range(4):
        order += house.asked
        await house.advance(1.9)
        assert house.asked == order[-1:]
        await house.advance(0.1)
    assert order == ["Bot3", "Bot1", "Bot2", "Bot4"]
    picks = [n for numbers in house.picked.values() for n in numbers]
    assert len(set(picks)) == 4


async def test_pb_071_a_pick_delivered_twice_counts_once(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    house.hear()
    one, two = await asyncio.gather(
        house.command(ada, peril.Pick((5,)), "p1"), house.command(ada, peril.Pick((5,)), "p1")
    )
    assert (one.refused, one.seq) == (two.refused, two.seq) == ("", house.seq)
    assert (await house.stake(ada, 5)).said == "Your numbers stand; picks cannot be changed."
    assert house.hear() == ["🔢 Ada stakes their life on 5."]
    assert house.picked["Ada"] == (5,)
    assert house.asked == ["Bob"]
    assert [d.made.name for d in bob.shown].count("pick") == 1


async def test_pb_072_the_peril_player_has_a_dialog_as_soon_as_picking_begins(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.ready(bob)
    house.falls(peril=[bob])
    await house.press_start(ada)
    await house.advance(3.9)
    assert bob.menu == "lobby"
    await house.advance(0.1)
    assert bob.menu == "pick"


async def test_pb_073_a_late_deadline_of_an_earlier_moment_leaves_the_queue_alone(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    old = house.state.phase
    await house.pick(ada, 1)
    for name in (f"expire:{ada.key}", f"expire:{bob.key}", f"remind:{bob.key}", "drawn"):
        assert await time_up(house, name, old) == "stale"
    assert house.asked == ["Bob"]
    assert house.picked == {"Ada": (1,), "Bob": ()}


async def test_pb_074_who_comes_back_is_still_the_picker_and_others_wait_for_him(
    house: House,
) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=bob)
    await house.advance(100)
    await house.touch(cy)
    assert cy.text == "Nothing to answer just now. Waiting for Bob."
    await house.touch(bob)
    assert bob.menu == "pick"
    await house.pick(bob, 7)
    assert house.asked == ["Ada"]


async def test_pb_076_a_button_of_an_old_dialog_does_nothing_and_brings_the_current_one(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    old = bob.dialog
    await house.pick(bob, 2)
    await house.roll(1)
    await house.until("picking")
    await house.pick(ada, 3, 4)
    before = house.state
    answer = await house.press(bob, "3", old)
    assert answer.said == "That dialog is no longer due."
    assert answer.dialog is not None
    assert answer.dialog.token == bob.dialog.token != old.token
    assert house.state == before
    assert (await house.press(bob, "5", old)).refused == "not_due"
    assert house.state == before


async def test_pb_077_the_answer_of_another_avatar_does_not_count(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=bob)
    before = house.state
    answer = await house.stake(cy, 5)
    assert answer.said == "It is Bob's turn to pick."
    assert (await house.send_press(cy, bob.dialog.token, "5")).refused == "not_due"
    assert house.state == before


async def test_pb_078_a_reopened_pick_dialog_knows_what_is_chosen(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=1)
    await house.until("picking")
    await house.pick(ada, 1, 2)
    await house.choose(bob, 3)
    bob.shown.clear()
    await house.touch(bob)
    assert "Chosen: 3. Still missing: 1." in bob.text
    assert "✖ 3" in bob.labels
    assert offered(bob) == {4, 5, 6}
    assert (await house.stake(bob, 2, 3)).refused == "number_taken"
    assert "Chosen: 3. Still missing: 1." in bob.text
    await house.press(bob, "✖ 3")
    assert "Still missing: 2." in bob.text
    await house.restart()
    await house.choose(bob, 4)
    await house.choose(bob, 6)
    await house.press(bob, DONE)
    assert house.picked["Bob"] == (4, 6)


async def test_pb_079_every_free_number_of_a_d30_can_be_reached(house: House) -> None:
    ten = house.avatars(*(f"P{n}" for n in range(10)))
    await house.start(*ten, peril=ten[0])
    seen: list[set[int]] = [offered(ten[0])]
    assert PREVIOUS not in ten[0].labels
    while NEXT in ten[0].labels:
        await house.press(ten[0], NEXT)
        seen.append(offered(ten[0]))
    assert [len(page) for page in seen] == [9, 9, 9, 3]
    assert set.union(*seen) == set(range(1, 31))
    await house.pick(ten[0], 28)
    assert house.picked["P0"] == (28,)
    assert 28 not in offered(ten[1])


async def test_pb_081_who_has_not_picked_has_an_empty_list_of_picks(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    await house.restart()
    assert house.picked == {"Ada": (1,), "Bob": ()}
    assert "No numbers yet" in bob.hud.text  # type: ignore[union-attr]
    assert "Numbers: 1" in ada.hud.text  # type: ignore[union-attr]


async def test_pb_082_picks_of_several_numbers_survive_store_and_reload(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=1)
    await house.round({ada: [1, 2], bob: [3, 4]}, roll=1)
    await house.until("picking")
    await house.pick(ada, 2, 4, 6)
    await house.pick(bob, 1, 3, 5)
    await house.restart()
    assert house.picked == {"Ada": (2, 4, 6), "Bob": (1, 3, 5)}


async def test_pb_083_each_of_several_picks_is_matched_with_the_roll(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=1)
    await house.round({ada: [1, 2], bob: [3, 5]}, roll=5)
    assert house.peril == "Bob"
    await house.round({bob: [3], ada: [5]}, roll=3)
    assert house.lives == {"Ada": 2, "Bob": 2}


async def test_pb_084_a_bot_takes_exactly_the_numbers_that_are_left(house: House) -> None:
    ada = house.avatar("Ada")
    await house.start(ada, peril=ada, bots=1)
    bot = house.bot(1)
    await house.round({ada: [1], bot: [2]}, roll=1)
    await house.round({ada: [1, 2], bot: [3, 4]}, roll=1)
    await house.until("picking")
    await house.pick(ada, 2, 3, 6)
    await house.advance(2)
    assert house.picked == {"Ada": (2, 3, 6), "Bot1": (1, 4, 5)}


async def test_pb_086_a_bot_asked_the_same_twice_picks_twice(house: House) -> None:
    ada = house.avatar("Ada")
    await house.start(ada, peril="bot:1", bots=1)
    bot = house.bot(1)
    await house.round({bot: [1], ada: [2]}, roll=2)
    await house.round({ada: [1], bot: [2]}, roll=2)
    await house.until("picking")
    assert (house.asked, house.state.picks_each) == (["Bot1"], 1)
    await house.advance(2)
    assert len(house.picked["Bot1"]) == 1
    assert house.asked == ["Ada"]


async def test_pb_087_a_bot_whose_number_is_refused_picks_another(house: House) -> None:
    ada = house.avatar("Ada")
    await house.start(ada, peril=ada, bots=1)
    await house.pick(ada, 4)
    bot = house.bot(1)
    answer = await house.stake(bot, 4)
    assert answer.said == "4 is taken by Ada."
    await house.advance(2)
    assert len(house.picked["Bot1"]) == 1
    assert house.picked["Bot1"] != (4,)
    assert house.state.moment == "rolling"


async def test_pb_088_a_bot_does_not_act_after_its_elimination(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril="bot:1", bots=1)
    phase = house.state.phase
    bot = house.bot(1)
    await house.strike(ada, bob)
    await house.until("picking")
    before = house.state
    assert await time_up(house, "bot:bot:1", phase) == "stale"
    assert await time_up(house, "bot:bot:1", house.state.phase) == "stale"
    for command in (peril.Pick((1,)), peril.Roll()):
        assert (await house.command(bot, command)).refused == "already_out"
    assert house.state == before


async def test_pb_089_no_menu_lets_the_owner_change_picks(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    owner = house.owner
    await house.touch(owner)
    seen: dict[str, set[str]] = {}
    todo = [owner.dialog]
    while todo:
        dialog = todo.pop()
        if dialog.made.name in seen:
            continue
        seen[dialog.made.name] = {b.label for b in dialog.made.buttons}
        for button in dialog.made.buttons:
            if button.command is None:
                await house.press(owner, button.label, dialog)
                todo.append(owner.dialog)
    assert {"owner", "players", "kick", "resets", "trouble", "options"} <= set(seen)
    assert not [label for labels in seen.values() for label in labels if "pick" in label.lower()]
    assert house.picked["Ada"] == (1,)


async def test_pb_091_a_picker_who_comes_back_gets_the_pick_dialog(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.advance(60)
    assert ada.told == [
        "⏳ You are waited for. 60 seconds left; touch the table if you lost the dialog."
    ]
    await house.advance(60)
    assert house.hear()[-2:] == [
        "⏳ Ada did not answer in time. The table answers instead.",
        f"🔢 Ada stakes their life on {house.picked['Ada'][0]}.",
    ]
    free = next(n for n in range(1, 7) if n not in house.picked["Ada"])
    await house.pick(bob, free)
    house.falls(roll=[free])
    await house.advance(120)
    assert "🤖 A bot plays for Ada until Ada touches the table." in house.public
    await house.until("picking")
    await house.pick(bob, 1)
    assert house.asked == ["Ada"]
    answer = await house.touch(ada)
    assert answer.dialog is not None
    assert ada.menu == "pick"
    assert "Ada is back and plays again." in house.public
    assert ada.told[-1] == "Welcome back. You play your seat again."
    await house.advance(30)
    await house.pick(ada, 2)


async def test_pb_092_who_is_not_asked_is_told_that_nothing_is_due(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.touch(bob)
    assert bob.menu == "wait"
    assert bob.text == "Nothing to answer just now. Waiting for Ada."
    stranger = Avatar(Key("stranger"), "Eve")
    assert (await house.touch(stranger)).refused == "game_running"
    assert (await house.command(stranger, lobby.TakeBack())).refused == "not_seated"
