"""How much one address, token, avatar or device may ask of the server.

Each has a token bucket, kept as one number: the moment at which it would be full again.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Hashable
from functools import lru_cache
from ipaddress import ip_address
from typing import Literal

import msgspec

from app import metrics
from app.bus import Bus
from app.errors import TooMany
from app.settings import Settings

SHARE_S = 0.2
"""So often processes tell each other what they let through."""

Kind = Literal["address", "token", "guess", "avatar", "device"]
KEYS = 20_000
"""Buckets remembered of each kind, twice: when so many are new, the older ones are forgotten."""

WHO: dict[Kind, str] = {
    "address": "from your address",
    "token": "with this token",
    "guess": "with tokens not known here",
    "avatar": "by this avatar",
    "device": "by this table",
}


class _Buckets:
    """All buckets of a kind."""

    def __init__(self, per_s: float, burst: int) -> None:
        self._drop_s = 1 / per_s
        self._deep_s = burst / per_s
        self._new: dict[Hashable, float] = {}
        self._old: dict[Hashable, float] = {}

    def take(self, key: Hashable, now_s: float, spend: bool) -> float:
        """0 if the bucket holds one more, which is then spent; else seconds until it does."""
        full_s = self._full_s(key, now_s) + self._drop_s
        wait_s = full_s - now_s - self._deep_s
        # What was added up in floating point is not exact to the last digit.
        if wait_s > 1e-6:
            return wait_s
        if spend:
            self._set(key, full_s)
        return 0.0

    def spend(self, key: Hashable, now_s: float, count: int) -> None:
        """Others took so many, however few it holds."""
        self._set(key, self._full_s(key, now_s) + count * self._drop_s)

    def _full_s(self, key: Hashable, now_s: float) -> float:
        return max(self._new.get(key) or self._old.get(key, 0.0), now_s)

    def _set(self, key: Hashable, full_s: float) -> None:
        if len(self._new) >= KEYS:
            self._old, self._new = self._new, {}
        self._new[key] = full_s


class Limits:
    """Lets through or refuses.  `refused` counts the refusals of each kind since the start."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        on = settings.limits
        self.on = on if on is not None else not settings.on_loopback
        self.refused: dict[str, int] = dict.fromkeys((*WHO, "stream"), 0)
        self._clock = clock
        self._bus: Bus | None = None
        self._spent: Counter[tuple[Kind, Hashable]] = Counter()
        self._kinds: dict[Kind, _Buckets] = {
            "address": _Buckets(settings.address_requests_per_s, settings.address_burst),
            "token": _Buckets(settings.token_requests_per_s, settings.token_burst),
            "guess": _Buckets(settings.guesses_per_s, settings.guess_burst),
            "avatar": _Buckets(settings.avatar_commands_per_s, settings.avatar_burst),
            "device": _Buckets(settings.device_requests_per_s, settings.device_burst),
        }

    def check(self, kind: Kind, id: Hashable, spend: bool = True) -> None:
        """Count one more request.  TooMany if it is too much.

        Without `spend` it is not counted: may one more come?
        """
        if self.on:
            wait_s = self._kinds[kind].take(id, self._clock(), spend)
            if wait_s:
                self.refused[kind] += 1
                metrics.limited(kind)
                raise TooMany(WHO[kind], wait_s)
            if spend and self._bus is not None and self._bus.up:
                if not self._spent:
                    asyncio.get_running_loop().call_later(SHARE_S, self._share)
                self._spent[kind, id] += 1

    def share(self, bus: Bus) -> None:
        """Count with the other processes of the service, as far as `bus` reaches them."""
        self._bus = bus
        bus.on("spent", self._spend)

    def _share(self) -> None:
        assert self._bus is not None
        spent = [(kind, id, count) for (kind, id), count in self._spent.items()]
        self._spent.clear()
        self._bus.tell("spent", msgspec.msgpack.encode(spent))

    def _spend(self, body: bytes) -> None:
        for kind, id, count in msgspec.msgpack.decode(body):
            key = tuple(id) if isinstance(id, list) else id
            self._kinds[kind].spend(key, self._clock(), count)


@lru_cache(KEYS)
def network(address: str) -> str:
    """Whom an address stands for: one IPv4 address, or the /64 that one IPv6 customer has."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if ip.version == 4:
        return address
    return str(ip.ipv4_mapped or ip.exploded[:19])
