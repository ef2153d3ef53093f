"""Staff and bans: how avatars stand with the owner of tables, and what follows at all of these."""

import pytest

from app import people
from app.errors import PerilError
from app.games import lobby
from app.games.core import Key, Refusal, Right
from app.table import standings
from app.table.deeds import OWNERS_CONSOLE

from .conftest import BOTH
from .house import Avatar, House


async def trust(house: House, who: Avatar, *rights: Right) -> None:
    await standings.change(
        house.tables, OWNERS_CONSOLE, house.owner.key, who.key, who.name, frozenset(rights)
    )


async def ban(house: House, who: Avatar) -> None:
    await standings.change(
        house.tables, OWNERS_CONSOLE, house.owner.key, who.key, who.name, banned=True
    )


# ---- bans -----------------------------------------------------------------------------------


@BOTH
async def test_who_is_banned_can_take_no_seat_until_the_ban_is_lifted(house: House) -> None:
    """Neither by touch nor by command; he is told why, and at other owners' tables he may play."""
    ada = house.avatar("Ada")
    await ban(house, ada)
    for answer in (await house.touch(ada), await house.command(ada, lobby.Join())):
        assert answer.refused == "banned"
        assert answer.said == "The owner of this table does not let you play here."
    made = await house.tables.create("Elsewhere", Key("11111111-0000-4000-8000-000000000001"), "Z")
    assert (await house.tables.submit(made.id, ada.actor, lobby.Join())).refusal is None
    await standings.change(house.tables, OWNERS_CONSOLE, house.owner.key, ada.key)
    assert not (await house.touch(ada)).refused


async def test_a_ban_holds_at_all_tables_of_the_owner_and_those_to_come(house: House) -> None:
    ada = house.avatar("Ada")
    second = await house.tables.create("Second", house.owner.key, "Olga")
    await ban(house, ada)
    third = await house.tables.create("Third", house.owner.key, "Olga")
    for table in (second, third):
        outcome = await house.tables.submit(table.id, ada.actor, lobby.Join())
        assert outcome.refusal is not None
        assert outcome.refusal.code == "banned"


async def test_who_is_banned_is_kicked_from_where_he_sits(house: House) -> None:
    """By the owner's own command, in the lobby as in a match that is on."""
    ada, bob, cid = house.avatars("Ada", "Bob", "Cid")
    await house.start(ada, bob, cid, peril=ada)
    await ban(house, bob)
    await house.look()
    assert [s.name for s in house.state.seats if s.gone] == ["Bob"]
    entry = (await house.entries(0))[-1]
    assert (entry.actor, entry.command) == (
        house.owner.key,
        f'{{"type":"kick","key":"{bob.key}"}}',
    )


async def test_a_ban_outlasts_a_restart_and_a_wish_to_be_forgotten(house: House) -> None:
    """Of who deletes his data the ban stays without his name; his rights as staff go."""
    ada, bob = house.avatars("Ada", "Bob")
    await ban(house, ada)
    await trust(house, bob, "matches")
    kept = await people.kept(house.tables, ada.key)
    assert [(s.owner, s.name, s.banned) for s in kept.standings] == [(house.owner.key, "Ada", True)]
    for who in (ada, bob):
        await people.forget(house.tables, who.key)
    await house.restart()
    assert [(s.key, s.name) for s in house.table.standings.values()] == [(ada.key, "")]
    assert (await house.touch(ada)).refused == "banned"


# ---- staff ----------------------------------------------------------------------------------


async def test_staff_runs_matches_in_the_owners_place(house: House) -> None:
    """From his own menu: bots, kick, lock, start; the log says that he acted for the owner."""
    stella, ada = house.avatars("Stella", "Ada")
    await trust(house, stella, "matches")
    await house.touch(stella)
    assert stella.menu == "owner_choice"
    assert "trusts you" in stella.text
    await house.press(stella, "Owner Menu")
    assert stella.labels == {
        "👥 Players", "🔄 Reset Options", "🛠️ Troubleshooting", "🔒 Lock Game", "⬅️ Back to Game",
    }  # fmt: skip
    await house.press(stella, "🔒 Lock Game")
    assert (await house.touch(ada)).refused == "locked"
    assert not (await house.command(stella, lobby.AddBot())).refused
    assert not (await house.command(stella, lobby.AddBot())).refused
    assert not (await house.command(stella, lobby.Start())).refused
    entries = await house.entries(0)
    acted = f'[{{"type":"acted_for_owner","key":"{stella.key}","name":"Stella"}},'
    by_stella = [e for e in entries if e.actor == stella.key]
    assert len(by_stella) == 4
    assert all(e.events.startswith(acted) for e in by_stella if "drawn" not in e.events)


async def test_staff_has_the_rights_he_was_given_and_no_others(house: House) -> None:
    stella = house.avatar("Stella")
    options, lock = lobby.SetOptions(options={"lives": 2}), lobby.Lock()
    for rights, may, may_not in (("options", options, lock), ("matches", lock, options)):
        await trust(house, stella, rights)
        assert not (await house.command(stella, may)).refused
        assert (await house.command(stella, may_not)).refused == "owner_only"
        for never in (lobby.ResetRanking(), lobby.ResetAll()):
            assert (await house.command(stella, never)).refused == "owner_only"
    await house.touch(stella)
    await house.press(stella, "Owner Menu")
    await house.press(stella, "🔄 Reset Options")
    assert stella.labels == {"Reset Game", "⬅️ Back to Main"}
    await trust(house, stella)
    assert (await house.command(stella, lobby.Unlock())).refused == "owner_only"


@BOTH
async def test_what_another_process_forbade_is_not_done_any_more(house: House) -> None:
    """Nothing can be stored on a log that went on: it is read, and how people stand, again."""
    ada, stella = house.avatars("Ada", "Stella")
    await trust(house, stella, "matches")
    other = House(house.path)
    other.clock = house.clock
    await other._serve()
    await other.tables.table(house.id)
    for who, what, code in (
        (ada, lobby.Join(), "banned"),
        (stella, lobby.Lock(), "owner_only"),
    ):
        owner = house.owner.key
        await standings.change(
            other.tables, OWNERS_CONSOLE, owner, who.key, who.name, banned=who is ada
        )
        assert (await house.tables.submit(house.id, who.actor, what)).refusal == Refusal(code)
    await other.close()


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
async def test_what_another_process_allowed_is_done_at_once(house: House) -> None:
    """Where processes share a database, none refuses from an old state."""
    ada, stella = house.avatars("Ada", "Stella")
    await ban(house, ada)
    other = House(house.path)
    other.clock = house.clock
    await other._serve()
    await standings.change(other.tables, OWNERS_CONSOLE, house.owner.key, ada.key)
    rights: frozenset[Right] = frozenset({"matches"})
    await standings.change(
        other.tables, OWNERS_CONSOLE, house.owner.key, stella.key, "Stella", rights
    )
    for who, what in ((ada, lobby.Join()), (stella, lobby.Lock())):
        assert (await house.tables.submit(house.id, who.actor, what)).refusal is None
    await other.close()


async def test_the_owner_himself_is_neither_banned_nor_staff(house: House) -> None:
    for change in (ban(house, house.owner), trust(house, house.owner, "matches")):
        with pytest.raises(PerilError, match="An owner is neither banned nor staff"):
            await change


async def test_an_owner_has_so_many_and_no_more(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standings, "MOST", 2)
    ada, bob, cid = house.avatars("Ada", "Bob", "Cid")
    for who in (ada, bob, ada):
        await ban(house, who)
    with pytest.raises(PerilError, match="2 avatars are the most"):
        await ban(house, cid)
