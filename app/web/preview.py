"""The picture that goes with a link to a table: its board, 1200 × 630, as others show links."""

from __future__ import annotations

import asyncio
import sys
from base64 import b64encode
from collections import OrderedDict
from functools import cache
from time import monotonic
from typing import Final, NamedTuple, Protocol

from app.display import Board, Frame
from app.errors import PerilError
from app.web import art, pages, words

WIDTH, HEIGHT = pages.PREVIEW_SIZE
KEPT: Final = 64
"""Pictures that are kept, of one table each; one has about 250 KB."""
AGAIN_S: Final = 5.0
"""A picture may be so old while the table goes on."""
MOST_S: Final = 10.0
LETTER: Final = 0.61
"""Width of a letter of the fixed font, in parts of its size."""

SET_SIZES: Final = {"Status": 52, "Dice": 34}


class Pictured(Protocol):
    """What a picture is of: a table, or one of its matches."""

    @property
    def id(self) -> str: ...
    @property
    def seq(self) -> int: ...
    @property
    def board(self) -> Board: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def language(self) -> str: ...


class Scene(NamedTuple):
    """Something pictured that is no table."""

    id: str
    seq: int
    board: Board
    name: str
    title: str
    language: str = "en"


COVER: Final = Scene(
    "",
    0,
    {"TitleAction:0:0": Frame(picture="title"), "profile:0:0": Frame(alpha=0)},
    "Peril Table",
    "Second Life",
)


class Undrawn(PerilError):
    """The drawing failed or took too long."""

    status = 503

    def __init__(self) -> None:
        super().__init__("undrawn", "The picture cannot be drawn now. Try again later.")


class Previews:
    """Draws a table's picture once for each state, and not too often; one at a time."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[int, float, bytes]] = OrderedDict()
        self._drawing = asyncio.Lock()

    async def png(self, table: Pictured) -> bytes:
        """The board as PNG.  Without fonts on the machine it has pictures only."""
        async with self._drawing:
            seq, at_s, drawn = self._kept.get(table.id, (-1, 0.0, b""))
            if seq != table.seq and (not drawn or monotonic() - at_s > AGAIN_S):
                drawn = await _draw(svg(table))
                self._kept[table.id] = (table.seq, monotonic(), drawn)
            self._kept.move_to_end(table.id)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return drawn


async def _draw(picture: str) -> bytes:
    """SVG as PNG.  Undrawn if that fails."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app.web.draw", stdin=pipe, stdout=pipe
    )
    try:
        drawn, _ = await asyncio.wait_for(process.communicate(picture.encode()), MOST_S)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise Undrawn from None
    if process.returncode or not drawn:
        raise Undrawn
    return drawn


def svg(table: Pictured) -> str:
    return pages.render(
        "preview.svg",
        board=table.board,
        name=table.name,
        title=words.LANGUAGES.get(table.language, words.ENGLISH)(table.title),
        pictures={picture: _embedded(picture) for picture in sorted(_pictures(table.board))},
        width=WIDTH,
        height=HEIGHT,
        lines={
            name: _rows(table.board.get(name, Frame()), size) for name, size in SET_SIZES.items()
        },
    )


def _pictures(board: Board) -> set[str]:
    painted = (f.picture for n, f in board.items() if f.alpha and f.picture and n != "root")
    return {p if p in art.PICTURES else pages.UNKNOWN_PICTURE for p in painted}


@cache
def _embedded(picture: str) -> str:
    return "data:image/svg+xml;base64," + b64encode(art.svg(picture)).decode()


def _rows(frame: Frame, size: float) -> list[tuple[str, str]]:
    """The rows of a text set that say something, and how large they fit below the picture."""
    rows = [" ".join(row.split()) for row in frame.rows]
    return [(row, pages.number(min(size, 600 / (LETTER * len(row))))) for row in rows if row]
