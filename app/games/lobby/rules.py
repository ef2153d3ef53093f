"""Seats, start, lock, bots, kick, resets, silence, freezing: what follows from a command.

One `decide` for every game; what only the game knows it asks the game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from app.games.core import (
    NOBODY,
    SERVER,
    Actor,
    Command,
    Dice,
    Event,
    Game,
    Key,
    Match,
    Refusal,
    Wait,
)
from app.games.lobby.state import clean_name, evolve, read_options, timers
from app.games.lobby.words import (
    OWNER_COMMANDS,
    RIGHTS,
    SERVER_COMMANDS,
    ActedForOwner,
    AddBot,
    Attended,
    CheckLand,
    ChooseGame,
    ClearHuds,
    Freeze,
    Frozen,
    HandedToBot,
    HudsCleared,
    HudsSent,
    Join,
    Joined,
    Kick,
    LandChecked,
    LanguageSet,
    Leave,
    Left,
    Lock,
    Locked,
    MatchClosed,
    MatchStarted,
    OptionsSet,
    RankingReset,
    RankingTurned,
    Ready,
    ReadyChanged,
    Reminded,
    RemoveBot,
    Renamed,
    Repaint,
    Repainted,
    ResetAll,
    ResetMatch,
    ResetRanking,
    SendHuds,
    SetLanguage,
    SetOptions,
    Start,
    TakeBack,
    TakenBack,
    Thaw,
    Thawed,
    TimedOut,
    TimeUp,
    TurnRanking,
    Unlock,
    Unlocked,
)
from app.games.story import Story

MAX_BOTS = 9

Answer = Sequence[Event] | Refusal


def decide(
    game: Game[Any], match: Match[Any], actor: Actor, command: Command, dice: Dice
) -> Answer:
    """What follows from `command`: the events, or why not."""
    if match.closed:
        return Refusal("match_closed")
    seat, name = match.seat(actor.key), clean_name(actor.name)
    if seat is None or seat.bot or name in ("", seat.name):
        return _dispatch(game, match, actor, command, dice)
    renamed = Renamed(seat.key, name)
    answer = _dispatch(game, evolve(game, match, renamed), actor, command, dice)
    return answer if isinstance(answer, Refusal) else [renamed, *answer]


def _dispatch(
    game: Game[Any], match: Match[Any], actor: Actor, command: Command, dice: Dice
) -> Answer:
    handler = _DECIDE.get(type(command))
    if handler is None:
        return _play(game, match, actor, command, dice)
    if isinstance(command, SERVER_COMMANDS) and actor.key != SERVER:
        return Refusal("server_only")
    acted: list[Event] = []
    if not actor.owner and _for_owner(match, actor, command):
        if RIGHTS[type(command)] in actor.staff:
            acted = [ActedForOwner(actor.key, clean_name(actor.name) or "?")]
            actor = msgspec.structs.replace(actor, owner=True)
        elif isinstance(command, OWNER_COMMANDS):
            return Refusal("owner_only")
    answer = handler(game, match, actor, command, dice)
    return answer if isinstance(answer, Refusal) else [*acted, *answer]


def _for_owner(match: Match[Any], actor: Actor, command: Command) -> bool:
    """Whether nobody but the owner, and who may act in his place, can do this now."""
    if isinstance(command, Join | Ready | Start) and match.locked:
        return True
    starts = isinstance(command, Start) and actor.key != match.starter
    return starts or isinstance(command, OWNER_COMMANDS)


def _play(game: Game[Any], match: Match[Any], actor: Actor, command: Command, dice: Dice) -> Answer:
    if not isinstance(command, game.commands):
        return Refusal("wrong_game")
    if match.stage == "lobby":
        return Refusal("not_started" if match.seat(actor.key) else "touch_to_join")
    if match.stage == "over":
        return Refusal("match_over")
    if match.frozen:
        return Refusal("frozen")
    seat = match.seat(actor.key)
    if seat is None:
        return Refusal("not_seated")
    if seat.barred:
        return Refusal("barred")
    back: list[Event] = []
    if not seat.bot and actor.key != SERVER:
        if seat.auto:
            back = [TakenBack(seat.key)]
        elif seat.strikes:
            back = [Attended(seat.key)]
    answer = game.decide(match, actor, command, dice)
    return answer if isinstance(answer, Refusal) else [*back, *answer]


def _join(game: Game[Any], match: Match[Any], actor: Actor, _: Command, __: Dice) -> Answer:
    if match.seat(actor.key):
        return Refusal("already_seated")
    if match.stage != "lobby":
        return Refusal("game_running" if match.stage == "playing" else "match_over")
    if actor.banned and not actor.owner:
        return Refusal("banned")
    if match.locked and not actor.owner:
        return Refusal("locked")
    if len(match.seats) >= game.seats[-1]:
        return Refusal("table_full", {"seats": game.seats[-1]})
    if actor.key.startswith("bot:") or actor.key in (SERVER, NOBODY):
        return Refusal("not_an_avatar")
    return [Joined(actor.key, clean_name(actor.name) or "?")]


def _leave(game: Game[Any], match: Match[Any], actor: Actor, _: Command, dice: Dice) -> Answer:
    if match.seat(actor.key) is None:
        return Refusal("not_seated")
    if match.stage == "over":
        return Refusal("match_over")
    if match.stage == "lobby":
        return [Left(actor.key)]
    events = game.remove(match, actor.key, "left", dice)
    return events or Refusal("already_out")


def _ready(_: Game[Any], match: Match[Any], actor: Actor, command: Command, __: Dice) -> Answer:
    assert isinstance(command, Ready)
    seat = match.seat(actor.key)
    if match.stage != "lobby":
        return Refusal("game_running" if match.stage == "playing" else "match_over")
    if seat is None:
        return Refusal("touch_to_join")
    if match.locked and not actor.owner:
        return Refusal("locked")
    if seat.bot:
        return Refusal("bots_are_ready")
    if seat.ready == command.ready:
        return Refusal("already_ready" if seat.ready else "already_not_ready")
    return [ReadyChanged(seat.key, command.ready)]


def _start(game: Game[Any], match: Match[Any], actor: Actor, _: Command, dice: Dice) -> Answer:
    if match.stage != "lobby":
        return Refusal("already_started" if match.stage == "playing" else "match_over")
    if match.locked and not actor.owner:
        return Refusal("locked")
    if len(match.seats) < game.seats[0]:
        return Refusal("too_few_players", {"needed": game.seats[0]})
    if not actor.owner and actor.key != match.starter:
        return Refusal("not_starter")
    excused = (match.starter, actor.key)
    unready = tuple(s.name for s in match.seats if not (s.bot or s.ready or s.key in excused))
    if unready:
        return Refusal("not_ready", {"names": unready})
    story = Story(partial(evolve, game), match)
    story.tell(MatchStarted(actor.key))
    return [*story.events, *game.start(story.match, dice)]


def _take_back(_: Game[Any], match: Match[Any], actor: Actor, __: Command, ___: Dice) -> Answer:
    seat = match.seat(actor.key)
    if seat is None:
        return Refusal("not_seated")
    if seat.barred:
        return Refusal("barred")
    return [TakenBack(seat.key)] if seat.auto else Refusal("nothing_to_take_back")


def _turn_ranking(
    _: Game[Any], match: Match[Any], __: Actor, command: Command, ___: Dice
) -> Answer:
    assert isinstance(command, TurnRanking)
    if not 0 <= command.page < 1000 or command.page == match.ranking_page:
        return Refusal("no_such_page")
    return [RankingTurned(command.page)]


def _add_bot(game: Game[Any], match: Match[Any], _: Actor, __: Command, ___: Dice) -> Answer:
    if match.stage != "lobby":
        return Refusal("bots_in_lobby_only")
    if len(match.seats) >= game.seats[-1]:
        return Refusal("table_full", {"seats": game.seats[-1]})
    taken = {s.key for s in match.seats if s.bot}
    if len(taken) >= max(MAX_BOTS, game.seats[-1] - 1):
        return Refusal("too_many_bots", {"bots": max(MAX_BOTS, game.seats[-1] - 1)})
    number = next(n for n in range(1, 100) if f"bot:{n}" not in taken)
    return [Joined(Key(f"bot:{number}"), f"Bot{number}", bot=True)]


def _remove_bot(_: Game[Any], match: Match[Any], __: Actor, ___: Command, ____: Dice) -> Answer:
    if match.stage != "lobby":
        return Refusal("bots_in_lobby_only")
    bots = [s for s in match.seats if s.bot]
    return [Left(bots[-1].key, by="kick")] if bots else Refusal("no_bots")


def _kick(game: Game[Any], match: Match[Any], _: Actor, command: Command, dice: Dice) -> Answer:
    assert isinstance(command, Kick)
    seat = match.seat(command.key)
    if seat is None:
        return Refusal("nobody_to_kick")
    if match.stage == "over":
        return Refusal("match_over")
    if match.stage == "lobby":
        return [Left(command.key, by="kick")]
    events = game.remove(match, command.key, "kicked", dice)
    return events or Refusal("is_out", {"name": seat.name})


def _lock(_: Game[Any], match: Match[Any], __: Actor, command: Command, ___: Dice) -> Answer:
    wanted = isinstance(command, Lock)
    if match.locked == wanted:
        return Refusal("already_locked" if wanted else "already_unlocked")
    return [Locked() if wanted else Unlocked()]


def _reset(_: Game[Any], __: Match[Any], actor: Actor, command: Command, ___: Dice) -> Answer:
    events: list[Event] = []
    if isinstance(command, ResetRanking | ResetAll):
        events.append(RankingReset())
    if isinstance(command, ResetMatch | ResetAll):
        events.append(MatchClosed("reset", by=actor.key))
    return events


def _set_options(
    game: Game[Any], match: Match[Any], _: Actor, command: Command, __: Dice
) -> Answer:
    assert isinstance(command, SetOptions)
    if match.stage != "lobby":
        return Refusal("options_fixed")
    chosen = msgspec.to_builtins(match.options)
    if command.preset:
        if command.preset not in game.presets:
            return Refusal("no_such_preset", {"presets": tuple(game.presets)})
        chosen = dict(game.presets[command.preset])
    options = read_options(game, {**chosen, **command.options})
    if isinstance(options, Refusal):
        return options
    return [OptionsSet(msgspec.to_builtins(options), preset=command.preset)]


def _choose_game(
    game: Game[Any], match: Match[Any], actor: Actor, command: Command, _: Dice
) -> Answer:
    assert isinstance(command, ChooseGame)
    if match.stage == "playing":
        return Refusal("options_fixed")
    if command.game == game.name:
        return Refusal("already_this_game")
    return [MatchClosed("game", by=actor.key, next_game=command.game)]


def _set_language(
    _: Game[Any], match: Match[Any], __: Actor, command: Command, ___: Dice
) -> Answer:
    assert isinstance(command, SetLanguage)
    if command.language == match.language:
        return Refusal("already_this_language")
    return [LanguageSet(command.language)]


def _huds(_: Game[Any], __: Match[Any], ___: Actor, command: Command, ____: Dice) -> Answer:
    return [HudsCleared() if isinstance(command, ClearHuds) else HudsSent()]


def _check_land(_: Game[Any], __: Match[Any], ___: Actor, ____: Command, _____: Dice) -> Answer:
    return [LandChecked()]


def _freeze(_: Game[Any], match: Match[Any], __: Actor, command: Command, ___: Dice) -> Answer:
    assert isinstance(command, Freeze)
    if match.stage == "lobby" or match.frozen:
        return Refusal("stale")
    return [Frozen(command.reason)]


def _thaw(_: Game[Any], match: Match[Any], __: Actor, ___: Command, ____: Dice) -> Answer:
    return [Thawed()] if match.frozen else Refusal("stale")


def _repaint(_: Game[Any], __: Match[Any], ___: Actor, ____: Command, _____: Dice) -> Answer:
    return [Repainted()]


def _time_up(game: Game[Any], match: Match[Any], _: Actor, command: Command, dice: Dice) -> Answer:
    assert isinstance(command, TimeUp)
    wanted = (command.name, command.phase, command.epoch)
    timer = next((t for t in timers(game, match) if t.id == wanted), None)
    if timer is None:
        return Refusal("stale")
    kind, _colon, who = timer.name.partition(":")
    wait = next((w for w in game.waits(match) if w.key == who), None)
    if kind == "remind":
        return [Reminded(Key(who), left_s=match.options.turn_s / 2)]
    if wait is not None and kind == "bot":
        command = game.act_for(match, wait, dice)
        return game.decide(match, Actor(wait.key, match.name(wait.key)), command, dice)
    if wait is not None and kind == "expire":
        return _expire(game, match, wait, dice)
    return game.elapse(match, timer, dice)


def _expire(game: Game[Any], match: Match[Any], wait: Wait, dice: Dice) -> Answer:
    seat = match.seat(wait.key)
    assert seat is not None
    story = Story(partial(evolve, game), match)
    story.tell(TimedOut(wait.key))
    if seat.strikes + 1 >= match.options.afk_limit:
        if match.options.afk == "remove":
            return [*story.events, *game.remove(story.match, wait.key, "silent", dice)]
        story.tell(HandedToBot(wait.key))
    answer = game.silent(story.match, wait, dice)
    return answer if isinstance(answer, Refusal) else [*story.events, *answer]


_Decide = Callable[[Game[Any], Match[Any], Actor, Any, Dice], Answer]
_DECIDE: dict[type[Command], _Decide] = {
    Join: _join,
    Leave: _leave,
    Ready: _ready,
    Start: _start,
    TakeBack: _take_back,
    TurnRanking: _turn_ranking,
    AddBot: _add_bot,
    RemoveBot: _remove_bot,
    Kick: _kick,
    Lock: _lock,
    Unlock: _lock,
    ResetMatch: _reset,
    ResetRanking: _reset,
    ResetAll: _reset,
    SetOptions: _set_options,
    ChooseGame: _choose_game,
    SetLanguage: _set_language,
    ClearHuds: _huds,
    SendHuds: _huds,
    CheckLand: _check_land,
    Freeze: _freeze,
    Thaw: _thaw,
    Repaint: _repaint,
    TimeUp: _time_up,
}
