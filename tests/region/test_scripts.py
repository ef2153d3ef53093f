"""The scripts as they are written: compiled, sized, and in the house's style."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import lummao
import pytest

from app.devices import wire

from . import compiled, lint
from .memory import value_bytes
from .venue import LSL

FILES = sorted(LSL.glob("*.lsl"))
SCRIPTS = pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])

BUDGET_BYTES = 32 * 1024
"""Half of what a script has."""

LINES_MOST = 1499
"""The rest of 1,500 is for what is to come."""

KEY = lummao.Key("a0000000-0000-4000-8000-000000000001")
NAME = "x" * 31
FULL: dict[str, list[Any]] = {
    "requests": [
        [KEY, "press", str(KEY), "¦".join(["", "id", KEY, "a", KEY, "n", NAME, "t", "x" * 60, "b",
         "x" * 24]), 4, 1.0] * 12,
        "x" * 300, ["x" * 90] * 3,
    ],
    "link": [["x" * 6, "x" * 60] * 5, ["prims", "x" * 1200], "x" * 64, KEY, "x" * 250],
    "controller": [["x" * 6, "x" * 60] * 4],
    "dialogs": [[KEY, 1, 1, "x" * 60] * 40],
    "display": [["profile:0:0", 1] * 34],
    "text": [["Leaderboard", 1] * 3, ["Leaderboard", "1,1,1", "x" * 250] * 3],
    "huds": [[KEY, KEY, 33] * 30],
}  # fmt: skip
"""The globals of each script when it holds as much as it may; all of 30 HUDs are on their way."""

GLOBAL = re.compile(r"^(?:integer|float|string|key|vector|rotation|list)\s+(\w+)\s*(=.*)?;(.*)$")


def globals_of(source: str) -> list[tuple[str, bool, str]]:
    """(name, is a constant, what stands behind it) of each global."""
    top = source.partition("\ndefault\n")[0]
    found = []
    for line in top.splitlines():
        if match := GLOBAL.match(line):
            found.append((match[1], match[2] is not None, match[3].strip()))
    return found


@SCRIPTS
def test_a_script_compiles_without_a_single_warning(path: Path) -> None:
    """PB-219."""
    assert lint(path.read_text("utf-8")) == []


def most_bytes(path: Path) -> int:
    """Code, globals when they are full, and what reading the largest body takes: the body, the list
    of its lines (or what is left of it), and one line cut into fields."""
    source = path.read_text("utf-8")
    used = compiled(source, path.stem).static_bytes + sum(map(value_bytes, FULL.get(path.stem, [])))
    if "MSG_NEWS" in source:
        records = ["x" * 24] * (wire.BODY_BYTES // 25)
        body = value_bytes("\n".join(records))
        rest = value_bytes(records) if '["\\n"]' in source else body
        used += body + rest + value_bytes(["x"] * 20)
    return used


@SCRIPTS
def test_a_script_needs_at_most_half_of_its_memory(path: Path) -> None:
    """PB-212: 32 KB of 64, full, with the largest body and the list parsed from it."""
    assert most_bytes(path) <= BUDGET_BYTES


def test_all_scripts_together_leave_room_for_what_is_to_come() -> None:
    assert sum(len(p.read_text("utf-8").splitlines()) for p in FILES) <= LINES_MOST


@SCRIPTS
def test_there_are_no_preprocessor_lines(path: Path) -> None:
    assert not re.search(r"^\s*#", path.read_text("utf-8"), re.MULTILINE)


@SCRIPTS
def test_globals_are_named_and_explained(path: Path) -> None:
    source = path.read_text("utf-8")
    shared = set(wire.LSL_CONSTANTS)
    for name, constant, behind in globals_of(source):
        if name in shared:
            continue
        assert name.isupper() if constant else re.fullmatch(r"g[A-Z]\w*", name), name
        assert constant or behind.startswith("//"), f"{name} has no comment"


@SCRIPTS
def test_the_shared_words_are_those_of_the_server(path: Path) -> None:
    """PB-147, PB-182: `peril lsl` writes them; every number has one meaning."""
    source = path.read_text("utf-8")
    assert wire.with_words(source) == source


def test_every_link_message_has_a_number_of_its_own() -> None:
    """PB-147."""
    numbers = [v for k, v in wire.LSL_CONSTANTS.items() if k.startswith("MSG_")]
    assert len(numbers) == len(set(numbers))


def test_only_the_dialog_script_waits_for_llDialog() -> None:
    slow = re.compile(r"\bll(Dialog|TextBox|InstantMessage|Sleep)\b")
    assert {p.stem for p in FILES if slow.search(p.read_text("utf-8"))} == {"dialogs"}


def test_only_the_controller_speaks_in_public() -> None:
    """PB-213."""
    loud = re.compile(r"\bll(Say|Shout|Whisper)\b")
    assert {p.stem for p in FILES if loud.search(p.read_text("utf-8"))} == {"controller"}


def test_no_script_writes_a_description() -> None:
    """PB-181."""
    assert not any("PRIM_DESC" in p.read_text("utf-8") for p in FILES)
