"""How rounds follow each other: peril, lives, pauses, resets in between."""

import pytest

from app.games import lobby

from .house import House, time_up


def rounds_told(house: House) -> list[str]:
    return [line for line in house.public if line.startswith("🎲 Round")]


async def test_pb_048_the_peril_player_who_survives_stays_in_peril(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    assert house.lives == {"Ada": 2, "Bob": 3}
    await house.until("picking")
    assert house.peril == "Ada"
    assert house.asked == ["Ada"]


async def test_pb_049_after_a_plot_twist_the_holder_is_in_peril_everywhere_at_once(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [5]}, roll=5)
    assert house.peril == "Bob"
    assert house.lives == {"Ada": 3, "Bob": 3}
    assert house.slot(1)[0].color == (1, 1, 0)
    assert house.slot(1)[0].glow == 0.2
    assert house.slot(0)[0].glow == 0.0
    assert house.status == "PLOT TWIST! / Bob"
    assert "YOU ARE IN PERIL" in bob.hud.text  # type: ignore[union-attr]
    assert "In peril: Bob" in ada.hud.text  # type: ignore[union-attr]
    assert bob.menu == "pick"
    assert bob.dialog.made.phase < house.state.phase
    await house.until("picking")
    assert bob.dialog.made.phase == house.state.phase


async def test_pb_051_pb_052_a_round_begins_once_however_often_its_moment_is_told(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    phase = house.state.phase
    await house.advance(10)
    assert len(rounds_told(house)) == 2
    seq = house.seq
    assert await time_up(house, "outcome", phase) == "stale"
    assert await time_up(house, "outcome", phase) == "stale"
    assert house.seq == seq
    assert house.state.round == 2


async def test_pb_053_a_result_stands_for_its_time(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=1)
    assert (house.status, house.picture) == ("DIRECT HIT! / Ada", "direct_hit")
    await house.advance(3.9)
    assert (house.status, house.picture) == ("DIRECT HIT! / Ada", "direct_hit")
    await house.advance(0.1)
    assert house.status == "PICKING NUMBERS / Ada"


@pytest.mark.parametrize(
    ("roll", "said", "picker"),
    [(2, "🔄 PLOT TWIST!", "Bob"), (1, "💥 DIRECT HIT!", "Ada"), (3, "💔 NO SHIELD!", "Ada")],
)
async def test_pb_054_after_each_result_the_next_pick_dialog_comes(
    house: House, roll: int, said: str, picker: str
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll)
    assert house.hear()[-1].startswith(said)
    await house.advance(4)
    assert house.asked == [picker]
    who = ada if picker == "Ada" else bob
    assert who.menu == "pick"
    assert who.dialog.made.phase == house.state.phase


async def test_pb_056_three_rounds_without_shield_eliminate_the_first_peril_player(
    house: House,
) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    each = []
    for left in (2, 1, 0):
        await house.until("picking")
        needed = house.state.picks_each
        each.append(needed)
        picks = {
            who: range(1 + i * needed, 1 + (i + 1) * needed) for i, who in enumerate((ada, bob, cy))
        }
        await house.round(picks, roll=12)
        assert house.lives["Ada"] == left
    assert each == [1, 2, 3]
    await house.until("eliminated")
    assert house.state.seats[0].out


async def test_pb_057_pb_058_lives_never_rise_and_do_not_jump_back(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=1)
    await house.until("picking")
    await house.pick(ada, 1, 2)
    assert house.lives["Ada"] == 2
    await house.pick(bob, 3, 4)
    await house.roll(6)
    await house.until("outcome")
    assert house.lives["Ada"] == 1
    await house.until("picking")
    assert house.lives["Ada"] == 1
    assert house.state.picks_each == 3
    assert house.slot(0)[1].picture == "hearts_1"


async def test_pb_059_an_eliminated_player_does_not_come_back(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=bob)
    await house.strike(ada, cy)
    house.falls(peril=[ada])
    for _ in range(2):
        await house.until("picking")
        assert house.peril == "Ada"
        n = house.state.picks_each
        await house.round({ada: range(1, n + 1), cy: range(n + 1, 2 * n + 1)}, roll=1)
        assert house.picked["Bob"] == ()
        profile, life, overlay = house.slot(1)
        assert (life.picture, overlay.picture, overlay.alpha) == ("hearts_0", "overlay_x", 1.0)
        assert profile.color == (1.0, 0.3, 0.3)
    assert house.asked == []
    answer = await house.stake(bob, 12)
    assert answer.refused == "already_out"
    assert (await house.command(bob, lobby.Join())).refused == "already_seated"


async def test_pb_061_after_an_elimination_a_survivor_is_drawn_and_a_round_begins(
    house: House,
) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=bob)
    assert house.state.sides == 12
    await house.strike(ada, cy)
    house.falls(peril=[cy])
    house.hear()
    await house.until("picking")
    assert house.hear() == [
        "☠️ Bob has been eliminated. The board keeps their place in memory.",
        "🎯 Fate points at Cy: the Peril Player!",
        "🎲 Round 4 on the d6. Numbers to stake: 1 each.",
    ]
    assert house.asked == ["Cy"]


@pytest.mark.parametrize(
    "moment", ["drawn", "picking", "rolling", "rolled", "outcome", "eliminated", "victory"]
)
async def test_pb_062_a_reset_clears_the_table_at_any_moment(house: House, moment: str) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    if moment in ("eliminated", "victory"):
        await house.strike(bob)
        await house.until(moment)
    elif moment == "drawn":
        await house.command(house.owner, lobby.ResetMatch())
        await house.join(ada, bob)
        await house.ready(bob)
        await house.press_start(ada)
    elif moment != "picking":
        await house.pick(ada, 1)
        await house.pick(bob, 2)
        if moment != "rolling":
            await house.roll(3)
        await house.until(moment)
    assert house.state.moment == moment
    await house.touch(house.owner)
    for label in ("🔄 Reset Options", "Reset Game", "YES, RESET GAME"):
        await house.press(house.owner, label)
    assert house.state.stage == "lobby"
    assert house.players() == []
    assert house.status == "JOIN THE PERIL! / 0/10 at the table"
    house.hear()
    seq = house.seq
    await house.advance(300)
    assert house.hear() == []
    assert house.seq == seq


async def test_pb_063_nothing_of_the_old_game_is_told_after_the_reset(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    await house.command(ada, lobby.Leave())
    assert house.hear()[-1] == "✨ ULTIMATE VICTORY! Bob is the Ultimate Survivor! ✨"
    await house.advance(24)
    assert house.state.stage == "lobby"
    shown = [len(p.shown) for p in (ada, bob)]
    seq = house.seq
    await house.advance(200)
    assert house.hear() == []
    assert house.seq == seq
    assert [len(p.shown) for p in (ada, bob)] == shown
    assert (ada.menu, bob.menu) == ("rejoin", "rejoin")
