"""The pages: list of tables, one page per table, errors; what all pages share.

A table's page is drawn here once, as inline SVG, so that it shows the board without JavaScript;
`static/js/board.js` then repaints the very same elements from the frames that come in.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.staticfiles import PathLike
from starlette.types import Scope

from app.display import TEXT_SETS, WHITE, Board, Color, Frame
from app.games import GAMES, texts
from app.games.boards import COLUMNS, ROWS
from app.games.core import Chance, Game, RankingPage
from app.players import Latest
from app.web import words
from app.web.words import ENGLISH, Words

HERE: Final = Path(__file__).resolve().parent
STATIC: Final = HERE / "static"
GAME_FOLDERS: Final = tuple(texts.folder(name) for name in GAMES)
"""Each game brings its rules page in `templates/rules/` and its pictures in `static/art/`."""

CSP: Final = "; ".join(
    (
        "default-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    # The board as the server drew it is old a moment later.
    "Cache-Control": "no-cache",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
PREVIEW_SIZE: Final = (1200, 630)
"""Of the pictures that go with links, in pixels."""
UNLISTED: Final = {**HEADERS, "X-Robots-Tag": "noindex"}
"""Of pages about one person: everybody may see them here, but not find them by a search engine."""
PRIVATE: Final = {**UNLISTED, "Cache-Control": "no-store"}
"""Of pages that one person alone may see."""
ROBOTS: Final = """\
User-agent: *
Disallow: /api/
Disallow: /lsl/
Disallow: /me
Disallow: /operator
Disallow: /owner
Disallow: /healthz
Disallow: /readyz
"""
"""Where crawlers find nothing; what begins with /me are the metrics, too."""


# ---- the seam to the tables -----------------------------------------------------------------


@dataclass(frozen=True)
class TableListing:
    """A table in the list.  `seats`: how many may sit."""

    id: str
    name: str
    game: str
    title: str
    stage: str
    players: int
    seats: int
    locked: bool = False


@dataclass(frozen=True)
class Front:
    """What the front page shows: listed tables, the matches that ended last, the best players."""

    tables: Sequence[TableListing]
    matches: Sequence[Latest] = ()
    ranking: RankingPage = field(default_factory=RankingPage)
    ranked: str = ""
    """The game that `ranking` is of."""


@dataclass(frozen=True)
class TableView:
    """What everybody may see of a table, and the frames of its board.

    `seats`: dicts with at least `name`, and as the game has it `bot`, `ready`, `starter`, `lives`,
    `out`, `marks`, `winner`.  `chances`: the odds of the throw that comes.
    `match`, `match_before`: ids of this match and of the one before, which can be checked.
    `last_played`: the match that was played last, "" while one is on or if there is none.
    """

    id: str
    name: str
    game: str
    title: str
    owner_key: str
    owner_name: str
    seq: int
    stage: str
    board: Board
    options_text: str = ""
    seats: Sequence[Mapping[str, Any]] = ()
    waiting_for: Sequence[str] = ()
    chances: Sequence[Chance] = ()
    locked: bool = False
    match: str = ""
    match_before: str = ""
    last_played: str = ""
    commitment: str = ""
    language: str = "en"
    left_s: int | None = None
    """Seconds until the time of who is waited for is up."""
    said: Sequence[str] = ()
    """What the table said last in public, oldest first."""


class TablesLike(Protocol):
    """All that the pages ask of the tables."""

    async def snapshot(self, table_id: str) -> TableView | None:
        """The table as it stands now; None if there is none."""

    async def front(self) -> Front:
        """What a stranger may know of all tables."""


# ---- painting a frame: the same as in static/js/board.js ------------------------------------

_PICTURE = re.compile(r"[a-z0-9_]+")
_TEXTURE = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UNKNOWN_PICTURE: Final = "silhouette"
HALO_PER_GLOW: Final = 4
HOVER_WIDTH, HOVER_HEIGHT, HOVER_LINE = 260, 80, 24


def art(picture: str) -> str:
    """Address of a picture by its name, or of a profile's by the key of its texture."""
    if _TEXTURE.fullmatch(picture):
        return f"/pictures/{picture}.jpg"
    name = picture if _PICTURE.fullmatch(picture) else UNKNOWN_PICTURE
    return f"/static/art/{name}.svg"


def _bytes(color: Color) -> list[int]:
    return [int(min(max(part, 0.0), 1.0) * 255 + 0.5) for part in color]


def rgb(color: Color) -> str:
    return "rgb({},{},{})".format(*_bytes(color))


def tint(color: Color) -> str:
    """Id of the filter that multiplies a picture by `color`; '' for white, which changes nothing"""
    return "" if color == WHITE else "tint-{}-{}-{}".format(*_bytes(color))


def tints(board: Board) -> dict[str, str]:
    """The filters a board needs: id → matrix of feColorMatrix."""
    colors = {f.color for f in board.values() if f.picture and f.color != WHITE}
    return {tint(color): _matrix(color) for color in sorted(colors)}


def _matrix(color: Color) -> str:
    red, green, blue = (f"{part / 255:.4f}" for part in _bytes(color))
    return f"{red} 0 0 0 0 0 {green} 0 0 0 0 0 {blue} 0 0 0 0 0 1 0"


def number(value: float) -> str:
    """A number for an attribute, as JavaScript writes it too."""
    return f"{round(value, 2):g}"


def hover_line(text: str) -> float:
    """Height of a line of the hover text, such that all of them fit above the plate."""
    return min(HOVER_LINE, HOVER_HEIGHT / len(text.split("\n")))


def hover_size(text: str) -> str:
    """Size of the hover text's letters, such that the longest line stays over the plate."""
    longest = max(1, *map(len, text.split("\n")))
    return number(min(0.87 * hover_line(text), HOVER_WIDTH / (0.62 * longest)))


def slots() -> list[tuple[str, int, int]]:
    """The places of the board: `R:C` and where the profile's corner is in the drawing."""
    return [(f"{r}:{c}", 10 + c * 216, 10 + r * 108) for r in range(ROWS) for c in range(COLUMNS)]


def text_set(board: Board, name: str) -> Frame:
    """The frame of a text set; a board without it shows empty cells."""
    columns, rows = TEXT_SETS[name]
    frame = board.get(name, Frame())
    return frame if frame.rows else Frame(rows=(" " * columns,) * rows, color=frame.color)


def board_text(board: Board, t: Words = ENGLISH) -> str:
    """The board in a sentence or two, for those who do not see it."""
    picture = board.get("TitleAction:0:0", Frame()).picture.replace("_", " ")
    parts = [f"{t('Picture')}: {t.each(picture) or t('none')}"]
    for name in ("Status", "Dice"):
        said = " ".join(" ".join(board.get(name, Frame()).rows).split())
        if said:
            parts.append(f"{t(name)}: {said}")
    return ". ".join(parts) + "."


def seat_state(seat: Mapping[str, Any], stage: str) -> str:
    """How a player stands, in a word or two; the same words as in static/js/players.js."""
    if seat.get("winner"):
        return "winner"
    if seat.get("out"):
        return "eliminated"
    if seat.get("marks"):
        return ", ".join(seat["marks"])
    if stage == "lobby":
        if seat.get("ready") or seat.get("bot"):
            return "ready"
        return "may start" if seat.get("starter") else "not ready"
    return "bot plays" if seat.get("auto") else ""


def odds(chances: Sequence[Chance], t: Words = ENGLISH) -> str:
    """The odds as people read them; the same words as in static/js/players.js."""
    return " · ".join(f"{t(c.what)} {round(c.share * 100)} %" for c in chances)


# ---- rendering ------------------------------------------------------------------------------

templates = Environment(
    loader=FileSystemLoader([HERE / "templates", *(f / "templates" for f in GAME_FOLDERS)]),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.globals.update(
    art=art,
    board_text=board_text,
    hover_line=hover_line,
    hover_size=hover_size,
    nothing=Frame(),
    odds=odds,
    preview_size=PREVIEW_SIZE,
    t=ENGLISH,
    page_languages=(),
    number=number,
    halo=lambda frame: number(min(1.0, frame.glow * HALO_PER_GLOW)),
    rgb=rgb,
    seat_state=seat_state,
    slots=slots(),
    text_set=text_set,
    tint=tint,
    tints=tints,
)

STAGES: Final = {"lobby": "Open for players", "playing": "Game in progress", "over": "Celebrating"}


def render(template: str, /, **values: Any) -> str:
    return templates.get_template(template).render(**values)


def board_svg(board: Board, t: Words = ENGLISH) -> Markup:
    """The board as inline SVG, painted with presentation attributes alone."""
    macro = templates.get_template("board.html").module.board  # type: ignore[attr-defined]
    return Markup(macro(board, t))


def page(
    template: str,
    /,
    *,
    status: int = 200,
    headers: Mapping[str, str] = HEADERS,
    **values: Any,
) -> HTMLResponse:
    return HTMLResponse(render(template, stages=STAGES, **values), status, headers)


def spoken(request: Request, template: str, /, **values: Any) -> Response:
    """A page in the language of its visitor, with ways to the others."""
    ours: dict[str, Any] = {"t": words.of(request), "page_languages": words.choices(request)}
    return words.told(request, page(template, **(ours | values)))


ERRORS: Final = {
    404: ("Plot twist!", "There is no such page. It may have been eliminated.", "plot_twist"),
    500: ("No shield!", "Something broke on our side. Nobody loses a life for it.", "no_shield"),
}


def error_page(request: Request, status: int, message: str = "") -> Response:
    """A page for an error, in the house's style."""
    heading, text, picture = ERRORS.get(status, ERRORS[404 if status < 500 else 500])
    said: dict[str, Any] = {"heading": heading, "message": message or text, "picture": art(picture)}
    return spoken(request, "error.html", status=status, code=status, **said)


def day(at_ms: int) -> str:
    """A day as machines read it, in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime(at_ms / 1000))


class Static(StaticFiles):
    """Static files which a browser keeps, and asks about before it uses them again.

    Modules import one another by fixed names, so an old one beside a new one must not happen.
    """

    def get_directories(self, *_: object, **__: object) -> list[PathLike]:
        return [STATIC, *(f / "static" for f in GAME_FOLDERS if (f / "static").is_dir())]

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def static_files() -> Static:
    """What belongs at `/static`."""
    return Static()


def router(
    tables: TablesLike, games: Mapping[str, Game[Any]] = GAMES, public_url: str = ""
) -> APIRouter:
    """The front page, and what browsers and crawlers ask for without being told of it."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @routes.get("/")
    async def index(request: Request) -> Response:
        front = await tables.front()
        values = {"front": front, "games": games, "day": day, "public_url": public_url}
        return spoken(request, "index.html", **values)

    @routes.get("/robots.txt")
    async def robots() -> Response:
        return PlainTextResponse(ROBOTS)

    @routes.get("/favicon.ico")
    async def icon() -> Response:
        return RedirectResponse(art("hearts_3"), 301)

    return routes
