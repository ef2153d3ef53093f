"""`peril notice show|set|clear`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from app.console import DataDir, read_settings, run

app = typer.Typer(no_args_is_help=True, help="Announce something on all boards, as a restart.")

WHEN = "Boards of a server that runs follow within ten seconds."


def _announce(data_dir: Any, text: str) -> str:
    async def work(tables: Any) -> str:
        from app.table import deeds, notices

        return await notices.announce(tables, deeds.COMMAND_LINE, text)

    return run(read_settings(data_dir=data_dir), work)


@app.command("show")
def show(data_dir: DataDir = None) -> None:
    """Print what is announced."""

    async def work(tables: Any) -> str:
        from app.table import notices

        return await notices.current(tables)

    typer.echo(run(read_settings(data_dir=data_dir), work) or "Nothing is announced.")


@app.command("set", help=f"Announce something.  {WHEN}")
def set_(
    text: Annotated[str, typer.Argument(help="One line; what is too long is cut.")],
    data_dir: DataDir = None,
) -> None:
    typer.echo(_announce(data_dir, text) or "Nothing is announced.")


@app.command("clear", help=f"Announce nothing more.  {WHEN}")
def clear(data_dir: DataDir = None) -> None:
    _announce(data_dir, "")
    typer.echo("Nothing is announced.")
