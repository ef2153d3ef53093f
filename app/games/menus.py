"""Dialogs as data: text, at most twelve buttons, and what each button does.

The lobby's and the owner's menus are here, once for all games; a game adds the dialogs of its
running match.  An edge shows them with whatever it has: llDialog, a web page, a REST answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from app.display import clip
from app.games import lobby
from app.games.core import Command, Game, Key, Match, Refusal, Seat
from app.games.texts import Theme

T = TypeVar("T")

TEXT_BYTES = 511
LABEL_BYTES = 24
BUTTONS = 12
PER_PAGE = 9

MAGIC_LABELS = ("Client_Side_Mute", "Client_Side_Ignore", "!!llTextBox!!")
"""Labels which viewers take for something else."""


class Button(msgspec.Struct, frozen=True):
    """A label and what it does: `command`, then (or only) open the dialog named `then`."""

    label: str
    command: Command | None = None
    then: str = ""
    page: int = 0


class Dialog(msgspec.Struct, frozen=True):
    """A dialog for one avatar.  Buttons are in llDialog's order: rows of three, bottom row first.

    `phase`: the phase of the match it belongs to, or -1 if it stays due beyond one.
    """

    name: str
    text: str
    buttons: tuple[Button, ...]
    page: int = 0
    phase: int = -1

    def button(self, label: str) -> Button | None:
        return next((b for b in self.buttons if b.label == label), None)


def make(
    name: str, text: str, buttons: Sequence[Button], *, page: int = 0, phase: int = -1
) -> Dialog:
    """A dialog whose text and labels fit; `buttons` come in reading order, top left first."""
    assert len(buttons) <= BUTTONS
    fitted = _fit(buttons)
    first = len(fitted) % 3 or 3
    rows = [fitted[:first], *(fitted[i : i + 3] for i in range(first, len(fitted), 3))]
    ordered = tuple(b for row in reversed(rows) for b in row)
    return Dialog(name, clip(text, TEXT_BYTES) or " ", ordered, page, phase)


def _fit(buttons: Sequence[Button]) -> list[Button]:
    """Labels of at most 24 bytes, no two alike."""
    seen: set[str] = set(MAGIC_LABELS)
    out = []
    for button in buttons:
        label = button.label
        if len(label) * 4 > LABEL_BYTES:
            label = clip(label, LABEL_BYTES)
        number = 2
        while label in seen:
            mark = f" {number}"
            label = clip(button.label, LABEL_BYTES - len(mark)) + mark
            number += 1
        seen.add(label)
        same = label == button.label
        out.append(button if same else msgspec.structs.replace(button, label=label))
    return out


def paged(
    name: str,
    choices: Sequence[T],
    button: Callable[[T], Button],
    page: int,
    last: Sequence[Button],
    theme: Theme,
) -> tuple[list[Button], int, int]:
    """One page of `choices` and the arrows to its neighbours: buttons, page, number of pages.

    The page is clamped to those there are, so that a shrinking list never shows an empty one.
    """
    room = BUTTONS - len(last)
    if len(choices) <= room and len(choices) <= PER_PAGE:
        return [*map(button, choices), *last], 0, 1
    size = min(PER_PAGE, room - 2)
    pages = max(1, -(-len(choices) // size))
    page = min(max(page, 0), pages - 1)
    shown = [button(choice) for choice in choices[page * size : (page + 1) * size]]
    if page > 0:
        shown.append(Button(theme.say("button", "previous"), then=name, page=page - 1))
    shown.extend(last[:1])
    if page < pages - 1:
        shown.append(Button(theme.say("button", "next"), then=name, page=page + 1))
    return [*shown, *last[1:]], page, pages


# ---- which dialog ---------------------------------------------------------------------------


def touch(game: Game[Any], match: Match[Any], key: Key, owner: bool) -> Command | Refusal | str:
    """What a touch of the table means: a command, why nothing, or the name of a dialog."""
    seat = match.seat(key)
    if match.locked and not owner and not (seat and match.stage != "lobby"):
        return Refusal("locked")
    if match.stage == "lobby":
        if seat:
            return "lobby"
        return "owner_choice" if owner else lobby.Join()
    if seat is None:
        return "owner" if owner else Refusal("game_running")
    if seat.auto:
        return lobby.TakeBack()
    return due(game, match, key) or ("owner" if owner else "wait")


def due(game: Game[Any], match: Match[Any], key: Key) -> str:
    """Name of the dialog that should be before this avatar now, or ''."""
    if match.closed or match.frozen:
        return ""
    if match.stage == "lobby":
        return "rejoin" if key in match.invited and not match.locked else ""
    seat = match.seat(key)
    return "" if seat is None or seat.by_bot else game.due(match, key)


def dialog(
    game: Game[Any],
    match: Match[Any],
    key: Key,
    owner: bool,
    name: str,
    page: int,
    theme: Theme,
) -> Dialog | None:
    """The dialog `name` as it stands now for this avatar; None if it is not (or no more) his."""
    build = _OWNER.get(name)
    if build is not None:
        return build(game, match, key, page, theme) if owner else None
    build = _PLAYER.get(name)
    if build is not None:
        return build(game, match, key, page, theme)
    return game.dialog(match, key, name, page, theme) if match.play is not None else None


# ---- the lobby's menus ----------------------------------------------------------------------


def _lobby(_: Game[Any], match: Match[Any], key: Key, __: int, theme: Theme) -> Dialog | None:
    seat = match.seat(key)
    if match.stage != "lobby" or seat is None:
        return None
    say = theme.say
    names = ", ".join(s.name + (" ✔" if s.ready or s.bot else "") for s in match.seats)
    if key == match.starter:
        text = say("menu", "starter", names=names, options=describe(match, theme))
        buttons = [Button(say("button", "start"), lobby.Start(), then="")]
    else:
        which = "ready" if seat.ready else "not_ready"
        text = say("menu", which, names=names, options=describe(match, theme))
        label = say("button", "not_ready" if seat.ready else "ready")
        buttons = [Button(label, lobby.Ready(not seat.ready))]
    buttons.append(Button(say("button", "leave"), lobby.Leave()))
    if key == match.owner:
        buttons.append(Button(say("button", "owner"), then="owner"))
    return make("lobby", text, buttons)


def _owner_choice(
    _: Game[Any], match: Match[Any], key: Key, __: int, theme: Theme
) -> Dialog | None:
    if match.stage != "lobby" or match.seat(key):
        return None
    say = theme.say
    buttons = [Button(say("button", "join"), lobby.Join(), then="lobby")]
    if len(match.seats) >= 2:
        buttons.append(Button(say("button", "start"), lobby.Start()))
    buttons.append(Button(say("button", "owner_menu"), then="owner"))
    return make("owner_choice", say("menu", "owner_choice", count=len(match.seats)), buttons)


def _rejoin(_: Game[Any], match: Match[Any], key: Key, __: int, theme: Theme) -> Dialog | None:
    if match.stage != "lobby" or key not in match.invited:
        return None
    say = theme.say
    button = Button(say("button", "rejoin"), lobby.Join(), then="lobby")
    return make("rejoin", say("menu", "rejoin"), [button])


def _wait(game: Game[Any], match: Match[Any], key: Key, _: int, theme: Theme) -> Dialog | None:
    """Nothing to answer: what is going on, and the way out."""
    seat = match.seat(key)
    if match.stage == "lobby" or seat is None:
        return None
    say = theme.say
    names = ", ".join(match.name(w.key) for w in game.waits(match))
    why = "frozen" if match.frozen else "waiting_for" if names else "wait"
    buttons = [Button(say("button", "leave"), then="leave")] if match.stage == "playing" else []
    if key == match.owner:
        buttons.append(Button(say("button", "owner"), then="owner"))
    return make("wait", say("menu", why, names=names), buttons)


def _leave(_: Game[Any], match: Match[Any], key: Key, __: int, theme: Theme) -> Dialog | None:
    if match.stage != "playing" or match.seat(key) is None:
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


def _owner(_: Game[Any], match: Match[Any], __: Key, ___: int, theme: Theme) -> Dialog | None:
    say = theme.say
    locked = match.locked
    buttons = [
        Button(say("button", "players"), then="players"),
        Button(say("button", "resets"), then="resets"),
        Button(say("button", "trouble"), then="trouble"),
        Button(
            say("button", "unlock" if locked else "lock"),
            lobby.Unlock() if locked else lobby.Lock(),
            then="owner",
        ),
        Button(say("button", "options"), then="options"),
        Button(say("button", "back_to_game"), then="game"),
    ]
    return make("owner", say("menu", "owner_locked" if locked else "owner"), buttons)


def _players(_: Game[Any], match: Match[Any], __: Key, ___: int, theme: Theme) -> Dialog | None:
    say = theme.say
    buttons = [Button(say("button", "add_bot"), lobby.AddBot(), then="players")]
    if any(s.bot for s in match.seats):
        buttons.append(Button(say("button", "remove_bot"), lobby.RemoveBot(), then="players"))
    buttons += [
        Button(say("button", "kick"), then="kick"),
        Button(say("button", "back_to_main"), then="owner"),
    ]
    names = ", ".join(s.name for s in match.seats)
    text = say("menu", "players" if names else "players_none", names=names, count=len(match.seats))
    return make("players", text, buttons)


def _kick(_: Game[Any], match: Match[Any], __: Key, page: int, theme: Theme) -> Dialog | None:
    say = theme.say

    def kick(seat: Seat) -> Button:
        label = say("button", "kick_one", name=seat.name)
        return Button(label, lobby.Kick(seat.key), then="players")

    back = [Button(say("button", "back"), then="players")]
    buttons, page, pages = paged("kick", match.seats, kick, page, back, theme)
    text = say("menu", "kick" if match.seats else "kick_none", page=page + 1, pages=pages)
    return make("kick", text, buttons, page=page)


def _resets(_: Game[Any], __: Match[Any], ___: Key, ____: int, theme: Theme) -> Dialog | None:
    say = theme.say
    return make(
        "resets",
        say("menu", "resets"),
        [
            Button(say("button", "reset_match"), then="reset_match"),
            Button(say("button", "reset_ranking"), then="reset_ranking"),
            Button(say("button", "reset_all"), then="reset_all"),
            Button(say("button", "back_to_main"), then="owner"),
        ],
    )


def _confirm(name: str, command: Command) -> _Build:
    def build(_: Game[Any], __: Match[Any], ___: Key, ____: int, theme: Theme) -> Dialog | None:
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


def _trouble(_: Game[Any], __: Match[Any], ___: Key, ____: int, theme: Theme) -> Dialog | None:
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


def _options(game: Game[Any], match: Match[Any], _: Key, page: int, theme: Theme) -> Dialog | None:
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
    back = [Button(say("button", "back_to_main"), then="owner")]
    buttons, page, _pages = paged("options", choices, lambda b: b, page, back, theme)
    which = "options" if match.stage == "lobby" else "options_fixed"
    return make("options", say("menu", which, options=describe(match, theme)), buttons, page=page)


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
    value = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
    return theme.say("option", f"{name}_{value}")


def describe(match: Match[Any], theme: Theme) -> str:
    """The options in a line, as players see them."""
    return theme.say("option", "summary", **msgspec.structs.asdict(match.options))


_Build = Callable[[Game[Any], Match[Any], Key, int, Theme], Dialog | None]
_PLAYER: dict[str, _Build] = {
    "lobby": _lobby,
    "rejoin": _rejoin,
    "wait": _wait,
    "leave": _leave,
}
_OWNER: dict[str, _Build] = {
    "owner_choice": _owner_choice,
    "owner": _owner,
    "players": _players,
    "kick": _kick,
    "resets": _resets,
    "reset_match": _confirm("reset_match", lobby.ResetMatch()),
    "reset_ranking": _confirm("reset_ranking", lobby.ResetRanking()),
    "reset_all": _confirm("reset_all", lobby.ResetAll()),
    "trouble": _trouble,
    "options": _options,
}


def follow(game: Game[Any], match: Match[Any], key: Key, owner: bool, then: str) -> str:
    """The dialog a button's `then` means now: `game` and `due` depend on where the match is."""
    if then == "due":
        return due(game, match, key) or ("wait" if match.seat(key) else "")
    if then != "game":
        return then
    if match.stage == "lobby":
        return "lobby" if match.seat(key) else "owner_choice" if owner else ""
    return due(game, match, key) or ("wait" if match.seat(key) is not None else "")
