"""Many at once, long matches, and how much is said."""

import asyncio
from itertools import pairwise

from .house import House


async def test_pb_213_a_full_game_is_told_in_announcements_only(house: House) -> None:
    await house.add_bots(9)
    ada = house.avatar("Ada")
    await house.join(ada)
    await house.press_start(ada)
    house.hear()
    await house.run_out()
    said = house.hear()
    known = ("⚡", "🎯", "🎲", "🔢", "🔄", "💥", "💔", "☠", "✨", "⏳", "🤖")
    assert [line for line in said if not line.startswith(known)] == []
    assert all(one != two for one, two in pairwise(said))
    assert sum(line.startswith("✨") for line in said) == 1
    assert sum(line.startswith("☠") for line in said) == 9
    assert house.owner.told == []
    assert len(said) < 16 * len([line for line in said if line.startswith("🎲 Round")])


async def test_pb_214_confetti_only_falls_at_the_victory(house: House) -> None:
    await house.add_bots(4)
    await house.press_start(house.owner)
    seen = len(house.news)
    await house.run_out()
    effects = [
        (n.frames["root"].effect, "ULTIMATE VICTORY!" in "".join(n.lines))
        for n in house.news[seen:]
        if "root" in n.frames
    ]
    assert [e for e in effects if e[0]] == [("confetti", True)]


async def test_pb_216_deadlines_of_one_moment_run_independently(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    assert house.picture == "peril_selected"
    await house.advance(8)
    assert house.picture == "title"
    await house.advance(51.9)
    assert ada.told == []
    await house.advance(0.1)
    assert len(ada.told) == 1
    await house.advance(59.9)
    assert house.asked == ["Ada"]
    await house.advance(0.1)
    assert house.asked == ["Bob"]
    await house.pick(bob, next(n for n in range(1, 7) if n not in house.picked["Ada"]))
    await house.roll(house.picked["Ada"][0])
    await house.advance(4)
    assert house.picture == "direct_hit"
    await house.advance(4 + 8)
    assert house.picture == "title"


async def test_pb_218_seventy_touches_during_a_pause_are_all_answered(house: House) -> None:
    ten = house.avatars(*(f"Player {n}" for n in range(10)))
    await house.start(*ten, peril=ten[0])
    for number, who in enumerate(ten, 1):
        await house.pick(who, number)
    await house.roll(30)
    assert house.state.moment == "rolled"
    before = house.state
    answers = await asyncio.gather(*(house.touch(who) for who in ten * 7))
    assert len(answers) == 70
    assert all(a.dialog is not None and a.dialog.made.name == "wait" for a in answers)
    assert house.state == before
    await house.until("outcome")
    assert house.lives["Player 0"] == 2
