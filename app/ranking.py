"""Rankings: a projection of the results in the event log.

Wins descending, then losses ascending, then who reached the score first.  Kept per table and, with
scope "", for the whole service; those of a season are summed up when asked for.  Bots never get in,
since the rules do not score them.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Subquery, and_, case, func, or_
from sqlalchemy import select as columns
from sqlmodel import Session, col, delete, select, update

from app import games
from app.games import lobby
from app.games.core import Key, Rank, RankingPage
from app.table import deeds
from app.table.log import folded
from app.table.models import EntryRow, MatchRow, PersonRow, RecordRow, ResultRow, WipeRow

PAGE_ROWS = 10
SERVICE = ""
LAST_MS = 2**62
"""After every result."""

HIDDEN = select(PersonRow.key).where(col(PersonRow.hidden))
"""Keys of those who are not named in rankings and on pages about players."""


def season_ms(season: str) -> tuple[int, int]:
    """When a month, written 2026-11, begins and ends, in UTC.  ValueError if it is none."""
    first = datetime.strptime(season, "%Y-%m").replace(tzinfo=UTC)
    after = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    return int(first.timestamp()) * 1000, int(after.timestamp()) * 1000


def season_of(at_ms: int) -> str:
    """The month in which something happened, as `season_ms` takes it."""
    return time.strftime("%Y-%m", time.gmtime(at_ms / 1000))


def seasons(session: Session, scope: str, game: str) -> list[str]:
    """The months with results that count, the latest first; those between are left out."""
    found: list[str] = []
    before_ms = LAST_MS
    # One look into an index for each month, however many results it has.
    while True:
        earlier = (*_counting(scope, game), ResultRow.at_ms < before_ms)
        at_ms: int | None = session.exec(select(func.max(ResultRow.at_ms)).where(*earlier)).one()
        if at_ms is None:
            return found
        found.append(season_of(at_ms))
        before_ms, _ = season_ms(found[-1])


def parts(session: Session, scope: str, game: str) -> list[str]:
    """What players have been in matches that count: "role/" and "/camp" of each, in order."""
    found = session.exec(
        select(ResultRow.part).where(*_counting(scope, game), ResultRow.part != "").distinct()
    )
    split = [part.partition("/") for part in found]
    roles = sorted({f"{role}/" for role, _, _ in split})
    return roles + sorted({f"/{camp}" for _, _, camp in split if camp})


def page(
    session: Session,
    scope: str,
    game: str,
    number: int,
    season: str = "",
    search: str = "",
    part: str = "",
    rows: int = PAGE_ROWS,
) -> RankingPage:
    """Page `number` (from 0) of a ranking, `rows` long; clamped to the pages there are.

    `season`: a month, as `season_ms` takes it; "": of all times.  `part`: only matches in which
    they were that, as `parts` has it.  `search`: only those with this in their names, each at his
    place.  Who wishes so is left out, and the others close up.
    """
    some = *_when(season), *_as(part)
    sums = _sums(scope, game, *some) if some else _whole(scope, game)
    query: Any = columns(sums)
    if search:
        # PostgreSQL takes no NUL, and no name has one.
        part = folded(search).replace("\0", "")
        named = col(RecordRow.folded).contains(part, autoescape=True)
        query = query.where(sums.c.key.in_(select(RecordRow.key).where(named)))
    total: int = session.exec(select(func.count()).select_from(query.subquery())).one()
    pages = max(1, -(-total // rows))
    number = min(max(number, 0), pages - 1)
    first = number * rows
    order = sums.c.wins.desc(), sums.c.losses, sums.c.reached_ms, sums.c.key
    found = session.exec(query.order_by(*order).offset(first).limit(rows)).all()
    called = names(session, [row.key for row in found])
    ranks = tuple(
        Rank(
            _place(session, sums, row) if search else first + i,
            Key(row.key),
            called.get(row.key, ""),
            int(row.wins),
            int(row.losses),
        )
        for i, row in enumerate(found, 1)
    )
    return RankingPage(ranks, number, pages)


def _place(session: Session, sums: Subquery, row: Any) -> int:
    """Where a row stands: behind those who have more wins, then fewer losses, then were first."""
    c = sums.c
    sooner = or_(
        c.reached_ms < row.reached_ms, and_(c.reached_ms == row.reached_ms, c.key < row.key)
    )
    fewer = or_(c.losses < row.losses, and_(c.losses == row.losses, sooner))
    better = or_(c.wins > row.wins, and_(c.wins == row.wins, fewer))
    # Said once more, so that an index on the wins is used.
    query = select(func.count()).select_from(sums).where(c.wins >= row.wins, better)
    return int(session.exec(query).one()) + 1


Standing = tuple[int, int, int, str]
"""Wins, losses, when that was reached, name."""


def before(session: Session, match: MatchRow) -> dict[str, Standing]:
    """What counts at a table of the results before `match`, by key; hidden people are left out."""
    earlier = (
        col(ResultRow.at_ms) <= match.opened_ms,
        col(ResultRow.match_id) != match.id,
    )
    query: Any = columns(_sums(match.table_id, match.game, *earlier))
    rows = session.exec(query).all()
    called = names(session, [row.key for row in rows])
    return {
        row.key: (int(row.wins), int(row.losses), row.reached_ms, called.get(row.key, ""))
        for row in rows
    }


def names(session: Session, keys: list[str]) -> dict[str, str]:
    """What these avatars were called when they last had a result."""
    rows = session.exec(
        select(RecordRow.key, RecordRow.name)
        .where(col(RecordRow.key).in_(keys))
        .order_by(col(RecordRow.reached_ms))
    )
    return dict(rows.all())


def _whole(scope: str, game: str) -> Subquery:
    mine = _in(scope, game), col(RecordRow.key).not_in(HIDDEN)
    sums = select(RecordRow.key, RecordRow.wins, RecordRow.losses, RecordRow.reached_ms)
    return sums.where(*mine).subquery()


def _when(season: str) -> tuple[Any, ...]:
    if not season:
        return ()
    first_ms, after_ms = season_ms(season)
    return col(ResultRow.at_ms) >= first_ms, col(ResultRow.at_ms) < after_ms


def _as(part: str) -> tuple[Any, ...]:
    if not part:
        return ()
    was = col(ResultRow.part)
    role = part.endswith("/")
    return (was.startswith(part, autoescape=True) if role else was.endswith(part, autoescape=True),)


def _sums(scope: str, game: str, *when: Any) -> Subquery:
    wins = func.sum(case((col(ResultRow.won), 1), else_=0))
    return (
        columns(
            col(ResultRow.key),
            wins.label("wins"),
            (func.count() - wins).label("losses"),
            func.max(ResultRow.at_ms).label("reached_ms"),
        )
        .where(
            *_counting(scope, game),
            *when,
            col(ResultRow.key).not_in(HIDDEN),
        )
        .group_by(col(ResultRow.key))
        .subquery()
    )


def _counting(scope: str, game: str) -> tuple[Any, ...]:
    """The results of a game which count in a scope."""
    if scope == SERVICE:
        return ResultRow.game == game, col(ResultRow.of_service)
    return ResultRow.game == game, ResultRow.table_id == scope, col(ResultRow.of_table)


def wipe_service(session: Session, by: deeds.By, game: str, at_ms: int) -> None:
    """Forget the service's ranking of a game; the tables keep theirs."""
    session.exec(delete(RecordRow).where(_in(SERVICE, game)))
    session.exec(update(ResultRow).where(col(ResultRow.game) == game).values(of_service=False))
    session.merge(WipeRow(at_ms=at_ms, game=game))
    deeds.record(session, by, "service_ranking_wiped", at_ms, detail=game)
    session.commit()


def _in(scope: str, game: str):  # type: ignore[no-untyped-def]
    return (col(RecordRow.scope) == scope) & (col(RecordRow.game) == game)


def rebuild(session: Session) -> int:
    """Make all rankings anew from the event log; how many results were counted.

    Those of people who deleted their data do not count.
    """
    records: dict[tuple[str, str, str], RecordRow] = {}
    results: list[ResultRow] = []
    wipes = sorted((w.at_ms, w.game) for w in session.exec(select(WipeRow)))
    forgotten = _forgotten(session)
    game_of = {m.id: m.game for m in session.exec(select(MatchRow))}
    entries = session.exec(
        select(EntryRow).order_by(col(EntryRow.at_ms), col(EntryRow.table_id), col(EntryRow.seq))
    )
    for entry in entries:
        while wipes and wipes[0][0] <= entry.at_ms:
            _forget(records, results, SERVICE, wipes.pop(0)[1])
        game = game_of[entry.match_id]
        for event in games.events_decoder.decode(entry.events):
            if isinstance(event, lobby.RankingReset):
                _forget(records, results, entry.table_id, game)
            elif isinstance(event, lobby.Scored) and event.key not in forgotten:
                results.append(
                    ResultRow(
                        match_id=entry.match_id,
                        key=event.key,
                        table_id=entry.table_id,
                        game=game,
                        won=event.won,
                        part=event.detail,
                        at_ms=entry.at_ms,
                    )
                )
                for scope in (entry.table_id, SERVICE):
                    _count(records, scope, game, event, entry.at_ms)
    for _, game in wipes:
        _forget(records, results, SERVICE, game)
    session.exec(delete(RecordRow))
    session.exec(delete(ResultRow))
    session.add_all([*records.values(), *results])
    session.commit()
    return len(results)


def _forgotten(session: Session) -> set[str]:
    """The keys that stand in the log for people who deleted their data."""
    marked = select(EntryRow.events).where(col(EntryRow.events).contains('"type":"forgotten"'))
    return {
        event.key
        for events in session.exec(marked)
        for event in games.events_decoder.decode(events)
        if isinstance(event, lobby.Forgotten)
    }


def _forget(
    records: dict[tuple[str, str, str], RecordRow],
    results: list[ResultRow],
    scope: str,
    game: str,
) -> None:
    for key in [k for k in records if k[:2] == (scope, game)]:
        del records[key]
    for result in (r for r in results if r.game == game):
        if scope == SERVICE:
            result.of_service = False
        elif result.table_id == scope:
            result.of_table = False


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
    record.folded = folded(event.name)
    record.wins += event.won
    record.losses += not event.won
    record.reached_ms = at_ms
