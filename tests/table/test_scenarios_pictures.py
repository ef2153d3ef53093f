"""Profile pictures on boards: by avatar, never waited for, the silhouette where there is none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
from sqlmodel import select

from app import people
from app.devices import wire
from app.pictures import AGAIN_S, FRESH_S, Pictures, picture_in
from app.table.models import PictureRow

from .conftest import BOTH
from .house import House

HERS = "7d8ae121-e171-12ae-f5b6-7cc3c0395c7b"
HIS = "0a1b2c3d-e171-12ae-f5b6-7cc3c0395c7b"
NONE = "00000000-0000-0000-0000-000000000000"
JPEG = b"\xff\xd8\xff\xe0" + bytes(100)


def page(picture: str) -> httpx.Response:
    """A profile page as Second Life serves it, in short."""
    head = f'<html><head><meta charset="utf-8"><META content="{picture}" name="imageid" />'
    return httpx.Response(200, html=f"{head}<title>Ada</title></head><body>…</body></html>")


class Grid:
    """Second Life's pages about residents.  `pages`: avatar → answers, the last one for good."""

    def __init__(self) -> None:
        self.pages: dict[str, list[httpx.Response | Exception]] = {}
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.idle: Callable[[], Awaitable[None]]
        """Waits until all that were wanted have been looked for."""

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        assert (request.url.scheme, request.url.host) == ("https", "world.secondlife.com")
        key = request.url.path.removeprefix("/resident/")
        self.asked.append(key)
        await self.gate.wait()
        answers = self.pages.get(key, [httpx.Response(404)])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def grid() -> Grid:
    return Grid()


@pytest.fixture
async def pictures(house: House, grid: Grid) -> AsyncIterator[Pictures]:
    made = Pictures(house.tables, httpx.MockTransport(grid), retry_s=0.01, pause_s=0)
    grid.idle = made.idle
    await made.start()
    yield made
    await made.close()


async def settled(house: House, grid: Grid, asked: int) -> list[str]:
    """The profile pictures of the first places, when the grid was asked so often and no more."""
    async with asyncio.timeout(10):
        while len(grid.asked) < asked:
            await asyncio.sleep(0.005)
        await grid.idle()
    await asyncio.sleep(0.05)  # for one that would be too many
    await grid.idle()
    assert len(grid.asked) == asked
    await house.look()
    return [house.slot(n)[0].picture for n in range(3)]


@BOTH
async def test_a_player_is_shown_by_the_picture_of_his_profile(
    house: House, grid: Grid, pictures: Pictures
) -> None:
    ada = house.avatar("Ada")
    grid.pages[ada.key] = [page(HERS)]
    await house.join(ada)
    assert house.slot(0)[0].picture == "silhouette"  # nobody waits for it
    await house.add_bots(1)
    assert await settled(house, grid, 1) == [HERS, "robot", ""]
    # It is what the prims are told: the key of a texture, which every viewer can show.
    assert wire.frame("profile:0:0", house.slot(0)[0]) == f"F¦profile:0:0¦{HERS}"


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(404),
        httpx.Response(500),
        httpx.ReadTimeout("slow"),
        httpx.ConnectError("away"),
        httpx.Response(302, headers={"location": "https://example.org/resident/x"}),
        httpx.Response(302, headers={"location": "http://127.0.0.1:8700/"}),
    ],
    ids=["404", "500", "time-out", "no connection", "another host", "this machine"],
)
async def test_pb_154_a_page_that_cannot_be_had_is_asked_for_once_more_and_no_more(
    house: House, grid: Grid, pictures: Pictures, answer: httpx.Response | Exception
) -> None:
    ada = house.avatar("Ada")
    grid.pages[ada.key] = [answer]
    await house.join(ada)
    assert await settled(house, grid, 2) == ["silhouette", "", ""]
    await house.ready(ada)
    assert await settled(house, grid, 2) == ["silhouette", "", ""]


@pytest.mark.parametrize("head", [NONE, "", "not-a-key", HERS[:-1], "<script>"])
async def test_pb_154_a_page_without_a_picture_leaves_the_silhouette(
    house: House, grid: Grid, pictures: Pictures, head: str
) -> None:
    ada = house.avatar("Ada")
    grid.pages[ada.key] = [page(head)]
    await house.join(ada)
    assert await settled(house, grid, 1) == ["silhouette", "", ""]


async def test_pb_154_the_second_time_it_may_come(
    house: House, grid: Grid, pictures: Pictures
) -> None:
    ada = house.avatar("Ada")
    grid.pages[ada.key] = [httpx.Response(500), page(HERS)]
    await house.join(ada)
    assert await settled(house, grid, 2) == [HERS, "", ""]


async def test_pb_156_a_late_picture_goes_to_its_avatar_wherever_he_is_by_then(
    house: House, grid: Grid, pictures: Pictures
) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    grid.pages |= {ada.key: [page(HERS)], bob.key: [page(HIS)]}
    grid.gate.clear()
    await house.join(ada, bob)
    assert [house.slot(n)[0].picture for n in (0, 1)] == ["silhouette"] * 2
    await house.press(ada, "Leave Game")
    assert house.players() == ["Bob"]
    grid.gate.set()
    assert await settled(house, grid, 2) == [HIS, "", ""]


async def test_a_known_picture_is_there_from_the_first_moment_also_after_a_restart(
    house: House, grid: Grid, pictures: Pictures
) -> None:
    ada = house.avatar("Ada")
    grid.pages[ada.key] = [page(HERS)]
    await house.join(ada)
    await settled(house, grid, 1)
    await house.press(ada, "Leave Game")
    await house.join(ada)
    assert house.slot(0)[0].picture == HERS
    house.seq = None
    await house.restart()
    later = Pictures(house.tables, httpx.MockTransport(grid))
    await later.start()
    await house.add_bots(1)
    assert house.slot(0)[0].picture == HERS
    assert len(grid.asked) == 1
    await later.close()


async def test_after_a_week_it_is_looked_for_again_and_the_old_one_shown_meanwhile(
    house: House, grid: Grid, pictures: Pictures
) -> None:
    ada = house.avatar("Ada")
    grid.pages[ada.key] = [page(HERS), httpx.Response(500), httpx.Response(500), page(HIS)]
    await house.join(ada)
    await settled(house, grid, 1)
    house.clock.ms += (FRESH_S + 1) * 1000
    await house.add_bots(1)
    assert await settled(house, grid, 3) == [HERS, "robot", ""]
    house.clock.ms += (AGAIN_S + 1) * 1000
    await house.add_bots(1)
    assert await settled(house, grid, 4) == [HIS, "robot", "robot"]


async def test_it_is_exported_and_forgotten_with_the_rest(
    house: House, grid: Grid, pictures: Pictures
) -> None:
    ada = house.avatar("Ada")
    grid.pages[ada.key] = [page(HERS)]
    await house.join(ada)
    await settled(house, grid, 1)
    assert (await people.kept(house.tables, ada.key)).picture == HERS
    await house.press(ada, "Leave Game")
    await people.forget(house.tables, ada.key)
    assert await house.store.run(lambda s: s.exec(select(PictureRow)).all()) == []
    assert ada.key not in house.tables.pictures


async def test_what_a_match_shows_of_a_seat_needs_no_picture(house: House) -> None:
    """Where pictures are off, all is as it was."""
    ada = house.avatar("Ada")
    await house.join(ada)
    assert house.state.seats[0].picture == "silhouette"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f'<meta name="imageid" content="{HERS}">', HERS),
        (f"<META CONTENT='{HERS.upper()}' NAME='imageid'/>", HERS),
        (f'<meta name="imageid" content="{HERS}"><meta name="imageid" content="{HIS}">', HERS),
        (f'<meta name="other" content="{HERS}">', ""),
        ("<meta name=imageid>", ""),
        ('<meta name="imageid" content="<!--', ""),
        ("", ""),
    ],
)
def test_the_picture_is_read_off_the_pages_head(text: str, found: str) -> None:
    assert picture_in(text) == found


# ---- for browsers ---------------------------------------------------------------------------


async def test_a_browser_gets_known_pictures_alone_and_only_if_they_are_jpeg(
    house: House,
) -> None:
    asked: list[str] = []
    answers = {HERS: JPEG, HIS: b"<svg onload=alert(1)>"}

    def grid(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(200, content=answers[request.url.path.split("/")[1]])

    pictures = Pictures(house.tables, httpx.MockTransport(grid))
    for number, picture in enumerate((HERS, HIS)):
        row = PictureRow(key=f"{number}", picture=picture, due_ms=2**50)
        await house.store.run(lambda s, row=row: (s.add(row), s.commit()))
    await pictures.start()
    both = await asyncio.gather(pictures.image(HERS), pictures.image(HERS))
    assert both == [JPEG, JPEG]
    assert await pictures.image(HIS) is None
    assert await pictures.image(HIS) is None
    for unknown in (NONE, "../../etc/passwd", ""):
        assert await pictures.image(unknown) is None
    assert asked == [
        f"https://picture-service.secondlife.com/{picture}/256x192.jpg" for picture in (HERS, HIS)
    ]
    await pictures.close()
