"""The command line: `peril play`, `serve`, `table …`, `match log`, `verify`, `ranking …`, `art`,
`openapi`; `token …`, `device …`, `person …`, `notice …`, `backup` and `restore` have modules of
their own.

Every error is a sentence on stderr and exit code 1; wrong usage is exit code 2.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
import uuid
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from app import cli_devices, cli_notices, cli_people, cli_store, cli_tokens, serving
from app.console import DataDir, print_json, read_settings, run
from app.errors import PerilError
from app.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Peril Table, a game table.")
table_app = typer.Typer(no_args_is_help=True, help="Create, list and look at tables.")
match_app = typer.Typer(no_args_is_help=True, help="Look at matches.")
ranking_app = typer.Typer(no_args_is_help=True, help="Look after the rankings.")
app.add_typer(table_app, name="table")
app.add_typer(match_app, name="match")
app.add_typer(ranking_app, name="ranking")
app.add_typer(cli_tokens.app, name="token")
app.add_typer(cli_devices.app, name="device")
app.add_typer(cli_people.app, name="person")
app.add_typer(cli_notices.app, name="notice")
app.command("migrate")(cli_store.migrate)
app.command("migrate-store")(cli_store.migrate_store)
app.command("backup")(cli_store.backup)
app.command("restore")(cli_store.restore)

Host = Annotated[str | None, typer.Option(help="Address to listen on [PERIL_HOST].")]
Fd = Annotated[
    int | None,
    typer.Option(min=3, help="A listening socket handed over by a supervisor, instead of those."),
]
Workers = Annotated[
    int, typer.Option(min=1, max=64, help="Processes that serve it together; needs PostgreSQL.")
]
Port = Annotated[int | None, typer.Option(min=1, max=65535, help="Port [PERIL_PORT].")]


def main() -> None:
    """Entry point: whatever is wrong is said in a sentence."""
    try:
        app()
    except PerilError as error:
        problem = error.message
    except OSError as error:
        problem = f"{error.filename or 'The system'} cannot be used ({error.strerror})."
    else:
        return
    typer.echo(f"peril: {problem}", err=True)
    sys.exit(1)


# ---- serving --------------------------------------------------------------------------------


@app.command()
def play(data_dir: DataDir = None, host: Host = None, port: Port = None) -> None:
    """Serve a table on this machine and print the address where it can be played."""
    settings = read_settings(data_dir=data_dir, host=host, port=port)
    if not settings.on_loopback:
        raise PerilError("not_loopback", "`peril play` is for this machine. Use `peril serve`.")
    with serving.listen(settings) as listening:
        table = run(settings, _play_table)
        token = settings.operator_token or _kept_token(settings.data_dir / "operator-token")
        settings = settings.model_copy(update={"operator_token": token})
        shown = f"{settings.address}/t/{table}#token={token}"
        words = f"\n  Your table is open:  {shown}\n\n  Ctrl+C closes it.\n"
        serving.run(settings, listening, words)


@app.command()
def serve(
    data_dir: DataDir = None,
    host: Host = None,
    port: Port = None,
    fd: Fd = None,
    workers: Workers = 1,
) -> None:
    """Serve all tables of the database."""
    settings = read_settings(data_dir=data_dir, host=host, port=port)
    with contextlib.ExitStack() as stack:
        handed = stack.enter_context(serving.handed_over(fd)) if fd is not None else None
        if handed:  # where it listens in truth decides what is safe
            host, port = handed.getsockname()[:2]
            settings = settings.model_copy(update={"host": host, "port": port})
        problem = settings.problem()
        if problem:
            raise PerilError("unsafe_settings", problem)
        listening = handed or stack.enter_context(serving.listen(settings))
        words = f"Peril Table listens on {settings.address}"
        if workers > 1:
            _serve_together(settings, listening, workers, words)
        else:
            serving.run(settings, listening, words)


def _kept_token(path: Path) -> str:
    """The token of this folder's operator, made once and readable by this user alone."""
    with contextlib.suppress(FileExistsError):
        mine_alone = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(mine_alone, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(24))
    token = path.read_text("utf-8", errors="replace").strip()
    if not token:
        raise PerilError("no_token", f"{path} holds no token. Delete it, then a new one is made.")
    return token


async def _play_table(tables: Any) -> str:
    """The oldest table of the database, or a new one."""
    from sqlmodel import col, select

    from app.games.core import Key
    from app.table import deeds, listing
    from app.table.models import TableRow

    oldest = select(TableRow.id).order_by(col(TableRow.created_ms), col(TableRow.id)).limit(1)
    table_id = await tables.store.run(lambda session: session.exec(oldest).first())
    if table_id is not None:
        return str(table_id)
    made = await tables.create("My table", Key(str(uuid.uuid4())), "Owner")
    await listing.set_listed(tables, deeds.COMMAND_LINE, made.id, True)
    return str(made.id)


def _serve_together(settings: Settings, listening: Any, count: int, words: str) -> None:
    """Serve with several processes."""
    from app.table.database import open_store
    from app.workers import Workers

    if not settings.database_url:
        problem = "Several workers need one database for all: set PERIL_DATABASE_URL."
        raise PerilError("one_worker", problem)
    open_store(settings).close()  # what is wrong with it is said once, before anything else
    typer.echo(words)
    Workers(listening, count, {"PERIL_DATA_DIR": str(settings.data_dir)}).run()


# ---- tables ---------------------------------------------------------------------------------


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
    from app.limits import Limits
    from app.table.deeds import COMMAND_LINE

    settings = read_settings(data_dir=data_dir)
    try:
        key = Key(str(uuid.UUID(owner) if owner else uuid.uuid4()))
    except ValueError:
        problem = f"“{owner}” is not a UUID. An owner looks like {uuid.uuid4()}."
        raise PerilError("bad_owner", problem) from None

    async def work(tables: Any) -> dict[str, str]:
        made = await tables.create(name, key, owner_name, game, preset, _pairs(option or []))
        access = Access(tables.store, settings, Limits(settings))
        now_ms = int(tables.clock() * 1000)
        token, _ = await access.grant(COMMAND_LINE, "owner", now_ms, made.id)
        return {"table": made.id, "owner": key, "owner_token": token}

    print_json(run(settings, work))


@table_app.command("list")
def table_list(data_dir: DataDir = None) -> None:
    """List all tables."""
    from app.table import listing

    async def work(tables: Any) -> list[listing.Line]:
        lines: list[listing.Line] = []
        while more := await listing.tables(tables, lines[-1].id if lines else "", 100):
            lines += more
        return lines

    for line in run(read_settings(data_dir=data_dir), work):
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

    typer.echo(run(read_settings(data_dir=data_dir), work))


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
    from app.table import deeds, talk

    async def work(tables: Any) -> Any:
        found = await tables.table(table)
        if option or preset:
            what = lobby.SetOptions(preset, _pairs(option or []))
            owner = Actor(found.owner, found.owner_name, owner=True)
            answer = await talk.command(tables, table, owner, what, None)
            if answer.refusal is not None:
                raise talk.refused(found, found.owner, answer)
            named = ", ".join(filter(None, (preset, *_pairs(option or []))))
            await deeds.note_operator(tables, deeds.COMMAND_LINE, "options_set", table, named)
        return msgspec.to_builtins(found.now.match.options)

    print_json(run(read_settings(data_dir=data_dir), work))


@match_app.command("log")
def match_log(match: str, data_dir: DataDir = None) -> None:
    """Print a match's event log, a line of JSON per entry."""
    from app.table import history

    async def work(tables: Any) -> Any:
        return await history.match_log(tables.store, match)

    _, entries = run(read_settings(data_dir=data_dir), work)
    for entry in entries:
        line = {
            "seq": entry.seq,
            "at_ms": entry.at_ms,
            "actor": entry.actor,
            "command": json.loads(entry.command) if entry.command else None,
            "events": json.loads(entry.events),
        }
        typer.echo(json.dumps(line, ensure_ascii=False))


@app.command("verify")
def verify(
    match: Annotated[str, typer.Argument(help="A file with its log, or its address or page's.")],
) -> None:
    """Check a match from its public log: every draw, whose turn, lives, who has won."""
    from app.verify.__main__ import main as check

    sys.exit(check([match]))


@ranking_app.command("rebuild")
def ranking_rebuild(data_dir: DataDir = None) -> None:
    """Make all rankings anew from the event log."""
    from app import ranking

    async def work(tables: Any) -> int:
        return int(await tables.store.run(ranking.rebuild))

    typer.echo(f"{run(read_settings(data_dir=data_dir), work)} results counted.")


# ---- files ----------------------------------------------------------------------------------


@app.command("openapi")
def openapi() -> None:
    """Print the OpenAPI document of the REST API."""
    import tempfile

    from app.main import create_app

    with tempfile.TemporaryDirectory() as folder:
        made = create_app(Settings(data_dir=Path(folder)))
        print_json(made.openapi())
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


@app.command("lsl")
def lsl(
    folder: Annotated[Path, typer.Argument(help="Where the scripts are.")] = Path("lsl"),
) -> None:
    """Write the words shared with the server into the LSL scripts."""
    from app.devices.wire import with_words

    for path in sorted(folder.glob("*.lsl")):
        script = path.read_text(encoding="utf-8")
        path.write_text(with_words(script), encoding="utf-8")
        typer.echo(path)


if __name__ == "__main__":
    main()
