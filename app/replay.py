"""A match that is over, shown once more: the state of its table after each line of its log.

The states are made by the same code as live ones, from the public log alone.  The ranking is the
one of the table as it stood then, with today's names, without who hides now and without results
that a reset has taken since; the looks (theme, size of the text sets) are those of today.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlmodel import Session

from app import games, ranking
from app.errors import PerilError
from app.games import GAMES, lobby
from app.games.core import NOBODY, Key, Match, Rank, RankingPage
from app.games.lines import Line as Spoken
from app.games.lines import lines
from app.table import history
from app.table.history import Line
from app.table.hot import HotTable, Snapshot
from app.table.models import MatchRow
from app.table.service import Tables


class NotOver(PerilError):
    """The match still hides something."""

    status = 409

    def __init__(self, match_id: str) -> None:
        line = "Match {match} is not over yet. Then it can be replayed."
        super().__init__("not_over", line, match=match_id)


class Replay(msgspec.Struct, frozen=True):
    """`states[i]`: what the table showed after line i of the log, i from 0, and said to all."""

    row: MatchRow
    log: Sequence[Line]
    states: Sequence[Snapshot]


async def load(tables: Tables, match_id: str) -> Replay:
    """A match to be shown step by step.  NotFound, or NotOver while it is on."""
    row, log = await history.public_log(tables.store, match_id)
    if not history.is_over(row, log):
        raise NotOver(match_id)
    return await of(tables, row, log)


async def of(tables: Tables, row: MatchRow, log: Sequence[Line]) -> Replay:
    """The replay of a match that is over, of its whole public log."""
    table = await tables.table(row.table_id)

    def read(session: Session) -> Replay:
        page = _Ranking(session, row)
        return Replay(row, log, _states(table, row, log, page))

    return await tables.store.run(read)


def _states(table: HotTable, row: MatchRow, log: Sequence[Line], ranks: _Ranking) -> list[Snapshot]:
    match: Match[Any] | None = None
    out: list[Snapshot] = []
    for line in log:
        said: list[Spoken] = []
        for event in games.events_decoder.decode(line.events):
            if isinstance(event, lobby.MatchOpened):
                match = lobby.open_match(GAMES[event.game], event)
                continue
            assert match is not None
            before, match = match, games.evolve(match, event)
            theme = table.theme_for(match)
            told = lines(GAMES[match.game], before, match, event, theme)
            said += [line for line in told if line[0] == NOBODY]
            ranks.take(event, line.at_ms)
        assert match is not None
        page = ranks.page(match.ranking_page, table.ranking_rows)
        out.append(Snapshot(table, row.id, line.seq, match, page, said))
    return out


class _Ranking:
    """The table's ranking as the match found it, and as its results change it."""

    def __init__(self, session: Session, row: MatchRow) -> None:
        self._ranked = ranking.before(session, row)
        self._hidden = set(session.exec(ranking.HIDDEN))
        self._page: RankingPage | None = None

    def take(self, event: Any, at_ms: int) -> None:
        if isinstance(event, lobby.RankingReset):
            self._ranked.clear()
        elif isinstance(event, lobby.Scored) and event.key not in self._hidden:
            wins, losses, *_ = self._ranked.get(event.key, (0, 0))
            won = event.won
            self._ranked[event.key] = (wins + won, losses + (not won), at_ms, event.name)
        elif not isinstance(event, lobby.RankingTurned):
            return
        self._page = None

    def page(self, number: int, length: int) -> RankingPage:
        """Page `number`, as `ranking.page` gives it with so many rows."""
        if self._page is None:
            rows = sorted(self._ranked.items(), key=lambda r: (-r[1][0], *r[1][1:3], r[0]))
            pages = max(1, -(-len(rows) // length))
            number = min(max(number, 0), pages - 1)
            first = number * length
            ranks = tuple(
                Rank(place, Key(key), name, wins, losses)
                for place, (key, (wins, losses, _, name)) in enumerate(rows, 1)
            )
            self._page = RankingPage(ranks[first : first + length], number, pages)
        return self._page
