"""The dialogs in which the table's public language is chosen, and everybody's own."""

from __future__ import annotations

from typing import Any

from app.games.core import Actor, Game, Match
from app.games.dialogs import Button, Dialog, make
from app.games.lobby import SetLanguage
from app.games.texts import LANGUAGES, Theme, load

SPEAK = "speak:"
"""How the `then` of a button begins that chooses his own language for who presses it."""


def own(_: Game[Any], match: Match[Any], who: Actor, __: int, theme: Theme) -> Dialog | None:
    """Each language by its own name, so that everybody finds his."""
    if match.seat(who.key) is None:
        return None
    say = theme.say
    buttons = [Button(name, then=SPEAK + code) for code, name in LANGUAGES.items()]
    buttons += [
        Button(say("button", "as_table"), then=SPEAK),
        Button(say("button", "back"), then="game"),
    ]
    return make("language", say("menu", "language", now=LANGUAGES[theme.language]), buttons)


def of_table(_: Game[Any], match: Match[Any], __: Actor, ___: int, theme: Theme) -> Dialog | None:
    """The owner chooses what the table speaks in public."""
    say, now = theme.say, LANGUAGES.get(match.language, match.language)
    buttons = [Button(name, SetLanguage(code), then="owner") for code, name in LANGUAGES.items()]
    buttons.append(Button(say("button", "back_to_main"), then="owner"))
    return make("table_language", say("menu", "table_language", now=now), buttons)


def title(game: Game[Any], theme: Theme) -> str:
    """What a game is called in the language of `theme`."""
    return load(game.name, language=theme.language).maybe("game", "name") or game.title
