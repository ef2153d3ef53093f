"""What everybody may know of a player: his results, and how he fared against others.

Who hides is nobody here: not on a page of his own, nor on those of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import case, func
from sqlalchemy import select as columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from app.games.core import Key
from app.ranking import HIDDEN, names
from app.table.models import MatchRow, PersonRow, ResultRow, TableRow

RIVALS = 10
MOST_SEATS = 30
"""Results that a match may have."""


class Streaks(msgspec.Struct, frozen=True):
    """Matches won in a row: `now` up to the last one, and the `longest` ever."""

    now: int
    longest: int


class Record(msgspec.Struct, frozen=True):
    """What an avatar has in one game on the whole service."""

    game: str
    wins: int
    losses: int
    streaks: Streaks

    @property
    def rate(self) -> float:
        """Share of matches won, 0…1."""
        return self.wins / (self.wins + self.losses)


class Result(msgspec.Struct, frozen=True):
    """A match of his.  `at_ms`: when it was decided for him, since 1970 in UTC.

    `match`, `table` and `table_name` are "" where the owner does not list the table: who looks at
    players must not find it.
    """

    game: str
    won: bool
    at_ms: int
    match: str = ""
    table: str = ""
    table_name: str = ""


class Rival(msgspec.Struct, frozen=True):
    """Somebody he met: matches of both, and how many of them each has won."""

    key: Key
    name: str
    matches: int
    won: int
    lost: int


class Player(msgspec.Struct, frozen=True):
    """`results`: oldest first.  `rivals`: whom he met most often first."""

    key: Key
    name: str
    records: list[Record]
    results: list[Result]
    rivals: list[Rival]


def player(session: Session, key: str) -> Player | None:
    """One avatar; None if he has no result that counts, or wishes not to be shown."""
    if "\0" in key:  # which PostgreSQL does not take
        return None
    rows = session.exec(
        select(ResultRow, TableRow)
        .join(TableRow, col(TableRow.id) == col(ResultRow.table_id))
        .where(*_shown(ResultRow), ResultRow.key == key)
        .order_by(col(ResultRow.at_ms), col(ResultRow.match_id))
    ).all()
    if not rows:
        return None
    results = [_result(row, table) for row, table in rows]
    games = dict.fromkeys(r.game for r in results)
    records = [_record(game, [r.won for r in results if r.game == game]) for game in games]
    name = names(session, [key]).get(key, "")
    return Player(Key(key), name, records, results, _rivals(session, key))


def shown(session: Session, keys: Sequence[str]) -> set[str]:
    """Those of them whom `player` knows."""
    return set(
        session.exec(
            select(ResultRow.key).where(col(ResultRow.key).in_(keys), *_shown(ResultRow)).distinct()
        )
    )


def _result(row: ResultRow, table: TableRow) -> Result:
    where = (row.match_id, table.id, table.name) if table.listed else ()
    return Result(row.game, row.won, row.at_ms, *where)


def _shown(row: Any) -> tuple[Any, ...]:
    """The results which everybody may know."""
    return row.of_service, row.key.not_in(HIDDEN)


def _record(game: str, won: list[bool]) -> Record:
    return Record(game, sum(won), len(won) - sum(won), streaks(won))


def streaks(won: list[bool]) -> Streaks:
    """Of results in the order of time."""
    now = longest = 0
    for one in won:
        now = now + 1 if one else 0
        longest = max(longest, now)
    return Streaks(now, longest)


class Latest(msgspec.Struct, frozen=True):
    """A match that is over, at a table that its owner lists.

    `winner`, `winner_key`: "" if that was a bot, or somebody who is not shown.  `players`: how many
    avatars it counted for.
    """

    match: str
    table: str
    table_name: str
    game: str
    number: int
    closed_ms: int
    players: int
    winner: str = ""
    winner_key: str = ""


def latest(session: Session, limit: int) -> list[Latest]:
    """The matches that ended last, the last one first; those of bots alone are left out."""
    closed_ms = col(MatchRow.closed_ms)
    # However many played in each: more than enough results, in one step through an index.
    rows = session.exec(
        select(ResultRow, MatchRow, TableRow)
        .join(MatchRow, col(MatchRow.id) == col(ResultRow.match_id))
        .join(TableRow, col(TableRow.id) == col(ResultRow.table_id))
        .where(col(TableRow.listed), closed_ms.is_not(None))
        .order_by(col(ResultRow.at_ms).desc(), col(ResultRow.match_id))
        .limit(limit * MOST_SEATS)
    ).all()
    results: dict[str, list[ResultRow]] = {}
    where = {}
    for result, match, table in rows:
        results.setdefault(match.id, []).append(result)
        where[match.id] = match, table
    newest = sorted(where.values(), key=lambda w: w[0].closed_ms or 0, reverse=True)[:limit]
    winners = {r.match_id: r.key for found in results.values() for r in found if r.won}
    hidden = session.exec(HIDDEN.where(col(PersonRow.key).in_(winners.values()))).all()
    named = names(session, [key for key in winners.values() if key not in hidden])
    out = []
    for match, table in newest:
        winner = winners.get(match.id, "")
        shown = (named[winner], winner) if winner in named else ()
        count, closed = len(results[match.id]), match.closed_ms or 0
        where_ = table.id, table.name, match.game, match.number
        out.append(Latest(match.id, *where_, closed, count, *shown))
    return out


def _rivals(session: Session, key: str) -> list[Rival]:
    mine, theirs = aliased(ResultRow), aliased(ResultRow)
    both = col(mine.match_id) == col(theirs.match_id)

    def count(won: Any) -> Any:
        return func.sum(case((won, 1), else_=0))

    together = func.count().label("together")
    query: Any = (
        columns(col(theirs.key), together, count(mine.won), count(theirs.won))
        .join(mine, both)
        .where(col(mine.key) == key, col(theirs.key) != key, *_shown(theirs), col(mine.of_service))
        .group_by(col(theirs.key))
        .order_by(together.desc(), col(theirs.key))
        .limit(RIVALS)
    )
    rows = session.exec(query).all()
    named = names(session, [row[0] for row in rows])
    return [Rival(Key(k), named.get(k, ""), n, int(won), int(lost)) for k, n, won, lost in rows]
