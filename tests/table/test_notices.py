"""What the operator announces stands on all boards until it is taken back."""

from app.display import HOVER_BYTES
from app.games import lobby
from app.table import notices
from app.table.deeds import COMMAND_LINE

from .conftest import BOTH
from .house import House

SOON = "Restart at 14:00, back in a minute"


async def test_a_notice_stands_over_every_table_and_on_idle_status_displays(house: House) -> None:
    door = await house.next_door()
    plain = [house.board, door.board]
    assert await notices.announce(house.tables, COMMAND_LINE, f"  {SOON}\n") == SOON
    for one in (house, door):
        await one.look()
        assert one.hover.startswith(f"🛠️ {SOON}\nPERIL DICE")
        assert one.status == "Restart at 14:00, back / in a minute"
    await notices.announce(house.tables, COMMAND_LINE, "")
    for one, before in zip((house, door), plain, strict=True):
        await one.look()
        assert one.board == before


async def test_a_match_that_is_on_keeps_its_status(house: House) -> None:
    ada = house.avatar("Ada")
    await house.start(ada, bots=1, peril=ada)
    status = house.status
    await notices.announce(house.tables, COMMAND_LINE, SOON)
    await house.look()
    assert house.status == status
    assert SOON in house.hover


@BOTH
async def test_a_notice_outlasts_a_restart(house: House) -> None:
    await notices.announce(house.tables, COMMAND_LINE, SOON)
    await house.restart()
    assert SOON in house.hover
    made = await house.tables.create("New", house.owner.key, "Olga")
    assert SOON in made.now.board["root"].text


async def test_what_another_process_announces_is_followed(house: House) -> None:
    other = House(house.path)
    other.clock = house.clock
    await other._serve()
    await notices.announce(other.tables, COMMAND_LINE, SOON)
    assert SOON not in house.hover
    await notices.show(house.tables)
    await house.look()
    assert SOON in house.hover
    await other.close()


async def test_a_notice_of_any_length_and_any_characters_fits(house: House) -> None:
    for text in ("漢" * 500, "x" * 500, "a\u202e\0\x1bb" * 50, "🛠️" * 99):
        told = await notices.announce(house.tables, COMMAND_LINE, text)
        assert len(told.encode()) <= notices.BYTES
        await house.look()
        assert len(house.hover.encode()) <= HOVER_BYTES
        assert not (await house.command(house.owner, lobby.AddBot())).refused
        await house.command(house.owner, lobby.RemoveBot())
