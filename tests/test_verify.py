"""The verifier: true logs pass it, and a log bent anywhere is convicted of the line that lies."""

import json
import random
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bent import Bend, bends, by_sort
from played import Log, Match, play, read, rig
from table.house import House
from test_architecture import ROOT, imports, inside, sources
from typer.testing import CliRunner

from app import cli, fairness, people, verify
from app.games import GAMES, lobby
from app.table.database import open_log
from app.verify import __main__ as command_line
from app.verify import check, dice
from app.verify import lobby as told_again

BOTH = pytest.mark.parametrize("game", ["peril", "roulette"])
MATCHES = 16
MORE_BENDS = 300
"""So many are tried of each log besides one of each sort."""
NAMED = ("joined", "renamed", "scored", "acted_for_owner")


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "peril.db"
    open_log(path).close()
    return path


@pytest.fixture
async def house(empty_file: Path, tmp_path: Path) -> AsyncIterator[House]:
    house = House(Path(shutil.copy(empty_file, tmp_path / "peril.db")))
    yield house
    await house.close()


@pytest.fixture
async def log(house: House, monkeypatch: pytest.MonkeyPatch) -> Log:
    """A whole match of Peril Dice."""
    return await play(house, "peril", rig(monkeypatch, 1))


def events(log: Log, *kinds: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Events of these kinds with their lines' places."""
    for index, line in enumerate(log["entries"]):
        yield from ((index, e) for e in line["events"] if e["type"] in kinds)


# ---- what is true -----------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("number", range(MATCHES))
async def test_a_match_played_by_the_service_has_no_lie(
    house: House, game: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every line follows, every draw falls again, and the winner is the one of the log."""
    log = await play(house, game, rig(monkeypatch, number))
    report = verify.verify(log)
    assert report.lie is None
    assert report.over
    assert report.lines == len(log["entries"])
    assert report.draws == len(list(events(log, "drawn"))) > 0
    won = [e for _, e in events(log, "match_won", "roulette.game_over")]
    assert [report.winner] == [e.get("key") or e.get("winner") for e in won]


@BOTH
async def test_the_matches_of_these_tests_hold_all_that_can_happen(
    empty_file: Path, tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between them there is every event of the game and of the table around it."""
    seen = set()
    for number in range(MATCHES):
        house = House(Path(shutil.copy(empty_file, tmp_path / f"{number}.db")))
        with monkeypatch.context() as patch:
            log = await play(house, game, rig(patch, number))
        await house.close()
        seen |= {e["type"] for line in log["entries"] for e in line["events"]}
    kinds = {str(e.__struct_config__.tag) for e in (*lobby.EVENTS, *GAMES[game].events)}
    assert kinds - seen == {"forgotten"}


async def test_a_match_that_runs_cannot_be_checked_yet(house: House) -> None:
    """Without seed and close there is neither a verdict nor a lie."""
    house.dice = None
    await house.open()
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await house.ready(bob)
    await house.press_start(ada)
    report = verify.verify(await read(house, house.table.now.match_id))
    assert (report.over, report.lie) == (False, None)
    assert report.sentences[0].endswith("is not over. It can be checked when its seed is shown.")


async def test_a_match_broken_off_can_be_checked_as_far_as_it_went(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a reset the seed is shown; before anything was drawn there is nothing to show."""
    chance = rig(monkeypatch, 5)
    house.dice = None
    await house.open()
    empty = house.table.now.match_id
    await house.command(house.owner, lobby.ResetMatch())
    match = Match(house, chance)
    await match.fill(3, 2)
    await house.tick()
    await house.command(house.owner, lobby.ResetAll())
    first, second = [verify.verify(await read(house, m)) for m in (empty, match.id)]
    assert (first.lie, first.draws, first.winner) == (None, 0, "")
    assert (second.lie, second.draws > 0, second.winner) == (None, True, "")


@BOTH
async def test_of_a_match_whose_player_deleted_his_data_the_rules_and_his_first_draws_are_checked(
    house: House, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is accused for it, but neither is it said that all draws were made again."""
    log = await play(house, game, rig(monkeypatch, 1))
    monkeypatch.undo()
    own = [str(c.__struct_config__.tag) for c in GAMES[game].commands]
    moves = [line for line in log["entries"] if (line["command"] or {}).get("type") in own]
    await people.forget(house.tables, moves[0]["actor"])
    log = await read(house, log["match"]["id"])
    report = verify.verify(log)
    assert (report.lie, report.forgotten) == (None, True)
    assert check.FORGOTTEN in report.sentences
    for place in (0, -1):
        bent = json.loads(json.dumps(log))
        index, drawn = list(events(bent, "drawn"))[place]
        drawn["index"] = (drawn["index"] + 1) % drawn["among"]
        lie = verify.verify(bent).lie
        assert lie is not None
        assert lie.line == log["entries"][index]["seq"]


async def test_an_owner_who_deletes_his_data_while_others_play_makes_nobody_a_liar(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = rig(monkeypatch, 5)
    house.dice = None
    await house.open()
    match = Match(house, chance)
    await match.fill(3, 2)
    await house.tick()
    await people.forget(house.tables, house.owner.key)
    await house.command(house.owner, lobby.ResetMatch())
    report = verify.verify(await read(house, match.id))
    assert (report.lie, report.forgotten, report.draws > 0) == (None, False, True)


async def test_nobody_is_forgotten_who_did_not_play(log: Log) -> None:
    """A line that says so only to spare the draws the check is a lie."""
    log["entries"][-1]["events"].append({"type": "forgotten", "key": "nobody"})
    lie = verify.verify(log).lie
    assert lie is not None
    assert lie.line == log["entries"][-1]["seq"]


def test_the_options_seats_and_commands_are_those_of_the_games() -> None:
    """The verifier imports nothing of the games; this keeps its own tables true."""
    for name, game in check.GAMES.items():
        real, rules = GAMES[name], game(told_again.Table("", False))
        defaults = msgspec.to_builtins(real.options(**dict(next(iter(real.presets.values())))))
        assert {k: defaults[k] for k in rules.decisive} == dict(rules.decisive)
        assert {k: dict(v) for k, v in rules.presets.items()} == {
            k: dict(v) for k, v in real.presets.items()
        }
        assert rules.most_seats == real.seats[-1]
        assert set(defaults) - set(rules.decisive) == {
            n for n in defaults if n == "pace" or (n.endswith("_s") and n != "turn_s")
        }
        said = {str(c.__struct_config__.tag): c.__struct_fields__ for c in real.commands}
        assert said == rules.fields
    known = (*lobby.PLAYER_COMMANDS, *lobby.OWNER_COMMANDS, *lobby.SERVER_COMMANDS)
    said = {str(c.__struct_config__.tag): c.__struct_fields__ for c in known}
    assert said == {c: told_again.FIELDS.get(c, ()) for c in told_again.COMMANDS}


# ---- what is bent -----------------------------------------------------------------------------


def excused(bend: Bend, entry: dict[str, Any], game: str) -> str:
    """Which item of NOT_COVERED lets this bend pass, or ''."""
    path, how = bend.path, bend.how
    actor, command = entry["actor"], (entry["command"] or {}).get("type", "opening")
    in_event = path[:1] == ("events",) and len(path) > 1
    event = entry["events"][path[1]]["type"] if in_event else ""
    if how in ("left out", "added"):
        return "Display names" if event == "renamed" and len(path) == 2 else ""
    decisive = {*check.GAMES[game].decisive, "options"}  # type: ignore[attr-defined]
    opening = {"owner", "locked", "options", "invited", "language"}
    excuses = {
        "Times": path == ("at_ms",),
        "Keys from which the same was drawn": (
            path == ("id",) and actor != "server" and how != "nothing"
        ),
        "Display names": event in NAMED and path[2:] == ("name",) and how != "nothing",
        "Options of the show": "options" in path and path[-1] not in decisive,
        "How a match opens": event == "match_opened" and bool(opening & set(path[2:])),
        "Who turned a page of the ranking, and which": (
            path == ("actor",) and command == "turn_ranking"
        ),
        "The order of the numbers in a pick after the last draw": (
            path == ("command", "numbers") and how == "reversed"
        ),
    }
    return next((what for what, here in excuses.items() if here), "")


@BOTH
@pytest.mark.parametrize("number", range(4))
async def test_a_log_bent_anywhere_is_convicted_of_the_line_that_lies(
    house: House, game: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each field of each line, event and command changed, left out or added; each event and line
    left out, doubled or before its time: the bent line is named.

    Of a line left out the next one is named, or the last where none follows.  What NOT_COVERED
    excuses is never held against an earlier line; if a later one contradicts it, that is named.
    """
    log = await play(house, game, rig(monkeypatch, number))
    chance, bent = random.Random(number), list(bends(log))
    some = [*by_sort(log, chance).values(), *chance.sample(bent, MORE_BENDS)]
    wrong, let_pass = [], set()
    for bend in some:
        report = verify.verify(bend.log)
        entry = log["entries"][min(bend.index, len(log["entries"]) - 1)]
        excuse = excused(bend, entry, game)
        if report.lie is not None and report.lie.line == bend.line:
            continue
        let_pass.add(excuse)
        if not excuse or (report.lie is not None and report.lie.line < bend.line):
            wrong.append((bend.index, bend.path, bend.how, report.lie))
    assert wrong == []
    assert let_pass <= verify.NOT_COVERED.keys()


@BOTH
async def test_a_key_that_is_bent_is_found_in_the_draw_that_was_made_of_it(
    house: House, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every line whose own draws fall otherwise with another key is convicted, and no other."""
    log = await play(house, game, rig(monkeypatch, 2))
    found = 0
    for index, line in enumerate(log["entries"]):
        if line["actor"] == "server":
            continue
        other = {**line, "id": "other"}
        bent = {**log, "entries": [*log["entries"][:index], other, *log["entries"][index + 1 :]]}
        lie = verify.verify(bent).lie
        drew = any(e["type"] == "drawn" for e in line["events"])
        if lie is not None:
            assert (lie.line, drew, lie.what.startswith("Draw ")) == (line["seq"], True, True)
            found += 1
    assert found > 0


async def test_a_pick_bent_in_command_and_event_alike_is_found_by_the_next_draw(log: Log) -> None:
    """What follows is consistent then; only the dice know what was really pressed."""
    tried = 0
    for index, event in events(log, "numbers_picked"):
        line = log["entries"][index]
        later = [i for i, _ in events(log, "drawn") if i > index]
        if line["command"]["type"] != "pick" or not later:
            continue
        _, started = [e for e in events(log, "round_started") if e[0] < index][-1]
        bent = json.loads(json.dumps(log))
        taken = {n for _, e in events(log, "numbers_picked") for n in e["numbers"]}
        free = [n for n in range(1, started["sides"] + 1) if n not in taken]
        if not free:
            continue
        numbers = sorted([*event["numbers"][1:], free[0]])
        bent["entries"][index]["command"]["numbers"] = numbers
        bent["entries"][index]["events"][-1]["numbers"] = numbers
        lie = verify.verify(bent).lie
        assert lie is not None
        assert bent["entries"][index]["seq"] < lie.line <= bent["entries"][later[0]]["seq"]
        tried += 1
    assert tried > 0


@BOTH
async def test_another_seed_with_its_own_commitment_is_found_by_the_first_draw(
    house: House, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seed that was exchanged afterwards, commitment and all, does not give the same draws."""
    log = await play(house, game, rig(monkeypatch, 3))
    monkeypatch.undo()
    [(_, shown)] = events(log, "seed_shown")
    shown["seed"] = secrets.token_hex(32)
    log["entries"][0]["events"][0]["commitment"] = fairness.commitment(shown["seed"])
    drawn = [i for i, e in events(log, "drawn")]
    lie = verify.verify(log).lie
    assert lie is not None
    assert lie.what.startswith("Draw ")
    # The first draws may fall alike by chance.
    assert log["entries"][drawn[0]]["seq"] <= lie.line <= log["entries"][drawn[9]]["seq"]


async def test_a_commitment_that_was_exchanged_is_the_line_that_lies(log: Log) -> None:
    """If all draws came from the seed, it is not the seed that lies."""
    log["entries"][0]["events"][0]["commitment"] = "0" * 64
    lie = verify.verify(log).lie
    assert lie is not None
    assert lie.line == log["match"]["first_seq"]
    assert lie.what.startswith("The commitment is not")


@pytest.mark.parametrize(
    ("field", "value"),
    [("id", "x-1"), ("table", "x"), ("number", 2), ("game", "roulette"), ("closed_ms", None)],
)
async def test_a_match_that_is_another_one_than_its_log_is_found(
    log: Log, field: str, value: Any
) -> None:
    """What is said of the whole match must fit the log: id, table, number, game, being closed."""
    log["match"][field] = value
    assert verify.verify(log).lie is not None


@pytest.mark.parametrize("thing", [None, [], {}, {"match": {}, "entries": []}, {"match": 1}, "x"])
def test_what_is_no_log_is_told_apart_from_a_lie(thing: Any) -> None:
    """Not every JSON is a match."""
    with pytest.raises(verify.NotALog, match="not the log of a match"):
        verify.verify(thing)


async def test_of_a_game_whose_rules_are_not_known_the_dice_are_checked(log: Log) -> None:
    """It says so, and finds a forged draw all the same."""
    log["match"]["game"] = log["entries"][0]["events"][0]["game"] = "whist"
    report = verify.verify(log)
    assert (report.lie, report.played) == (None, False)
    assert "The rules of whist are not known here: only the dice were checked." in report.sentences
    index, drawn = list(events(log, "drawn"))[4]
    drawn["index"] += 1
    lie = verify.verify(log).lie
    assert lie is not None
    assert lie.line == log["entries"][index]["seq"]


@pytest.mark.parametrize("among", [1, 2, 7, 12, 100, (1 << 31) + 1])
def test_a_draw_is_the_same_as_the_service_draws_it(among: int) -> None:
    """Two programs written apart give the same numbers."""
    for number in range(200):
        seed, message = bytes([number] * 32), f"m-1\n{number}\nhash\nkey"
        assert dice.draw(seed, message, among) == fairness.draw(seed, message, among)


# ---- apart from the server --------------------------------------------------------------------


def test_the_verifier_imports_nothing_but_the_standard_library() -> None:
    """What is to check the server shares no line with it."""
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in sources(ROOT, "app.verify")
        for line, name in imports(ROOT, path)
        if name.split(".")[0] not in sys.stdlib_module_names and not inside(name, "app.verify")
    ]
    assert found == []


async def test_the_verifier_runs_where_there_is_nothing_but_python(
    log: Log, tmp_path: Path
) -> None:
    """A copy of its folder, and an interpreter without any package, are enough."""
    shutil.copytree(ROOT / "app/verify", tmp_path / "app/verify")
    (tmp_path / "match.json").write_text(json.dumps(log))
    ran = subprocess.run(
        [sys.executable, "-S", "-E", "-m", "app.verify", "match.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == verify.verify(log).sentences


# ---- the command ------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.app, ["verify", *arguments])
    return done.exit_code, done.stdout, done.stderr


async def test_the_command_tells_in_sentences_what_it_found(log: Log, tmp_path: Path) -> None:
    """A true log ends with 0, a lie with 1 and the line."""
    path = tmp_path / "match.json"
    path.write_text(json.dumps(log))
    code, out, _ = run(str(path))
    assert code == 0
    assert out.splitlines() == verify.verify(log).sentences
    index, rolled = next(events(log, "dice_rolled"))
    rolled["number"] += 1
    path.write_text(json.dumps(log))
    code, out, _ = run(str(path))
    assert code == 1
    line, right = log["entries"][index]["seq"], rolled["number"] - 1
    assert out == (
        f"Line {line} lies: “dice rolled” says number {rolled['number']}, but {right} follows.\n"
    )


async def test_the_command_takes_the_address_of_a_match_and_of_its_page(log: Log) -> None:
    """Both lead to the same log."""
    match = log["match"]["id"]

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == f"/api/v1/matches/{match}"
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(json.dumps(log).encode() if found else b"{}")

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        assert run(f"{base}/m/{match}")[0] == 0
        assert run(f"{base}/m/{match}#line-7")[0] == 0
        assert run(f"{base}/api/v1/matches/{match}")[0] == 0
        code, out, err = run(f"{base}/m/other")
        assert (code, out) == (1, "")
        assert err == f"{base}/m/other cannot be read (Not Found).\n"
        server.shutdown()


def test_a_path_before_the_page_stays(tmp_path: Path) -> None:
    """A server may live below a path of its host."""
    found = command_line.log_address("https://host/games/m/t-1")
    assert found == "https://host/games/api/v1/matches/t-1"


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "It cannot be read as JSON."), ("[1]", "That is not the log of a match.")],
)
def test_the_command_says_what_is_wrong_with_a_file(tmp_path: Path, text: str, said: str) -> None:
    """No log, no verdict, but a sentence."""
    path = tmp_path / "match.json"
    path.write_text(text)
    assert run(str(path)) == (1, "", f"{path}: {said}\n")


def test_the_command_says_that_a_file_is_missing(tmp_path: Path) -> None:
    """As for any other file."""
    path = tmp_path / "nothing.json"
    assert run(str(path)) == (1, "", f"{path} cannot be read (No such file or directory).\n")


# ---- the document -----------------------------------------------------------------------------


def test_the_document_lists_what_is_not_covered() -> None:
    """docs/fairness.md names each item of NOT_COVERED with its reason."""
    text = " ".join((ROOT / "docs/fairness.md").read_text("utf-8").split())
    for what, why in verify.NOT_COVERED.items():
        assert f"**{what}.** {why}" in text
