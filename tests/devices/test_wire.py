"""The words LSL speaks: what people wrote never looks like structure, and everything fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.devices import wire
from app.display import GREEN, TEXT_SETS, Board, Frame
from app.games import GAMES, texts
from app.games.core import RankingPage
from bench.rules import picking

HOSTILE = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def full_board() -> Board:
    """Ten players in a running round."""
    game = GAMES["peril"]
    return game.board(game.public(picking(10), RankingPage()), texts.load("peril"), TEXT_SETS)


def together(records: list[str], budget_bytes: int) -> list[str]:
    """The records as a table gets them, part after part."""
    out: list[str] = []
    start = 0
    for _ in range(len(records) + 2):
        part = wire.pack("S¦3¦9¦30", ["P¦0¦x¦hi"], records, (3, 9), budget_bytes, start)
        assert len(part.text.encode()) <= budget_bytes
        head, *rest = part.text.split(wire.RECORD)
        assert head == ("S¦3¦9¦30" if not part.rest else f"M¦3¦9¦{part.rest}")
        out += [r for r in rest if r != "P¦0¦x¦hi"]
        if not part.rest:
            return out
        start = part.rest
    raise AssertionError("the parts have no end")


@given(HOSTILE)
def test_a_text_is_one_field_of_one_record_whatever_it_is(line: str) -> None:
    """PB-217."""
    record = wire.whisper(7, "avatar", line)
    assert wire.RECORD not in record
    assert record.count(wire.FIELD) <= 3
    assert wire.safe(line) == wire.safe(wire.safe(line).replace(wire.BREAK, "\n"))


@pytest.mark.parametrize("sign", ["¦", "¶", "\n", "\r", "\0", "\x1f", "\u202e"])
def test_signs_that_mean_something_do_not_get_through(sign: str) -> None:
    safe = wire.safe(f"a{sign}b")
    assert sign not in safe or sign == wire.BREAK
    assert wire.FIELD not in safe
    assert "\n" not in safe


def test_what_is_left_out_of_a_frame_is_the_default() -> None:
    assert wire.frame("life:0:0", Frame(picture="hearts_3")) == "F¦life:0:0¦hearts_3"
    assert wire.frame("overlay:0:0", Frame(alpha=0.0)) == "F¦overlay:0:0¦¦¦0"
    won = Frame(picture="robot", color=GREEN, glow=0.3)
    assert wire.frame("profile:0:0", won) == "F¦profile:0:0¦robot¦0,1,0¦¦0.3"


def test_a_text_set_says_its_colour_and_its_rows_without_the_blanks_at_their_ends() -> None:
    frame = Frame(rows=("  ONE   ", "        "))
    assert wire.frame("Status", frame) == "X¦Status¦1,1,1¦  ONE¦"


@given(st.integers(300, 5000))
def test_parts_are_cut_between_records_and_make_the_whole(budget_bytes: int) -> None:
    records = wire.board(full_board())
    assert together(records, budget_bytes) == records


def test_a_whole_board_of_ten_fits_into_two_pushes() -> None:
    records = wire.board(full_board())
    part = wire.pack("S¦0¦9¦30", [], records, (0, 9), wire.PUSH_BYTES)
    assert (
        not part.rest
        or not wire.pack("S¦0¦9¦30", [], records, (0, 9), wire.PUSH_BYTES, part.rest).rest
    )


def test_a_record_that_fits_nowhere_is_left_out_and_the_rest_comes() -> None:
    records = ["L¦1¦" + "x" * 500, "L¦2¦short"]
    assert together(records, 300) == ["L¦2¦short"]


def test_a_script_gets_the_words_it_uses_and_no_others() -> None:
    script = f"{wire.WORDS_BEGIN}\n{wire.WORDS_END}\nx = FIELD + MSG_NEWS;\n"
    made = wire.with_words(script)
    assert 'FIELD    = "¦";' in made
    assert "MSG_NEWS = 7301;" in made
    assert "BODY_MAX" not in made
    assert wire.with_words(made) == made
    assert wire.with_words("default {}") == "default {}"
