"""The scripts as they are written: compiled, sized, and in the house's style."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.devices import wire

from . import compiled, lint
from .memory import LIMIT_BYTES, value_bytes
from .venue import LSL

FILES = sorted(LSL.glob("*.lsl"))
SCRIPTS = pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])

BODY_BYTES = 2 * wire.ANSWER_BYTES
"""The largest answer as a string: two bytes a character."""

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


@SCRIPTS
def test_a_script_needs_at_most_half_of_its_memory(path: Path) -> None:
    """PB-212: 32 KB of 64, with the largest body it takes."""
    source = path.read_text("utf-8")
    body = BODY_BYTES if "MSG_NEWS" in source else 0
    assert compiled(source, path.stem).static_bytes + body <= 32 * 1024


@SCRIPTS
def test_a_script_stays_below_four_fifths_while_it_reads_the_largest_answer(path: Path) -> None:
    """PB-212: code, the answer, its list of lines, and one line cut into fields."""
    source = path.read_text("utf-8")
    records = ["x" * 49] * (wire.ANSWER_BYTES // 50)
    body = value_bytes("\n".join(records)) + value_bytes(records) + value_bytes(["x"] * 20)
    used = compiled(source, path.stem).static_bytes + (body if "MSG_NEWS" in source else 0)
    assert used < 0.8 * LIMIT_BYTES


def test_all_scripts_together_have_less_than_1500_lines() -> None:
    assert sum(len(p.read_text("utf-8").splitlines()) for p in FILES) < 1500


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
