"""The event log of a table for its owner: who did what, match by match, and as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from fastapi.responses import Response, StreamingResponse

from app.errors import NotFound
from app.games.core import SERVER
from app.table import deeds, history
from app.table.hot import HotTable
from app.table.models import MatchRow
from app.table.service import Tables
from app.web import console_beside, console_views, matches
from app.web.words import ENGLISH, Words

SHOWN: Final = 20
EXPORTED: Final = 500
"""Matches that a file holds at most."""
KINDS: Final = {"json": "application/json", "csv": "text/csv; charset=utf-8"}
COLUMNS: Final = ("match", "seq", "at_utc", "actor", "name", "command", "said")


@dataclass(frozen=True)
class Line:
    """Something that happened.  `who`: his name, or "" if the table did it by itself."""

    seq: int
    at: str
    who: str
    command: str
    said: Sequence[str]


@dataclass(frozen=True)
class Log:
    """A match of the table, line by line, and the latest ones to choose from."""

    match: str
    lines: Sequence[Line]
    matches: Sequence[MatchRow]


async def read(tables: Tables, table: HotTable, match: str, t: Words) -> Log:
    """The log of a match of this table, or of the latest.  NotFound if it is not one of its."""
    latest = await history.matches(tables.store, table.id, SHOWN)
    row, log = await history.public_log(tables.store, match or latest[0].id)
    if row.table_id != table.id:
        raise NotFound("match of this table", match)
    return Log(row.id, _lines(table, row, log, t), latest)


def _lines(table: HotTable, row: MatchRow, log: Sequence[history.Line], t: Words) -> list[Line]:
    names = _names(table, log, t)
    told = matches.view(row, log, table.name, t).rows
    return [
        Line(
            line.seq,
            console_views.moment(line.at_ms),
            names.get(line.actor, line.actor) if line.actor not in ("", SERVER) else "",
            _command(line, names, t),
            # The first thing beside it is who did what, which has columns of its own here.
            [*shown.beside[1 if line.command and line.actor != SERVER else 0 :], *shown.said],
        )
        for line, shown in zip(log, told, strict=True)
    ]


def _command(line: history.Line, names: Mapping[str, str], t: Words) -> str:
    """What was asked for, in words; who it was about by his name."""
    if not line.command:
        return ""
    command = msgspec.json.decode(line.command)
    kind = t(str(command.pop("type")).rpartition(".")[2].replace("_", " "))
    said = [
        names[value]
        if isinstance(value, str) and value in names
        else f"{t(name)} {msgspec.json.encode(value).decode()}"
        for name, value in command.items()
    ]
    return f"{kind} ({', '.join(said)})" if said else kind


def _names(table: HotTable, log: Sequence[history.Line], t: Words) -> dict[str, str]:
    """What everybody is called in a log, at the end of it."""
    names = {str(s.key): s.name for s in table.standings.values() if s.name}
    names[table.owner] = table.owner_name or t("the owner")
    for line in log:
        for event in msgspec.json.decode(line.events):
            if "key" in event and "name" in event:
                names[event["key"]] = event["name"]
    return names


# ---- as a file ------------------------------------------------------------------------------


def export(
    tables: Tables, table: HotTable, kind: str, headers: Mapping[str, str], t: Words
) -> Response:
    """What was done beside the matches, then all that may be known of the latest of these."""
    save = {"Content-Disposition": f'attachment; filename="peril-table-{table.id}.{kind}"'}
    made = _as_csv(tables, table, t) if kind == "csv" else _as_json(tables, table)
    return StreamingResponse(made, headers={**headers, **save}, media_type=KINDS[kind])


async def _logs(
    tables: Tables, table: HotTable
) -> AsyncIterator[tuple[MatchRow, list[history.Line]]]:
    for row in await history.matches(tables.store, table.id, EXPORTED):
        yield await history.public_log(tables.store, row.id)


async def _as_json(tables: Tables, table: HotTable) -> AsyncIterator[bytes]:
    beside = await console_beside.at_table(tables, table, deeds.MOST)
    yield b"[\n" + msgspec.json.encode(console_beside.as_match(beside, table.owner_name))
    async for row, log in _logs(tables, table):
        names = _names(table, log, ENGLISH)
        made = {
            "match": row.id,
            "game": row.game,
            "opened_ms": row.opened_ms,
            "closed_ms": row.closed_ms,
            "entries": [_entry(line, names) for line in log],
        }
        yield b",\n" + msgspec.json.encode(made)
    yield b"\n]\n"


def _entry(line: history.Line, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "seq": line.seq,
        "at_ms": line.at_ms,
        "actor": line.actor,
        "name": names.get(line.actor, ""),
        "command": msgspec.Raw(line.command.encode() or b"null"),
        "events": msgspec.Raw(line.events.encode()),
    }


async def _as_csv(tables: Tables, table: HotTable, t: Words) -> AsyncIterator[str]:
    beside = await console_beside.at_table(tables, table, deeds.MOST)
    yield "\ufeff"  # without it spreadsheets take it for another encoding
    yield _csv([COLUMNS, *console_beside.as_cells(beside, table.owner_name, t)])
    async for row, log in _logs(tables, table):
        lines = _lines(table, row, log, t)
        yield _csv(
            [
                (row.id, n.seq, n.at, line.actor, n.who, n.command, " / ".join(n.said))
                for n, line in zip(lines, log, strict=True)
            ]
        )


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([[_cell(value) for value in row] for row in rows])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A text that spreadsheets would take for a formula is marked as text."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return value
