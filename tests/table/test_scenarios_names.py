"""Names are for reading only: an avatar is its key."""

from app.display import row
from app.games import lobby

from .house import House


async def test_pb_036_touch_recovery_goes_by_the_key_whatever_the_name(house: House) -> None:
    zed, bob = house.avatars("Zed", "Bob")
    await house.start(zed, bob, peril=zed)
    zed.name = "alice.resident"
    await house.touch(zed)
    assert zed.menu == "pick"
    await house.pick(zed, 4)
    assert house.state.seats[0].picks == (4,)


async def test_pb_037_a_human_called_bot_is_a_human(house: House) -> None:
    ada, botany = house.avatars("Ada", "Botany Bay")
    await house.join(ada, botany)
    assert (await house.press_start(ada)).said == "Not ready yet: Botany Bay."
    await house.ready(botany)
    house.falls(peril=[botany])
    await house.press_start(ada)
    await house.until("picking")
    await house.advance(50)
    assert house.asked == ["Botany Bay"]
    assert botany.menu == "pick"
    assert house.slot(1)[0].picture == "silhouette"
    await house.pick(botany, 1)
    await house.pick(ada, 2)
    assert botany.menu == "roll"


async def test_pb_038_two_avatars_with_one_name_are_two_players(house: House) -> None:
    sam, sam2 = house.avatars("Sam", "Sam")
    await house.start(sam, sam2, peril=sam)
    assert house.state.sides == 6
    await house.pick(sam, 1)
    await house.pick(sam2, 2)
    assert [s.picks for s in house.state.seats] == [(1,), (2,)]
    await house.roll(1)
    await house.until("outcome")
    assert [s.lives for s in house.state.seats] == [2, 3]
    await house.touch(house.owner)
    for label in ("👥 Players", "Kick Player"):
        await house.press(house.owner, label)
    assert house.owner.labels == {"👢 Sam", "👢 Sam 2", "⬅️ Back"}


async def test_pb_039_a_comma_in_a_name_adds_no_ghost(house: House) -> None:
    john, bob = house.avatars("Smith, John", "Bob")
    await house.start(john, bob, peril=john)
    assert house.players() == ["Smith, John", "Bob"]
    assert house.state.sides == 6


async def test_pb_041_pb_042_pb_043_the_kick_menu_bears_any_name(house: House) -> None:
    names = [
        "Ωmega Ñandú Çelik Ümit",
        "Ｆｕｌｌ Ｗｉｄｔｈ Ｎａｍｅ Ｈｅｒｅ",
        "Maximilian-Alexander-Von-Der 31",
        "Maximilian-Alexander-Von-Der 32",
        "💀💀💀💀💀💀💀💀",
    ]
    people = house.avatars(*names)
    await house.join(*people)
    await house.touch(house.owner)
    for label in ("Owner Menu", "👥 Players", "Kick Player"):
        await house.press(house.owner, label)
    buttons = house.owner.dialog.made.buttons
    labels = [b.label for b in buttons]
    assert len(set(labels)) == len(labels) == 6
    assert all(len(label.encode()) <= 24 for label in labels)
    second = next(b.label for b in buttons if b.command == lobby.Kick(people[3].key))
    await house.press(house.owner, second)
    assert house.players() == [n for n in names if n != names[3]]
    assert house.hear()[-1] == f"👢 {names[3]} was removed by the owner."


async def test_pb_044_a_changed_display_name_follows_at_the_next_press(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    bob.name = "Sir Robert"
    await house.press(bob, "Ready")
    assert [(s.name, s.ready) for s in house.state.seats] == [("Ada", False), ("Sir Robert", True)]
    assert "Sir Robert" in bob.hud.text  # type: ignore[union-attr]
    await house.restart()
    assert house.players() == ["Ada", "Sir Robert"]
    await house.touch(bob)
    await house.press(bob, "Leave Game")
    assert house.players() == ["Ada"]


async def test_pb_046_signs_of_markup_in_a_name_are_shown_as_they_are(house: House) -> None:
    tag, bob = house.avatars("<!c=red>X", "Bob")
    await house.start(tag, bob, peril=tag)
    assert house.status == "PICKING NUMBERS / <!c=red>X"
    assert tag.hud is not None
    assert "<!c=red>X" in tag.hud.text
    await house.strike(bob)
    await house.until("victory")
    assert any("<!c=red>X" in cells for cells in house.board["Leaderboard"].rows)


async def test_pb_047_letters_a_text_mesh_lacks_are_replaced_at_full_width(house: House) -> None:
    odd, bob = house.avatars("💀 Жанна 龍 é", "Bob")
    await house.start(odd, bob, peril=odd)
    assert house.status == "PICKING NUMBERS / ? ????? ? é"
    for name, (columns, rows) in house.table.text_sets.items():
        shown = house.board[name].rows
        assert len(shown) == rows
        assert {len(cells) for cells in shown} == {columns}
    assert house.hear()[0].count("💀 Жанна 龍 é") == 1
    assert row("\N{FAMILY}\u200d\ufe0fx", 4) == "?x  "
