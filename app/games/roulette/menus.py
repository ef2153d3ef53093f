"""The dialogs of a running match of Russian roulette: the turn, and at whom."""

from __future__ import annotations

from app.games.core import Actor, Command, Key
from app.games.dialogs import Button, Dialog, make, paged, way_out
from app.games.roulette import rules
from app.games.roulette.state import Play, RouletteMatch
from app.games.roulette.words import Pass, Pull, QuickDraw, Steal
from app.games.texts import Theme

TARGETS: dict[str, type[Command]] = {"steal": Steal, "quick_draw": QuickDraw}
"""Dialogs that ask for a target, and what is done to it."""


def due(match: RouletteMatch, key: Key) -> str:
    """`turn`, or `steal` if nothing else is left, for the player in turn; else ''."""
    play = match.play
    if play is None or play.phase == "over" or play.turn != key:
        return ""
    return "steal" if play.must_steal else "turn"


def dialog(match: RouletteMatch, who: Actor, name: str, page: int, theme: Theme) -> Dialog | None:
    play = match.play
    if play is None or not due(match, who.key):
        return None
    if name == "turn" and not play.must_steal:
        return _turn(match, play, who, theme)
    if name in TARGETS and rules.targets(match, TARGETS[name]):
        return _targets(match, play, who, name, page, theme)
    return None


def _turn(match: RouletteMatch, play: Play, who: Actor, theme: Theme) -> Dialog:
    say = theme.say
    buttons = [Button(say("button", "pull"), Pull())]
    open_ = rules.legal(match)
    if Pass in open_:
        buttons.append(Button(say("button", "pass"), Pass()))
    buttons += [
        Button(say("button", name), then=name) for name, what in TARGETS.items() if what in open_
    ]
    return make(
        "turn",
        say("menu", "must_pull" if play.must_pull else "turn", **_words(match, play)),
        [*buttons, way_out(who, theme)],
        phase=match.phase,
    )


def _targets(
    match: RouletteMatch, play: Play, who: Actor, name: str, page: int, theme: Theme
) -> Dialog:
    say, what = theme.say, TARGETS[name]

    def at(target: Key) -> Button:
        label = say("button", f"{name}_one", name=match.name(target))
        return Button(label, what(target))

    back = [way_out(who, theme)]
    if not play.must_steal:
        back = [Button(say("button", "back"), then="turn")]
    buttons, page, pages = paged(name, rules.targets(match, what), at, page, back, theme)
    which = "must_steal" if play.must_steal else name
    text = say("menu", which, page=page + 1, pages=pages, **_words(match, play))
    return make(name, text, buttons, page=page, phase=match.phase)


def _words(match: RouletteMatch, play: Play) -> dict[str, object]:
    return {
        "name": match.name(play.turn),
        "chamber": play.chamber,
        "chambers": play.chambers,
        "percent": round(100 / play.chamber),
    }
