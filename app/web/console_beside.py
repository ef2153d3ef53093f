"""What was done beside the matches, as its owner and the operator read it; see `table.deeds`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlmodel import Session, col, select

from app.table import deeds
from app.table.hot import HotTable
from app.table.models import DeedRow, TableRow
from app.table.service import Tables
from app.web import console_views
from app.web.words import Words

SHOWN: Final = 100
DID: Final[dict[str, str]] = {
    "banned": "banned {about}",
    "ban_lifted": "lifted the ban of {about}",
    "trusted": "trusted {about} with: {detail}",
    "trust_taken": "took back what {about} was trusted with",
    "theme_chosen": "chose the theme {detail}",
    "theme_changed": "changed lines, colours or textures of {detail}",
    "theme_reset": "put the lines, colours and textures of {detail} back",
    "listed": "listed the table on the front page",
    "unlisted": "took the table off the front page",
    "code_made": "made a pairing code",
    "paired": "paired a linkset with the table",
    "secret_rotated": "gave the linkset a new secret",
    "cut_off": "cut the linkset off",
    "token_made": "made a token: {detail}",
    "token_revoked": "revoked a token: {detail}",
    "announced": "announced on all boards: {detail}",
    "announced_nothing": "took back what was announced on all boards",
    "service_ranking_wiped": "wiped the service’s ranking of {detail}",
    "ranking_wiped": "wiped the ranking of the table in the owner’s place",
    "options_set": "set options in the owner’s place: {detail}",
}
WAYS: Final = {
    "console": "in the console",
    "rest": "by the API",
    "in_world": "in-world",
    "command_line": "on the command line",
}
RIGHTS: Final = ("matches", "options")
WHO: Final = {"owner": "the owner", "operator": "the operator", "table": "the table"}

LINES: Final = {*DID.values(), *WAYS.values(), *WHO.values(), *RIGHTS}
"""All that is said in the language of who reads it."""


@dataclass(frozen=True)
class Beside:
    """Something that was done.  `who` and `way` in words, `label` of the token that was shown."""

    at: str
    who: str
    way: str
    label: str
    did: str
    table_id: str


def told(row: DeedRow, owner_name: str, t: Words) -> Beside:
    """The same as people read it."""
    who = owner_name if row.who == "owner" and owner_name else t(WHO.get(row.who, row.who))
    detail = ", ".join(map(t, row.detail.split())) if row.what == "trusted" else row.detail
    about = row.about_name or row.about_key
    return Beside(
        console_views.moment(row.at_ms),
        who,
        t(WAYS.get(row.way, row.way)),
        row.label,
        t(DID.get(row.what, row.what)).format(about=about, detail=detail),
        row.table_id,
    )


async def at_table(tables: Tables, table: HotTable, limit: int) -> list[DeedRow]:
    """What was done about this table and about all of its owner, the latest first."""
    return await tables.store.run(
        lambda session: deeds.at_table(session, table.owner, table.id, limit)
    )


async def shown(tables: Tables, table: HotTable, t: Words) -> list[Beside]:
    """The latest of it, for the page of the log."""
    rows = await at_table(tables, table, SHOWN)
    return [told(row, table.owner_name, t) for row in rows]


async def everywhere(tables: Tables, limit: int, t: Words) -> list[Beside]:
    """What was done lately at all tables and about the whole service."""

    def read(session: Session) -> tuple[list[DeedRow], dict[str, str]]:
        rows = deeds.everywhere(session, limit)
        owners = {row.owner_key for row in rows}
        names = select(TableRow.owner_key, TableRow.owner_name)
        return rows, dict(session.exec(names.where(col(TableRow.owner_key).in_(owners))).all())

    rows, names = await tables.store.run(read)
    return [told(row, names.get(row.owner_key, ""), t) for row in rows]


# ---- in files -------------------------------------------------------------------------------


def as_match(rows: Sequence[DeedRow], owner_name: str) -> dict[str, Any]:
    """All of it in the form that a match has in the file; its id is ""."""
    return {
        "match": "",
        "game": "",
        "opened_ms": None,
        "closed_ms": None,
        "entries": [
            {
                "seq": None,
                "at_ms": row.at_ms,
                "actor": _actor(row),
                "name": owner_name if row.who == "owner" else "",
                "command": {
                    "type": row.what,
                    "way": row.way,
                    "token": row.label,
                    "about": {"key": row.about_key, "name": row.about_name},
                    "detail": row.detail,
                },
                "events": [],
            }
            for row in reversed(rows)
        ],
    }


def as_cells(rows: Sequence[DeedRow], owner_name: str, t: Words) -> list[Sequence[Any]]:
    """The same as rows of the table in the other file."""
    lines = [(row, told(row, owner_name, t)) for row in reversed(rows)]
    return [
        ("", "", line.at, _actor(row), line.who, row.what.replace("_", " "), _said(line))
        for row, line in lines
    ]


def _said(line: Beside) -> str:
    by = f"{line.way}, {line.label}" if line.label else line.way
    return f"{line.did} ({by})"


def _actor(row: DeedRow) -> str:
    return row.owner_key if row.who == "owner" else row.who
