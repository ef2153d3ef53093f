"""`peril person`: the operator sees, hides, exports and deletes what is kept of people."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from api.service import ADA, BOB, QUICK, serving
from test_cli import empty_file, folder, peril

__all__ = ["empty_file", "folder", "peril"]


@pytest.fixture
def played(folder: Path) -> str:
    """A match of Ada and Bob in the database; its id."""

    async def play() -> str:
        async with serving(folder) as service:
            table = await service.table(options=QUICK | {"lives": 1, "victory_s": 0})
            await table.play(ADA, BOB)
            await table.until(lambda state: state["stage"] == "lobby")
            return f"{table.id}-1"

    return asyncio.run(play())


def test_what_is_kept_is_shown_and_exported(peril: Any, played: str) -> None:
    shown = peril("person", "show", ADA["key"].upper()).out
    assert shown.startswith(f"{ADA['key']}  Ada\nshown in rankings\n")
    assert "all tables" in shown
    exported = peril("person", "export", ADA["key"]).json
    assert [m["match"] for m in exported["matches"]] == [played]
    assert exported["matches"][0]["deeds"][0]["command"] == {"type": "join"}


def test_hiding_is_a_wish_that_can_be_taken_back(peril: Any, played: str) -> None:
    assert peril("person", "hide", ADA["key"]).out == "Hidden from rankings.\n"
    assert "hidden from rankings" in peril("person", "show", ADA["key"]).out
    assert peril("person", "unhide", ADA["key"]).out == "Shown in rankings.\n"
    assert "shown in rankings" in peril("person", "show", ADA["key"]).out


def test_deleting_leaves_no_key_and_no_name_not_even_in_rebuilt_rankings(
    peril: Any, played: str
) -> None:
    done = peril("person", "delete", ADA["key"], "--yes")
    assert done.out.startswith("Deleted.")
    log = peril("match", "log", played).out
    assert ADA["key"] not in log
    assert '"Ada"' not in log
    assert json.loads(log.splitlines()[-1])["events"][-1]["type"] == "forgotten"
    assert peril("ranking", "rebuild").out == "1 results counted.\n"
    shown = peril("person", "show", ADA["key"]).out
    assert "no name is known" in shown
    assert "matches: 0," in shown


def test_what_is_no_key_is_a_sentence(peril: Any) -> None:
    for command in ("show", "export", "hide", "unhide"):
        assert "is not the key of an avatar" in peril("person", command, "Ada").problem
    assert "is not the key" in peril("person", "delete", "bot:1", "--yes").problem


def test_who_sits_in_a_match_is_not_deleted(peril: Any, folder: Path) -> None:
    async def join() -> None:
        async with serving(folder) as service:
            table = await service.table()
            await table.command(ADA, "join")

    asyncio.run(join())
    assert "Leave it" in peril("person", "delete", ADA["key"], "--yes").problem
