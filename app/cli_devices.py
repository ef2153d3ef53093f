"""`peril device code|list|revoke`."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from app.console import DataDir, read_settings, run
from app.errors import NotFound, PerilError

app = typer.Typer(no_args_is_help=True, help="Pair tables in-world, list them, cut one off.")


@app.command("code")
def code(
    owner: Annotated[str, typer.Argument(help="Key (UUID) of the avatar who owns the table.")],
    table: Annotated[str, typer.Option(help="Show this table; without it a new one.")] = "",
    data_dir: DataDir = None,
) -> None:
    """Make a pairing code: good once, for 15 minutes, typed by its owner at the table."""
    from app import codes
    from app.table import deeds

    owner = owner.lower()

    async def work(tables: Any) -> str:
        if table and (await tables.table(table)).owner != owner:
            raise PerilError("not_found", f"Table {table} is not this owner's.")
        by, now_ms = deeds.COMMAND_LINE, int(time.time() * 1000)
        return await codes.pairing(tables.store, by, owner, table, now_ms)

    typer.echo(run(read_settings(data_dir=data_dir), work))


@app.command("list")
def list_(data_dir: DataDir = None) -> None:
    """List the tables in-world."""
    from sqlmodel import col, select

    from app.table.models import DeviceRow

    async def work(tables: Any) -> list[DeviceRow]:
        def read(session: Any) -> list[DeviceRow]:
            return list(session.exec(select(DeviceRow).order_by(col(DeviceRow.table_id))))

        return list(await tables.store.run(read))

    for row in run(read_settings(data_dir=data_dir), work):
        seen = time.strftime("%Y-%m-%d %H:%M", time.gmtime(row.seen_ms / 1000))
        typer.echo(f"{row.table_id:8}  {row.owner_key}  {seen}  {row.region}".rstrip())


@app.command("revoke")
def revoke(
    table: Annotated[str, typer.Argument(help="The id of the table that it shows.")],
    data_dir: DataDir = None,
) -> None:
    """Cut a table in-world off.  A server that runs lets it in for a few seconds at most."""

    async def work(tables: Any) -> None:
        from app.devices.registry import cut_off
        from app.table import deeds

        def write(session: Any) -> bool:
            return cut_off(session, deeds.COMMAND_LINE, table, int(time.time() * 1000))

        if not await tables.store.run(write):
            raise NotFound("device of the table", table)

    run(read_settings(data_dir=data_dir), work)
    typer.echo(f"Cut off: {table}")
