"""Joining, menus, ready, start and lock, in the order of the rules."""

import asyncio

import pytest

from app.games import lobby
from app.games.peril import words as peril
from app.table import news

from .house import House

JOINED = "💀 {} has entered the deadly game! Welcome to your potential doom! 💀"
READY = "⚔️ {} steels themselves for the deadly challenge ahead! ⚔️"
NOT_READY = "🏃 {} loses their nerve and backs away from the challenge! 🏃"


async def test_pb_001_pb_012_touches_in_quick_succession_register_an_avatar_once(
    house: House,
) -> None:
    ada = house.avatar("Ada")
    touches = [house.touch(ada), house.touch(ada, "t1"), house.touch(ada, "t1")]
    answers = await asyncio.gather(*touches)
    assert [a.refused for a in answers] == ["", "", ""]
    assert all(a.dialog is not None and a.dialog.made.name == "lobby" for a in answers)
    assert house.players() == ["Ada"]
    assert house.hear() == [JOINED.format("Ada")]
    assert ada.hud is not None
    assert house.slot(1)[0].alpha == 0


async def test_pb_002_whoever_comes_after_the_start_is_refused(house: House) -> None:
    ada, bob, eve = house.avatars("Ada", "Bob", "Eve")
    await house.join(ada, bob)
    await house.ready(bob)
    await house.press_start(ada)
    await house.advance(0.2)
    house.hear()
    answer = await house.touch(eve)
    assert answer.said == "A game is in progress. You can join the next one."
    assert house.hear() == []
    assert house.players() == ["Ada", "Bob"]


async def test_pb_003_a_spectator_cannot_join_a_running_game(house: House) -> None:
    ada, bob, eve = house.avatars("Ada", "Bob", "Eve")
    await house.start(ada, bob, peril=bob)
    before, board = house.state, house.board
    assert (await house.touch(eve)).refused == "game_running"
    assert (await house.command(eve, lobby.Join())).refused == "game_running"
    assert (await house.touch(house.owner)).refused == ""
    assert (await house.command(house.owner, lobby.Join())).refused == "game_running"
    assert house.state == before
    assert house.board == board


async def test_pb_004_a_touch_from_outside_changes_nothing_of_the_round(house: House) -> None:
    eve = house.avatar("Eve")
    await house.start(peril="bot:1", bots=2)
    bot1, bot2 = house.bot(1), house.bot(2)
    await house.pick(bot1, 4)
    await house.pick(bot2, 6)
    before = house.state
    await house.touch(eve)
    assert house.state == before
    await house.roll(6)
    await house.until("outcome")
    assert house.peril == "Bot2"
    assert house.lives == {"Bot1": 3, "Bot2": 3}


async def test_pb_006_a_refusal_is_told_to_the_one_refused_alone(house: House) -> None:
    ten = house.avatars(*(f"Player {n}" for n in range(10)))
    await house.join(*ten)
    house.hear()
    late = house.avatar("Kay")
    answer = await house.touch(late)
    assert answer.said == "The table is full: 10 seats at most."
    assert house.hear() == []
    assert late.told == []
    assert all(p.told == [] for p in ten)
    assert house.players() == [p.name for p in ten]


async def test_pb_007_who_left_the_lobby_may_join_again_as_the_last(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.touch(ada)
    await house.press(ada, "Leave Game")
    assert ada.hud is None
    await house.touch(ada)
    assert house.players() == ["Bob", "Ada"]
    assert ada.labels == {"Ready", "Leave Game", "🔎 My Data", "🌐 Language"}
    assert ada.hud is not None


async def test_pb_008_former_players_register_anew_after_a_reset(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada, bots=0)
    await house.strike(bob)
    await house.touch(house.owner)
    await house.press(house.owner, "🔄 Reset Options")
    await house.press(house.owner, "Reset Game")
    await house.press(house.owner, "YES, RESET GAME")
    assert house.players() == []
    await house.join(ada, bob)
    assert [(s.lives, s.ready) for s in house.state.seats] == [(3, False), (3, False)]
    assert {ada.hud.picture, bob.hud.picture} == {"hearts_3"}  # type: ignore[union-attr]
    await house.start(ada, bob, peril=bob)
    assert house.state.round == 1


async def test_pb_011_a_part_that_reconnects_gets_the_state_and_wipes_nothing(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.tables.keeper.contact(house.id)
    again = news.since(house.table, None)
    assert again.kind == "whole"
    assert again.frames == house.board
    assert house.players() == ["Ada", "Bob"]
    await house.restart()
    assert house.players() == ["Ada", "Bob"]


async def test_pb_013_ten_players_with_long_names_join_at_once(house: House) -> None:
    names = [f"Maximilian-Alexander-Von-Der {n:02}" for n in range(10)]
    ten = house.avatars(*names)
    await asyncio.gather(*(house.touch(p) for p in ten))
    assert house.players() == names
    assert house.hear() == [JOINED.format(name) for name in names]
    assert all(p.hud is not None for p in ten)


async def test_pb_014_the_first_gets_the_starters_menu_the_next_ready_and_leave(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.touch(ada)
    assert ada.labels == {"Start Game", "Leave Game", "🔎 My Data", "🌐 Language"}
    await house.touch(bob)
    assert bob.labels == {"Ready", "Leave Game", "🔎 My Data", "🌐 Language"}


async def test_pb_016_back_to_game_shows_the_menu_of_where_the_owner_stands(
    house: House,
) -> None:
    owner, ada, bob = house.owner, *house.avatars("Ada", "Bob")
    await house.touch(owner)
    assert owner.labels == {"Join Game", "Owner Menu"}
    await house.join(ada, bob)
    await house.touch(owner)
    await house.press(owner, "Owner Menu")
    await house.press(owner, "⬅️ Back to Game")
    assert owner.labels == {"Join Game", "Start Game", "Owner Menu"}
    await house.press(owner, "Join Game")
    assert owner.labels == {"Ready", "Leave Game", "Owner", "🔎 My Data", "🌐 Language"}
    await house.press(owner, "Owner")
    await house.press(owner, "⬅️ Back to Game")
    assert owner.labels == {"Ready", "Leave Game", "Owner", "🔎 My Data", "🌐 Language"}


async def test_pb_017_each_avatar_gets_its_own_menu(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await asyncio.gather(house.touch(ada), house.touch(bob))
    assert (ada.dialog.key, bob.dialog.key) == (ada.key, bob.key)
    assert "Start Game" in ada.labels
    assert "Start Game" not in bob.labels
    stolen = await house.send_press(bob, ada.dialog.token, "Start Game")
    assert stolen.refused == "not_due"


async def test_pb_018_pb_019_the_starter_needs_no_ready_mark_whoever_presses_start(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    answer = await house.press_start(house.owner)
    assert answer.said == "Not ready yet: Bob."
    await house.ready(bob)
    assert (await house.press_start(house.owner)).refused == ""
    assert house.state.stage == "playing"


async def test_pb_021_ready_and_not_ready_are_announced_once_each(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    house.hear()
    await house.press(bob, "Ready")
    assert house.hear() == [READY.format("Bob")]
    await house.touch(bob)
    await house.press(bob, "Not Ready")
    assert house.hear() == [NOT_READY.format("Bob")]
    await house.advance(30)
    assert house.hear() == []


async def test_pb_022_ready_in_an_old_dialog_is_no_seat(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.command(house.owner, lobby.ResetMatch())
    house.hear()
    assert (await house.press(bob, "Ready")).refused == "not_due"
    answer = await house.command(bob, lobby.Ready())
    assert answer.said == "You have no seat. Touch the table to join."
    assert house.players() == []
    assert house.hear() == []


async def test_pb_023_walking_through_menus_makes_nobody_ready(house: House) -> None:
    owner, ada, bob = house.owner, *house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.touch(owner)
    house.hear()
    seq = house.seq
    for label in ("Owner Menu", "👥 Players", "Kick Player", "⬅️ Back", "⬅️ Back to Main"):
        assert (await house.press(owner, label)).refused == ""
    assert house.seq == seq
    assert house.hear() == []


async def test_pb_024_bots_seated_before_do_not_take_the_start_from_the_first_human(
    house: House,
) -> None:
    await house.add_bots(2)
    await house.join(house.owner)
    assert house.owner.labels == {"Start Game", "Leave Game", "Owner", "🔎 My Data", "🌐 Language"}
    assert house.state.starter == house.owner.key


async def test_pb_026_when_the_starter_leaves_the_next_human_is(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada)
    await house.add_bots(1)
    await house.join(bob)
    await house.touch(ada)
    await house.press(ada, "Leave Game")
    assert bob.told == ["You are the first player now: touch the table to start the game."]
    await house.touch(bob)
    assert bob.labels == {"Start Game", "Leave Game", "🔎 My Data", "🌐 Language"}


async def test_pb_027_a_refused_start_says_why_to_the_presser_alone(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.join(ada)
    answer = await house.press(ada, "Start Game")
    assert answer.said == "At least 2 players are needed. Bots count."
    await house.join(bob, cy)
    house.hear()
    assert (await house.press(ada, "Start Game", ada.shown[0])).said == "Not ready yet: Bob, Cy."
    answer = await house.command(bob, lobby.Start())
    assert answer.said == "Only the first player or the owner of the table can start."
    assert house.hear() == []
    assert ada.told == bob.told == cy.told == []
    assert house.state.stage == "lobby"


async def test_pb_028_start_pressed_again_does_not_restart_the_round(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.ready(bob)
    await house.touch(house.owner)
    old = house.owner.dialog
    await house.press_start(ada)
    await house.until("picking")
    picker = house.people[house.state.waiting_for[0]]
    await house.pick(picker, 3)
    before = house.state
    house.hear()
    assert (await house.press(house.owner, "Start Game", old)).refused == "not_due"
    answer = await house.command(house.owner, lobby.Start())
    assert answer.said == "The game is running already."
    assert house.state == before
    assert house.hear() == []


async def test_pb_029_a_touch_during_the_game_brings_what_is_due_and_no_lobby_menu(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.touch(ada)
    assert ada.menu == "pick"
    await house.touch(bob)
    assert bob.text == "Nothing to answer just now. Waiting for Ada."
    assert bob.labels == {"Leave Game", "🔎 My Data", "🌐 Language"}
    await house.touch(house.owner)
    assert house.owner.menu == "owner"
    await house.pick(ada, 1)
    await house.pick(bob, 2)
    await house.touch(ada)
    assert ada.menu == "roll"
    for who in (ada, bob, house.owner):
        await house.touch(who)
        assert not who.labels & {"Ready", "Not Ready", "Start Game", "Join Game"}


async def test_pb_031_the_last_one_in_the_lobby_wins_nothing(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    house.hear()
    await house.press(bob, "Leave Game")
    assert house.hear() == ["Bob has left the table."]
    await house.advance(60)
    assert house.state.stage == "lobby"
    assert house.players() == ["Ada"]
    assert await house.ranking() == []


async def test_pb_032_a_locked_table_registers_nobody(house: House) -> None:
    ada = house.avatar("Ada")
    await house.touch(house.owner)
    await house.press(house.owner, "Owner Menu")
    await house.press(house.owner, "🔒 Lock Game")
    assert house.hear() == ["🔒 The owner has locked the table."]
    answer = await house.touch(ada)
    assert answer.said == "🔒 This table is locked. Only its owner can unlock it."
    assert ada.shown == []
    await house.press(house.owner, "🔓 Unlock Game")
    assert house.players() == []
    await house.join(ada)


async def test_pb_033_the_lock_and_its_hover_text_survive_a_reset(house: House) -> None:
    assert "Touch to play" in house.hover
    await house.command(house.owner, lobby.Lock())
    assert house.hover == "🔒 GAME LOCKED"
    await house.command(house.owner, lobby.ResetMatch())
    assert house.hover == "🔒 GAME LOCKED"
    assert (await house.touch(house.avatar("Ada"))).refused == "locked"
    await house.restart()
    assert house.hover == "🔒 GAME LOCKED"
    await house.command(house.owner, lobby.Unlock())
    assert "Touch to play" in house.hover


async def test_pb_034_a_locked_table_lets_its_running_match_go_on(house: House) -> None:
    ada, bob, eve = house.avatars("Ada", "Bob", "Eve")
    await house.start(ada, bob, peril=bob)
    await house.command(house.owner, lobby.Lock())
    assert house.hover.startswith("🔒 GAME LOCKED")
    await house.pick(bob, 5)
    assert house.picked["Bob"] == (5,)
    await house.touch(ada)
    assert ada.menu == "pick"
    assert (await house.touch(eve)).refused == "locked"
    assert (await house.command(ada, peril.Pick((4,)))).refused == ""


@pytest.mark.parametrize("label", ["Ready", "Leave Game"])
async def test_in_a_locked_lobby_old_menus_do_no_harm(house: House, label: str) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.command(house.owner, lobby.Lock())
    answer = await house.press(bob, label)
    assert (answer.refused or "left") == ("locked" if label == "Ready" else "left")
    assert (await house.touch(ada)).refused == "locked"
