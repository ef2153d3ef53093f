"""Frames: what each named prim shows.  Pure; the same frames paint prims, HUDs and pages.

A board is prim name → frame.  A text set (FURWARE text) is one frame named after the set, whose
`rows` are exactly as many characters as the set has cells.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

import msgspec

Color = tuple[float, float, float]

WHITE: Color = (1.0, 1.0, 1.0)
BLACK: Color = (0.0, 0.0, 0.0)
YELLOW: Color = (1.0, 1.0, 0.0)
GREEN: Color = (0.0, 1.0, 0.0)
RED: Color = (1.0, 0.0, 0.0)

NO_GLOW = 0.0

HOVER_BYTES = 254
"""llSetText shows no more."""

TEXT_SETS: dict[str, tuple[int, int]] = {
    "Leaderboard": (24, 10),
    "Status": (24, 2),
    "Dice": (32, 1),
}
"""Text set → columns, rows of the standard linkset: 30, 6 and 4 meshes of 8 characters."""

LARGEST_SET = (128, 32)
"""Columns and rows beyond which a set's size is refused."""


class Frame(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What one prim (or text set, HUD, floater) shows.

    `picture` is a name which the theme resolves to a texture, "" leaves the face plain.  Colours
    and alpha are 0…1, glow 0…1 as Second Life takes them.  `text` is hover text, `rows` the
    characters of a text set, `effect` something that happens once (`confetti`).
    """

    picture: str = ""
    color: Color = WHITE
    alpha: float = 1.0
    glow: float = NO_GLOW
    text: str = ""
    text_color: Color = WHITE
    rows: tuple[str, ...] = ()
    effect: Literal["", "confetti"] = ""


Board = dict[str, Frame]

HIDDEN = Frame(alpha=0.0)


def diff(old: Mapping[str, Frame], new: Mapping[str, Frame]) -> Board:
    """The frames of `new` that `old` does not show already; prims that went are hidden."""
    if old is new:
        return {}
    changed = {
        name: frame
        for name, frame in new.items()
        if (known := old.get(name)) is not frame and known != frame
    }
    changed.update({name: HIDDEN for name in old if name not in new})
    return changed


# ---- text -----------------------------------------------------------------------------------

# FURWARE text 2.0 draws Latin letters, signs, box drawing and a few symbols; no other script.
# ¦ and ¶ separate fields and lines on their way to a table.
_DRAWN = frozenset(
    {chr(c) for c in range(0x20, 0x7F)}
    | {chr(c) for c in range(0xA1, 0x100) if chr(c) not in "\xad¦¶"}
    | set("ŒœŠšŽžŸƒ‘’“”„†‡•…‰‹›€™–—←↑→↓♠♣♥♦⚀⚁⚂⚃⚄⚅♀♂⚠✔✘☺☹☐☑█─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬")
)


@lru_cache(4096)  # a ranking is drawn with each state, 240 cells; few of its texts are new
def drawable(text: str) -> str:
    """`text` in the characters a text mesh has, one cell each; others become a plain letter or ?"""
    return "".join(_cell(c) for c in unicodedata.normalize("NFC", text) if not _joins(c))


def _joins(char: str) -> bool:
    """Takes no cell of its own: combining marks, joiners, variation selectors."""
    return unicodedata.category(char) in ("Mn", "Me", "Cf")


def _cell(char: str) -> str:
    if char in _DRAWN:
        return char
    plain = unicodedata.normalize("NFKD", char)[:1]
    return plain if plain in _DRAWN else " " if char.isspace() else "?"


def row(text: str, columns: int, align: Literal["left", "center"] = "left") -> str:
    """`text` as one row of exactly `columns` cells."""
    cells = drawable(text)
    if len(cells) > columns:
        cells = cells[: columns - 1] + "…" if columns > 1 else cells[:columns]
    return cells.center(columns) if align == "center" else cells.ljust(columns)


def clip(text: str, budget_bytes: int) -> str:
    """`text` in at most `budget_bytes` of UTF-8, cut between characters and marked with …"""
    raw = text.encode()
    if len(raw) <= budget_bytes:
        return text
    mark = "…" if budget_bytes >= 3 else ""
    return raw[: budget_bytes - len(mark.encode())].decode(errors="ignore") + mark


# ---- showing a board as text ----------------------------------------------------------------


def draw(board: Mapping[str, Frame]) -> str:
    """The board as a person reads it, a line per prim that shows anything; for tests and logs."""
    lines = []
    for name, frame in board.items():
        if frame.alpha == 0.0:
            continue
        if frame.rows:
            lines += [f"{name:16}|{cells}|" for cells in frame.rows]
            continue
        looks = [frame.picture or "plain"]
        if frame.color != WHITE:
            looks.append("tint " + ",".join(f"{c:g}" for c in frame.color))
        if frame.glow:
            looks.append(f"glow {frame.glow:g}")
        if frame.effect:
            looks.append(frame.effect)
        if frame.text:
            looks.append(repr(frame.text))
        lines.append(f"{name:16} {' '.join(looks)}")
    return "\n".join(lines)
