"""How the simulator holds back what comes too often."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class Throttle:
    """At most `limit` in any `window_s` seconds.

    A sticky one, once it has refused, opens again only after twice the window without a call.
    """

    def __init__(
        self, now: Callable[[], float], limit: int, window_s: float, *, sticky: bool = False
    ) -> None:
        self._now, self.limit, self.window_s, self.sticky = now, limit, window_s, sticky
        self._times: deque[float] = deque()
        self._refused_at: float | None = None

    def count(self) -> None:
        """Note one, whatever the limit."""
        self._times.append(self._now())

    @property
    def full(self) -> bool:
        while self._times and self._times[0] <= self._now() - self.window_s:
            self._times.popleft()
        return len(self._times) >= self.limit

    def allow(self) -> bool:
        """Whether one more may pass; it is counted if so."""
        now = self._now()
        if self._refused_at is not None:
            if now - self._refused_at < 2 * self.window_s:
                self._refused_at = now
                return False
            self._refused_at = None
            self._times.clear()
        if self.full:
            if self.sticky:
                self._refused_at = now
            return False
        self._times.append(now)
        return True
