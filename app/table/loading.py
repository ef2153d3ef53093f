"""A table as its log has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from app import fairness, games, ranking
from app.errors import NotFound
from app.games import lobby, own
from app.games.core import Event, Key, Match
from app.table import history, standings
from app.table.hot import HotTable, Outcome, Snapshot
from app.table.log import Log
from app.table.models import EntryRow


async def load(
    store: Log,
    table_id: str,
    table: HotTable | None,
    speaks: dict[Key, str],
    pictures: dict[Key, str],
) -> HotTable:
    """The table with its latest state; `table`: the one that is to be brought up to date.

    `speaks`, `pictures`: of all avatars; see `HotTable`.  NotFound if there is no such table.
    """
    stored = await history.latest(store, table_id)
    if stored is None:
        raise NotFound("table", table_id)
    row, match_row, entries, deadlines = stored
    owner = Key(row.owner_key)
    table = table or HotTable(row.id, row.name, owner, row.owner_name, speaks, pictures)
    table.name, table.owner_name = row.name, row.owner_name
    table.theme, table.watched, table.listed = row.theme, row.watched, row.listed
    table.own = own.read(row.own_theme)
    await standings.attach(store, table)
    sets = {k: tuple(v) for k, v in msgspec.json.decode(row.text_sets).items()}
    table.text_sets = sets or table.text_sets
    table.number = match_row.number
    table.seed = match_row.seed or fairness.new_seed()  # older than seeds: never shown
    match = _replayed(table, entries)
    if store.shared:  # somebody may have chosen in another process
        seated = [seat.key for seat in match.seats]
        spoken = await store.run(lambda session: history.languages(session, seated))
        for key in speaks.keys() & set(seated) - spoken.keys():
            del speaks[key]
        speaks |= spoken
    page = await store.run(
        lambda session: ranking.page(
            session, table_id, match_row.game, match.ranking_page, rows=table.ranking_rows
        )
    )
    table.states.clear()
    table.states.append(Snapshot(table, match_row.id, entries[-1].seq, match, page))
    table.deadlines = {(d.name, d.phase, d.epoch): d.due_ms for d in deadlines}
    return table


def _replayed(table: HotTable, entries: Sequence[EntryRow]) -> Match[Any]:
    """The match of its latest entries; the table remembers their answers."""
    events: list[Event] = []
    table.choices = fairness.NO_CHOICES
    for entry in entries:
        events += games.events_decoder.decode(entry.events)
        assert isinstance(events[0], lobby.MatchOpened)
        if games.is_choice(events[0].game, entry.command):
            table.choices = fairness.chosen(table.choices, entry.actor, entry.command)
        if entry.command_id:
            outcome = Outcome(entry.match_id, entry.seq, actor=Key(entry.actor))
            table.remember(entry.command_id, outcome)
    return games.replay(events)
