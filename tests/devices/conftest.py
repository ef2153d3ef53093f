"""The app in this process, tables in-world that speak to it, and a house for the words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.table.conftest import build, database, empty_file, house, new_house

from .inworld import Server

__all__ = ["build", "database", "empty_file", "house", "new_house"]

Serve = Callable[..., Awaitable[Server]]


@pytest.fixture
async def serve(database: Path) -> AsyncIterator[Serve]:
    """`await serve(**OUTSIDE)`: the app with these settings."""
    async with AsyncExitStack() as stack:

        async def serve(**settings: Any) -> Server:
            return await stack.enter_async_context(Server(database.parent, **settings))

        yield serve


@pytest.fixture
async def server(serve: Serve) -> Server:
    """On loopback; whatever is pushed is taken."""
    return await serve()
