"""The dialogs of a running match of Peril Dice: pick numbers, roll."""

from __future__ import annotations

from app.games.core import Actor, Key
from app.games.dialogs import Button, Dialog, make, paged, way_out
from app.games.peril.state import PerilMatch, Play, Player
from app.games.peril.words import Mark, Pick, Roll, Unmark
from app.games.texts import Theme


def due(match: PerilMatch, key: Key) -> str:
    """`pick` or `roll` if this player is waited for, else ''."""
    play = match.play
    if play is not None and play.stage == "picking" and play.queue[0] == key:
        return "pick"
    if play is not None and play.stage == "rolling" and play.peril == key:
        return "roll"
    return ""


def dialog(match: PerilMatch, who: Actor, name: str, page: int, theme: Theme) -> Dialog | None:
    play, key = match.play, who.key
    if play is None or not name or due(match, key) != name:
        return None
    player = play.player(key)
    assert player is not None
    if name == "pick":
        return _pick(match, play, player, page, way_out(who, theme), theme)
    text = theme.say(
        "menu", "roll", name=match.name(key), sides=play.sides, numbers=_numbers(player.picks)
    )
    buttons = [Button(theme.say("button", "roll"), Roll()), way_out(who, theme)]
    return make("roll", text, buttons, phase=match.phase)


def _pick(
    match: PerilMatch, play: Play, player: Player, page: int, last: Button, theme: Theme
) -> Dialog:
    say = theme.say

    def back(number: int) -> Button:
        label = say("button", "unmark", number=number)
        return Button(label, Unmark(number), then="pick", page=page)

    missing = play.picks_each - len(player.marked)
    if missing <= 0:
        done = Button(say("button", "done"), Pick(player.marked))
        text = say("menu", "pick_done", marked=_numbers(player.marked))
        buttons = [*(back(n) for n in sorted(player.marked)), done, last]
        return make("pick", text, buttons, phase=match.phase)

    def choice(number: int) -> Button:
        if number in player.marked:
            return back(number)
        return Button(str(number), Mark(number), then="pick", page=page)

    buttons, page, pages = paged("pick", play.free, choice, page, [last], theme)
    text = say(
        "menu",
        "pick",
        needed=play.picks_each,
        sides=play.sides,
        marked=_numbers(player.marked),
        missing=missing,
        page=page + 1,
        pages=pages,
    )
    return make("pick", text, buttons, page=page, phase=match.phase)


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "–"
