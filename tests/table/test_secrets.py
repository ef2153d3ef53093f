"""What one player keeps to himself, nobody else can see, not even by its size or its time.

The same match is played twice, with nothing different but a secret; all that others get is compared
byte by byte.
"""

import json
from collections.abc import Callable, Sequence

import msgspec
import pytest
from structlog.testing import capture_logs

from app.api.schemas import frames_out
from app.games import lobby
from app.games.core import Key
from app.games.peril import words as peril
from app.table import history, news, talk

from .house import Avatar, House

STRANGER = Key("99999999-0000-4000-8000-000000000099")


async def seen_by_others(house: House, marks: Sequence[int]) -> tuple[list[str], str]:
    """Everything that others get while somebody chooses these numbers, and what he gets."""
    ada, bob = house.avatars("Ada", "Bob")
    with capture_logs() as logs:
        await house.start(ada, bob, peril=ada)
        out, known = [], house.table.now.seq
        for number in (*marks, *(-n for n in marks[:1])):
            command = peril.Mark(number) if number > 0 else peril.Unmark(-number)
            await house.command(ada, command, command_id=f"press-{len(out)}")
            told = news.since(house.table, known, [bob.key, STRANGER], house.clock.ms)
            out.append(msgspec.json.encode(frames_out(told)).decode())
            known = house.table.now.seq
        whole = news.since(house.table, None, [bob.key, STRANGER], house.clock.ms)
        out.append(msgspec.json.encode(frames_out(whole)).decode())
        out.append(repr(await log_for_all(house)))
        out.append(repr(await refusals(house, bob)))
        out.append(repr(sorted(house.table.deadlines.items())))
    out.append(repr(logs))
    mine = news.since(house.table, None, [ada.key], house.clock.ms)
    shown = msgspec.json.encode(frames_out(mine)).decode()
    return [text.replace(house.id, "TABLE") for text in out], shown


async def log_for_all(house: House) -> list[history.Line]:
    _, lines = await history.public_log(house.tables.store, house.table.now.match_id)
    return [line for line in lines if "match_opened" not in line.events]


async def refusals(house: House, bob: Avatar) -> list[str]:
    """What somebody else is told when he tries everything."""
    tries = [peril.Mark(1), peril.Unmark(1), peril.Pick((1,)), peril.Roll(), lobby.Start()]
    said = [(await house.command(bob, what)).said for what in tries]
    due = await talk.touch(house.tables, house.id, bob.actor)
    return [*said, due.dialog.made.text if due.dialog else ""]


@pytest.mark.parametrize("other", [(1, 2, 4), (4, 5, 6), (6, 2, 1), (2, 3, 1), (5, 1, 3)])
async def test_numbers_in_hand_are_seen_by_nobody_else(
    other: Sequence[int], new_house: Callable[..., House]
) -> None:
    first = await new_house().open(lives=1)
    mine = await seen_by_others(first, (1, 2, 3))
    await first.close()
    second = await new_house().open(lives=1)
    yours = await seen_by_others(second, other)
    for ours, theirs in zip(mine[0], yours[0], strict=True):
        assert ours == theirs
    assert mine[1].replace(first.id, "") != yours[1].replace(second.id, "")


async def test_the_seed_is_nowhere_before_the_match_is_over(
    new_house: Callable[..., House],
) -> None:
    house = new_house()
    house.dice = None
    with capture_logs() as logs:
        await house.open(lives=1)
        ada, bob = house.avatars("Ada", "Bob")
        await house.join(ada, bob)
        await house.ready(bob)
        await house.press_start(ada)
        await house.until("picking")
        everybody = [ada.key, bob.key, house.owner.key, STRANGER]
        told = news.since(house.table, None, everybody, house.clock.ms)
        shown = msgspec.json.encode(frames_out(told)).decode()
        seen = shown + repr(await log_for_all(house)) + repr(house.state) + house.draw()
    seed = house.table.seed
    assert len(seed) == 64
    assert seed not in seen + json.dumps(logs, default=repr)
