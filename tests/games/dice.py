"""Dice that tests can rely on: seeded ones, and ones that fall as a script says."""

import random
from collections import deque
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class SeededDice:
    """Fair dice whose falls are the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def roll(self, sides: int, why: str) -> int:
        return self._random.randint(1, sides)

    def choose(self, options: Sequence[T], why: str) -> T:
        return self._random.choice(options)

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        return self._random.sample(options, count)


class ScriptedDice:
    """Dice that fall as written: `ScriptedDice(peril=["ann"], roll=[5], pick=[(1, 2)])`.

    Each draw takes the next result of the list named after its `why`.  A draw that nobody wrote
    down, and a result that fair dice could not give, fail the test.
    """

    def __init__(self, **script: Sequence[Any]) -> None:
        self._script: dict[str, deque[Any]] = {}
        self.then(**script)

    def then(self, **script: Sequence[Any]) -> None:
        """More results, after those there are."""
        for why, results in script.items():
            self._script.setdefault(why, deque()).extend(results)

    @property
    def left(self) -> dict[str, list[Any]]:
        """What has not been drawn yet."""
        return {why: list(results) for why, results in self._script.items() if results}

    def roll(self, sides: int, why: str) -> int:
        number = self._next(why)
        assert 1 <= number <= sides, f"a d{sides} cannot fall on {number}"
        return int(number)

    def choose(self, options: Sequence[T], why: str) -> T:
        wanted = self._next(why)
        assert wanted in options, f"{wanted!r} is not among {options}"
        return options[options.index(wanted)]

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        wanted = list(self._next(why))
        assert len(wanted) == len(set(wanted)) == count, f"{wanted} are not {count} different ones"
        assert set(wanted) <= set(options), f"{wanted} are not all among {options}"
        return wanted

    def _next(self, why: str) -> Any:
        results = self._script.get(why)
        assert results, f"nobody wrote down how the draw {why!r} falls"
        return results.popleft()
