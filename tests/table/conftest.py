"""A house for each test: an empty table on a fresh file."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.table.database import open_log, open_postgres
from tests.postgres import new_database

from .house import House


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the schema and nothing in it."""
    path = tmp_path_factory.mktemp("empty") / "peril.db"
    open_log(path).close()
    return path


@pytest.fixture(scope="session")
def empty_postgres(need: Callable[[str], str]) -> Iterator[str]:
    """The same in PostgreSQL: its address."""
    with new_database(need("postgresql")) as address:
        open_postgres(address).close()
        yield address


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Iterator[Path | str]:
    """An empty database: a file, or with the parameter "postgres" an address."""
    if getattr(request, "param", "sqlite") == "postgres":
        empty = request.getfixturevalue("empty_postgres")
        with new_database(
            request.getfixturevalue("need")("postgresql"), empty.rpartition("/")[2]
        ) as made:
            yield made
    else:
        folder = request.getfixturevalue("tmp_path")
        empty_file = request.getfixturevalue("empty_file")
        yield Path(shutil.copy(empty_file, folder / "peril.db"))


BOTH = pytest.mark.parametrize("database", ["sqlite", "postgres"], indirect=True)
"""The test holds for either store."""


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
