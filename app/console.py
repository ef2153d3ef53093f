"""What the commands of the command line share: settings, the database, output."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import ValidationError

from app.errors import PerilError
from app.settings import Settings

T = TypeVar("T")

DataDir = Annotated[Path | None, typer.Option(help="Folder of the database [PERIL_DATA_DIR].")]


def read_settings(**given: Any) -> Settings:
    """The settings, with what the command line gives.  `bad_setting` names one that is wrong."""
    try:
        return Settings(**{k: v for k, v in given.items() if v is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "PERIL_" + str(first["loc"][0]).upper()
        why = first["msg"].removeprefix("Value error, ")
        raise PerilError("bad_setting", f"{name} does not work: {why}.") from error


@contextlib.contextmanager
def _tables(settings: Settings) -> Iterator[Any]:
    from app import logs
    from app.table.database import open_store
    from app.table.service import Tables

    logs.configure(settings.model_copy(update={"log_level": "error"}))
    store = open_store(settings)
    try:
        yield Tables(store)
    finally:
        store.close()


def run(settings: Settings, work: Callable[[Any], Awaitable[T]]) -> T:
    """Do something with the tables of the database, without a server.

    `store_unusable` if it does not answer.
    """
    from sqlalchemy.exc import DBAPIError

    with _tables(settings) as tables:

        async def go() -> T:
            return await work(tables)

        try:
            return asyncio.run(go())
        except DBAPIError as error:
            problem = f"The database {settings.database} does not answer ({error.orig})."
            raise PerilError("store_unusable", problem) from error


def print_json(value: Any) -> None:
    """For people and machines."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
