"""What must be true of a log, whatever was done to the servers that wrote it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from sqlmodel import Session, col, create_engine, select

from app import games
from app.display import Board, Frame
from app.games.core import Key, RankingPage
from app.table.hot import HotTable, Snapshot
from app.table.models import EntryRow, TableRow

from .players import Players


def check(url: str, players: Players) -> None:
    """Every acknowledged command is in the log once, and the boards are those of a replay."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with Session(engine) as session:
        query = select(EntryRow).where(EntryRow.table_id == players.table)
        rows = session.exec(query.order_by(col(EntryRow.seq))).all()
        log = [(row.command_id, row.match_id, row.seq, row.events) for row in rows]
        row = session.get_one(TableRow, players.table)
        table = HotTable(row.id, row.name, Key(row.owner_key), row.owner_name)
    engine.dispose()
    assert [seq for _, _, seq, _ in log] == list(range(1, len(log) + 1))
    stored = {command_id: (match, seq) for command_id, match, seq, _ in log if command_id}
    assert len(stored) == sum(command_id is not None for command_id, _, _, _ in log)
    assert {i: stored.get(i) for i in players.acknowledged} == players.acknowledged
    assert not players.refused & set(stored)
    matches: dict[str, list[Any]] = defaultdict(list)
    for _, match, seq, events in log:
        matches[match].extend(games.events_decoder.decode(events))
        if seq in players.boards:
            replayed = games.replay(matches[match])
            board = Snapshot(table, match, seq, replayed, RankingPage()).board
            wrong = _differ(board, msgspec.convert(players.boards[seq], dict[str, Frame]))
            assert not wrong, f"{match} at {seq}: {wrong}"
    *over, _ = matches.values()
    assert {games.replay(events).closed for events in over} == {"victory"}


def _differ(board: Board, shown: Board) -> dict[str, Any]:
    """Prims that are not alike.  The ranking is no part of a match."""
    prims = (board.keys() | shown.keys()) - {"Leaderboard"}
    return {p: (board.get(p), shown.get(p)) for p in prims if board.get(p) != shown.get(p)}
