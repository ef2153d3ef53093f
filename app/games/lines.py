"""What the table says of each event: publicly, or to one player alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.display import clip
from app.games import lobby, menus
from app.games.core import NOBODY, Event, Game, Key, Match
from app.games.texts import Theme

SAY_BYTES = 1023
"""llSay and llRegionSayTo cut off what is longer."""

Line = tuple[Key, str]
"""(NOBODY, said in public) or (avatar, said to him alone)."""


def lines(
    game: Game[Any], before: Match[Any], after: Match[Any], event: Event, theme: Theme
) -> list[Line]:
    """The lines for one event, in order."""
    speak = _SPEAK.get(type(event))
    if speak is not None:
        return speak(before, after, event, theme)
    return list(game.lines(before, event, theme))


def in_languages(
    game: Game[Any],
    before: Match[Any],
    after: Match[Any],
    event: Event,
    theme_of: Callable[[Key], Theme],
) -> list[Line]:
    """The same, each in the theme of whom it is for.  `theme_of` NOBODY is that of the table."""
    theme = theme_of(NOBODY)
    told = {theme: lines(game, before, after, event, theme)}
    out = []
    for number, (who, line) in enumerate(told[theme]):
        own = theme_of(who)
        if own is not theme and own not in told:
            told[own] = lines(game, before, after, event, own)
        out.append((who, clip(line if own is theme else told[own][number][1], SAY_BYTES)))
    return out


def _public(theme: Theme, which: str, **words: Any) -> list[Line]:
    return [(NOBODY, theme.say("say", which, **words))]


def _named(which: str) -> _Speak:
    """A public line about the one whom the event is about."""
    return lambda before, _, event, theme: _public(theme, which, name=before.name(event.key))


def _plain(which: str) -> _Speak:
    return lambda _, __, ___, theme: _public(theme, which)


def _joined(_: Match[Any], __: Match[Any], event: Any, theme: Theme) -> list[Line]:
    return _public(theme, "bot_joined" if event.bot else "joined", name=event.name)


def _left(before: Match[Any], after: Match[Any], event: Any, theme: Theme) -> list[Line]:
    which = "kicked" if event.by == "kick" else "left"
    out = _public(theme, which, name=before.name(event.key))
    if after.starter not in (NOBODY, before.starter):
        out.append((after.starter, theme.say("whisper", "starter")))
    return out


def _ready(before: Match[Any], _: Match[Any], event: Any, theme: Theme) -> list[Line]:
    return _public(theme, "ready" if event.ready else "not_ready", name=before.name(event.key))


def _options(_: Match[Any], after: Match[Any], __: Any, theme: Theme) -> list[Line]:
    return _public(theme, "options", options=menus.describe(after, theme))


def _reminded(_: Match[Any], __: Match[Any], event: Any, theme: Theme) -> list[Line]:
    return [(event.key, theme.say("whisper", "reminded", left=round(event.left_s)))]


def _taken_back(before: Match[Any], _: Match[Any], event: Any, theme: Theme) -> list[Line]:
    public = _public(theme, "taken_back", name=before.name(event.key))
    return [*public, (event.key, theme.say("whisper", "taken_back"))]


def _to_owner(which: str) -> _Speak:
    return lambda before, _, __, theme: [(before.owner, theme.say("whisper", which))]


def _frozen(_: Match[Any], __: Match[Any], event: Any, theme: Theme) -> list[Line]:
    return _public(theme, "frozen_" + event.reason)


def _closed(_: Match[Any], __: Match[Any], event: Any, theme: Theme) -> list[Line]:
    which = {"reset": "match_reset", "game": "game_chosen"}.get(event.why)
    return _public(theme, which) if which else []


_Speak = Callable[[Match[Any], Match[Any], Any, Theme], list[Line]]
_SPEAK: dict[type[Event], _Speak] = {
    lobby.Joined: _joined,
    lobby.Left: _left,
    lobby.ReadyChanged: _ready,
    lobby.MatchStarted: _plain("started"),
    lobby.Locked: _plain("locked"),
    lobby.Unlocked: _plain("unlocked"),
    lobby.OptionsSet: _options,
    lobby.RankingReset: _plain("ranking_reset"),
    lobby.HudsSent: _to_owner("huds_sent"),
    lobby.HudsCleared: _to_owner("huds_cleared"),
    lobby.LandChecked: _to_owner("land_checked"),
    lobby.Reminded: _reminded,
    lobby.TimedOut: _named("timed_out"),
    lobby.HandedToBot: _named("handed_to_bot"),
    lobby.TakenBack: _taken_back,
    lobby.LanguageSet: _plain("language_set"),
    lobby.Frozen: _frozen,
    lobby.Thawed: _plain("thawed"),
    lobby.MatchClosed: _closed,
}
