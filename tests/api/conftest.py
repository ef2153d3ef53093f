"""A service for each file of tests, a table for each test; and one real server with a net."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from games.dice import SeededDice

from app.table.database import open_log

from .service import Running, Service, Table, running, serving

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The service lives on the event loop it was started on, as long as a file of tests lasts.
    for item in items:
        if item.path.parent == HERE and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the schema and nothing in it."""
    path = tmp_path_factory.mktemp("empty") / "peril.db"
    open_log(path).close()
    return path


@pytest.fixture
def folder(empty_file: Path, tmp_path: Path) -> Path:
    shutil.copy(empty_file, tmp_path / "peril.db")
    return tmp_path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """On loopback, with an operator's token."""
    async with serving(tmp_path_factory.mktemp("service"), SeededDice(1)) as service:
        yield service


@pytest_asyncio.fixture(loop_scope="module")
async def table(service: Service) -> Table:
    """Olive's table, with an open lobby and no pauses."""
    return await service.table()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """`peril serve`, with small limits."""
    limits = {"PERIL_STREAM_LIMIT": "4", "PERIL_BODY_LIMIT_S": "1", "PERIL_LONG_POLL_LIMIT_S": "2"}
    with running("serve", tmp_path_factory.mktemp("served"), **limits) as server:
        yield server
