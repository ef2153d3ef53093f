"""How lobby events change a match, how one opens and reopens, and which deadlines it wants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from app.games.clock import Timer
from app.games.core import Event, Game, Match, Options, Refusal, Seat
from app.games.lobby.words import (
    ActedForOwner,
    Attended,
    Drawn,
    Forgotten,
    Frozen,
    HandedToBot,
    HudsCleared,
    HudsSent,
    Joined,
    LandChecked,
    LanguageSet,
    Left,
    Locked,
    MatchClosed,
    MatchOpened,
    MatchStarted,
    OptionsSet,
    RankingReset,
    RankingTurned,
    ReadyChanged,
    Reminded,
    Renamed,
    Repainted,
    Scored,
    SeedShown,
    TakenBack,
    Thawed,
    TimedOut,
    Unlocked,
)

NAME_CHARS = 63


def evolve(game: Game[Any], match: Match[Any], event: Event) -> Match[Any]:
    """The match after `event`, in live play and in replay alike."""
    handler = _EVOLVE.get(type(event))
    return handler(match, event) if handler else game.evolve(match, event)


def _without(match: Match[Any], event: Left) -> Match[Any]:
    return replace(match, seats=tuple(s for s in match.seats if s.key != event.key))


def _strike(match: Match[Any], event: TimedOut) -> Match[Any]:
    seat = match.seat(event.key)
    return match.with_seat(event.key, strikes=seat.strikes + 1) if seat else match


_EVOLVE: dict[type[Event], Callable[[Match[Any], Any], Match[Any]]] = {
    Joined: lambda m, e: replace(
        m,
        seats=(*m.seats, Seat(e.key, e.name, bot=e.bot, ready=e.bot)),
        invited=tuple(k for k in m.invited if k != e.key),
    ),
    Left: _without,
    Renamed: lambda m, e: m.with_seat(e.key, name=e.name),
    ReadyChanged: lambda m, e: m.with_seat(e.key, ready=e.ready),
    MatchStarted: lambda m, _: replace(m, stage="playing", phase=m.phase + 1, invited=()),
    Locked: lambda m, _: replace(m, locked=True),
    Unlocked: lambda m, _: replace(m, locked=False),
    OptionsSet: lambda m, e: replace(m, options=msgspec.convert(e.options, type(m.options))),
    LanguageSet: lambda m, e: replace(m, language=e.language),
    RankingReset: lambda m, _: replace(m, ranking_page=0),
    RankingTurned: lambda m, e: replace(m, ranking_page=e.page),
    HudsCleared: lambda m, _: replace(m, huds=False),
    LandChecked: lambda m, _: replace(m, land_checks=m.land_checks + 1),
    HudsSent: lambda m, _: replace(m, huds=True, hud_epoch=m.hud_epoch + 1),
    Reminded: lambda m, e: replace(m, reminded=(*m.reminded, e.key)),
    TimedOut: _strike,
    HandedToBot: lambda m, e: m.with_seat(e.key, auto=True),
    TakenBack: lambda m, e: m.with_seat(e.key, auto=False, strikes=0),
    Attended: lambda m, e: m.with_seat(e.key, strikes=0),
    Scored: lambda m, _: m,
    Drawn: lambda m, e: replace(m, draws=e.number),
    SeedShown: lambda m, e: replace(m, seed=e.seed),
    Repainted: lambda m, _: m,
    ActedForOwner: lambda m, _: m,
    Forgotten: lambda m, _: m,
    Frozen: lambda m, e: replace(m, frozen=e.reason),
    Thawed: lambda m, _: replace(m, frozen="", epoch=m.epoch + 1, reminded=()),
    MatchClosed: lambda m, e: replace(m, closed=e.why, next_game=e.next_game),
}


def timers(game: Game[Any], match: Match[Any]) -> tuple[Timer, ...]:
    """Every deadline the match wants now; none while it is frozen or closed."""
    if match.frozen or match.closed or match.stage == "lobby":
        return ()
    phase, epoch, turn_s = match.phase, match.epoch, match.options.turn_s
    seats = {seat.key: seat for seat in match.seats}
    out: list[Timer] = []
    for wait in game.waits(match):
        seat = seats.get(wait.key)
        if seat is None or seat.by_bot:
            out.append(Timer(f"bot:{wait.key}", phase, wait.bot_s, epoch))
            continue
        if wait.together:
            continue
        if wait.key not in match.reminded:
            out.append(Timer(f"remind:{wait.key}", phase, turn_s / 2, epoch))
        out.append(Timer(f"expire:{wait.key}", phase, turn_s, epoch))
    out += [replace(t, epoch=epoch) for t in game.pauses(match)]
    return tuple(out)


def open_match(game: Game[Any], event: MatchOpened) -> Match[Any]:
    """The empty lobby that `event` opens."""
    return Match(
        game=game.name,
        owner=event.owner,
        options=msgspec.convert(event.options, game.options),
        locked=event.locked,
        invited=event.invited,
        commitment=event.commitment,
        language=event.language,
    )


def reopening(match: Match[Any], next_game: Game[Any]) -> MatchOpened:
    """How the table goes on after `match` closed.

    Owner, lock and language stay, options if the game does.
    """
    same = next_game.name == match.game
    options = match.options if same else default_options(next_game)
    stayed = match.closed in ("victory", "game")
    invited = tuple(s.key for s in match.seats if not s.bot) if stayed else ()
    return MatchOpened(
        next_game.name,
        match.owner,
        msgspec.to_builtins(options),
        match.locked,
        invited,
        language=match.language,
    )


def default_options(game: Game[Any]) -> Options:
    preset = next(iter(game.presets.values()))
    return msgspec.convert(dict(preset), game.options)


def read_options(game: Game[Any], given: dict[str, Any]) -> Options | Refusal:
    """The options in `given`, checked; defaults for the rest."""
    for name, (least, most) in game.options.LIMITS.items():
        value = given.get(name, least)
        # What is no number at all may have been typed; other types are a program's.
        if isinstance(value, str) or (
            isinstance(value, int | float) and not least <= value <= most
        ):
            within = {"name": name, "least": least, "most": most}
            return Refusal("bad_option", {"reason": Refusal("option_range", within)})
    try:
        return msgspec.convert(given, game.options)
    except msgspec.ValidationError as error:
        return Refusal("bad_option", {"reason": str(error)})


def clean_name(name: str) -> str:
    """A player's name as it may be shown: one line, no control signs, bounded."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:NAME_CHARS]
