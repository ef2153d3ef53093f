"""A running script: its queue of events, states, sleep, timer and listens."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lummao import DetectedDetails, Key, StateChangeException

from . import memory
from .definitions import NULL_KEY
from .lsl import compiled

if TYPE_CHECKING:
    from .prims import Prim, Script
    from .region import Region

QUEUE_LIMIT = 64
FRAME_S = 1 / 45
MAX_LISTENS = 65


class ScriptReset(Exception):
    """llResetScript: the handler ends here."""


class ScriptGone(Exception):
    """llDie and its like: the script ends here."""


class NotEmulated(Exception):
    """A script wants something that the emulated region does not do."""


class ScriptError(Exception):
    """A run-time error: the script stops until it is reset."""


class Sleep:
    """`await Sleep(2)` in a script function takes two seconds of the region's time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __await__(self) -> Generator[float, None, None]:
        yield self.seconds


@dataclass
class Event:
    name: str
    args: tuple[Any, ...] = ()
    detected: list[DetectedDetails] = field(default_factory=list)


@dataclass
class Listen:
    channel: int
    name: str
    key: str
    text: str
    on: bool = True

    def hears(self, channel: int, name: str, key: str, text: str) -> bool:
        return (
            self.on
            and self.channel == channel
            and self.name in ("", name)
            and self.key in ("", NULL_KEY, key)
            and self.text in ("", text)
        )


@dataclass
class Saved:
    """What a script keeps when its object is taken or copied."""

    state: str
    variables: dict[str, Any]
    queue: list[Event]
    listens: dict[int, Listen]
    timer_s: float
    running: bool
    memory_limit: int


class Runner:
    """One script in one prim.  `LslRunner` runs LSL, `furware.Engine` is made of Python."""

    def __init__(self, region: Region, prim: Prim, name: str) -> None:
        self.region, self.prim, self.name = region, prim, name
        self.queue: deque[Event] = deque()
        self.detected: list[DetectedDetails] = []
        self.listens: dict[int, Listen] = {}
        self.running, self.gone, self.elsewhere = True, False, False
        self.crashed: Exception | None = None
        self.perms_from, self.perms = NULL_KEY, 0
        self.experience_queries: set[Key] = set()
        self.memory_limit = memory.LIMIT_BYTES
        self.server_errors = region.throttle(5, 60)
        self.state = "default"
        self._clear()

    def _clear(self) -> None:
        self.queue.clear()
        self.listens.clear()
        self.detected = []
        self.crashed = None
        self._coro: Coroutine[float, None, None] | None = None
        self._after: Callable[[], None] | None = None
        self.asleep = False
        self._naps = getattr(self, "_naps", 0) + 1
        self.timer_s, self._timer = 0.0, getattr(self, "_timer", 0) + 1
        self.perms_from, self.perms = NULL_KEY, 0
        self.time_zero = self.region.script_now

    # ---- what a kind of script says

    def start(self) -> None:
        """Begin anew, in state default."""
        raise NotImplementedError

    def handler(self, event: str) -> Callable[..., Any] | None:
        raise NotImplementedError

    def used_bytes(self) -> int:
        return 0

    def __getitem__(self, name: str) -> Any:
        """The value of a global variable."""
        raise KeyError(name)

    def __setitem__(self, name: str, value: Any) -> None:
        raise KeyError(name)

    # ---- events

    def reset(self) -> None:
        self.region.caps.release_all(self)
        self._clear()
        self.start()

    def has(self, event: str) -> bool:
        return self.handler(event) is not None

    def post(self, name: str, *args: Any, detected: tuple[DetectedDetails, ...] = ()) -> None:
        """Queue an event; without a word it is lost if there is no handler or no room."""
        if self.crashed or self.gone or not self.has(name):
            return
        if name == "timer" and any(event.name == "timer" for event in self.queue):
            return
        if len(self.queue) >= QUEUE_LIMIT:
            self.region.dropped.append((self.name, name))
            return
        self.queue.append(Event(name, args, list(detected)))

    @property
    def able(self) -> bool:
        """Whether this script may run just now."""
        return (
            self.running
            and not self.asleep
            and not self.gone
            and not self.elsewhere
            and self.crashed is None
            and self.region.land.scripts_allowed
        )

    def step(self) -> bool:
        """Start the next event, or go on with a handler that slept.  True if anything was done."""
        if self._coro is None:
            if not self.queue:
                return False
            event = self.queue.popleft()
            handler = self.handler(event.name)
            if handler is None:
                self._finished()
                return True
            self.detected = event.detected
            made = handler(*event.args)
            if not inspect.iscoroutine(made):
                self._finished()
                return True
            self._coro = made
        self._resume(self._coro)
        return True

    def _resume(self, coro: Coroutine[float, None, None]) -> None:
        self._coro = None
        try:
            seconds = coro.send(None)
        except StopIteration:
            self._finished()
        except StateChangeException as change:
            self._change_state(change.new_state)
        except ScriptReset:
            self.reset()
        except ScriptGone:
            self._finished()
        except Exception as error:
            self._crash(error)
        else:
            self._coro = coro
            self.asleep = True
            self._naps += 1
            nap = self._naps
            self.region.after(self.region.real_s(seconds), lambda: self._wake(nap))
            self._check_memory()

    def _wake(self, nap: int) -> None:
        if nap == self._naps:
            self.asleep = False

    def _finished(self) -> None:
        self.detected = []
        self._check_memory()
        if self._after:
            after, self._after = self._after, None
            after()

    def _check_memory(self) -> None:
        used = self.used_bytes()
        if used > self.memory_limit:
            self._crash(ScriptError(f"Stack-Heap Collision: {used} of {self.memory_limit} bytes"))

    def _crash(self, error: Exception) -> None:
        self.crashed = error
        self.queue.clear()
        self.region.script_failed(self, error)

    def _change_state(self, new: str) -> None:
        if new == self.state:
            self._finished()
            return
        # Timers go on; listens and waiting events do not.
        self.queue.clear()

        def enter() -> None:
            self.queue.clear()
            self.listens.clear()
            self.state = new
            if self.has("state_entry"):
                self.queue.append(Event("state_entry"))

        if self.has("state_exit"):
            self._after = enter
            self.queue.append(Event("state_exit"))
        else:
            enter()

    # ---- timer and listens

    def set_timer(self, seconds: float) -> None:
        self._timer += 1
        self.timer_s = max(0.0, seconds)
        if seconds > 0:
            self._arm(self._timer)

    def _arm(self, timer: int) -> None:
        def ring() -> None:
            if timer == self._timer and not self.gone:
                if not self.elsewhere:
                    self.post("timer")
                self._arm(timer)

        self.region.after(self.region.real_s(max(self.timer_s, FRAME_S)), ring)

    def listen(self, listen: Listen) -> int:
        for handle, there in self.listens.items():
            if there == listen:
                return handle
        if len(self.listens) >= MAX_LISTENS:
            raise ScriptError("Too Many Listens")
        handle = max(self.listens, default=0) + 1
        self.listens[handle] = listen
        return handle

    # ---- being taken away

    def end(self) -> None:
        """The object is no longer in the region."""
        self.gone = True
        self._timer += 1
        self._naps += 1
        self.region.caps.release_all(self)


class LslRunner(Runner):
    """A script in LSL."""

    def __init__(self, region: Region, prim: Prim, item: Script, saved: Saved | None) -> None:
        self.item = item
        self.experience = item.experience
        self.code = compiled(item.source, item.name)
        super().__init__(region, prim, item.name)
        self.running = item.running
        self._begin()
        if saved:
            self._restore(saved)
        else:
            self.start()

    def _begin(self) -> None:
        from .api import Api, Builtins

        self.lsl: Any = self.code.make()
        self.state = "default"
        builtins = Builtins(Api(self))
        self.lsl.builtin_funcs = builtins
        for name in self.code.stubs:
            setattr(self.lsl, name, getattr(builtins, name))
        annotations = inspect.get_annotations(self.code.make)
        self.globals = list(annotations)
        for name, value in self.item.values.items():
            self[name] = value
        self._start_bytes = self._heap_bytes()

    def start(self) -> None:
        self._begin()
        if self.has("state_entry"):
            self.queue.append(Event("state_entry"))

    def handler(self, event: str) -> Callable[..., Any] | None:
        return getattr(self.lsl, f"e{self.state}{event}", None)

    def _heap_bytes(self) -> int:
        return sum(memory.value_bytes(getattr(self.lsl, name)) for name in self.globals)

    def used_bytes(self) -> int:
        """Estimated: what the code takes, and what the globals have grown by."""
        return self.code.static_bytes + max(0, self._heap_bytes() - self._start_bytes)

    def __getitem__(self, name: str) -> Any:
        if name not in self.globals:
            raise KeyError(f"{self.name} has no global {name}")
        return getattr(self.lsl, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self.globals:
            raise KeyError(f"{self.name} has no global {name}")
        setattr(self.lsl, name, value)

    def save(self) -> Saved:
        variables = {name: getattr(self.lsl, name) for name in self.globals}
        listens = {handle: replace(listen) for handle, listen in self.listens.items()}
        queue = list(self.queue)
        return Saved(
            self.state, variables, queue, listens, self.timer_s, self.running, self.memory_limit
        )

    def _restore(self, saved: Saved) -> None:
        self.state = saved.state
        for name, value in saved.variables.items():
            setattr(self.lsl, name, list(value) if isinstance(value, list) else value)
        self.queue.extend(saved.queue)
        self.listens = {handle: replace(listen) for handle, listen in saved.listens.items()}
        self.running, self.memory_limit = saved.running, saved.memory_limit
        self.set_timer(saved.timer_s)
