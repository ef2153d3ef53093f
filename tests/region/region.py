"""A small emulated region of Second Life that runs real LSL on a clock of its own.

Everything happens in the thread that calls `run`; time passes only there.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lummao import Key

from .avatars import Avatar
from .caps import Arrival, Caps
from .chat import Chat, Line
from .definitions import LSL
from .presence import Presence
from .prims import Asset, Item, Linkset, Prim, vector
from .script import Runner
from .throttle import Throttle
from .web import Answer, HttpFunction, Outside, Stub, Web, nobody

SETTLING_LIMIT = 200_000


@dataclass
class Land:
    """What the parcel and the region allow."""

    scripts_allowed: bool = True
    rez_allowed: bool = True
    experience_allowed: bool = True
    urls: int = 20_000
    """The pool of HTTP-in addresses."""
    http_allowed: bool = True
    owner: Avatar | None = None
    """Who may always rez here; None is somebody else than all that are in the region."""
    name: str = "Test Parcel"
    capacity: int = 5000
    """How many prims fit."""


class Region:
    """The region.  `outside` answers HTTP requests: a function, or one of `outside`."""

    def __init__(
        self,
        outside: HttpFunction | Outside | None = None,
        *,
        name: str = "Test Region",
        epoch: float = 1_800_000_000.0,
        seed: int = 1,
        owner: str = "Olive Owner",
    ) -> None:
        self.name, self.epoch, self.corner = name, epoch, (255744, 253952)
        self.now = 0.0
        """Seconds since the test began."""
        self.land = Land()
        self.rng = random.Random(seed)
        self.objects: list[Linkset] = []
        self.avatars: list[Avatar] = []
        self.errors: list[tuple[Runner, Exception]] = []
        self.strict = True
        """A script that fails makes `run` raise."""
        self.dropped: list[tuple[str, str]] = []
        """(script, event) of events that found a full queue."""
        self.link_messages: list[tuple[str, int, int, str, str]] = []
        """(script, target, number, text, id) of every llMessageLinked."""
        self.sounds: list[tuple[str, str, float]] = []
        """(prim, sound, volume) of what was played."""
        self.cached_notecards: set[Key] = set()
        self.down = False
        self.started_s = 0.0
        self._tasks: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._dilation, self._dilation_from, self._script_from = 1.0, 0.0, 0.0
        self._raised = 0
        self.chat, self.caps, self.presence = Chat(self), Caps(self), Presence(self)
        if outside is None or callable(outside):
            outside = Stub(outside or nobody)
        self.web = Web(self, outside)
        self.owner = self.avatar(owner)

    def connect(self, outside: HttpFunction | Outside) -> None:
        """Put something else where requests go."""
        self.web.outside = Stub(outside) if callable(outside) else outside

    # ---- time

    def clock(self) -> float:
        """Seconds since 1970: to be shared with a server under test."""
        return self.epoch + self.now

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        heapq.heappush(self._tasks, (self.now + max(0.0, seconds), next(self._count), do))

    @property
    def dilation(self) -> float:
        """1 is a region that keeps up; at 0.5 scripts' timers and sleeps take twice as long."""
        return self._dilation

    @dilation.setter
    def dilation(self, value: float) -> None:
        self._script_from, self._dilation_from = self.script_now, self.now
        self._dilation = value

    @property
    def script_now(self) -> float:
        """The time that has passed for scripts."""
        return self._script_from + (self.now - self._dilation_from) * self._dilation

    def real_s(self, script_s: float) -> float:
        return script_s / self._dilation

    def throttle(self, limit: int, window_s: float, *, sticky: bool = False) -> Throttle:
        return Throttle(lambda: self.now, limit, window_s, sticky=sticky)

    def run(self, seconds: float = 0.0) -> None:
        """Let so much time pass, and everything happen that is due in it.

        Raises the error of a script that failed, unless `strict` is off.
        """
        self._advance(self.now + seconds)

    def run_until(self, true: Callable[[], Any], limit_s: float = 60.0) -> Any:
        """Let time pass until something is so; it fails after `limit_s`."""
        end = self.now + limit_s
        self.settle()
        while not (found := true()):
            due = self._next_due()
            assert due is not None and due <= end, f"not so within {limit_s} s"  # noqa: PT018
            self._advance(max(due, self.now))
        return found

    def _next_due(self) -> float | None:
        times = [self._tasks[0][0]] if self._tasks else []
        outside = self.web.outside.next_due()
        return min([*times, outside] if outside is not None else times, default=None)

    def _advance(self, end: float) -> None:
        self.settle()
        while (due := self._next_due()) is not None and due <= end:
            self.now = max(self.now, due)
            while self._tasks and self._tasks[0][0] <= self.now:
                heapq.heappop(self._tasks)[2]()
            self.settle()
        self.now = max(self.now, end)

    def settle(self) -> None:
        """Let everything happen that can happen without time passing."""
        for _ in range(SETTLING_LIMIT):
            worked = self.caps.take_arrivals()
            if not self.down:
                for linkset in list(self.objects):
                    for runner in list(linkset.runners):
                        if runner.able and runner.step():
                            worked = True
            if not worked and not self.web.outside.pump() and self.caps.arrivals.empty():
                break
        else:
            raise RuntimeError("the scripts do not come to rest")
        if self.strict and len(self.errors) > self._raised:
            self._raised = len(self.errors)
            raise self.errors[-1][1]

    def script_failed(self, runner: Runner, error: Exception) -> None:
        where = f"{runner.prim.linkset.name}/{runner.prim.name}/{runner.name}"
        error.add_note(f"in script {where}, state {runner.state}, at {self.now:.2f} s")
        self.errors.append((runner, error))
        self.chat.shout_error(runner.prim, f"{runner.name}: {error}")

    # ---- setting up

    def avatar(self, name: str, **more: Any) -> Avatar:
        """Somebody new in the region: `region.avatar("Ann", experience="deny")`."""
        made = Avatar(self, name, **more)
        self.avatars.append(made)
        return made

    def object(
        self,
        root: str | Prim,
        prims: Iterable[str | Prim] = (),
        *,
        owner: Avatar | None = None,
        pos: Iterable[float] = (128, 128, 25),
        scripts: Iterable[str | Path] = (),
    ) -> Linkset:
        """Build an object in the region; `prims` are the children, `scripts` go into the root."""
        made = Linkset(root, prims, scripts=scripts)
        made.pos = vector(pos)
        self.presence.enter(made, owner=owner or self.owner, rezzed=False)
        return made

    def rez(
        self,
        what: Asset | Linkset,
        *,
        pos: Iterable[float] = (128, 128, 25),
        owner: Avatar | None = None,
        param: int = 0,
    ) -> Linkset:
        """Somebody drags an object out of the inventory; a Linkset must not be in a region."""
        made = what.linkset.clone() if isinstance(what, Asset) else what
        assert made.region is None, f"{made} is in a region: copy() it"
        made.pos = vector(pos)
        self.presence.enter(made, owner=owner or made.owner or self.owner, param=param)
        self.run()
        return made

    def added(self, prim: Prim, item: Item) -> None:
        self.presence.added(prim, item)

    def remove(self, linkset: Linkset) -> None:
        self.presence.remove(linkset)

    def change_owner(self, linkset: Linkset, avatar: Avatar) -> None:
        self.presence.change_owner(linkset, avatar)
        self.run()

    def link_changed(self, linkset: Linkset) -> None:
        linkset.post("changed", int(LSL.CHANGED_LINK))

    # ---- looking at it

    @property
    def present(self) -> list[Avatar]:
        return [avatar for avatar in self.avatars if avatar.here]

    def avatar_here(self, key: str) -> Avatar | None:
        return next((a for a in self.avatars if a.key == key and a.here), None)

    def known_avatar(self, key: str) -> Avatar | None:
        return next((a for a in self.avatars if a.key == key), None)

    def find(self, name_or_key: str) -> Linkset:
        """The newest object of that name, or the one with that key."""
        for linkset in reversed(self.objects):
            if name_or_key in (linkset.name, linkset.key):
                return linkset
        raise KeyError(f"there is no object {name_or_key!r}")

    def prim_by_key(self, key: str) -> Prim | None:
        prims = (prim for linkset in self.objects for prim in linkset.prims)
        return next((prim for prim in prims if prim.key == key), None)

    @property
    def prim_count(self) -> int:
        return sum(len(thing.prims) for thing in self.objects if not thing.attached_to)

    @property
    def public_chat(self) -> list[Line]:
        return self.chat.public

    @property
    def debug(self) -> list[Line]:
        """What scripts and the simulator shouted about errors."""
        return self.chat.debug

    @property
    def requests(self) -> list[Any]:
        return self.web.requests

    # ---- what happens to it

    def http_in(
        self,
        url: str,
        method: str = "POST",
        body: str = "",
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """A call from outside to a script's URL; time passes until it is answered.

        Raises ConnectionRefusedError while the region is down.
        """
        got: list[Answer | Exception] = []
        lower = {name.lower(): value for name, value in (headers or {}).items()}
        self.caps.arrivals.put(Arrival(method, url, lower, body, got.append))
        self.run_until(lambda: got)
        if isinstance(got[0], Exception):
            raise got[0]
        return got[0]

    def restart(self, down_s: float = 0.0) -> None:
        """Restart the region: scripts go on, URLs and answers under way are lost."""
        self.down = True
        self.web.forget()
        self.caps.release_all()
        # While the region stands still, so do the timers of its scripts.
        self._tasks = [(when + down_s, n, do) for when, n, do in self._tasks]
        self._advance(self.now + down_s)
        self.down = False
        self.started_s = self.now
        for linkset in list(self.objects):
            if linkset.temporary:
                self.remove(linkset)
            linkset.post("changed", int(LSL.CHANGED_REGION_START))
        self.run()
