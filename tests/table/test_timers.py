"""The clock of the deadlines, at its end."""

import asyncio

import pytest

from app.table.timers import Timers


@pytest.mark.parametrize("steps", range(4))
async def test_it_ends_although_a_deadline_was_added_a_moment_ago(steps: int) -> None:
    """Nobody cancels it twice, so it must not forget that it was cancelled."""

    async def fire(*_: object) -> bool:
        return True

    timers = Timers(fire, lambda: 0.0)
    timers.add(90_000, "table", "roll", 1, 1)
    timers.start()
    await asyncio.sleep(0.01)
    timers.add(60_000, "table", "pick", 1, 1)
    for _ in range(steps):
        await asyncio.sleep(0)
    stopping = asyncio.ensure_future(timers.stop())
    done, _ = await asyncio.wait({stopping}, timeout=1)
    if timers._task:
        timers._task.cancel()
    assert done
