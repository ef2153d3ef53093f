"""HUDs of humans and floaters of bots, as far as the server decides them; tables side by side."""

from app.games import lobby

from .house import Avatar, House


def hud(who: Avatar) -> str:
    assert who.hud is not None, f"{who.name} has no HUD"
    return who.hud.text


async def test_pb_166_the_hud_lists_the_own_picks_at_once(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    assert hud(ada) == "PERIL DICE\nAda\n⚠️ YOU ARE IN PERIL\nNo numbers yet"
    await house.choose(ada, 5)
    assert "Numbers: 5" in hud(ada)
    assert "Numbers" not in hud(bob)
    await house.press(ada, "✅ Done")
    assert "Numbers: 5" in hud(ada)


async def test_pb_167_a_hud_shows_its_own_player(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await house.strike(bob, cy)
    house.falls(peril=[bob])
    await house.until("picking")
    await house.round({bob: [4], cy: [5]}, roll=4)
    assert [w.hud.picture for w in (ada, bob, cy) if w.hud] == ["hearts_0", "hearts_2", "hearts_3"]
    assert hud(bob) == "PERIL DICE\nBob\n⚠️ YOU ARE IN PERIL\nNumbers: 4"
    assert hud(cy) == "PERIL DICE\nCy\nIn peril: Bob\nNumbers: 5"


async def test_pb_168_pb_169_cleanup_and_force_leave_everybody_exactly_one(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    await house.round({ada: [1, 2], bob: [3, 4]}, roll=6)
    await house.touch(house.owner)
    await house.press(house.owner, "🛠️ Troubleshooting")
    await house.press(house.owner, "Cleanup Floaters")
    assert (ada.hud, bob.hud) == (None, None)
    await house.press(house.owner, "Force Floaters")
    await house.press(house.owner, "Force Floaters")
    assert [w.hud.picture for w in (ada, bob) if w.hud] == ["hearts_1", "hearts_3"]
    assert house.owner.told == [
        "HUDs and floaters are taken away.",
        "HUDs and floaters are sent again.",
        "HUDs and floaters are sent again.",
    ]
    assert house.owner.hud is None


async def test_pb_171_the_hud_names_who_is_in_peril(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    assert "YOU ARE IN PERIL" in hud(ada)
    assert "In peril: Ada" in hud(bob)
    await house.round({ada: [1], bob: [2]}, roll=3)
    assert "YOU ARE IN PERIL" in hud(ada)
    assert "In peril: Ada" in hud(bob)
    assert "Waiting" not in hud(ada) + hud(bob)


async def test_pb_172_pb_174_in_the_lobby_all_wait_with_three_hearts(house: House) -> None:
    people = house.avatars("Ada", "Bob", "Cy")
    for who in people:
        await house.join(who)
        assert who.hud is not None
        assert (who.hud.picture, who.hud.color) == ("hearts_3", (1, 1, 1))
        assert hud(who) == f"PERIL DICE\n{who.name}\nWaiting for the game"


async def test_pb_173_the_hud_of_the_eliminated_stays_red_to_the_end(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=bob)
    await house.strike(ada, cy)
    await house.until("eliminated")
    for _ in range(1000):
        if house.state.stage == "lobby":
            break
        assert bob.hud is not None
        assert (bob.hud.color, bob.hud.picture) == ((1, 0, 0), "hearts_0")
        assert "💀 ELIMINATED" in hud(bob)
        await house.tick()
    assert bob.hud is None


async def test_pb_176_after_a_restart_every_hud_is_there_as_before(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.pick(ada, 4)
    before = (ada.hud, bob.hud)
    house.seq = None  # the part knows nothing any more
    ada.hud = bob.hud = None
    await house.restart()
    assert (ada.hud, bob.hud) == before


async def test_pb_177_a_hud_goes_with_leave_kick_reset_and_the_end(house: House) -> None:
    ada, bob, cy, dan = house.avatars("Ada", "Bob", "Cy", "Dan")
    await house.start(ada, bob, cy, dan, peril=ada)
    await house.command(bob, lobby.Leave())
    assert bob.hud is None
    await house.command(house.owner, lobby.Kick(cy.key))
    assert cy.hud is None
    await house.command(dan, lobby.Leave())
    assert ada.hud is not None
    assert "✨ ULTIMATE VICTORY! ✨\n🏆 ULTIMATE SURVIVOR 🏆" in hud(ada)
    await house.advance(24)
    assert ada.hud is None
    await house.join(ada, bob)
    assert hud(bob)
    await house.command(house.owner, lobby.ResetMatch())
    assert (ada.hud, bob.hud) == (None, None)


async def test_pb_178_a_bot_has_a_floater_and_is_never_asked(house: House) -> None:
    ada = house.avatar("Ada")
    await house.start(ada, peril="bot:1", bots=1)
    bot = house.bot(1)
    assert hud(bot) == "PERIL DICE\nBot1\n⚠️ YOU ARE IN PERIL\nNo numbers yet"
    await house.pick(bot, 3)
    await house.pick(ada, 4)
    assert "Numbers: 3" in hud(bot)
    assert bot.shown == []
    assert bot.told == []


async def test_pb_183_pb_184_tables_side_by_side_do_not_disturb_each_other(
    house: House,
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    door = await house.next_door()
    guest, other = door.avatars("Guest", "Other")
    await door.start(guest, other, peril=guest)
    before, seq = house.state, house.seq
    await door.command(door.owner, lobby.ClearHuds())
    await door.command(door.owner, lobby.ResetAll())
    await house.look()
    assert house.state == before
    assert house.seq == seq
    assert ada.hud is not None
    foreign = await house.send_press(ada, guest.dialog.token, "1")
    assert foreign.refused == "not_due"
    await house.pick(ada, 1)
    assert door.players() == []


async def test_the_hud_of_a_seat_that_a_bot_plays_says_so(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.command(house.owner, lobby.ResetMatch())
    await house.command(house.owner, lobby.SetOptions(options={"afk_limit": 1}))
    await house.start(ada, bob, peril=ada)
    await house.advance(120)
    assert "🤖 a bot plays for you: touch" in hud(ada)
    await house.touch(ada)
    assert "🤖" not in hud(ada)
