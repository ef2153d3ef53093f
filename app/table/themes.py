"""The theme of one table: what its owner changed of it, and how the board looks with a draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlmodel import Session

from app.display import Board
from app.errors import NotFound, PerilError
from app.games import GAMES, own
from app.games.core import SERVER, Actor
from app.games.lobby import Repaint
from app.games.texts import Changes, Theme, load, names
from app.table import deeds
from app.table.hot import HotTable
from app.table.models import TableRow
from app.table.service import Tables

MOST = 12_000
"""Characters that all changes of one game may have together."""
TOLD = 8
"""So many faults stand in the sentence of an error."""


class Faulty(PerilError):
    """Some of it cannot be as it is written; nothing was changed."""

    status = 422

    def __init__(self, faults: Sequence[own.Fault]) -> None:
        super().__init__("bad_theme", "")
        self.faults = faults

    def said(self, words: Callable[[str], str]) -> str:
        told = self.faults[:TOLD]
        return " ".join(f"{f.section}.{f.name}: {f.said(words)}" for f in told)


def lines(table: HotTable, game: str) -> tuple[own.Line, ...]:
    """All that may be changed of a game at this table, as it stands without changes."""
    return own.lines(game, table.theme, table.now.match.language)


def changes(table: HotTable, game: str) -> Changes:
    """What is changed of a game at this table."""
    return table.own.changes.get(game, {}) if table.own else {}


def checked(game: str, wanted: Changes) -> dict[str, dict[str, str]]:
    """The changes without empty lines, which mean no change.  Faulty if some cannot be."""
    kept = {s: {n: t for n, t in texts.items() if t != ""} for s, texts in wanted.items()}
    faults = own.faults(game, kept)
    if faults:
        raise Faulty(faults)
    length = sum(len(text) for texts in kept.values() for text in texts.values())
    if length > MOST:
        problem = "All changes together have {length} characters; {most} are the most."
        raise PerilError("theme_too_long", problem, status=422, length=length, most=MOST)
    return {section: texts for section, texts in kept.items() if texts}


async def choose(tables: Tables, by: deeds.By, table_id: str, theme: str) -> None:
    """Which theme the table shows.  NotFound if no game has such a theme."""
    table = await tables.table(table_id)
    if not any(theme in names(game) for game in GAMES):
        raise NotFound("theme", theme)
    if theme == table.theme:
        return

    def write(session: Session) -> None:
        session.get_one(TableRow, table_id).theme = theme
        at_ms = int(tables.clock() * 1000)
        deeds.record(session, by, "theme_chosen", at_ms, table_id=table_id, detail=theme)
        session.commit()

    await tables.store.run(write)
    table.theme = theme
    await tables.submit(table_id, Actor(SERVER), Repaint())


async def change(tables: Tables, by: deeds.By, table_id: str, game: str, wanted: Changes) -> None:
    """Change these lines, colours and textures of a game, and no others any more; all see it.

    Faulty if some cannot be as they are written.
    """
    kept = checked(game, wanted)
    table = await tables.table(table_id)
    games = {**(table.own.changes if table.own else {}), game: kept}
    written = own.write({name: changed for name, changed in games.items() if changed})

    def write(session: Session) -> None:
        row = session.get_one(TableRow, table_id)
        was = own.read(row.own_theme)
        row.own_theme = written
        if kept != (was.changes.get(game, {}) if was else {}):
            what: deeds.What = "theme_changed" if kept else "theme_reset"
            at_ms = int(tables.clock() * 1000)
            deeds.record(session, by, what, at_ms, table_id=table_id, detail=game)
        session.commit()

    await tables.store.run(write)
    table.own = own.read(written)
    await tables.submit(table_id, Actor(SERVER), Repaint())


def draft(table: HotTable, game: str, wanted: Changes) -> Theme:
    """The theme as it would be.  Faulty if some of it cannot be."""
    theme = load(game, table.theme, table.now.match.language)
    return theme.changed(checked(game, wanted))


def preview(table: HotTable, game: str, wanted: Changes, view: Any) -> Board:
    """The board with `view` of a match, in the theme as it would be.  Faulty if it cannot be so."""
    return GAMES[game].board(view, draft(table, game, wanted), table.text_sets)
