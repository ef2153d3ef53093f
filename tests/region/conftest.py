"""A region with nobody but its owner, and scripts written in a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from . import Linkset, Region

Make = Callable[..., Linkset]


@pytest.fixture
def region() -> Region:
    """Nobody answers HTTP requests here."""
    return Region()


@pytest.fixture
def make(region: Region) -> Make:
    """`make("touch_start(integer n) { … }")`: an object with a script of these events."""

    def make(events: str, *prims: str, top: str = "", name: str = "Thing", **more: Any) -> Linkset:
        made = region.object(name, prims, scripts=[script(events, top)], **more)
        region.run()
        return made

    return make


def script(events: str, top: str = "") -> str:
    """A whole script of the events of its default state, with globals and functions before it."""
    return f"{top}\ndefault\n{{\n{events}\n}}\n"
