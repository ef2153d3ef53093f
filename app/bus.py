"""What the processes of one service tell each other, through Redis.

Nothing that must not be lost: who missed a message finds out in the database.  Nobody waits for
Redis; messages of the same moment go out together.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec
import structlog

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.client import PubSub

log = structlog.get_logger("bus")

Kind = Literal["stored", "device", "known", "nonce", "spent", "spoken"]
State = Literal["off", "up", "down"]

BEAT_S = 2.0
"""So often something goes out, so that a connection that died in silence is noticed."""
DEAD_S = 5.0
AGAIN_S = 1.0
WAITING = 10_000
"""Messages kept while they cannot go out; if there are more they are dropped."""


class Message(msgspec.Struct, array_like=True):
    """`said`: kind and body, in order."""

    sender: str
    said: list[tuple[Kind, bytes]]


class Bus:
    """One process's end of it.  Without a `url` nothing is told and nothing heard."""

    def __init__(
        self, url: str = "", channel: str = "peril", clock: Callable[[], float] = time.time
    ) -> None:
        self._url = url
        self._channel = channel
        self._clock = clock
        self._me = secrets.token_hex(8)
        self._out: list[tuple[Kind, bytes]] = []
        self._some = asyncio.Event()
        self._hear: dict[Kind, Callable[[bytes], None]] = {}
        self._task: asyncio.Task[None] | None = None
        self._ending = False
        self.state: State = "down" if url else "off"
        self.up_since_s: float | None = None
        """Since when nothing was missed, in seconds since 1970; None while it is not up."""

    @property
    def up(self) -> bool:
        return self.state == "up"

    def on(self, kind: Kind, hear: Callable[[bytes], None]) -> None:
        """Call `hear` with the body of each message of a kind that another process sends."""
        self._hear[kind] = hear

    def tell(self, kind: Kind, body: bytes) -> None:
        """Send it to the other processes, soon and if possible."""
        if self.state == "up" and len(self._out) < WAITING:
            self._out.append((kind, body))
            self._some.set()

    def start(self) -> None:
        if self._url:
            self._task = asyncio.ensure_future(self._run())

    async def stop(self) -> None:
        self._ending = True
        # A task group whose tasks fail at that moment forgets that it was cancelled.
        while self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=0.5)

    async def _run(self) -> None:
        from redis.exceptions import RedisError

        lost = (RedisError, OSError, TimeoutError)
        while not self._ending:
            try:
                await self._connected()
            except* lost as group:
                if self.state == "up":
                    log.warning("redis_lost", why=type(group.exceptions[0]).__name__)
            finally:
                self.state, self.up_since_s = "down", None
                self._out.clear()
            await asyncio.sleep(AGAIN_S)

    async def _connected(self) -> None:
        from redis.asyncio import Redis

        client = Redis.from_url(self._url, socket_connect_timeout=DEAD_S, socket_timeout=DEAD_S)
        async with client, client.pubsub() as heard:
            await heard.subscribe(self._channel)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._listen(heard))
                both.create_task(self._send(client))

    async def _send(self, client: Redis) -> None:
        while True:
            self._some.clear()
            said, self._out = self._out, []
            await client.publish(self._channel, msgspec.msgpack.encode(Message(self._me, said)))
            # Not `wait_for`: cancelled when there is something just then, it forgets that it was,
            # and the task group, which cancels once, waits for ever.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await self._some.wait()

    async def _listen(self, heard: PubSub) -> None:
        decode = msgspec.msgpack.Decoder(Message).decode
        while True:
            got = await heard.get_message(timeout=DEAD_S)
            if got is None:
                raise TimeoutError
            if got["type"] != "message":
                continue
            if self.state != "up":  # the first that comes back says that all others will
                self.state, self.up_since_s = "up", self._clock()
                log.info("redis_up")
            try:
                message = decode(got["data"])
            except msgspec.MsgspecError:
                log.warning("not_understood")  # another version of this program
                continue
            if message.sender == self._me:
                continue
            for kind, body in message.said:
                if hear := self._hear.get(kind):
                    try:
                        hear(body)
                    except Exception:
                        log.exception("message_failed", kind=kind)
