"""Events as they are told one after the other, for rules that go step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from app.games.core import Event, Match

P = TypeVar("P")


class Story(Generic[P]):
    """Events as they are told, and the match as they leave it, for rules that go step by step."""

    def __init__(self, evolve: Callable[[Match[P], Event], Match[P]], match: Match[P]) -> None:
        self._evolve = evolve
        self.match = match
        self.events: list[Event] = []

    def tell(self, event: Event) -> None:
        self.events.append(event)
        self.match = self._evolve(self.match, event)
