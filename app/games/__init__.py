"""The games of the table.  `GAMES` is the one list; everything else derives from it.

`decide` and `evolve` are the whole interface of the rules: a match and a command in, events or a
refusal out; a match and an event in, the next match out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import msgspec

from app.games import lobby, texts
from app.games.clock import Timer
from app.games.core import Actor, Command, Dice, Event, Game, Match, Refusal
from app.games.peril.game import PerilDice
from app.games.roulette.game import RussianRoulette
from app.games.werewolf.game import Werewolf

GAMES: dict[str, Game[Any]] = {
    game.name: game for game in (PerilDice(), RussianRoulette(), Werewolf())
}

COMMANDS: tuple[type[Command], ...] = (
    *lobby.PLAYER_COMMANDS,
    *lobby.OWNER_COMMANDS,
    *(c for game in GAMES.values() for c in game.commands),
)
"""What may come from outside."""

EVENTS: tuple[type[Event], ...] = (
    *lobby.EVENTS,
    *(e for game in GAMES.values() for e in game.events),
)

AnyCommand: Any = Union[COMMANDS]  # noqa: UP007 - a computed union
AnyEvent: Any = Union[EVENTS]  # noqa: UP007 - a computed union

command_decoder = msgspec.json.Decoder(AnyCommand)
events_decoder = msgspec.json.Decoder(list[AnyEvent])


def decide(
    match: Match[Any], actor: Actor, command: Command, dice: Dice
) -> Sequence[Event] | Refusal:
    """What follows from `command`: the events in order, or why nothing does."""
    if isinstance(command, lobby.ChooseGame) and command.game not in GAMES:
        return Refusal("no_such_game")
    if isinstance(command, lobby.SetLanguage) and command.language not in texts.LANGUAGES:
        return Refusal("no_such_language", {"languages": tuple(texts.LANGUAGES.values())})
    return lobby.decide(GAMES[match.game], match, actor, command, dice)


def evolve(match: Match[Any], event: Event) -> Match[Any]:
    """The match after `event`."""
    return lobby.evolve(GAMES[match.game], match, event)


def replay(events: Sequence[Event]) -> Match[Any]:
    """The match that `events` made, from its `MatchOpened` on.

    ValueError if they do not begin with one.
    """
    if not events or not isinstance(events[0], lobby.MatchOpened):
        raise ValueError("a match begins with MatchOpened")
    match = lobby.open_match(GAMES[events[0].game], events[0])
    for event in events[1:]:
        match = evolve(match, event)
    return match


class _Tagged(msgspec.Struct):
    type: str


_tag_decoder = msgspec.json.Decoder(_Tagged)
_CHOICES = {
    game.name: {str(kind.__struct_config__.tag) for kind in game.commands}
    for game in GAMES.values()
}


def is_choice(game: str, command: str) -> bool:
    """Whether a command of the log (its JSON) is one of `game` itself."""
    return bool(command) and _tag_decoder.decode(command).type in _CHOICES[game]


def seen_by_all(events: str) -> tuple[str, bool]:
    """Of a log entry's events (JSON) those that everybody may know, and whether others are not.

    Draws do not count: what came of them is told by the events that follow.
    """
    told = events_decoder.decode(events)
    shown = [e for e in told if e.seen_by() is None]
    secret = any(e.seen_by() is not None and not isinstance(e, lobby.Drawn) for e in told)
    return msgspec.json.encode(shown).decode(), secret


def timers(match: Match[Any]) -> tuple[Timer, ...]:
    """The deadlines the match wants now."""
    return lobby.timers(GAMES[match.game], match)


def reopening(match: Match[Any]) -> lobby.MatchOpened:
    """The opening of the next match on the table where `match` closed."""
    return lobby.reopening(match, GAMES[match.next_game or match.game])
