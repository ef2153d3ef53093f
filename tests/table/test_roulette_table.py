"""The roulette on a table of the service: chosen, played by dialogs, ranked for itself."""

from app.games import lobby

from .conftest import BOTH
from .house import House

pytestmark = BOTH

PULL = "🔫 Pull the trigger"


async def choose_roulette(house: House) -> None:
    await house.touch(house.owner)
    for label in ("Owner Menu", "🎲 Choose Game", "Russian Roulette"):
        assert not (await house.press(house.owner, label)).refused


async def test_a_match_is_chosen_played_and_ranked_for_itself(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await choose_roulette(house)
    assert house.picture == "roulette_title"
    assert ada.menu == bob.menu == "rejoin"
    for who in (ada, bob):
        await house.press(who, "Play Again")
    await house.ready(bob)
    house.falls(pick=[ada], gun=[1, 5])
    assert not (await house.press_start(ada)).refused
    assert (ada.menu, house.asked) == ("turn", ["Ada"])
    await house.press(ada, PULL)
    assert (bob.menu, house.asked) == ("turn", ["Bob"])
    await house.press(bob, PULL)
    assert house.status == "LAST ONE STANDING / === Ada ==="
    assert "Ada" in house.text("Leaderboard")
    page = await house.tables.ranking(house.id, "roulette", 0)
    assert [(r.name, r.wins, r.losses) for r in page.rows] == [("Ada", 1, 0), ("Bob", 0, 1)]
    assert await house.ranking() == []
    await house.run_out()
    await house.command(house.owner, lobby.ChooseGame("peril"))
    assert house.picture == "title"
    assert "Ada" not in house.text("Leaderboard")


async def test_a_match_of_thirty_goes_on_after_a_restart_of_the_service(house: House) -> None:
    await choose_roulette(house)
    await house.add_bots(29)
    ada = house.avatar("Ada")
    await house.join(ada)
    await house.press_start(ada)
    for _ in range(20):
        await house.tick()
    before = house.state.chamber, [s.name for s in house.state.seats if s.out]
    await house.restart()
    assert (house.state.chamber, [s.name for s in house.state.seats if s.out]) == before
    await house.run_out()
    assert sum("is the last one standing" in line for line in house.public) == 1


async def test_options_of_the_roulette_are_reached_and_typed_by_the_menu(house: House) -> None:
    await choose_roulette(house)
    owner = house.owner
    await house.press(owner, "⚙️ Options")
    await house.press(owner, "Wild West")
    while "Chambers" not in owner.labels:
        await house.press(owner, "Next ▶")
    await house.press(owner, "Chambers")
    await house.send_press(owner, owner.dialog.token, "8")
    options = house.table.now.match.options
    assert (options.chambers, options.thieves, options.loose_trigger) == (8, True, True)
    await house.command(owner, lobby.ChooseGame("peril"))
    await house.command(owner, lobby.ChooseGame("roulette"))
    assert house.table.now.match.options.chambers == 6
