"""Elimination, the end of a match, its celebration and its record."""

import asyncio

from app.games import lobby
from app.games.peril import words as peril

from .house import House, time_up

VICTORY = "✨ ULTIMATE VICTORY! {} is the Ultimate Survivor! ✨"


async def test_pb_111_no_hearts_then_the_red_x_which_stays_to_the_end(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await house.strike(bob, cy)
    profile, life, overlay = house.slot(0)
    assert (life.picture, overlay.alpha) == ("hearts_0", 0.0)
    await house.advance(3.9)
    assert house.slot(0)[2].alpha == 0.0
    await house.advance(0.1)
    profile, life, overlay = house.slot(0)
    assert (life.picture, overlay.picture) == ("hearts_0", "overlay_x")
    assert profile.color == (1.0, 0.3, 0.3)
    assert house.status == "PLAYER STRUCK! / Ada"
    assert house.picture == "elimination"
    assert ada.hud is not None
    assert ada.hud.color == (1, 0, 0)
    await house.advance(1.9)
    assert house.status == "PLAYER STRUCK! / Ada"
    for _ in range(300):
        if house.state.stage == "over":
            break
        assert house.slot(0)[2].picture == "overlay_x"
        await house.tick()
    assert house.slot(0)[2].picture == "overlay_x"


async def test_pb_112_every_display_agrees_on_an_elimination(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await house.strike(bob, cy)
    await house.until("eliminated")
    assert [(s.name, s.lives, s.out) for s in house.state.seats] == [
        ("Ada", 0, True),
        ("Bob", 3, False),
        ("Cy", 3, False),
    ]
    assert [house.slot(n)[1].picture for n in range(3)] == ["hearts_0", "hearts_3", "hearts_3"]
    assert "GAME IN PROGRESS\n2 still in" in house.hover
    huds = [p.hud.picture for p in (ada, bob, cy) if p.hud]
    assert huds == ["hearts_0", "hearts_3", "hearts_3"]
    assert await house.ranking() == [("Ada", 0, 1)]
    assert "Ada" in house.text("Leaderboard")
    await house.restart()
    assert [house.slot(n)[1].picture for n in range(3)] == ["hearts_0", "hearts_3", "hearts_3"]


async def test_pb_113_pb_114_the_elimination_is_shown_first_then_the_victory_to_its_end(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=bob)
    await house.strike(ada)
    await house.until("eliminated")
    phase = house.state.phase
    assert house.status == "PLAYER STRUCK! / Bob"
    await house.advance(1.9)
    assert house.status == "PLAYER STRUCK! / Bob"
    await house.advance(0.1)
    assert house.status == "ULTIMATE VICTORY! / === Ada ==="
    assert house.public[-1] == VICTORY.format("Ada")
    await house.advance(1)
    assert await time_up(house, "eliminated", phase) == "stale"
    await house.advance(22.9)
    assert house.status == "ULTIMATE VICTORY! / === Ada ==="
    await house.advance(0.1)
    assert house.state.stage == "lobby"


async def test_pb_116_the_last_bot_wins_against_the_last_human(house: House) -> None:
    ada = house.avatar("Ada")
    await house.start(ada, peril=ada, bots=1)
    await house.strike(house.bot(1))
    await house.until("victory")
    assert house.public[-1] == VICTORY.format("Bot1")
    assert await house.ranking() == [("Ada", 0, 1)]
    await house.advance(24)
    assert house.state.stage == "lobby"
    assert house.players() == []
    assert ada.menu == "rejoin"


async def test_pb_117_bots_play_to_the_end_when_the_humans_are_out(house: House) -> None:
    ada = house.avatar("Ada")
    await house.start(ada, peril=ada, bots=2)
    await house.strike(house.bot(1), house.bot(2))
    await house.run_out()
    winners = [b for b in ("Bot1", "Bot2") if VICTORY.format(b) in house.public]
    assert len(winners) == 1
    assert await house.ranking() == [("Ada", 0, 1)]


async def test_pb_118_pb_119_nothing_disturbs_the_celebration_of_24_seconds(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=bob)
    picking = house.state.phase
    await house.strike(ada)
    await house.until("victory")
    before, board = house.state, house.board
    for name, phase in (
        ("drawn", 1),
        ("outcome", before.phase - 2),
        (f"expire:{bob.key}", picking),
    ):
        assert await time_up(house, name, phase) == "stale"
    for command in (peril.Pick((1,)), peril.Roll(), lobby.Leave(), lobby.Ready(), lobby.Join()):
        for who in (ada, bob):
            assert (await house.command(who, command)).refused in ("match_over", "already_seated")
    assert house.public.count(VICTORY.format("Ada")) == 1
    await house.advance(23.9)
    assert house.state == before
    assert house.board == board
    profile, life, _ = house.slot(0)
    assert (profile.color, profile.glow, life.color, life.glow) == ((0, 1, 0), 0.3) * 2
    assert house.board["root"].effect == "confetti"
    await house.advance(0.1)
    assert house.state.stage == "lobby"
    assert (ada.menu, bob.menu) == ("rejoin", "rejoin")
    await house.press(bob, "Play Again")
    assert house.players() == ["Bob"]
    assert bob.menu == "lobby"


async def test_pb_121_pb_122_pb_123_one_win_and_a_loss_for_each_of_the_others(
    house: House,
) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=bob)
    await house.strike(ada, cy)
    house.falls(peril=[cy])
    await house.until("picking")
    await house.strike(ada)
    await house.until("victory")
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1), ("Cy", 0, 1)]
    await house.run_out()
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1), ("Cy", 0, 1)]
    assert await house.ranking("") == await house.ranking()


async def test_pb_123_the_loss_and_the_win_of_one_moment_are_both_stored(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    await asyncio.gather(house.command(bob, lobby.Leave()), house.command(bob, lobby.Leave()))
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]


async def test_pb_124_a_win_by_departure_is_celebrated_and_counts_after_a_roll(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.command(bob, lobby.Leave())
    assert house.public[-2:] == [
        "🏳️ Bob flees the deadly game and is eliminated.",
        VICTORY.format("Ada"),
    ]
    assert house.picture == "victory"
    assert await house.ranking() == [("Bob", 0, 1)]
    await house.advance(24)
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    await house.command(bob, lobby.Leave())
    assert house.board["root"].effect == "confetti"
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 2)]
