"""`peril token create|list|revoke`."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated, Any

import typer

from app.console import DataDir, print_json, read_settings, run

app = typer.Typer(no_args_is_help=True, help="Make, list and revoke tokens of the REST API.")

PAGE = 100


class Scope(StrEnum):
    """What a token is for."""

    operator = "operator"
    owner = "owner"
    harness = "harness"
    read = "read"


def _access(tables: Any) -> Any:
    from app.api.access import Access
    from app.limits import Limits

    settings = read_settings()
    return Access(tables.store, settings, Limits(settings))


@app.command("create")
def create(
    scope: Annotated[
        Scope,
        typer.Argument(
            help="operator: everything; owner: one table; harness: plays any avatar but owners"
            " and their staff; read: reads."
        ),
    ],
    table: Annotated[str, typer.Option(help="The id of the owner's table.")] = "",
    label: Annotated[str, typer.Option(help="What it is for; up to 63 characters.")] = "",
    data_dir: DataDir = None,
) -> None:
    """Make a token and print it (shown only now)."""

    async def work(tables: Any) -> dict[str, Any]:
        from app.api.tokens import line
        from app.table.deeds import COMMAND_LINE

        if table:
            await tables.table(table)
        now_ms = int(time.time() * 1000)
        token, row = await _access(tables).grant(COMMAND_LINE, scope.value, now_ms, table, label)
        return {**line(row).model_dump(), "token": token}

    print_json(run(read_settings(data_dir=data_dir), work))


@app.command("list")
def list_(data_dir: DataDir = None) -> None:
    """List the tokens: the beginning of their hashes, never themselves."""

    async def work(tables: Any) -> list[Any]:
        access = _access(tables)
        rows: list[Any] = []
        while more := await access.granted(rows[-1].hash if rows else "", PAGE):
            rows += more
        return rows

    for row in run(read_settings(data_dir=data_dir), work):
        made = time.strftime("%Y-%m-%d", time.gmtime(row.created_ms / 1000))
        words = f"{row.hash[:16]}  {row.scope:8} {made}  {row.table_id:8}  {row.label}"
        typer.echo(words.rstrip())


@app.command("revoke")
def revoke(
    hash_prefix: Annotated[str, typer.Argument(help="8 or more digits of what `list` shows.")],
    data_dir: DataDir = None,
) -> None:
    """Take a token back.  A server that runs lets it in for a second at most."""

    async def work(tables: Any) -> Any:
        from app.table.deeds import COMMAND_LINE

        return await _access(tables).revoke(COMMAND_LINE, hash_prefix, int(time.time() * 1000))

    row = run(read_settings(data_dir=data_dir), work)
    typer.echo(f"Revoked: {row.hash[:16]}  {row.scope}  {row.label}".rstrip())
