"""The command line: every command works, and what is wrong is a sentence that says what to do."""

import asyncio
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from api.service import (
    ADA,
    API,
    BOB,
    OPERATOR,
    OWNER,
    Running,
    bearer,
    free_port,
    ok,
    running,
    serving,
)
from typer.testing import CliRunner

from app import cli
from app.table.database import open_log
from tests.postgres import new_database

ROOT = Path(__file__).parents[1]


class Result:
    """What a command printed, and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def problem(self) -> str:
        """The sentence of an error; nothing else may be printed."""
        assert (self.code, self.out) == (1, "")
        assert self.err.startswith("peril: ")
        assert self.err.endswith(".\n")
        assert "Traceback" not in self.err
        assert self.err.count("\n") == 1
        return self.err.removeprefix("peril: ").strip()


@pytest.fixture
def peril(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Any:
    """`peril(words…)`, on a database of its own."""
    monkeypatch.setenv("PERIL_DATA_DIR", str(folder))

    def run(*words: object) -> Result:
        monkeypatch.setattr("sys.argv", ["peril", *map(str, words)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return run


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "peril.db"
    open_log(path).close()
    return path


@pytest.fixture
def folder(empty_file: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(empty_file, folder / "peril.db")
    return folder


# ---- table create, list, show, options ------------------------------------------------------


def test_a_table_is_created_with_a_token_for_its_owner(peril: Any) -> None:
    made = peril("table", "create", "The Rooftop", "--owner", OWNER["key"].upper()).json
    assert set(made) == {"table", "owner", "owner_token"}
    assert made["owner"] == OWNER["key"]
    assert re.fullmatch(r"[a-z0-9]{8}", made["table"])
    assert len(made["owner_token"]) >= 32


def test_a_table_without_an_owner_gets_one(peril: Any) -> None:
    assert uuid.UUID(peril("table", "create").json["owner"])


def test_options_are_given_as_name_and_value(peril: Any) -> None:
    made = peril(
        "table", "create", "--preset", "high_stakes",
        "--option", "pace=brisk", "--option", "rank_practice=false", "--option", "turn_s=30.5",
    ).json  # fmt: skip
    options = peril("table", "options", made["table"]).json
    assert [options[k] for k in ("lives", "pace", "rank_practice", "turn_s")] == [
        2, "brisk", False, 30.5,
    ]  # fmt: skip


def test_the_list_shows_every_table_in_a_line(peril: Any) -> None:
    assert peril("table", "list").out == ""
    made = sorted(peril("table", "create", f"Table {n}").json["table"] for n in range(3))
    lines = peril("table", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == made
    assert re.fullmatch(r"\w{8}  peril      lobby     0/10  Table \d", lines[0])


def test_a_table_is_shown_as_its_board_in_text(peril: Any) -> None:
    table = peril("table", "create").json["table"]
    shown = peril("table", "show", table).out
    assert shown.startswith(f"{table}-1 at 1\n")
    assert "Touch to play" in shown


def test_the_options_of_a_table_are_changed_and_stay_so(peril: Any) -> None:
    table = peril("table", "create").json["table"]
    assert peril("table", "options", table, "lives=1").json["lives"] == 1
    assert peril("table", "options", table, "--preset", "speed_peril").json["turn_s"] == 60
    assert peril("table", "options", table).json["lives"] == 3


# ---- match log, ranking rebuild -------------------------------------------------------------


def test_the_log_of_a_match_is_a_line_of_json_per_entry(peril: Any) -> None:
    table = peril("table", "create").json["table"]
    peril("table", "options", table, "lives=1")
    first, second = map(json.loads, peril("match", "log", f"{table}-1").out.splitlines())
    assert (first["seq"], first["command"]) == (1, None)
    assert first["events"][0]["type"] == "match_opened"
    assert (second["seq"], second["command"]["type"]) == (2, "set_options")


def test_the_rankings_are_made_anew(peril: Any) -> None:
    assert peril("ranking", "rebuild").out == "0 results counted.\n"


# ---- files ----------------------------------------------------------------------------------


def test_the_openapi_document_is_printed_without_touching_any_data(
    peril: Any, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    assert peril("openapi").json["openapi"].startswith("3.")
    assert sorted(folder.iterdir()) == before


def test_the_art_is_exported_as_pngs(peril: Any, tmp_path: Path) -> None:
    printed = peril("art", tmp_path / "art", "--size-px", "16").out.splitlines()
    assert printed
    for path in printed:
        assert Path(path).read_bytes().startswith(b"\x89PNG")


# ---- what is wrong is said ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["table", "show", "nope"], "There is no table “nope” here."),
        (["table", "options", "nope"], "There is no table “nope” here."),
        (["match", "log", "nope-1"], "There is no match “nope-1” here."),
        (["table", "create", "--game", "chess"], "There is no such game here."),
        (["table", "create", "--option", "lives"],
         "An option is given as name=value, not “lives”."),
        (["table", "create", "--option", "lives=9"],
         "That option does not work: Invalid enum value 9 - at `$.lives`."),
        (["table", "create", "--option", "colour=red"],
         "That option does not work: Object contains unknown field `colour`."),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_by_a_sentence(peril: Any, words: list[str], said: str) -> None:
    assert peril(*words).problem == said


@pytest.mark.parametrize("owner", ["Ada", "", "1234", "bot:1", "0" * 31, "é" * 32])
def test_an_owner_who_is_no_uuid_is_not_understood(peril: Any, owner: str) -> None:
    if owner:
        said = peril("table", "create", "--owner", owner).problem
        assert said.startswith(f"“{owner}” is not a UUID. An owner looks like ")


def test_a_preset_that_is_not_there_is_answered_by_those_that_are(peril: Any) -> None:
    said = peril("table", "create", "--preset", "slow").problem
    assert all(name in said for name in ("classic", "speed_peril", "high_stakes"))


def test_options_are_not_changed_while_a_match_runs(peril: Any, folder: Path) -> None:
    async def start() -> str:
        async with serving(folder) as service:
            table = await service.table()
            await table.start(ADA, BOB)
            return table.id

    said = peril("table", "options", asyncio.run(start()), "lives=1").problem
    assert said == "The options are fixed while a game runs. Change them after it."


@pytest.mark.parametrize(
    "words",
    [
        ["dance"],
        ["table"],
        ["table", "dance"],
        ["table", "show"],
        ["serve", "--port", "0"],
        ["serve", "--port", "65536"],
        ["serve", "--port", "many"],
        ["serve", "--colour"],
        ["match", "log"],
        ["art"],
        ["art", "folder", "--size-px", "1"],
    ],
)
def test_wrong_usage_ends_with_2_and_how_it_is_used(peril: Any, words: list[str]) -> None:
    result = peril(*words)
    assert result.code == 2
    assert "Usage: " in result.out + result.err


def test_every_command_explains_itself(peril: Any) -> None:
    groups = [["play"], ["serve"], ["openapi"], ["art"], ["ranking", "rebuild"], ["match", "log"]]
    groups += [["table", name] for name in ("create", "list", "show", "options")]
    for words in ([], *groups):
        result = peril(*words, "--help")
        assert result.code == 0
        assert "Usage: " in result.out


def test_the_help_is_quick_and_needs_no_settings() -> None:
    assert CliRunner().invoke(cli.app, ["--help"]).exit_code == 0


# ---- the folder and the database ------------------------------------------------------------

COMMANDS = [
    ["table", "list"],
    ["table", "create"],
    ["match", "log", "x-1"],
    ["ranking", "rebuild"],
    ["serve"],
    ["play"],
]
each_command = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


def with_port(words: list[str]) -> list[str]:
    return [*words, "--port", str(free_port())] if words[0] in ("serve", "play") else words


@each_command
def test_a_folder_that_cannot_be_written_is_named(
    peril: Any, tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    folder = tmp_path / "file" / "data"
    said = peril(*with_port(words), "--data-dir", folder).problem
    assert said.startswith(f"The folder {folder} cannot be written (Not a directory). Choose ")
    assert "--data-dir" in said


@each_command
def test_a_database_of_a_newer_version_is_left_alone(
    peril: Any, folder: Path, words: list[str]
) -> None:
    connection = sqlite3.connect(folder / "peril.db")
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    before = (folder / "peril.db").read_bytes()
    said = peril(*with_port(words)).problem
    assert "was made by a newer version of Peril Table (schema 9999). Update the program" in said
    assert (folder / "peril.db").read_bytes() == before


@each_command
def test_a_file_that_is_no_database_is_left_alone(
    peril: Any, folder: Path, words: list[str]
) -> None:
    (folder / "peril.db").write_text("Dear diary, " * 500)
    said = peril(*with_port(words)).problem
    assert "is not a database of Peril Table" in said
    assert said.endswith("Move it away.")
    assert (folder / "peril.db").read_text() == "Dear diary, " * 500


def test_a_folder_where_the_database_should_be_is_told(peril: Any, folder: Path) -> None:
    (folder / "peril.db").unlink()
    (folder / "peril.db").mkdir()
    assert "cannot be written" in peril("table", "list").problem


def test_a_database_in_use_by_another_program_is_told(peril: Any, folder: Path) -> None:
    # The journal tells whether another program may look in meanwhile: not with this one.
    connection = sqlite3.connect(folder / "peril.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("BEGIN EXCLUSIVE")
    said = peril("table", "list").problem
    connection.close()
    assert "is in use or damaged (database is locked)" in said


def test_a_missing_folder_is_made(peril: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "one"
    assert peril("table", "list", "--data-dir", folder).code == 0
    assert (folder / "peril.db").is_file()


def test_art_that_cannot_be_written_is_told(peril: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    said = peril("art", tmp_path / "file" / "art", "--size-px", "16").problem
    assert said == f"{tmp_path / 'file' / 'art'} cannot be used (Not a directory)."


# ---- the settings ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PERIL_PORT", "many"),
        ("PERIL_PORT", "70000"),
        ("PERIL_LOG_LEVEL", "loud"),
        ("PERIL_BODY_LIMIT_BYTES", "16k"),
    ],
)
def test_a_setting_that_does_not_work_is_named(
    peril: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert peril("table", "list").problem.startswith(f"{name} does not work: Input should be ")


@pytest.mark.parametrize("token", ["", "short"])
def test_nothing_is_served_beyond_this_machine_without_a_token(
    peril: Any, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("PERIL_OPERATOR_TOKEN", token)
    for host in ("0.0.0.0", "::", "192.0.2.1", "peril.example"):
        said = peril("serve", "--host", host).problem
        assert "PERIL_OPERATOR_TOKEN" in said
        assert "at least 16 random characters" in said


def test_play_is_for_this_machine_alone(peril: Any) -> None:
    said = peril("play", "--host", "0.0.0.0").problem
    assert said == "`peril play` is for this machine. Use `peril serve`."


# ---- the port -------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["serve", "play"])
def test_a_taken_port_is_told_before_anything_is_made(
    peril: Any, tmp_path: Path, command: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        folder = tmp_path / "new"
        said = peril(command, "--port", port, "--data-dir", folder).problem
    assert said == f"Port {port} is taken by another program. Try --port {port % 65535 + 1}."
    assert not folder.exists()


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "a..b", "x" * 70])
def test_an_address_that_is_not_of_this_machine_is_told(
    peril: Any, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("PERIL_OPERATOR_TOKEN", OPERATOR)
    said = peril("serve", "--host", host, "--port", free_port()).problem
    assert said.startswith(f"One cannot listen on {host} (")
    assert said.endswith("Try another --host.")


# ---- play -----------------------------------------------------------------------------------


def opened(server: Running) -> str:
    """The address that `peril play` prints, read while it runs."""
    assert server.process.stdout is not None
    for line in server.process.stdout:
        if found := re.search(r"http://\S+", line):
            return found[0]
    raise AssertionError("no address was printed")


def test_play_prints_an_address_whose_page_answers_and_whose_token_acts_as_the_owner(
    tmp_path: Path,
) -> None:
    with running("play", tmp_path, PERIL_OPERATOR_TOKEN="") as server:
        address, _, token = opened(server).partition("#token=")
        assert ok(httpx.get(address)).text.startswith("<!doctype html>")
        url = f"{server.url}{API}/tables/{address.rpartition('/')[2]}"
        owner = ok(httpx.get(url)).json()["owner"]
        body = {"avatar": owner, "command": {"type": "add_bot"}}
        assert httpx.post(f"{url}/commands", json=body).status_code == 401
        ok(httpx.post(f"{url}/commands", json=body, headers=bearer(token)))
        ok(httpx.post(f"{server.url}{API}/tables", json={}, headers=bearer(token)))
    assert ((tmp_path / "operator-token").stat().st_mode & 0o777) == 0o600
    assert (tmp_path / "operator-token").read_text() == token

    # A second time: the same table, though there is another one now, and the same token.
    with running("play", tmp_path, PERIL_OPERATOR_TOKEN="") as server:
        again = opened(server)
        assert again.partition("/t/")[2] == f"{address.rpartition('/')[2]}#token={token}"
        state = ok(httpx.get(f"{server.url}{API}{url.partition(API)[2]}")).json()["state"]
        assert [seat["name"] for seat in state["seats"]] == ["Bot1"]


def test_play_takes_the_operators_token_where_one_is_set(tmp_path: Path) -> None:
    with running("play", tmp_path) as server:
        assert opened(server).endswith(f"#token={OPERATOR}")
    assert not (tmp_path / "operator-token").exists()


def test_a_token_that_was_lost_is_made_anew_when_told_to(peril: Any, folder: Path) -> None:
    (folder / "operator-token").touch()
    said = peril("play", "--port", free_port()).problem
    assert said == f"{folder / 'operator-token'} holds no token. Delete it, then a new one is made."


# ---- serve ----------------------------------------------------------------------------------


def test_serve_says_where_it_listens_and_commands_work_meanwhile(peril: Any, folder: Path) -> None:
    with running("serve", folder) as server:
        table = peril("table", "create", "Late").json
        url = f"{server.url}{API}/tables/{table['table']}"
        assert ok(httpx.get(url)).json()["name"] == "Late"
        peril("table", "options", table["table"], "lives=2")
        body = {"avatar": {"key": table["owner"], "name": "O"}, "command": {"type": "lock"}}
        ok(httpx.post(f"{url}/commands", json=body, headers=bearer(table["owner_token"])))
        assert ok(httpx.get(url)).json()["options"]["lives"] == 2
    assert server.said.startswith(f"Peril Table listens on {server.url}\n")
    assert "Traceback" not in server.said


# ---- the store ------------------------------------------------------------------------------


def test_a_file_is_moved_to_postgresql_by_one_command(
    peril: Any, need: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "has to say where to" in peril("migrate-store").problem
    table = peril("table", "create").json["table"]
    with new_database(need("postgresql")) as address:
        monkeypatch.setenv("PERIL_DATABASE_URL", address)
        assert peril("migrate").out.strip() == "The schema is up to date."
        assert "the same in both" in peril("migrate-store").out
        assert table in peril("table", "list").out
        assert "already" in peril("migrate-store").problem


# ---- a supervisor's socket ------------------------------------------------------------------


def served_on(fd: int, folder: Path) -> str:
    """What `peril serve` says to a socket that it does not take."""
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "serve", "--fd", str(fd), "--data-dir", str(folder)],
        capture_output=True, text=True, timeout=30, check=False, pass_fds=[fd],
        env={k: v for k, v in os.environ.items() if not k.startswith("PERIL_")},
    )  # fmt: skip
    assert done.returncode == 1
    return done.stderr


def test_what_is_handed_over_has_to_be_a_socket_that_listens(tmp_path: Path) -> None:
    with socket.socket() as silent, (tmp_path / "file").open("w") as file:
        assert served_on(silent.fileno(), tmp_path).endswith("is no TCP socket that listens.\n")
        assert "is no socket" in served_on(file.fileno(), tmp_path)


def test_a_socket_that_others_can_reach_is_not_served_without_a_token(tmp_path: Path) -> None:
    with socket.create_server(("0.0.0.0", 0)) as reached:
        assert "PERIL_OPERATOR_TOKEN" in served_on(reached.fileno(), tmp_path)
