"""From commands to one append: decide, evolve, say, project, set deadlines; nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from app import fairness, games
from app.games import GAMES, lobby
from app.games.core import SERVER, Dice, Event, Key, RankingPage, Refusal
from app.games.lines import Line, in_languages
from app.table.hot import HotTable, Order, Outcome, Snapshot
from app.table.log import Append, Deadline, Entry, Opened, Score
from app.table.models import TableRow
from app.table.timers import due_ms


def match_id(table_id: str, number: int) -> str:
    return f"{table_id}-{number}"


def entry_of(
    table_id: str,
    number: int,
    seq: int,
    at_ms: int,
    actor: str,
    order: Order | None,
    events: Sequence[Event],
    command: str = "",
) -> Entry:
    return Entry(
        match_id=match_id(table_id, number),
        seq=seq,
        table_id=table_id,
        at_ms=at_ms,
        command_id=order.id if order else None,
        actor=actor,
        command=command,
        events=msgspec.json.encode(events).decode(),
    )


def first(table: HotTable, options: Any, game: str, now_ms: int) -> Append:
    """Open the first match of a new table; the append that stores both.

    `options`: of the game, checked.
    """
    table.number, table.seed = 1, fairness.new_seed()
    opening = lobby.MatchOpened(
        game, table.owner, msgspec.to_builtins(options), commitment=fairness.commitment(table.seed)
    )
    match = match_id(table.id, 1)
    row = TableRow(
        id=table.id,
        name=table.name,
        owner_key=table.owner,
        owner_name=table.owner_name,
        created_ms=now_ms,
    )
    append = Append(table.id, [entry_of(table.id, 1, 1, now_ms, SERVER, None, [opening])])
    append.opened = (Opened(match, game, 1, 1, table.seed),)
    append.table = row.model_dump()
    state = lobby.open_match(GAMES[game], opening)
    table.states.append(Snapshot(table, match, 1, state, RankingPage()))
    return append


class Step:
    """Some commands of one table on their way into one append."""

    def __init__(self, table: HotTable, now_ms: int, dice: Dice | None) -> None:
        self.table = table
        self.now_ms = now_ms
        self.dice = dice
        self.seed = table.seed
        self.choices = table.choices
        self.number = table.number
        self.match_id = match_id(table.id, table.number)
        self.match = table.now.match
        self.seq = table.now.seq
        self.append = Append(table.id, [])
        self.states: list[Snapshot] = []
        self.answers: dict[str, Outcome] = {}
        self.deadlines = table.deadlines
        self.ranking_changed = False
        self.repainted = False

    def take(self, order: Order) -> Outcome:
        if order.command is None:
            return Outcome(self.match_id, self.seq)
        known = self._known(order)
        if known is not None:
            return known
        actor = self.table.actor(order.actor, order.name, order.owner)
        command = msgspec.json.encode(order.command).decode()
        choices = self.choices
        if isinstance(order.command, GAMES[self.match.game].commands):
            choices = fairness.chosen(choices, order.actor, command)
        fair = fairness.FairDice(
            self.seed, self.match_id, self.match.draws, choices, order.id or ""
        )
        answer = games.decide(self.match, actor, order.command, self.dice or fair)
        if isinstance(answer, Refusal):
            return Outcome(self.match_id, self.seq, answer, actor=order.actor)
        self.choices = choices
        said = self._accept(order, command, [*fair.drawn, *answer])
        outcome = Outcome(self.match_id, self.seq, None, tuple(said), order.actor)
        if order.id is not None:
            self.answers[order.id] = outcome
        return outcome

    def _known(self, order: Order) -> Outcome | None:
        if order.id is None:
            return None
        known = self.table.answers.get(order.id) or self.answers.get(order.id)
        if known is not None and known.actor != order.actor:
            refusal = Refusal("id_used")
            return Outcome(self.match_id, self.seq, refusal, actor=order.actor)
        return known

    def _accept(self, order: Order, command: str, events: list[Event]) -> list[Line]:
        said = self._evolve(events)
        if self._over():
            events.append(lobby.SeedShown(self.seed))
            self.match = games.evolve(self.match, events[-1])
        self.seq += 1
        entry = entry_of(
            self.table.id, self.number, self.seq, self.now_ms, order.actor, order, events, command
        )
        self.append.entries.append(entry)
        self._remember(said)
        if self.match.closed:
            self._reopen()
        return said

    def _evolve(self, events: Sequence[Event]) -> list[Line]:
        """Let the match go through `events`; what the table says to each."""
        game = GAMES[self.match.game]
        said: list[Line] = []
        for event in events:
            before, self.match = self.match, games.evolve(self.match, event)
            theme_of = partial(self.table.theme_for, self.match)
            told = in_languages(game, before, self.match, event, theme_of)
            said += [line for line in told if not line[0].startswith("bot:")]
            self._project(event)
        return said

    def follow(self, append: Append) -> bool:
        """Go through what another process stored; False if something before it is missing."""
        if append.entries[0].seq > self.seq + 1:
            return False
        if append.entries[-1].seq <= self.seq:
            return True
        opened = {new.match_id: new for new in append.opened}
        for entry in append.entries:
            if entry.seq <= self.seq:
                continue
            events = games.events_decoder.decode(entry.events)
            self.seq = entry.seq
            if new := opened.get(entry.match_id):
                self.ranking_changed |= new.game != self.match.game
                self.number, self.seed, self.choices = new.number, new.seed, fairness.NO_CHOICES
                self.match_id = new.match_id
                self.match = lobby.open_match(GAMES[new.game], events[0])
                self._remember(())
            else:
                if games.is_choice(self.match.game, entry.command):
                    self.choices = fairness.chosen(self.choices, entry.actor, entry.command)
                self._remember(self._evolve(events))
            if entry.command_id:
                self.answers[entry.command_id] = Outcome(
                    entry.match_id, entry.seq, actor=Key(entry.actor)
                )
        gone = {(d.name, d.phase, d.epoch) for d in append.stopped}
        kept = {timer: due for timer, due in self.deadlines.items() if timer not in gone}
        self.deadlines = kept | {(d.name, d.phase, d.epoch): d.due_ms for d in append.started}
        return True

    def _over(self) -> bool:
        """The dice of this match have fallen for the last time, and their seed is not shown yet."""
        match = self.match
        done = match.stage == "over" or match.closed != ""
        return done and match.draws > 0 and match.commitment != "" and match.seed == ""

    def _project(self, event: Event) -> None:
        if isinstance(event, lobby.Scored):
            what = self.match.game, event.key, event.name, event.won, event.detail
            self.append.scores += (Score(self.match_id, *what),)
        elif isinstance(event, lobby.RankingReset):
            self.append.wiped += (self.match.game,)
            self.append.scores = tuple(
                msgspec.structs.replace(s, on_table=s.on_table and s.game != self.match.game)
                for s in self.append.scores
            )
        elif isinstance(event, lobby.Repainted):
            self.repainted = True
            return
        elif not isinstance(event, lobby.RankingTurned):
            return
        self.ranking_changed = True

    def _remember(self, said: Sequence[Line]) -> None:
        page = self.table.now.ranking
        self.states.append(Snapshot(self.table, self.match_id, self.seq, self.match, page, said))

    def _reopen(self) -> None:
        """The match is closed: open the lobby of the next one in the same commit."""
        self.append.closed += (self.match_id,)
        opening = games.reopening(self.match)
        if opening.game != self.match.game:
            self.ranking_changed = True
        self.number += 1
        self.match_id = match_id(self.table.id, self.number)
        self.seq += 1
        self.seed, self.choices = fairness.new_seed(), fairness.NO_CHOICES
        opening = msgspec.structs.replace(opening, commitment=fairness.commitment(self.seed))
        self.match = lobby.open_match(GAMES[opening.game], opening)
        self.append.opened += (
            Opened(self.match_id, opening.game, self.number, self.seq, self.seed),
        )
        self.append.entries.append(
            entry_of(self.table.id, self.number, self.seq, self.now_ms, SERVER, None, [opening])
        )
        self._remember(())

    def set_deadlines(self) -> None:
        """Stop the deadlines that the match no longer wants, start those it wants now."""
        wanted = {t.id: t for t in games.timers(self.match)}
        before, match_id = self.table.deadlines, self.table.now.match_id
        same_match = match_id == self.match_id
        if same_match and wanted.keys() == before.keys():
            return
        kept = {t: due for t, due in before.items() if same_match and t in wanted}
        self.append.stopped = [
            Deadline(match_id, *timer, self.table.id, due)
            for timer, due in before.items()
            if timer not in kept
        ]
        fresh = {id: due_ms(timer, self.now_ms) for id, timer in wanted.items() if id not in kept}
        self.append.started = [
            Deadline(self.match_id, *timer, self.table.id, due) for timer, due in fresh.items()
        ]
        self.deadlines = kept | fresh
