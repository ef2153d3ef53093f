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
async def new_house(database: Path) -> AsyncIterator[Callable[..., House]]:
    """`new_house(seed=2)`: a house that is not open yet; closed when the test ends."""
    built: list[House] = []

    def build(seed: int = 1) -> House:
        built.append(House(database, seed))
        return built[-1]

    yield build
    for house in built:
        await house.close()


@pytest.fixture
def build(new_house: Callable[..., House]) -> Callable[..., Awaitable[House]]:
    """`await build(lives=1)`: a house whose table has these options."""

    async def build(seed: int = 1, **options: Any) -> House:
        return await new_house(seed).open(**options)

    return build


@pytest.fixture
async def house(build: Callable[..., Awaitable[House]]) -> House:
    return await build()
