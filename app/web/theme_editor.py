"""The page on which an owner changes the theme of his table, with his board as it would look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from app.errors import NotFound, PerilError
from app.games import GAMES, own
from app.games.texts import Changes
from app.table import themes
from app.table.deeds import OWNERS_CONSOLE
from app.table.hot import HotTable
from app.table.service import Tables
from app.web import moments, pages, words
from app.web.console_deeds import SURE
from app.web.sessions import Sessions, form_token
from app.web.words import Words

FIELDS: Final = 400
PATHS: Final = re.compile("/owner/[^/]+/theme(/preview)?")
"""Where the form goes: each of its lines may be in a script of which a sign is many bytes."""
SECTIONS: Final = {
    "say": "What the table says",
    "hover": "Text over the table",
    "status": "Status display",
    "dice": "Dice display",
    "colors": "Colours",
    "pictures": "Pictures",
}
NOW: Final = "The table as it stands now"
_NUMBER: Final = re.compile(r"(?<= )\d+$")
HEADERS: Final = pages.PRIVATE

ENTER = PerilError(
    "no_session",
    "This page opens from the console of your tables, which your own table hands you: touch it and"
    " press 🖥️ Console in the owner menu.",
    status=403,
)


class Samples(dict[str, str]):
    """What stands for names and numbers where a line is shown as it would be said."""

    def __missing__(self, name: str) -> str:
        return "3"


SAMPLES: Final = Samples(
    **dict.fromkeys(("name", "player", "attacker", "one"), "Ada"),
    **dict.fromkeys(("was", "other", "defender", "target", "at", "winner", "struck"), "Bea"),
    title="Peril Dice",
    numbers="3, 7",
    options="…",
    short="5f0c…",
)


def router(tables: Tables) -> APIRouter:
    """`/owner/TABLE/theme`: read, saved, and how a draft would look."""
    routes = APIRouter(prefix="/owner/{table_id}/theme", include_in_schema=False)
    sessions = Sessions(tables, "owner")

    async def entered(request: Request, table_id: str) -> HotTable:
        """The table, if whoever asks owns it."""
        key = await sessions.whose(request)
        if key is None:
            raise ENTER
        table = await tables.table(table_id)
        if table.owner != key:
            raise NotFound("table of yours", table_id)
        return table

    @routes.get("")
    async def show(
        request: Request, table_id: str, game: str = "", moment: str = "", saved: str | None = None
    ) -> Response:
        try:
            table = await entered(request, table_id)
            game = _known(game or table.now.match.game)
        except PerilError as error:
            return pages.error_page(request, error.status, error.said(words.of(request)))
        changes = themes.changes(table, game)
        return _page(request, table, game, moment, changes, what="" if saved is None else "saved")

    @routes.post("")
    async def save(request: Request, table_id: str) -> Response:
        try:
            table, form = await entered(request, table_id), await sessions.form(request, FIELDS)
            game = _known(form.get("game", ""))
            if form.get("do") == "reset" and form.get("sure") != "on":
                raise SURE
        except PerilError as error:
            return pages.error_page(request, error.status, error.said(words.of(request)))
        wanted = {} if form.get("do") == "reset" else _changes(game, form)
        moment = form.get("moment", "")
        if form.get("do") == "look":
            faults = own.faults(game, wanted)
            return _page(request, table, game, moment, wanted, faults, what="look")
        try:
            await themes.change(tables, OWNERS_CONSOLE, table_id, game, wanted)
        except themes.Faulty as error:
            return _page(request, table, game, moment, wanted, error.faults, trouble=error)
        except PerilError as error:  # what was typed stays on the page
            return _page(request, table, game, moment, wanted, trouble=error)
        there = urlencode({"game": game, "moment": moment})
        return RedirectResponse(f"/owner/{table_id}/theme?{there}&saved", 303, HEADERS)

    @routes.post("/preview")
    async def preview(request: Request, table_id: str) -> Response:
        """JSON: what cannot be as it is written, and what the rest would look and sound like."""
        table, form = await entered(request, table_id), await sessions.form(request, FIELDS)
        game = _known(form.get("game", ""))
        wanted = _changes(game, form)
        faults = own.faults(game, wanted)
        sound, t = _sound(wanted, faults), words.of(request)
        view = _seen(table, game, _moment(table, game, form.get("moment", "")))
        body = {
            "faults": {f"{f.section}.{f.name}": f.said(t) for f in faults},
            "said": _said(table, game, sound),
            "board": themes.preview(table, game, sound, view),
        }
        answer = Response(msgspec.json.encode(body), headers=HEADERS, media_type="application/json")
        return words.told(request, answer)

    return routes


def label(line: own.Line, t: Words) -> str:
    """What a field is called: the displays have rows, pictures may be numbered."""
    name, row = line.name.replace("_", " "), ""
    if line.section == "status" and name[-2:] in (" 1", " 2"):
        name, row = name[:-2], name[-2:]
    plain = _NUMBER.sub("{n}", name)
    called = t(plain).format(n="".join(_NUMBER.findall(name)))
    return f"{called}, {t('row')}{row}" if row else called


def _known(game: str) -> str:
    if game not in GAMES:
        raise NotFound("game", game)
    return game


def _changes(game: str, form: dict[str, str]) -> dict[str, dict[str, str]]:
    """What the fields of a form say that is not as the theme has it."""
    out: dict[str, dict[str, str]] = {}
    for line in own.lines(game):
        text = form.get(f"{line.section}.{line.name}", "").replace("\r\n", "\n").strip()
        if text:
            out.setdefault(line.section, {})[line.name] = text
    return out


def _sound(changes: Changes, faults: Sequence[own.Fault]) -> dict[str, dict[str, str]]:
    """The changes that can be as they are written."""
    wrong = {(fault.section, fault.name) for fault in faults}
    return {
        section: {name: text for name, text in texts.items() if (section, name) not in wrong}
        for section, texts in changes.items()
    }


def _looks(table: HotTable, game: str) -> tuple[str, ...]:
    """What there is to look at: how the table stands, and moments of a match."""
    return (*([NOW] if table.now.match.game == game else []), *moments.of(game))


def _moment(table: HotTable, game: str, wanted: str) -> str:
    """The moment that is looked at."""
    looks = _looks(table, game)
    return wanted if wanted in looks else NOW if NOW in looks else moments.LOBBY


def _seen(table: HotTable, game: str, moment: str) -> Any:
    return table.now.public if moment == NOW else moments.of(game)[moment]


def _said(table: HotTable, game: str, changes: Changes) -> dict[str, str]:
    """Each line with names and numbers in it."""
    return {
        f"{line.section}.{line.name}": changes.get(line.section, {})
        .get(line.name, line.standard)
        .format_map(SAMPLES)
        for line in themes.lines(table, game)
        if line.section not in ("colors", "pictures")
    }


def _page(
    request: Request,
    table: HotTable,
    game: str,
    moment: str,
    changes: Changes,
    faults: Sequence[own.Fault] = (),
    *,
    what: Literal["", "saved", "look"] = "",
    trouble: PerilError | None = None,
) -> Response:
    """`what`: was done; a look only shows the draft.  `trouble`: why nothing was."""
    sound, t = _sound(changes, faults), words.of(request)
    moment = _moment(table, game, moment)
    seen = _seen(table, game, moment)
    try:
        board = themes.preview(table, game, sound, seen)
    except PerilError as error:  # too much in all
        trouble, board = error, themes.preview(table, game, {}, seen)
    return pages.spoken(
        request,
        "theme.html",
        status=trouble.status if trouble else 200,
        headers=HEADERS,
        label=label,
        table=table,
        game=game,
        games=GAMES,
        language=table.now.match.language,
        sections=SECTIONS,
        lines=themes.lines(table, game),
        changes=changes,
        problems={(fault.section, fault.name): fault.said(t) for fault in faults},
        said=_said(table, game, sound),
        board=pages.board_svg(board, t),
        looks=_looks(table, game),
        moment=moment,
        form=form_token(request.cookies.get("owner", "")),
        what=what,
        trouble=trouble.said(t) if trouble else "",
    )
