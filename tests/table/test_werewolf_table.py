"""Werewolf on a table of the service: chosen, played by dialogs, by the calendar, over restarts."""

from datetime import UTC, datetime

from sqlmodel import Session

from app import ranking
from app.games import lobby
from app.games.clock import CLOCK
from app.games.werewolf import words as w

from .conftest import BOTH
from .house import Avatar, House
from .test_werewolf_secrets import Deal

pytestmark = BOTH

DAY_S = 86_400


async def begun(house: House, *options: str) -> Avatar:
    """The owner chooses the game and a preset; Ada plays with eleven bots."""
    await house.touch(house.owner)
    for label in ("Owner Menu", "🎲 Choose Game", "Werewolf"):
        assert not (await house.press(house.owner, label)).refused
    for preset in options:
        await house.command(house.owner, lobby.SetOptions(preset=preset))
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    assert not (await house.press_start(ada)).refused
    assert len(house.state.seats) == 12
    return ada


def ends_at(house: House) -> datetime:
    (due_ms,) = (ms for (name, *_), ms in house.table.deadlines.items() if name == CLOCK)
    return datetime.fromtimestamp(due_ms / 1000, UTC)


async def test_a_match_is_chosen_played_by_dialogs_and_shown_at_its_end(house: House) -> None:
    ada = await begun(house)
    assert (house.picture, ada.menu) == ("village_night", "act")
    await house.press(ada, "✅ Done")
    await house.until("day")
    assert (house.picture, ada.menu) == ("village_day", "vote")
    await house.press(ada, "Bot3")
    assert house.state.seats[3].votes >= 1
    await house.touch(ada)
    assert ada.menu == "card"
    assert "🗳️ Vote" in ada.labels
    for _ in range(3000):
        if house.state.stage == "over":
            break
        await house.tick()
    assert house.picture == f"won_{house.state.won}"
    page = await house.tables.ranking(house.id, "werewolf", 0)
    assert [r.name for r in page.rows] == ["Ada"]
    hers = next(p for p in house.table.now.match.play.players if p.key == ada.key)

    def by_part(session: Session) -> None:
        role, camp = f"{hers.role}/", f"/{hers.camp}"
        for scope in (house.id, ranking.SERVICE):
            assert ranking.parts(session, scope, "werewolf") == [role, camp]
            for part in (role, camp):
                assert ranking.page(session, scope, "werewolf", 0, part=part).rows == page.rows
            other = "witch/" if hers.role != "witch" else "seer/"
            assert not ranking.page(session, scope, "werewolf", 0, part=other).rows
        assert ranking.parts(session, house.id, "peril") == []

    await house.tables.store.run(by_part)
    await house.tables.store.run(ranking.rebuild)
    await house.tables.store.run(by_part)


async def test_what_is_typed_into_a_letter_reaches_the_other_wolf_alone(house: House) -> None:
    house.tables.dice = Deal(w.DECK)  # who comes first is a wolf
    ada = await begun(house)
    await house.touch(ada)
    await house.press(ada, "🃏 My card")
    await house.press(ada, "✉️ To the wolves")
    assert ada.dialog.made.typed
    await house.send_press(ada, ada.dialog.token, "Shall we?")
    assert ada.told[-1] == "🐺 Ada: Shall we?"
    assert not any("Shall we?" in line for line in house.public)
    (cid,) = house.avatars("Cid")
    refused = await house.command(cid, w.Whisper("wolves", "Psst"))
    assert refused.refused == "not_seated"


async def test_by_the_calendar_a_day_lasts_to_the_second_evening_also_over_a_restart(
    house: House,
) -> None:
    ada = await begun(house, "forum")
    await house.advance(15 * 60)
    assert house.state.moment == "day"
    first = ends_at(house)
    assert (first.hour, first.minute) == (5, 30)  # 21:30 where the clock is eight hours behind
    await house.command(ada, w.Vote(ada.key))
    await house.restart()
    assert ends_at(house) == first
    await house.advance(first.timestamp() - house.clock.ms / 1000)
    assert (house.state.moment, house.state.evening) == ("day", 1)
    await house.restart()
    assert ends_at(house).timestamp() == first.timestamp() + DAY_S
    assert house.table.now.match.play.votes[ada.key] == ada.key
    await house.advance(DAY_S)
    assert house.state.moment != "day"
