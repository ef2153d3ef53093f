"""What the processes tell each other with, at its end."""

import asyncio

from app.bus import Bus


async def test_a_bus_ends_although_something_is_said_at_that_moment() -> None:
    """What sends must not forget that it was cancelled: nobody cancels it twice."""
    bus = Bus("redis://nowhere.invalid:1", "test")
    bus.state = "up"
    sent: list[object] = []

    class Client:
        async def publish(self, _: str, said: object) -> None:
            sent.append(said)

    sending = asyncio.ensure_future(bus._send(Client()))  # type: ignore[arg-type]
    while not sent:
        await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    bus.tell("known", b"x")
    await asyncio.sleep(0)
    sending.cancel()
    done, _ = await asyncio.wait({sending}, timeout=1)
    sending.cancel()
    assert done
