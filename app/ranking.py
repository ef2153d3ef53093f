"""Rankings: a projection of the results in the event log.

Wins descending, then losses ascending, then who reached the score first.  Kept per table and, with
scope "", for the whole service; bots never get in, since the rules do not score them.
"""

from __future__ import annotations

import msgspec
from sqlalchemy import func
from sqlmodel import Session, col, delete, select

from app import games
from app.games import lobby
from app.games.core import Key, Rank, RankingPage
from app.table.models import EntryRow, MatchRow, PersonRow, RecordRow, WipeRow

PAGE_ROWS = 10
SERVICE = ""

_HIDDEN = select(PersonRow.key).where(col(PersonRow.hidden))


def page(session: Session, scope: str, game: str, number: int) -> RankingPage:
    """Page `number` (from 0) of a ranking; clamped to the pages there are.

    Who wishes so is left out, and the others close up.
    """
    mine = (
        RecordRow.scope == scope,
        RecordRow.game == game,
        col(RecordRow.key).not_in(_HIDDEN),
    )
    total = session.exec(select(func.count()).select_from(RecordRow).where(*mine)).one()
    pages = max(1, -(-total // PAGE_ROWS))
    number = min(max(number, 0), pages - 1)
    rows = session.exec(
        select(RecordRow)
        .where(*mine)
        .order_by(
            col(RecordRow.wins).desc(),
            col(RecordRow.losses),
            col(RecordRow.reached_ms),
            col(RecordRow.key),
        )
        .offset(number * PAGE_ROWS)
        .limit(PAGE_ROWS)
    ).all()
    first = number * PAGE_ROWS + 1
    ranks = tuple(Rank(first + i, Key(r.key), r.name, r.wins, r.losses) for i, r in enumerate(rows))
    return RankingPage(ranks, number, pages)


def wipe_service(session: Session, game: str, at_ms: int) -> None:
    """Forget the service's ranking of a game; the tables keep theirs."""
    session.exec(delete(RecordRow).where(_in(SERVICE, game)))
    session.merge(WipeRow(at_ms=at_ms, game=game))
    session.commit()


def _in(scope: str, game: str):  # type: ignore[no-untyped-def]
    return (col(RecordRow.scope) == scope) & (col(RecordRow.game) == game)


def rebuild(session: Session) -> int:
    """Make all rankings anew from the event log; how many results were counted.

    Those of people who deleted their data do not count.
    """
    records: dict[tuple[str, str, str], RecordRow] = {}
    wipes = sorted((w.at_ms, w.game) for w in session.exec(select(WipeRow)))
    forgotten = _forgotten(session)
    game_of = {m.id: m.game for m in session.exec(select(MatchRow))}
    entries = session.exec(
        select(EntryRow).order_by(col(EntryRow.at_ms), col(EntryRow.table_id), col(EntryRow.seq))
    )
    counted = 0
    for entry in entries:
        while wipes and wipes[0][0] <= entry.at_ms:
            _forget(records, SERVICE, wipes.pop(0)[1])
        game = game_of[entry.match_id]
        for event in games.events_decoder.decode(entry.events):
            if isinstance(event, lobby.RankingReset):
                _forget(records, entry.table_id, game)
            elif isinstance(event, lobby.Scored) and event.key not in forgotten:
                counted += 1
                for scope in (entry.table_id, SERVICE):
                    _count(records, scope, game, event, entry.at_ms)
    for _, game in wipes:
        _forget(records, SERVICE, game)
    session.exec(delete(RecordRow))
    session.add_all(records.values())
    session.commit()
    return counted


def _forgotten(session: Session) -> set[str]:
    """The keys that stand in the log for people who deleted their data."""
    marked = select(EntryRow.events).where(col(EntryRow.events).contains('"type":"forgotten"'))
    return {
        event.key
        for events in session.exec(marked)
        for event in games.events_decoder.decode(events)
        if isinstance(event, lobby.Forgotten)
    }


def _forget(records: dict[tuple[str, str, str], RecordRow], scope: str, game: str) -> None:
    for key in [k for k in records if k[:2] == (scope, game)]:
        del records[key]


def _count(
    records: dict[tuple[str, str, str], RecordRow],
    scope: str,
    game: str,
    event: lobby.Scored,
    at_ms: int,
) -> None:
    record = records.setdefault(
        (scope, game, event.key),
        RecordRow(scope=scope, game=game, key=event.key, name=event.name, reached_ms=at_ms),
    )
    record.name = event.name
    record.wins += event.won
    record.losses += not event.won
    record.reached_ms = at_ms


class Record(msgspec.Struct, frozen=True):
    """What one avatar has in one game on the whole service."""

    game: str
    name: str
    wins: int
    losses: int


def player(session: Session, key: str) -> list[Record]:
    """The records of one avatar, a game each; none if he wishes not to be shown."""
    rows = session.exec(
        select(RecordRow).where(
            RecordRow.scope == SERVICE,
            RecordRow.key == key,
            col(RecordRow.key).not_in(_HIDDEN),
        )
    ).all()
    return [Record(r.game, r.name, r.wins, r.losses) for r in rows]
