"""The menus of the lobby and of the owner, once for all games, and which dialog is whose now.

A game adds the dialogs of its running match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from app.display import clip
from app.games import GAMES, languages, lobby
from app.games.core import Actor, Command, Game, Key, Match, RankingPage, Refusal, Right, Seat
from app.games.dialogs import Button, Dialog, make, paged
from app.games.texts import Theme

NAMES_BYTES = 240
"""What the names of all players may take of a dialog's 511 bytes."""

MY_DATA, CONSOLE = "my_data", "console"
"""The `then` of buttons that open no dialog: who presses one gets a link, to his data or to the
console of his tables."""
LINKS = (MY_DATA, CONSOLE)

# ---- which dialog ---------------------------------------------------------------------------


def touch(game: Game[Any], match: Match[Any], who: Actor) -> Command | Refusal | str:
    """What a touch of the table means: a command, why nothing, or the name of a dialog."""
    seat = match.seat(who.key)
    if match.locked and not who.rights and not (seat and match.stage != "lobby"):
        return Refusal("locked")
    if match.stage == "lobby":
        if seat:
            return "lobby"
        return "owner_choice" if who.rights else lobby.Join()
    if seat is None:
        return "owner" if who.rights else Refusal("game_running")
    if seat.barred:
        return "owner" if who.rights else Refusal("barred")
    if seat.auto:
        return lobby.TakeBack()
    meant = due(game, match, who.key) or _idle(game, match, who.key)
    return meant or ("owner" if who.rights else "wait")


def _idle(game: Game[Any], match: Match[Any], key: Key) -> str:
    return game.idle(match, key) if match.stage == "playing" and not match.frozen else ""


def dues(game: Game[Any], match: Match[Any]) -> dict[Key, str]:
    """Names of the dialogs that should be before avatars now; others should have none."""
    if match.closed or match.frozen:
        return {}
    if match.stage == "lobby":
        return {} if match.locked else dict.fromkeys(match.invited, "rejoin")
    players = [seat.key for seat in match.seats if not seat.by_bot]
    return {key: name for key in players if (name := game.due(match, key))}


def due(game: Game[Any], match: Match[Any], key: Key) -> str:
    """Name of the dialog that should be before this avatar now, or ''."""
    return dues(game, match).get(key, "")


def dialog(
    game: Game[Any],
    match: Match[Any],
    who: Actor,
    name: str,
    page: int,
    theme: Theme,
) -> Dialog | None:
    """The dialog `name` as it stands now for this avatar; None if it is not (or no more) his."""
    if name in _OWNER:
        right, build = _OWNER[name]
        may = right in who.rights if right else who.rights
        return build(game, match, who, page, theme) if may else None
    if name in game.options.TYPED:
        return _typed_option(match, name, theme) if "options" in who.rights else None
    if name in _PLAYER:
        return _PLAYER[name](game, match, who, page, theme)
    return game.dialog(match, who, name, page, theme) if match.play is not None else None


# ---- the lobby's menus ----------------------------------------------------------------------


def _lobby(_: Game[Any], match: Match[Any], who: Actor, __: int, theme: Theme) -> Dialog | None:
    seat = match.seat(who.key)
    if match.stage != "lobby" or seat is None:
        return None
    say = theme.say
    names = _listed(s.name + (" ✔" if s.ready or s.bot else "") for s in match.seats)
    if who.key == match.starter:
        text = say("menu", "starter", names=names, options=describe(match, theme))
        buttons = [Button(say("button", "start"), lobby.Start(), then="")]
    else:
        which = "ready" if seat.ready else "not_ready"
        text = say("menu", which, names=names, options=describe(match, theme))
        label = say("button", "not_ready" if seat.ready else "ready")
        buttons = [Button(label, lobby.Ready(not seat.ready))]
    buttons.append(Button(say("button", "leave"), lobby.Leave()))
    if who.rights:
        buttons.append(Button(say("button", "owner"), then="owner"))
    return make("lobby", text, [*buttons, *_own(seat, theme)])


def _own(seat: Seat, theme: Theme) -> list[Button]:
    """What is his beyond this match: his data, his language."""
    say = theme.say
    if seat.bot:
        return []
    return [
        Button(say("button", "my_data"), then=MY_DATA),
        Button(say("button", "language"), then="language"),
    ]


def _listed(names: Iterable[str]) -> str:
    """Names in a row, as many as leave room for what else a dialog has to say."""
    return clip(", ".join(names), NAMES_BYTES)


def _owner_choice(
    _: Game[Any], match: Match[Any], who: Actor, __: int, theme: Theme
) -> Dialog | None:
    if match.stage != "lobby" or match.seat(who.key):
        return None
    say = theme.say
    buttons = [Button(say("button", "join"), lobby.Join(), then="lobby")]
    if len(match.seats) >= 2 and "matches" in who.rights:
        buttons.append(Button(say("button", "start"), lobby.Start()))
    buttons.append(Button(say("button", "owner_menu"), then="owner"))
    which = "owner_choice" if who.owner else "staff_choice"
    return make("owner_choice", say("menu", which, count=len(match.seats)), buttons)


def _rejoin(_: Game[Any], match: Match[Any], who: Actor, __: int, theme: Theme) -> Dialog | None:
    if match.stage != "lobby" or who.key not in match.invited:
        return None
    say = theme.say
    button = Button(say("button", "rejoin"), lobby.Join(), then="lobby")
    return make("rejoin", say("menu", "rejoin"), [button])


def _wait(game: Game[Any], match: Match[Any], who: Actor, _: int, theme: Theme) -> Dialog | None:
    """Nothing to answer: what is going on, and the way out."""
    seat = match.seat(who.key)
    if match.stage == "lobby" or seat is None:
        return None
    say = theme.say
    names = _listed(match.name(k) for k in game.public(match, RankingPage()).waiting_for)
    why = "frozen" if match.frozen else "waiting_for" if names else "wait"
    buttons = [Button(say("button", "leave"), then="leave")] if _plays(game, match, who.key) else []
    if who.rights:
        buttons.append(Button(say("button", "owner"), then="owner"))
    buttons += _own(seat, theme)
    return make("wait", say("menu", why, names=names), buttons)


def _plays(game: Game[Any], match: Match[Any], key: Key) -> bool:
    """Whether he has a place to leave in the match that runs."""
    seats = game.public(match, RankingPage()).seats if match.stage == "playing" else ()
    return any(not seat.out and not seat.gone for seat in seats if seat.key == key)


def _leave(game: Game[Any], match: Match[Any], who: Actor, __: int, theme: Theme) -> Dialog | None:
    if not _plays(game, match, who.key):
        return None
    say = theme.say
    return make(
        "leave",
        say("menu", "leave"),
        [
            Button(say("button", "leave_yes"), lobby.Leave()),
            Button(say("button", "leave_no"), then="due"),
        ],
    )


# ---- the owner's menus ----------------------------------------------------------------------


def _owner(game: Game[Any], match: Match[Any], who: Actor, ___: int, theme: Theme) -> Dialog | None:
    say, locked = theme.say, match.locked
    buttons = []
    if "matches" in who.rights:
        buttons += [
            Button(say("button", "players"), then="players"),
            Button(say("button", "resets"), then="resets"),
            Button(say("button", "trouble"), then="trouble"),
            Button(
                say("button", "unlock" if locked else "lock"),
                lobby.Unlock() if locked else lobby.Lock(),
                then="owner",
            ),
        ]
    if "options" in who.rights:
        buttons += [
            Button(say("button", "options"), then="options"),
            Button(say("button", "games"), then="games"),
            Button(say("button", "table_language"), then="table_language"),
        ]
    if "own" in who.rights:
        buttons.append(Button(say("button", "console"), then=CONSOLE))
    if _plays(game, match, who.key):  # dialogs of the game lead here instead of out of it
        buttons.append(Button(say("button", "leave"), then="leave"))
    buttons.append(Button(say("button", "back_to_game"), then="game"))
    return make("owner", say("menu", "owner_locked" if locked else "owner"), buttons)


def _players(_: Game[Any], match: Match[Any], __: Actor, ___: int, theme: Theme) -> Dialog | None:
    say = theme.say
    buttons = [Button(say("button", "add_bot"), lobby.AddBot(), then="players")]
    if any(s.bot for s in match.seats):
        buttons.append(Button(say("button", "remove_bot"), lobby.RemoveBot(), then="players"))
    buttons += [
        Button(say("button", "kick"), then="kick"),
        Button(say("button", "back_to_main"), then="owner"),
    ]
    names = _listed(s.name for s in match.seats)
    text = say("menu", "players" if names else "players_none", names=names, count=len(match.seats))
    return make("players", text, buttons)


def _kick(_: Game[Any], match: Match[Any], __: Actor, page: int, theme: Theme) -> Dialog | None:
    say = theme.say

    def kick(seat: Seat) -> Button:
        label = say("button", "kick_one", name=seat.name)
        return Button(label, lobby.Kick(seat.key), then="players")

    back = [Button(say("button", "back"), then="players")]
    buttons, page, pages = paged("kick", match.seats, kick, page, back, theme)
    text = say("menu", "kick" if match.seats else "kick_none", page=page + 1, pages=pages)
    return make("kick", text, buttons, page=page)


def _resets(_: Game[Any], __: Match[Any], who: Actor, ____: int, theme: Theme) -> Dialog | None:
    say = theme.say
    which = ("reset_match", "reset_ranking", "reset_all") if who.owner else ("reset_match",)
    buttons = [Button(say("button", name), then=name) for name in which]
    buttons.append(Button(say("button", "back_to_main"), then="owner"))
    return make("resets", say("menu", "resets"), buttons)


def _confirm(name: str, command: Command) -> _Build:
    def build(_: Game[Any], __: Match[Any], ___: Actor, ____: int, theme: Theme) -> Dialog | None:
        say = theme.say
        return make(
            name,
            say("menu", name),
            [
                Button(say("button", name + "_yes"), command),
                Button(say("button", "cancel"), then="resets"),
            ],
        )

    return build


def _trouble(_: Game[Any], __: Match[Any], ___: Actor, ____: int, theme: Theme) -> Dialog | None:
    say = theme.say
    return make(
        "trouble",
        say("menu", "trouble"),
        [
            Button(say("button", "clear_huds"), lobby.ClearHuds(), then="trouble"),
            Button(say("button", "send_huds"), lobby.SendHuds(), then="trouble"),
            Button(say("button", "check_land"), lobby.CheckLand(), then="trouble"),
            Button(say("button", "back_to_main"), then="owner"),
        ],
    )


def _options(
    game: Game[Any], match: Match[Any], _: Actor, page: int, theme: Theme
) -> Dialog | None:
    say = theme.say
    choices = []
    if match.stage == "lobby":
        for preset in game.presets:
            label = say("button", "preset_" + preset)
            choices.append(Button(label, lobby.SetOptions(preset=preset), then="options"))
        for name, values in choosable(game).items():
            now = getattr(match.options, name)
            following = values[(values.index(now) + 1) % len(values)]
            choices.append(
                Button(
                    option_label(theme, name, following),
                    lobby.SetOptions(options={name: following}),
                    then="options",
                    page=page,
                )
            )
        choices += [Button(say("button", name), then=name) for name in game.options.TYPED]
    back = [Button(say("button", "back_to_main"), then="owner")]
    buttons, page, _pages = paged("options", choices, lambda b: b, page, back, theme)
    which = "options" if match.stage == "lobby" else "options_fixed"
    return make("options", say("menu", which, options=describe(match, theme)), buttons, page=page)


def _games(game: Game[Any], match: Match[Any], _: Actor, page: int, theme: Theme) -> Dialog | None:
    say = theme.say

    def choose(other: Game[Any]) -> Button:
        return Button(languages.title(other, theme), lobby.ChooseGame(other.name), then="owner")

    others = [] if match.stage == "playing" else [g for g in GAMES.values() if g is not game]
    back = [Button(say("button", "back_to_main"), then="owner")]
    buttons, page, _pages = paged("games", others, choose, page, back, theme)
    which = "games" if match.stage != "playing" else "games_fixed"
    return make("games", say("menu", which, title=languages.title(game, theme)), buttons, page=page)


def _typed_option(match: Match[Any], name: str, theme: Theme) -> Dialog | None:
    """A number that is typed, such as the seconds to answer."""
    if match.stage != "lobby":
        return None
    least, most = match.options.LIMITS[name]
    text = theme.say("menu", name, now=getattr(match.options, name), least=least, most=most)
    return Dialog(name, text, (), typed=True)


def typed(game: Game[Any], match: Match[Any], key: Key, dialog: Dialog, text: str) -> Button:
    """What a text typed into a dialog means: to the game, or an option of the dialog's name."""
    if dialog.name not in game.options.TYPED:
        return Button(text, game.typed(match, key, dialog.name, text), then="due")
    command = lobby.SetOptions(options={dialog.name: number(text.strip()[:20])})
    return Button(text, command, then="options")


def number(written: str) -> int | float | str:
    """What is no number stays as it is, and is refused as any option that does not work."""
    try:
        return int(written) if written.isdecimal() else float(written.replace(",", "."))
    except ValueError:
        return written


@cache
def choosable(game: Game[Any]) -> dict[str, tuple[Any, ...]]:
    """Options with few values, which a menu can offer: name → the values."""
    out: dict[str, tuple[Any, ...]] = {}
    for name, hint in get_type_hints(game.options).items():
        if hint is bool:
            out[name] = (True, False)
        elif get_origin(hint) is Literal:
            out[name] = get_args(hint)
    return out


def option_label(theme: Theme, name: str, value: Any) -> str:
    word = ("on" if value else "off") if isinstance(value, bool) else value
    return theme.say("option", f"{name}_{word}")


def describe(match: Match[Any], theme: Theme) -> str:
    """The options in a line, as players see them."""
    options = msgspec.structs.asdict(match.options)
    return theme.say("option", "summary", **{k: theme.value(v) for k, v in options.items()})


_Build = Callable[[Game[Any], Match[Any], Actor, int, Theme], Dialog | None]
_PLAYER: dict[str, _Build] = {
    "lobby": _lobby,
    "rejoin": _rejoin,
    "wait": _wait,
    "leave": _leave,
    "language": languages.own,
}
_OWNER: dict[str, tuple[Right | None, _Build]] = {
    "owner_choice": (None, _owner_choice),
    "owner": (None, _owner),
    "players": ("matches", _players),
    "kick": ("matches", _kick),
    "resets": ("matches", _resets),
    "reset_match": ("matches", _confirm("reset_match", lobby.ResetMatch())),
    "reset_ranking": ("own", _confirm("reset_ranking", lobby.ResetRanking())),
    "reset_all": ("own", _confirm("reset_all", lobby.ResetAll())),
    "trouble": ("matches", _trouble),
    "options": ("options", _options),
    "games": ("options", _games),
    "table_language": ("options", languages.of_table),
}
"""Which right each takes; None: any."""


def follow(game: Game[Any], match: Match[Any], who: Actor, then: str) -> str:
    """The dialog a button's `then` means now: `game` and `due` depend on where the match is."""
    if then not in ("due", "game"):
        return then
    if match.stage == "lobby" and then == "game":
        return "lobby" if match.seat(who.key) else "owner_choice" if who.rights else ""
    name = due(game, match, who.key) or _idle(game, match, who.key)
    return name or ("wait" if match.seat(who.key) else "")
