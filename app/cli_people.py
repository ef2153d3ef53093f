"""`peril person show|export|hide|unhide|delete`."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer

from app.console import DataDir, print_json, read_settings, run

app = typer.Typer(no_args_is_help=True, help="See, hide, export and delete what is kept of people.")

Avatar = Annotated[str, typer.Argument(metavar="KEY", help="The UUID of the avatar.")]

WHEN = "Boards of a server that runs follow with the next thing that happens at their table."


def _do(data_dir: Any, key: str, work: Any) -> Any:
    """Run `work(people, tables, key)` on the database."""
    from app import people

    async def go(tables: Any) -> Any:
        return await work(people, tables, people.key_of(key))

    return run(read_settings(data_dir=data_dir), go)


def _hide(data_dir: Any, key: str, hidden: bool) -> None:
    _do(data_dir, key, lambda people, tables, who: people.hide(tables, who, hidden))


@app.command("show")
def show(key: Avatar, data_dir: DataDir = None) -> None:
    """Say in a few lines what is kept about an avatar."""
    kept = _do(data_dir, key, lambda people, tables, who: people.kept(tables, who))
    typer.echo(f"{kept.key}  {', '.join(kept.names) or 'no name is known'}")
    typer.echo("hidden from rankings" if kept.hidden else "shown in rankings")
    if kept.language:
        typer.echo(f"speaks {kept.language}")
    for result in kept.results:
        where = f"table {result.table}" if result.table else "all tables"
        typer.echo(f"{result.game:10} {where:15} {result.wins} won, {result.losses} lost")
    running = sum(match.closed_ms is None for match in kept.matches)
    typer.echo(f"matches: {len(kept.matches)}, of which not over: {running}")
    for table in kept.tables:
        typer.echo(f"owns table {table.table}  {table.name}")
    for standing in kept.standings:
        how = "banned" if standing.banned else f"staff for {' and '.join(standing.rights)}"
        typer.echo(f"{how} at the tables of {standing.owner}")
    if kept.beside:
        typer.echo(f"done at his tables or about him beside matches: {len(kept.beside)}")
    for device in kept.devices:
        typer.echo(f"owns the linkset of table {device.table}  {device.region}".rstrip())


@app.command("export")
def export(key: Avatar, data_dir: DataDir = None) -> None:
    """Print everything that is kept about an avatar, as JSON."""
    kept = _do(data_dir, key, lambda people, tables, who: people.kept(tables, who))
    print_json(msgspec.json.decode(msgspec.json.encode(kept)))


@app.command("hide", help=f"Leave an avatar out of all rankings.  {WHEN}")
def hide(key: Avatar, data_dir: DataDir = None) -> None:
    _hide(data_dir, key, True)
    typer.echo("Hidden from rankings.")


@app.command("unhide", help=f"Show an avatar in rankings again.  {WHEN}")
def unhide(key: Avatar, data_dir: DataDir = None) -> None:
    _hide(data_dir, key, False)
    typer.echo("Shown in rankings.")


@app.command("delete", help=f"Delete what is kept about an avatar.  {WHEN}")
def delete(
    key: Avatar,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data_dir: DataDir = None,
) -> None:
    if not yes:
        typer.confirm("Records, names and keys are gone for good. Delete them?", abort=True)
    _do(data_dir, key, lambda people, tables, who: people.forget(tables, who))
    typer.echo("Deleted. Tables of this avatar stay, without a name.")
