"""What the board shows: places, glow, status texts, pictures, dice."""

from itertools import pairwise

from app.games import lobby

from .house import House


async def test_pb_149_each_status_stands_for_its_time(house: House) -> None:
    ada, bob, cy = house.avatars("Ada", "Bob", "Cy")
    await house.start(ada, bob, cy, peril=ada)
    await house.strike(bob, cy)
    house.falls(peril=[bob])
    await house.until("picking")
    shown = house.statuses[-5:]
    assert [text for _, text in shown] == [
        "DICE SETTLED! / Ada",
        "DIRECT HIT! / Ada",
        "PLAYER STRUCK! / Ada",
        "IN PERIL / Bob",
        "PICKING NUMBERS / Bob",
    ]
    times = [at for at, _ in shown]
    assert [b - a for a, b in pairwise(times)] == [4, 4, 2, 4]


async def test_pb_151_the_picture_goes_back_to_the_title(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=2)
    await house.until("picking")
    assert house.picture == "plot_twist"
    await house.advance(7.9)
    assert house.picture == "plot_twist"
    await house.advance(0.1)
    assert house.picture == "title"
    await house.advance(22)
    assert house.picture == "title"


async def test_pb_152_pictures_of_bots_stay_when_a_human_is_kicked(house: House) -> None:
    await house.add_bots(2)
    ada = house.avatar("Ada")
    await house.join(ada)
    before = [house.slot(n) for n in (0, 1)]
    await house.command(house.owner, lobby.Kick(ada.key))
    assert [house.slot(n) for n in (0, 1)] == before
    assert not {"profile:0:0", "profile:0:1"} & set(house.news[-1].frames)
    assert house.slot(0)[0].picture == house.slot(1)[0].picture == "robot"


async def test_pb_153_a_place_shows_nothing_of_who_had_it_before(house: House) -> None:
    await house.add_bots(1)
    assert house.slot(0)[0].picture == "robot"
    await house.command(house.owner, lobby.ResetMatch())
    assert house.slot(0)[0].alpha == 0.0
    await house.join(house.avatar("Bob"))
    assert house.slot(0)[0].picture == "silhouette"


async def test_pb_158_places_nobody_has_are_invisible(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    for number in range(2, 10):
        assert [frame.alpha for frame in house.slot(number)] == [0.0, 0.0, 0.0]
    for number in range(2):
        assert [frame.alpha for frame in house.slot(number)] == [1.0, 1.0, 0.0]


async def test_pb_161_green_beats_yellow(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    assert (house.slot(0)[0].color, house.slot(0)[0].glow) == ((1, 1, 0), 0.2)
    await house.command(bob, lobby.Leave())
    assert house.peril == "Ada"
    for frame in house.slot(0)[:2]:
        assert (frame.color, frame.glow) == ((0, 1, 0), 0.3)
    assert ada.hud is not None
    assert (ada.hud.color, ada.hud.glow) == ((0, 1, 0), 0.3)


async def test_pb_162_the_dice_display_is_for_people(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [1], bob: [2]}, roll=5)
    assert house.text("Dice") == "Ada: rolled 5 of d6"
    await house.command(bob, lobby.Leave())
    assert house.text("Dice") == "Ada is the Ultimate Survivor"


async def test_pb_163_a_touch_of_the_ranking_only_turns_pages(house: House) -> None:
    ada = house.avatar("Ada")
    answer = await house.touch_ranking(ada, 3, 2)
    assert (answer.refused, answer.dialog) == ("", None)
    assert house.players() == []
    assert house.hear() == []


async def test_the_board_of_a_round_reads_like_this(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    await house.round({ada: [4], bob: [2]}, roll=4)
    lines = house.draw().splitlines()
    assert lines[:9] == [
        "root             start 'PERIL DICE\\nGAME IN PROGRESS\\n2 still in'",
        "Scoreboard:0:0   blank tint 0,0,0",
        "backboard:0:0    blank tint 0,0,0",
        "TitleAction:0:0  direct_hit",
        "profile:0:0      silhouette tint 1,1,0 glow 0.2",
        "life:0:0         hearts_2 tint 1,1,0 glow 0.2",
        "profile:0:1      silhouette",
        "life:0:1         hearts_3",
        f"Leaderboard     |{'':24}|",
    ]
    assert lines[-3:] == [
        "Status          |      DIRECT HIT!       |",
        "Status          |          Ada           |",
        "Dice            |      Ada: rolled 4 of d6       |",
    ]
