"""What changed on a table since a seq: the one mechanism behind answers, polls, streams, pushes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from app.display import Board, Frame, diff
from app.games.clock import CLOCK
from app.games.core import NOBODY, Key
from app.table.hot import Dialog, HotTable, Snapshot

Kind = Literal["up_to_date", "changes", "whole"]


class SeatNews(msgspec.Struct, frozen=True, gc=False):
    """For one avatar: lines to him alone, a dialog that came due, his HUD if it changed."""

    lines: tuple[str, ...] = ()
    dialog: Dialog | None = None
    hud: Frame | None = None
    hud_changed: bool = False


class Waiting(msgspec.Struct, frozen=True, gc=False):
    """Who is waited for, and how long still (seconds; None without a deadline)."""

    names: tuple[str, ...]
    left_s: float | None


class Said(msgspec.Struct, frozen=True, gc=False):
    """A line and the seq of the state it came with; `who` is NOBODY for a public one."""

    seq: int
    who: Key
    text: str


class News(msgspec.Struct, frozen=True, gc=False):
    """The difference from a seq to now.

    `kind`: nothing new, the frames that changed, or the whole board because the gap is unknown
    (too far behind, or ahead of the table).
    """

    table_id: str
    match_id: str
    seq: int
    kind: Kind
    frames: Board
    said: tuple[Said, ...]
    seats: dict[Key, SeatNews]
    waiting: Waiting | None

    @property
    def lines(self) -> tuple[str, ...]:
        """What was said in public."""
        return tuple(s.text for s in self.said if s.who == NOBODY)


def noticed(table: HotTable, avatars: Sequence[Key] = ()) -> Snapshot:
    """The last state that changed anything for whoever sees what all see, and these avatars.

    What is done in secret is not even told by its time: others stay at the state before it.
    """
    state = table.now
    while (before := table.at(state.seq - 1)) is not None and _alike(before, state, avatars):
        state = before
    return state


def all_told(table: HotTable, seq: int, avatars: Sequence[Key] = ()) -> bool:
    """Whether there is nothing for these beyond the state `seq`, which they know."""
    return noticed(table, avatars).seq <= seq <= table.now.seq


def upto(table: HotTable, seq: int | None, avatars: Sequence[Key] = ()) -> Snapshot:
    """The state up to which to tell these the news, who know the state `seq`."""
    known = table.at(seq) if seq is not None and all_told(table, seq, avatars) else None
    return known or noticed(table, avatars)


def _alike(before: Snapshot, state: Snapshot, avatars: Sequence[Key]) -> bool:
    if before.match_id != state.match_id or before.public != state.public:
        return False
    if any(who == NOBODY or who in avatars for who, _ in state.lines):
        return False
    for key in avatars:
        was, due = before.due(key), state.due(key)
        if before.hud(key) != state.hud(key) or (was and was.token) != (due and due.token):
            return False
    return True


def since(
    table: HotTable,
    seq: int | None,
    avatars: Sequence[Key] | None = (),
    now_ms: int | None = None,
    upto: Snapshot | None = None,
) -> News:
    """The news of `table` for somebody who knows the state `seq` (None: knows nothing).

    `avatars`: whose news are asked for; None: of all for whom there is a dialog or another HUD.
    `now_ms`: None if it does not matter who is waited for.  `upto`: not what is new now, but what
    was new at that state, for those who fetch it in parts.
    """
    now = upto or table.now
    known = table.at(seq) if seq is not None else None
    kind: Kind
    later: list[Snapshot]
    if known is None:
        kind, frames = "whole", now.board
        # Who was here before still hears what was said since, as far as it is remembered.
        later = [state for state in table.since(seq) if state.seq <= now.seq] if seq else []
    elif known is now:
        kind, frames, later = "up_to_date", {}, []
    else:
        kind, frames = "changes", diff(known.board, now.board)
        later = [state for state in table.since(known.seq) if state.seq <= now.seq]
    said = tuple(Said(state.seq, who, line) for state in later for who, line in state.lines)
    asked = _concerned(known, now) if avatars is None else avatars
    seats = {key: _seat(key, known, now, said) for key in asked}
    waiting = _waiting(table, now_ms) if now_ms is not None else None
    return News(table.id, now.match_id, now.seq, kind, frames, said, seats, waiting)


def _concerned(known: Snapshot | None, now: Snapshot) -> list[Key]:
    """Who has another dialog or HUD than at the state `known`.

    States share what did not change, and most of a table has not: 23 % of a request with ten
    players, profiled, went into asking that seat by seat.
    """
    if known is now:
        return []
    huds, dues = (known.huds, known.dues) if known is not None else ({}, {})
    keys = [key for key, hud in now.huds.items() if huds.get(key) is not hud]
    keys += [key for key in huds if key not in now.huds]
    keys += [key for key, dialog in now.dues.items() if dues.get(key) is not dialog]
    return list(dict.fromkeys(keys))


def _seat(key: Key, known: Snapshot | None, now: Snapshot, said: Sequence[Said]) -> SeatNews:
    lines = tuple(s.text for s in said if s.who == key)
    if known is now:
        return SeatNews()
    dialog, hud = now.due(key), now.hud(key)
    if known is None:
        return SeatNews(lines, dialog, hud, True)
    before = known.due(key)
    if dialog is not None and before is not None and dialog.token == before.token:
        dialog = None
    return SeatNews(lines, dialog, hud, hud != known.hud(key))


def _waiting(table: HotTable, now_ms: int) -> Waiting | None:
    match = table.now.match
    keys = table.now.public.waiting_for
    if not keys or match.frozen:
        return None
    due = [
        table.deadlines[timer]
        for timer in table.deadlines
        if timer[0] in {CLOCK, *(f"expire:{k}" for k in keys)}
    ]
    left_s = max(min(due) - now_ms, 0) / 1000 if due else None
    return Waiting(tuple(match.name(k) for k in keys), left_s)
