"""The table service as the pages see it."""

from __future__ import annotations

from typing import Final

import msgspec
from sqlmodel import Session

from app import players, ranking
from app.errors import NotFound
from app.games import GAMES, menus
from app.games.core import NOBODY
from app.table import history, listing, news
from app.table.hot import HotTable
from app.table.service import Tables
from app.table.step import match_id
from app.web.pages import Front, TableListing, TableView

MATCHES: Final = 8
"""On the front page."""
SAID: Final = 12
"""Lines of what the table said last."""


class Shown:
    """Answers the pages' `TablesLike` from the real tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def snapshot(self, table_id: str) -> TableView | None:
        try:
            table = await self._tables.table(table_id)
        except NotFound:
            return None
        state = news.noticed(table)
        match = state.match
        played = ""
        if match.stage == "lobby" and table.number > 1:
            played = await history.last_played(self._tables.store, table.id, table.number)
        return TableView(
            id=table.id,
            name=table.name,
            game=match.game,
            title=GAMES[match.game].title,
            owner_key=table.owner,
            owner_name=table.owner_name,
            seq=state.seq,
            stage=match.stage,
            board=state.board,
            options_text=menus.describe(match, state.theme),
            seats=[
                {**msgspec.to_builtins(seat), "starter": seat.key == match.starter}
                for seat in state.public.seats
            ],
            waiting_for=[match.name(key) for key in state.public.waiting_for],
            chances=state.public.chances,
            locked=match.locked,
            match=state.match_id,
            match_before=match_id(table.id, table.number - 1) if table.number > 1 else "",
            last_played=played,
            commitment=match.commitment,
            language=match.language,
            left_s=_left_s(table, self._tables),
            said=_said(table),
        )

    async def front(self) -> Front:
        tables = [
            TableListing(
                id=line.id,
                name=line.name,
                game=line.game,
                title=GAMES[line.game].title,
                stage=line.stage,
                players=line.players,
                seats=line.seats,
                locked=line.locked,
            )
            for line in await listing.tables(self._tables, limit=100, unlisted=False)
        ]
        # Where something happens comes first, then where one can join, then who waits alone.
        tables.sort(key=lambda t: (t.stage == "lobby", t.locked, -t.players, t.name))

        def read(session: Session) -> Front:
            best = {game: ranking.page(session, ranking.SERVICE, game, 0) for game in GAMES}
            ranked = next((game for game in GAMES if best[game].rows), next(iter(GAMES)))
            latest = players.latest(session, MATCHES)
            return Front(tables, latest, best[ranked], ranked)

        return await self._tables.store.run(read)


def _left_s(table: HotTable, tables: Tables) -> int | None:
    now_ms = int(tables.clock() * 1000)
    waiting = news.since(table, table.now.seq, now_ms=now_ms).waiting
    return None if waiting is None or waiting.left_s is None else round(waiting.left_s)


def _said(table: HotTable) -> list[str]:
    """What the table said last in public, as far as it is remembered."""
    said = [line for state in table.states for who, line in state.lines if who == NOBODY]
    return said[-SAID:]
