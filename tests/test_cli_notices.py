"""`peril notice`: the operator announces something on all boards."""

from typing import Any

from test_cli import empty_file, folder, peril

__all__ = ["empty_file", "folder", "peril"]


def test_a_notice_is_set_shown_on_boards_and_cleared(peril: Any) -> None:
    table = peril("table", "create", "The Rooftop").json["table"]
    assert peril("notice", "show").out == "Nothing is announced.\n"
    assert peril("notice", "set", " Restart\n at 14:00 ").out == "Restart at 14:00\n"
    assert peril("notice", "show").out == "Restart at 14:00\n"
    assert "Restart at 14:00" in peril("table", "show", table).out
    assert peril("notice", "clear").out == "Nothing is announced.\n"
    assert "Restart at 14:00" not in peril("table", "show", table).out
