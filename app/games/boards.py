"""The standard linkset's prims, for every game: plates, ten slots, the ranking text.

A game says what its players look like (`Slot`); where that stands on the board is here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import msgspec

from app.display import HIDDEN, HOVER_BYTES, NO_GLOW, Board, Color, Frame, clip, drawable, row
from app.games.core import Match, Public, RankingPage, Seat, Wait
from app.games.texts import Theme

ROWS, COLUMNS = 5, 2
SLOTS = ROWS * COLUMNS
PARTS = ("profile", "life", "overlay")
"""The prims of each place."""

PERIL_GLOW = 0.2
WINNER_GLOW = 0.3

PICTURES = ("start", "blank", "silhouette", "robot", "overlay_x")
"""What the boards of all games show; a game adds its own (`Game.pictures`)."""

Mood = Literal["plain", "marked", "winner", "out"]
"""How a slot stands out: marked = in peril or in turn (yellow), winner (green), out (red X)."""


class Slot(msgspec.Struct, frozen=True, gc=False):
    """One player's place: `picture` of the profile (that of `SeatPublic`), `life` picture beside
    it, and the mood.
    """

    picture: str
    life: str
    mood: Mood = "plain"


@lru_cache(64)
def plates(theme: Theme) -> Board:
    """The two dark plates."""
    plate = Frame(picture="blank", color=theme.color("plate"))
    return {"Scoreboard:0:0": plate, "backboard:0:0": plate}


def page_of(number: int) -> int:
    """The page of ten places on which seat `number` is, both counted from 0."""
    return number // SLOTS


def slots(players: Sequence[Slot], theme: Theme, page: int = 0) -> Board:
    """The thirty prims of the ten places; places without a player are invisible.

    `page`: which ten of more players are shown.
    """
    shown = [_place(player, theme) for player in players[page * SLOTS : (page + 1) * SLOTS]]
    shown += [(HIDDEN, HIDDEN, HIDDEN)] * (SLOTS - len(shown))
    board: Board = {}
    for names, frames in zip(_PLACES, shown, strict=True):
        board.update(zip(names, frames, strict=True))
    return board


_PLACES = [
    tuple(f"{part}:{number // COLUMNS}:{number % COLUMNS}" for part in PARTS)
    for number in range(SLOTS)
]


@lru_cache(1024)  # there are few looks, and all tables share them
def _place(player: Slot, theme: Theme) -> tuple[Frame, Frame, Frame]:
    """The frames of a place's `PARTS`."""
    out = player.mood == "out"
    color = theme.color("plain" if out else player.mood)
    glow = NO_GLOW if out else MOOD_GLOWS[player.mood]
    profile = theme.color("out_profile") if out else color
    return (
        Frame(picture=player.picture, color=profile, glow=glow),
        Frame(picture=player.life, color=color, glow=glow),
        Frame(picture="overlay_x") if out else HIDDEN,
    )


def table_view(match: Match[Any], ranking: RankingPage, waits: Sequence[Wait]) -> dict[str, Any]:
    """The fields of `Public` that every game fills alike."""
    return {
        "game": match.game,
        "owner": match.owner,
        "stage": match.stage,
        "starter": match.starter,
        "locked": match.locked,
        "frozen": match.frozen,
        "waiting_for": tuple(w.key for w in waits),
        "options": msgspec.to_builtins(match.options),
        "language": match.language,
        "ranking": ranking,
        "phase": match.phase,
        "commitment": match.commitment,
        "seed": match.seed,
    }


def seat_view(seat: Seat) -> dict[str, Any]:
    """The fields of `SeatPublic` that every game fills alike."""
    return {
        "key": seat.key,
        "name": seat.name,
        "bot": seat.bot,
        "ready": seat.ready,
        "auto": seat.auto,
        "picture": "robot" if seat.bot else "silhouette",
    }


def fair(view: Public, theme: Theme) -> str:
    """What the Dice text shows while nothing has been thrown: which seed the dice will come from.

    32 cells hold the first hundred bits of the commitment; pages and API have all of it.
    """
    return theme.maybe("dice", "commitment", short=view.commitment[:25]) if view.commitment else ""


def idle_status(view: Public, theme: Theme, seats: int) -> list[str] | None:
    """The two status rows of a table that does not play just now; None if it plays.

    `seats`: how many may sit.
    """
    say = theme.say
    if view.frozen:
        return [say("status", "frozen_1"), say("status", "frozen_2")]
    if view.stage != "lobby":
        return None
    if view.locked:
        return [say("status", "locked_1"), say("status", "locked_2")]
    return [say("status", "lobby_1"), say("status", "lobby_2", count=len(view.seats), seats=seats)]


def root(
    view: Public,
    theme: Theme,
    effect: Literal["", "confetti"],
    page: int = 0,
    **words: object,
) -> Frame:
    """The start plate; its hover text says how the table stands.

    `page`: which ten of more players the board shows, so that it can say so.
    """
    which = "frozen" if view.frozen else view.stage
    text = theme.say("hover", which, **words)
    count = len(view.seats)
    if count > SLOTS:
        first, last = page * SLOTS + 1, min((page + 1) * SLOTS, count)
        text += "\n" + theme.say("hover", "places", first=first, last=last, count=count)
    color = "hover_playing" if view.stage == "playing" else "hover"
    if view.locked:
        locked = theme.say("hover", "locked")
        text = locked if view.stage == "lobby" else f"{locked}\n{text}"
        color = "hover_locked"
    return Frame(
        picture="start",
        text=clip(text, HOVER_BYTES),
        text_color=theme.color(color),
        effect=effect,
    )


def noticed(board: Board, view: Public, notice: str, theme: Theme) -> Board:
    """The board with what the operator announces: over the table, and on the status display
    while that has nothing to say of a match."""
    if not notice:
        return board
    plate = board["root"]
    over = clip(f"🛠️ {notice}\n{plate.text}", HOVER_BYTES)
    out = {**board, "root": msgspec.structs.replace(plate, text=over)}
    status = board.get("Status")
    if status is not None and status.rows and view.stage == "lobby" and not view.frozen:
        size = len(status.rows[0]), len(status.rows)
        lines = textwrap.wrap(drawable(notice), size[0])
        out["Status"] = text(size, lines, theme.color("status"))
    return out


def text(size: tuple[int, int], lines: Sequence[str], color: Color, center: bool = True) -> Frame:
    """A text set of `size` (columns, rows) showing `lines`, cut and filled up to its cells."""
    columns, rows = size
    align: Literal["left", "center"] = "center" if center else "left"
    shown = [row(line, columns, align) for line in lines[:rows]]
    shown += [" " * columns] * (rows - len(shown))
    return Frame(rows=tuple(shown), color=color)


def texts(
    sizes: Mapping[str, tuple[int, int]],
    view: Public,
    theme: Theme,
    status: Sequence[str],
    dice: str,
) -> Board:
    """The text sets which the linkset has: ranking, status in yellow, dice in white."""
    made: dict[str, Callable[[tuple[int, int]], Frame]] = {
        "Leaderboard": lambda size: ranking(size, view.ranking, theme),
        "Status": lambda size: text(size, status, theme.color("status")),
        "Dice": lambda size: text(size, [dice], theme.color("dice")),
    }
    return {name: make(sizes[name]) for name, make in made.items() if name in sizes}


# ---- ranking --------------------------------------------------------------------------------

PAGE_ROWS = 10
"""Lines of a ranking page, where the set has so many."""
NO_SET = (1, 1)
"""The size of a ranking that no linkset shows."""


def page_rows(size: tuple[int, int]) -> int:
    """How many lines a page of the ranking has on a set of this size: no more than are seen."""
    return min(size[1], PAGE_ROWS)


@lru_cache(256)  # it changes with a match, not with a state
def ranking(size: tuple[int, int], page: RankingPage, theme: Theme) -> Frame:
    """The ranking: rank, name, wins/losses, and arrows where there is another page.

    A set with more than ten rows has a heading and a foot; on a smaller one the arrows stand in the
    last column of the first and the last row; on a single row the one on, if it goes on.
    """
    columns, rows = size
    roomy = rows >= PAGE_ROWS + 2
    width = columns if roomy else columns - 1
    lines = [_rank_line(r.place, r.name, f"{r.wins}/{r.losses}", width) for r in page.rows]
    lines = lines[: page_rows(size)]
    lines += [""] * (page_rows(size) - len(lines))
    back = "←" if page.page > 0 else " "
    on = "→" if page.page < page.pages - 1 else " "
    if roomy:
        foot = f"{back}  {page.page + 1}/{page.pages}  {on}"
        lines = [
            row(theme.say("status", "ranking"), columns, "center"),
            *lines,
            row(foot, columns, "center"),
        ]
    else:
        lines = [row(line, width) + " " for line in lines]
        lines[0] = lines[0][:-1] + back
        if rows > 1 or on != " ":
            lines[-1] = lines[-1][:-1] + on
    return text(size, lines, theme.color("ranking"), center=False)


def _rank_line(place: int, name: str, score: str, columns: int) -> str:
    rank = f"{place:>2}."
    room = columns - len(rank) - len(score) - 2
    return f"{rank} {row(drawable(name), max(room, 0))} {score}"


def ranking_turn(size: tuple[int, int], page: RankingPage, column: int, line: int) -> int | None:
    """The page that a touch of this cell asks for, or None: left half back, right half on.

    On a small set of several rows the upper half goes back and the lower half on, beside the
    arrows.
    """
    columns, rows = size
    back = line < rows / 2 if 1 < rows < PAGE_ROWS + 2 else column < columns / 2
    wanted = page.page + (-1 if back else 1)
    return wanted if 0 <= wanted < page.pages else None


MOOD_GLOWS: Mapping[Mood, float] = {
    "plain": NO_GLOW,
    "marked": PERIL_GLOW,
    "winner": WINNER_GLOW,
    "out": WINNER_GLOW,
}
