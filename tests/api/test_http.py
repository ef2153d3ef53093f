"""What goes out on a connection, below all routes."""

from __future__ import annotations

import asyncio

from app.api.http import Joined


class Transport(asyncio.Transport):
    """Notes what is written, as long as it is open."""

    def __init__(self) -> None:
        super().__init__()
        self.packets: list[bytes] = []
        self.open = True

    def write(self, data: bytes) -> None:  # type: ignore[override]
        assert self.open
        self.packets.append(data)

    def close(self) -> None:
        self.open = False

    def is_closing(self) -> bool:
        return not self.open


async def test_head_and_body_of_an_answer_go_out_together() -> None:
    transport = Transport()
    joined = Joined(transport, asyncio.get_running_loop())
    joined.write(b"head ")
    joined.write(b"body")
    assert transport.packets == [b"head body"]


async def test_a_head_whose_body_comes_later_does_not_wait_for_it() -> None:
    transport = Transport()
    joined = Joined(transport, asyncio.get_running_loop())
    joined.write(b"head")
    await asyncio.sleep(0)
    assert transport.packets == [b"head"]


async def test_what_was_written_before_the_end_still_goes_out() -> None:
    transport = Transport()
    joined = Joined(transport, asyncio.get_running_loop())
    joined.write(b"head")
    joined.close()
    await asyncio.sleep(0)
    assert transport.packets == [b"head"]
    assert joined.is_closing()


async def test_nothing_is_written_to_who_went_away_meanwhile() -> None:
    transport = Transport()
    joined = Joined(transport, asyncio.get_running_loop())
    joined.write(b"head")
    transport.close()
    await asyncio.sleep(0)
    assert transport.packets == []
