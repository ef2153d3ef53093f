"""Who may do what: strangers, look-alikes, and two venues."""

import pytest

from app.games import lobby
from app.games.core import Command, Key
from app.games.peril import words as peril

from .house import Avatar, House

WITH_WORDS: dict[type[Command], Command] = {
    lobby.Kick: lobby.Kick(Key("00000000-0000-4000-8000-000000000001")),
    lobby.ChooseGame: lobby.ChooseGame("peril"),
    lobby.SetLanguage: lobby.SetLanguage("es"),
}
OWNERS = [WITH_WORDS.get(kind) or kind() for kind in lobby.OWNER_COMMANDS]


async def test_pb_208_a_stranger_does_nothing_of_what_is_the_owners(house: House) -> None:
    ada, bob, eve = house.avatars("Ada", "Bob", "Eve")
    await house.start(ada, bob, peril=ada)
    before, seq = house.state, house.seq
    for who in (bob, eve):
        for command in OWNERS:
            answer = await house.command(who, command)
            assert answer.said == "Only the owner of this table can do that."
    owner = house.owner
    await house.touch(owner)
    for label in ("👥 Players", "Kick Player", "👢 Ada"):
        token = owner.dialog.token
        for who in (bob, eve):
            assert (await house.send_press(who, token, label)).refused == "not_due"
        if label != "👢 Ada":
            await house.press(owner, label)
    for token in ("owner~0~x~-1~y", "resets~0~~~", "", "~~~~", "owner", "kick~999999~a~b~c"):
        assert (await house.send_press(eve, token, "🔄 Reset Options")).refused == "not_due"
    assert house.state == before
    assert house.seq == seq


@pytest.mark.parametrize("command", [lobby.Freeze("unreachable"), lobby.Thaw()])
async def test_pb_208_nobody_passes_for_the_server(house: House, command: Command) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    for who in (ada, house.owner):
        assert (await house.command(who, command)).refused == "server_only"
    late = lobby.TimeUp(f"expire:{ada.key}", house.state.phase, 0)
    assert (await house.command(bob, late)).refused == "server_only"
    assert house.state.frozen == ""
    assert house.asked == ["Ada"]


async def test_pb_209_something_named_like_a_player_is_not_that_player(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    thing = Avatar(Key("11111111-2222-4333-8444-555555555555"), "Bob")
    assert (await house.command(thing, lobby.Ready())).refused == "touch_to_join"
    assert (await house.command(thing, lobby.Leave())).refused == "not_seated"
    assert (await house.send_press(thing, bob.dialog.token, "Leave Game")).refused == "not_due"
    assert [(s.name, s.ready) for s in house.state.seats] == [("Ada", False), ("Bob", False)]
    await house.start(ada, bob, peril=bob)
    assert (await house.command(thing, peril.Pick((1,)))).refused == "not_seated"
    for key in ("bot:1", "server", ""):
        assert (await house.command(Avatar(Key(key), "Bob"), lobby.Join())).refused == (
            "game_running"
        )
    await house.command(house.owner, lobby.ResetMatch())
    for key in ("bot:1", "server", ""):
        assert (await house.command(Avatar(Key(key), "Bob"), lobby.Join())).refused == (
            "not_an_avatar"
        )
    assert house.players() == []


async def test_pb_222_two_venues_have_tables_and_rankings_of_their_own(house: House) -> None:
    door = await house.next_door(lives=1)
    assert door.id != house.id
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=3)
    await house.command(bob, lobby.Leave())
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]
    assert await door.ranking() == []
    assert await house.ranking("") == [("Ada", 1, 0), ("Bob", 0, 1)]
    await door.command(door.owner, lobby.ResetRanking())
    assert await house.ranking() == [("Ada", 1, 0), ("Bob", 0, 1)]
