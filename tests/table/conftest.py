"""A house for each test: an empty table on a fresh file."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from app.table.database import open_log

from .house import House


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the schema and nothing in it."""
    path = tmp_path_factory.mktemp("empty") / "peril.db"
    open_log(path).close()
    return path


@pytest.fixture
def database(empty_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(empty_file, tmp_path / "peril.db"))


@pytest.fixture
async def build(database: Path) -> AsyncIterator[Callable[..., Awaitable[House]]]:
    """`await build(lives=1)`: a house whose table has these options."""
    built: list[House] = []

    async def build(seed: int = 1, **options: Any) -> House:
        house = House(database, seed)
        built.append(house)
        return await house.open(**options)

    yield build
    for house in built:
        await house.close()


@pytest.fixture
async def house(build: Callable[..., Awaitable[House]]) -> House:
    return await build()
