"""The command line: `peril play`, `serve`, `table …`, `match log`, `ranking …`, `art`, `openapi`.

Every error is a sentence on stderr and exit code 1; wrong usage is exit code 2.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import socket
import sys
import uuid
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import typer

from app.errors import PerilError
from app.settings import Settings

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Peril Table, a game table.")
table_app = typer.Typer(no_args_is_help=True, help="Create, list and look at tables.")
match_app = typer.Typer(no_args_is_help=True, help="Look at matches.")
ranking_app = typer.Typer(no_args_is_help=True, help="Look after the rankings.")
app.add_typer(table_app, name="table")
app.add_typer(match_app, name="match")
app.add_typer(ranking_app, name="ranking")

DataDir = Annotated[Path | None, typer.Option(help="Folder of the database [PERIL_DATA_DIR].")]
Host = Annotated[str | None, typer.Option(help="Address to listen on [PERIL_HOST].")]
Port = Annotated[int | None, typer.Option(min=1, max=65535, help="Port [PERIL_PORT].")]


def main() -> None:
    """Entry point: whatever is wrong is said in a sentence."""
    try:
        app()
    except PerilError as error:
        typer.echo(f"peril: {error.message}", err=True)
        sys.exit(1)


def _settings(**given: Any) -> Settings:
    return Settings(**{k: v for k, v in given.items() if v is not None})


# ---- serving --------------------------------------------------------------------------------


@app.command()
def play(data_dir: DataDir = None, host: Host = None, port: Port = None) -> None:
    """Serve a table on this machine and print the address where it can be played."""
    settings = _settings(data_dir=data_dir, host=host, port=port)
    if not settings.on_loopback:
        raise PerilError("not_loopback", "`peril play` is for this machine. Use `peril serve`.")
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    token = settings.operator_token or _kept_token(settings.data_dir / "operator-token")
    settings = settings.model_copy(update={"operator_token": token})
    listening = _listen(settings)
    table = _run(settings, _play_table)
    shown = f"http://{settings.host}:{settings.port}/t/{table}#token={token}"
    typer.echo(f"\n  Your table is open:  {shown}\n\n  Ctrl+C closes it.\n")
    _serve(settings, listening)


@app.command()
def serve(data_dir: DataDir = None, host: Host = None, port: Port = None) -> None:
    """Serve all tables of the database."""
    settings = _settings(data_dir=data_dir, host=host, port=port)
    problem = settings.problem()
    if problem:
        raise PerilError("unsafe_settings", problem)
    _serve(settings, _listen(settings))


def _serve(settings: Settings, listening: socket.socket) -> None:
    import uvicorn

    from app.main import create_app

    config = uvicorn.Config(
        create_app(settings),
        log_level=settings.log_level if settings.log_level != "info" else "warning",
        access_log=False,
        timeout_graceful_shutdown=5,
        server_header=False,
    )
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def _listen(settings: Settings) -> socket.socket:
    """The socket to serve on; taken before anything else, so that a taken port says so first."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise PerilError(
            "port_taken",
            f"Port {settings.port} on {settings.host} cannot be used ({error.strerror})."
            f" Choose another one: --port {settings.port + 1}",
        ) from error
    return listening


def _kept_token(path: Path) -> str:
    """The token of this folder's operator, made once and readable by this user alone."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(24), encoding="ascii")
    return path.read_text(encoding="ascii").strip()


async def _play_table(tables: Any) -> str:
    from app.games.core import Key
    from app.table import listing

    lines = await listing.tables(tables, limit=1)
    if lines:
        return lines[0].id
    made = await tables.create("My table", Key(str(uuid.uuid4())), "Owner")
    return str(made.id)


# ---- tables ---------------------------------------------------------------------------------


@contextlib.contextmanager
def _tables(settings: Settings) -> Iterator[Any]:
    from app import logs
    from app.table.database import open_log
    from app.table.service import Tables

    logs.configure(settings.model_copy(update={"log_level": "error"}))
    store = open_log(settings.database)
    try:
        yield Tables(store)
    finally:
        store.close()


def _run(settings: Settings, work: Callable[[Any], Awaitable[T]]) -> T:
    """Do something with the tables of the database, without a server."""
    with _tables(settings) as tables:

        async def go() -> T:
            return await work(tables)

        return asyncio.run(go())


def _print(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _pairs(options: list[str]) -> dict[str, Any]:
    """`name=value` arguments; values are read as JSON where they are JSON."""
    out = {}
    for option in options:
        name, found, value = option.partition("=")
        if not found:
            raise PerilError("bad_option", f"An option is given as name=value, not “{option}”.")
        try:
            out[name] = json.loads(value)
        except ValueError:
            out[name] = value
    return out


Preset = Annotated[str, typer.Option(help="classic, speed_peril or high_stakes.")]


@table_app.command("create")
def table_create(
    name: Annotated[str, typer.Argument(help="What the table is called.")] = "Peril Table",
    owner: Annotated[str | None, typer.Option(help="UUID of the owner's avatar.")] = None,
    owner_name: Annotated[str, typer.Option(help="Display name of the owner.")] = "Owner",
    game: Annotated[str, typer.Option(help="Which game.")] = "peril",
    preset: Preset = "",
    option: Annotated[list[str] | None, typer.Option(help="name=value; may be repeated.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Create a table and print its id and its owner's token (shown only now)."""
    from app.api.access import Access
    from app.games.core import Key

    settings = _settings(data_dir=data_dir)
    key = Key(str(uuid.UUID(owner)) if owner else str(uuid.uuid4()))

    async def work(tables: Any) -> dict[str, str]:
        made = await tables.create(name, key, owner_name, game, preset, _pairs(option or []))
        access = Access(tables.store, settings)
        token = await access.grant_owner(made.id, int(tables.clock() * 1000))
        return {"table": made.id, "owner": key, "owner_token": token}

    _print(_run(settings, work))


@table_app.command("list")
def table_list(data_dir: DataDir = None) -> None:
    """List all tables."""
    from app.table import listing

    async def work(tables: Any) -> list[listing.Line]:
        lines: list[listing.Line] = []
        while more := await listing.tables(tables, lines[-1].id if lines else "", 100):
            lines += more
        return lines

    for line in _run(_settings(data_dir=data_dir), work):
        locked = "  locked" if line.locked else ""
        typer.echo(
            f"{line.id}  {line.game:10} {line.stage:8} {line.players:2}/{line.seats}"
            f"  {line.name}{locked}"
        )


@table_app.command("show")
def table_show(table: str, data_dir: DataDir = None) -> None:
    """Show a table's board as text, and who sits there."""
    from app.display import draw

    async def work(tables: Any) -> str:
        state = (await tables.table(table)).now
        return f"{state.match_id} at {state.seq}\n{draw(state.board)}"

    typer.echo(_run(_settings(data_dir=data_dir), work))


@table_app.command("options")
def table_options(
    table: str,
    option: Annotated[list[str] | None, typer.Argument(help="name=value …")] = None,
    preset: Preset = "",
    data_dir: DataDir = None,
) -> None:
    """Show the options of a table, or change them for the matches to come."""
    from app.games import lobby
    from app.games.core import Actor
    from app.table import talk

    async def work(tables: Any) -> Any:
        found = await tables.table(table)
        if option or preset:
            what = lobby.SetOptions(preset, _pairs(option or []))
            owner = Actor(found.owner, found.owner_name, owner=True)
            answer = await talk.command(tables, table, owner, what, None)
            if answer.refusal is not None:
                raise talk.refused(found, answer)
        return msgspec.to_builtins(found.now.match.options)

    _print(_run(_settings(data_dir=data_dir), work))


@match_app.command("log")
def match_log(match: str, data_dir: DataDir = None) -> None:
    """Print a match's event log, a line of JSON per entry."""
    from app.table import history

    async def work(tables: Any) -> Any:
        return await history.match_log(tables.store, match)

    _, entries = _run(_settings(data_dir=data_dir), work)
    for entry in entries:
        line = {
            "seq": entry.seq,
            "at_ms": entry.at_ms,
            "actor": entry.actor,
            "command": json.loads(entry.command) if entry.command else None,
            "events": json.loads(entry.events),
        }
        typer.echo(json.dumps(line, ensure_ascii=False))


@ranking_app.command("rebuild")
def ranking_rebuild(data_dir: DataDir = None) -> None:
    """Make all rankings anew from the event log."""
    from app import ranking

    async def work(tables: Any) -> int:
        return int(await tables.store.run(ranking.rebuild))

    typer.echo(f"{_run(_settings(data_dir=data_dir), work)} results counted.")


# ---- files ----------------------------------------------------------------------------------


@app.command("openapi")
def openapi() -> None:
    """Print the OpenAPI document of the REST API."""
    import tempfile

    from app.main import create_app

    with tempfile.TemporaryDirectory() as folder:
        made = create_app(Settings(data_dir=Path(folder)))
        _print(made.openapi())
        made.state.tables.store.close()


@app.command("art")
def art(
    folder: Path,
    size_px: Annotated[int, typer.Option(min=16, max=2048, help="Width and height.")] = 1024,
) -> None:
    """Export the artwork as square PNG files for upload as textures."""
    from app.web.art import export

    for path in export(folder, size_px):
        typer.echo(path)


if __name__ == "__main__":
    main()
