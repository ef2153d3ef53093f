"""The stand-in for the FURWARE engine (facts 14)."""

from __future__ import annotations

from typing import Any

import pytest

from . import Linkset, Region, furware
from .conftest import script

SENDER = script(
    "link_message(integer from, integer n, string text, key id) { got += [(string)id, text]; }",
    "list got;",
)


@pytest.fixture
def board(region: Region) -> Linkset:
    """Two rows of 16 characters, and a plate of 8."""
    names = furware.mesh_names("Board", 2, 2) + furware.mesh_names("Plate", 1, 1)
    return region.object("board", names, scripts=[SENDER])


@pytest.fixture
def engine(region: Region, board: Linkset) -> furware.Engine:
    made = furware.install(board.root)
    region.run()
    return made


def tell(board: Linkset, command: str, text: str = "") -> None:
    """As llMessageLinked(LINK_SET, 0, text, command)."""
    for runner in board.runners:
        runner.post("link_message", 1, 0, text, command)
    assert board.region
    board.region.run(0.1)


def got(board: Linkset) -> list[Any]:
    found: list[Any] = board.script("script")["got"]
    return found


def test_it_says_that_it_is_ready_after_each_start(board: Linkset, engine: furware.Engine) -> None:
    assert got(board) == ["fw_ready", ""]
    tell(board, "fw_data:Board", "x")
    tell(board, "fw_reset")
    assert got(board).count("fw_ready") == 2
    assert engine.text("Board") == ["", ""]


def test_sets_are_as_large_as_their_prims_names_say(engine: furware.Engine) -> None:
    sizes = {name: (box.width, box.height) for name, box in engine.boxes.items()}
    assert sizes == {"Board": (16, 2), "Plate": (8, 1)}


def test_text_is_wrapped_at_words_and_clipped(board: Linkset, engine: furware.Engine) -> None:
    tell(board, "fw_data : Board", "The quick brown fox jumps")
    assert engine.text("Board") == ["The quick brown", "fox jumps"]
    tell(board, "fw_data:Plate", "Anastasia")
    assert engine.text("Plate") == ["Anastasi"]


def test_styles_come_from_defaults_templates_and_the_box(
    board: Linkset, engine: furware.Engine
) -> None:
    tell(board, "fw_defaultconf", "a=center;c=white")
    tell(board, "fw_var:loud", "c=red;w=none")
    tell(board, "fw_conf:Plate", "style=loud")
    tell(board, "fw_data:Plate", "hi ho hum")
    assert engine.style("Plate") == {"a": "center", "c": "red", "w": "none"}
    tell(board, "fw_data:Plate", "hi")
    assert engine.text("Plate") == ["   hi"]


def test_boxes_lie_within_their_parents(board: Linkset, engine: furware.Engine) -> None:
    tell(board, "fw_data:Board", "xxxxxxxxxxxxxxxx")
    tell(board, "fw_addbox:Score:Board:10,0,6,2:a=right", "12")
    assert engine.text("Board") == ["xxxxxxxxxx    12", ""]
    tell(board, "fw_addbox:Wide:Board:10,0,7,2:", "no")
    tell(board, "fw_addbox:Score:Board:0,0,1,1:", "no")
    assert board.region
    assert len(board.region.debug) == 2
    tell(board, "fw_delbox:Score")
    assert engine.text("Board") == ["xxxxxxxxxxxxxxxx", ""]


def test_a_set_has_at_most_16_boxes(board: Linkset, engine: furware.Engine) -> None:
    for i in range(16):
        tell(board, f"fw_addbox:b{i}:Board:{i},0,1,1:", "x")
    assert sum(box.set == "Board" for box in engine.boxes.values()) == 16


def test_an_empty_selector_is_all_boxes_and_a_semicolon_a_range(
    board: Linkset, engine: furware.Engine
) -> None:
    tell(board, "fw_data", "a")
    assert (engine.text("Board"), engine.text("Plate")) == (["a", ""], ["a"])
    tell(board, "fw_addbox:X:Board:0,1,4,1:", "")
    tell(board, "fw_data:Plate;X", "b")
    assert (engine.text("Board"), engine.text("Plate")) == (["a", "b"], ["b"])


def test_setting_a_box_redraws_it_even_with_the_same_text(
    board: Linkset, engine: furware.Engine
) -> None:
    for _ in range(3):
        tell(board, "fw_data:Plate", "same")
    assert (engine.redraws["Plate"], engine.redraws["Board"]) == (3, 0)
    for runner in board.runners:
        for _ in range(5):
            runner.post("link_message", 1, 0, "same", "fw_data:Plate")
    assert board.region
    board.region.run(1)
    assert engine.redraws["Plate"] == 4


def test_tags_are_styles_unless_switched_off(board: Linkset, engine: furware.Engine) -> None:
    tell(board, "fw_data:Board", "<!c=red>Eve")
    assert engine.text("Board")[0] == "Eve"
    tell(board, "fw_conf:Board", "tags=off")
    assert engine.text("Board")[0] == "<!c=red>Eve"


def test_letters_that_the_fonts_lack_are_question_marks(
    board: Linkset, engine: furware.Engine
) -> None:
    tell(board, "fw_data:Board", "Ä⚅ Жλ😀")
    assert engine.text("Board")[0] == "Ä⚅ ???"


def test_a_touch_query_is_answered_to_the_prim_that_asked(
    region: Region, board: Linkset, engine: furware.Engine
) -> None:
    tell(board, "fw_addbox:Right:Board:8,1,8,1:", "")
    tell(board, "fw_touchquery:5:3", "mine")
    assert got(board)[-2:] == ["fw_touchreply", "Right:3:0:Board:11:1:mine"]
    tell(board, "fw_touchquery:1:0", "mine")
    assert got(board)[-2:] == ["fw_touchreply", "::::::mine"]


def test_done_is_told_to_those_who_want_to_be_notified(
    board: Linkset, engine: furware.Engine
) -> None:
    tell(board, "fw_data:Board", "x")
    tell(board, "fw_notify", "on")
    tell(board, "fw_data:Board", "y")
    assert got(board).count("fw_done") == 1
