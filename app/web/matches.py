"""A match as its page shows it: who played, and the log line by line in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from app import games
from app.games import GAMES, lobby, texts
from app.games.core import NOBODY, SERVER, Event, Key, Match, RankingPage
from app.games.lines import lines
from app.table.history import Line
from app.web.words import ENGLISH, Words

FREE: Final = {"name", "text", "seed", "commitment"}
"""Fields of events in which somebody may have written what he likes, or a number in full."""


@dataclass(frozen=True)
class Row:
    """A line of the log.  `said`: what the table said of it.

    `beside`: who did it and how, if not the table by itself, and what it said nothing of.
    """

    seq: int
    after: str
    said: Sequence[str]
    beside: Sequence[str]


@dataclass(frozen=True)
class Player:
    key: str
    name: str
    bot: bool
    how: str


@dataclass(frozen=True)
class MatchView:
    """What the page of a match shows.  `over`: its seed is shown, or it never drew anything.

    `language`: what the table spoke, and so do its boards.
    """

    id: str
    table: str
    table_name: str
    title: str
    game: str
    number: int
    opened: str
    opened_iso: str
    over: bool
    closed: bool
    winners: Sequence[Player]
    players: Sequence[Player]
    commitment: str
    seed: str
    rows: Sequence[Row]
    language: str


def view(row: Any, log: Sequence[Line], table_name: str, t: Words = ENGLISH) -> MatchView:
    """The page's view of a stored match and its public log, in a language."""
    opening = games.events_decoder.decode(log[0].events)[0]
    assert isinstance(opening, lobby.MatchOpened)
    reader = _Reader(opening, row.opened_ms, t)
    rows = [reader.row(line) for line in log]
    match = reader.match
    seats = GAMES[match.game].public(match, RankingPage()).seats
    players = [
        Player(s.key, s.name, s.bot, "winner" if s.winner else "eliminated" if s.out else "")
        for s in seats
    ]
    opened = datetime.fromtimestamp(row.opened_ms / 1000, UTC)
    return MatchView(
        id=row.id,
        table=row.table_id,
        table_name=table_name,
        title=GAMES[match.game].title,
        game=match.game,
        number=row.number,
        opened=f"{opened:%Y-%m-%d %H:%M} UTC",
        opened_iso=f"{opened:%Y-%m-%dT%H:%M:%SZ}",
        over=match.seed != "" or row.closed_ms is not None,
        closed=row.closed_ms is not None,
        winners=[player for player in players if player.how == "winner"],
        players=players,
        commitment=match.commitment,
        seed=match.seed,
        rows=rows,
        language=match.language,
    )


class _Reader:
    """Reads a log from its beginning; `match` is how far it has come."""

    def __init__(self, opening: lobby.MatchOpened, opened_ms: int, t: Words) -> None:
        self.match: Match[Any] = lobby.open_match(GAMES[opening.game], opening)
        self._opened_ms = opened_ms
        self._t = t
        self._theme = texts.load(opening.game, language=t.language)

    def row(self, line: Line) -> Row:
        said: list[str] = []
        beside: list[str] = []
        before = self.match
        for event in games.events_decoder.decode(line.events):
            last = self.match
            if not isinstance(event, lobby.MatchOpened):
                self.match = games.evolve(last, event)
            spoken = lines(GAMES[last.game], last, self.match, event, self._theme)
            public = [text for key, text in spoken if key == NOBODY]
            said += public
            if not public:
                beside.append(self._compact(event))
        if line.command and line.actor != SERVER:
            kind = self._t(_words(msgspec.json.decode(line.command)["type"]))
            beside.insert(0, f"{self._who(Key(line.actor), before)}: {kind}")
        return Row(line.seq, clock((line.at_ms - self._opened_ms) // 1000), said, beside)

    def _who(self, key: Key, before: Match[Any]) -> str:
        """Who acted, by his name before or after it."""
        name = before.name(key) or self.match.name(key)
        return name or self._t("the owner" if key == before.owner else "somebody")

    def _compact(self, event: Event) -> str:
        """An event that has no line of its own."""
        t, told = self._t, msgspec.to_builtins(event)
        kind = t(_words(told.pop("type")))
        match event:
            case lobby.Drawn(number=number, index=index, among=among, why=why):
                line = t("draw {number}: {index} of {among} ({why})")
                return line.format(number=number, index=index + 1, among=among, why=t(why))
            case lobby.ActedForOwner():
                return t("{name} acts for the owner").format(name=event.name)
            case lobby.MatchOpened():
                return f"{kind}, {t('commitment')} {event.commitment}"
        parts = [self._value(told[name], name not in FREE) for name in told]
        return ": ".join(part for part in (kind, ", ".join(filter(None, parts))) if part)

    def _value(self, value: Any, ours: bool) -> str:
        """`ours`: whether it is one of the game's words, not what somebody wrote."""
        if isinstance(value, bool | dict):
            return ""
        if isinstance(value, list | tuple):
            return ", ".join(self._value(one, ours) for one in value)
        if not isinstance(value, str):
            return f"{value:g}"
        name = self.match.name(Key(value))
        if name or not ours or not value:
            return name or value
        return " / ".join(self._t(_words(part)) for part in value.split("/"))


def clock(seconds: int) -> str:
    """How long something took, as 3:05 or 1:03:05."""
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return (f"{hours}:{minutes:02}" if hours else f"{minutes}") + f":{seconds % 60:02}"


def _words(kind: str) -> str:
    return kind.rpartition(".")[2].replace("_", " ")
