"""Peril Dice as it looks: what everybody sees, and the frames made from it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from app.display import HOVER_BYTES, Board, Frame, clip
from app.games import boards
from app.games.core import NOBODY, Chance, Key, Private, Public, RankingPage, Seat, SeatPublic
from app.games.peril import words as r
from app.games.peril.rules import waits
from app.games.peril.state import News, PerilMatch, Play, Stage
from app.games.texts import Theme

MOST_HEARTS = 3

PICTURES: Mapping[News, str] = {
    "": "title",
    "drawn": "peril_selected",
    "plot_twist": "plot_twist",
    "direct_hit": "direct_hit",
    "no_shield": "no_shield",
    "eliminated": "elimination",
    "fled": "punishment",
    "won": "victory",
}

HEARTS = tuple(f"hearts_{lives}" for lives in range(MOST_HEARTS + 1))


class PerilSeat(SeatPublic, frozen=True):
    """What everybody may see of a player."""

    lives: int
    picks: tuple[int, ...]
    in_peril: bool


class PerilPublic(Public, frozen=True):
    """What everybody may see of a match of Peril Dice."""

    seats: tuple[PerilSeat, ...]
    moment: Stage | None
    news: News
    round: int
    sides: int
    picks_each: int
    peril: Key
    roll: int
    roller: Key
    fallen: Key
    winner: Key


class PerilPrivate(Private, frozen=True):
    """What one player may see besides: numbers chosen in the dialog and not staked yet."""

    marked: tuple[int, ...]


def public(match: PerilMatch, ranking: RankingPage) -> PerilPublic:
    play = match.play
    players = {p.key: p for p in play.players} if play else {}
    lives = getattr(match.options, "lives", MOST_HEARTS)
    peril, winner = (play.peril, play.winner) if play else (NOBODY, NOBODY)
    seats = []
    for seat in match.seats:
        player, key = players.get(seat.key), seat.key
        if player is None:
            seats.append(_seat(seat, lives, "", False, (), key == peril, key == winner))
        else:
            how = player.lives, player.cause, player.out, player.picks
            seats.append(_seat(seat, *how, key == peril, key == winner))
    return PerilPublic(
        **boards.table_view(match, ranking, waits(match)),
        seats=tuple(seats),
        chances=_chances(play),
        moment=play.stage if play else None,
        news=play.news if play else "",
        round=play.round if play else 0,
        sides=play.sides if play else 0,
        picks_each=play.picks_each if play else 0,
        peril=play.peril if play else NOBODY,
        roll=play.roll if play else 0,
        roller=play.roller if play else NOBODY,
        fallen=play.fallen if play else NOBODY,
        winner=play.winner if play else NOBODY,
    )


@lru_cache(4096)  # with each state one or two of them change
def _seat(
    seat: Seat,
    lives: int,
    cause: str,
    out: bool,
    picks: tuple[int, ...],
    in_peril: bool,
    winner: bool,
) -> PerilSeat:
    return PerilSeat(
        **boards.seat_view(seat),
        lives=lives,
        out=out,
        gone=cause in ("left", "kicked", "silent"),
        picks=picks,
        in_peril=in_peril,
        marks=("in peril",) if in_peril else (),
        winner=winner,
    )


def _chances(play: Play | None) -> tuple[Chance, ...]:
    """Of the roll that comes: every living player holds as many of the numbers."""
    if play is None or play.stage not in ("picking", "rolling"):
        return ()
    own = play.picks_each / play.sides
    twist = own * (len(play.living) - 1)
    return (
        Chance("plot twist", twist),
        Chance("direct hit", own),
        Chance("no shield", 1 - twist - own),
    )


def private(match: PerilMatch, key: Key) -> PerilPrivate:
    player = match.play.player(key) if match.play else None
    return PerilPrivate(key, player.marked if player else ())


def board(view: PerilPublic, theme: Theme, sizes: Mapping[str, tuple[int, int]]) -> Board:
    """Every prim of the linkset; `sizes` of the text sets in columns and rows."""
    names = {s.key: s.name for s in view.seats}
    living = sum(not s.out for s in view.seats)
    out: Board = {
        "root": boards.root(
            view,
            theme,
            "confetti" if view.stage == "over" else "",
            title=theme.say("hud", "title"),
            count=len(view.seats) if view.stage == "lobby" else living,
            seats=boards.SLOTS,
            winner=names.get(view.winner, ""),
        ),
        **boards.plates(theme),
        "TitleAction:0:0": Frame(picture=PICTURES[view.news]),
        **boards.slots([_slot(s) for s in view.seats], theme),
    }
    status, dice = _status(view, names, theme), _dice(view, names, theme)
    return out | boards.texts(sizes, view, theme, status, dice)


def mood(seat: PerilSeat) -> boards.Mood:
    """Green beats red beats yellow."""
    if seat.winner:
        return "winner"
    if seat.out:
        return "out"
    return "marked" if seat.in_peril else "plain"


def _slot(seat: PerilSeat) -> boards.Slot:
    return boards.Slot(
        picture=seat.picture,
        life=_hearts(seat),
        mood=mood(seat),
    )


def _hearts(seat: PerilSeat) -> str:
    return f"hearts_{min(max(seat.lives, 0), MOST_HEARTS)}"


def _status(view: PerilPublic, names: Mapping[Key, str], theme: Theme) -> list[str]:
    say = theme.say
    idle = boards.idle_status(view, theme, boards.SLOTS)
    if idle is not None or view.moment is None:
        return idle or []
    if view.moment == "victory":
        name = names.get(view.winner, "")
        return [say("status", "victory_1"), say("status", "victory_2", name=name)]
    who = {
        "picking": next(iter(view.waiting_for), NOBODY),
        "eliminated": view.fallen,
    }.get(view.moment, view.peril)
    first: str = view.news if view.moment == "outcome" else view.moment
    if view.moment == "picking" and any(s.bot or s.auto for s in view.seats if s.key == who):
        first = "picking_bot"
    return [say("status", f"{first}_1"), say("status", "name_2", name=names.get(who, ""))]


def _dice(view: PerilPublic, names: Mapping[Key, str], theme: Theme) -> str:
    if view.winner:
        return theme.say("dice", "won", name=names[view.winner])
    if view.roll:
        name = names.get(view.roller, "")
        return theme.say("dice", "rolled", name=name, number=view.roll, sides=view.sides)
    if view.sides and view.stage == "playing":
        return theme.say("dice", "die", sides=view.sides)
    return boards.fair(view, theme)


def hud(view: PerilPublic, private: PerilPrivate, theme: Theme) -> Frame:
    """The HUD of a human or the floater of a bot: game, player, peril, own picks, hearts."""
    seat = next(s for s in view.seats if s.key == private.key)
    peril = view.peril and next((s.name for s in view.seats if s.key == view.peril), "")
    numbers = seat.picks or private.marked
    return _hud(seat, numbers, view.moment is not None, view.peril, peril, bool(view.sides), theme)


@lru_cache(4096)  # what others do leaves most of them as they were: 11 % of a join, profiled
def _hud(
    seat: PerilSeat,
    numbers: tuple[int, ...],
    plays: bool,
    peril: Key,
    name: str,
    picking: bool,
    theme: Theme,
) -> Frame:
    """`name`: of who is in peril."""
    say = theme.say
    shown = ", ".join(map(str, numbers))
    picks = say("hud", "picks", numbers=shown) if shown else say("hud", "no_picks")
    if seat.winner:
        lines = [say("hud", "won_1"), say("hud", "won_2"), clip(seat.name, 60), picks]
    else:
        how_it_is = _peril_line(seat, plays, peril, name, theme)
        lines = [say("hud", "title"), clip(seat.name, 60), how_it_is]
        lines.append(picks if picking and not seat.out else "")
        lines.append(say("hud", "auto") if seat.auto and not seat.out else "")
    how = mood(seat)
    return Frame(
        picture=_hearts(seat),
        color=theme.color(how),
        glow=boards.MOOD_GLOWS[how],
        text=clip("\n".join(line for line in lines if line), HOVER_BYTES),
    )


def _peril_line(seat: PerilSeat, plays: bool, peril: Key, name: str, theme: Theme) -> str:
    if seat.out:
        return theme.say("hud", "out")
    if not plays:
        return theme.say("hud", "lobby")
    if seat.in_peril:
        return theme.say("hud", "in_peril")
    if peril:
        return theme.say("hud", "peril", name=clip(name, 60))
    return theme.say("hud", "draw")


def lines(before: PerilMatch, event: Any, theme: Theme) -> list[tuple[Key, str]]:
    """What is said of the game's own events: (NOBODY, line) publicly."""
    say, name = theme.say, before.name
    match event:
        case r.PerilDrawn():
            line = say("say", "drawn", name=name(event.key))
        case r.RoundStarted():
            line = say(
                "say", "round", round=event.round, sides=event.sides, picks_each=event.picks_each
            )
        case r.NumbersPicked():
            numbers = ", ".join(map(str, event.numbers))
            line = say("say", "picked", name=name(event.key), numbers=numbers)
        case r.DiceRolled():
            line = say(
                "say", "rolled", name=name(event.key), sides=event.sides, number=event.number
            )
        case r.PlotTwist():
            line = say(
                "say", "plot_twist", name=name(event.key), was=name(event.was), number=event.number
            )
        case r.LifeLost():
            which = "direct_hit" if event.own else "no_shield"
            line = say("say", which, name=name(event.key), number=event.number, left=event.left)
        case r.PlayerEliminated(cause="kicked"):
            line = say("say", "kicked", name=name(event.key))
        case r.PlayerEliminated():
            which = {"left": "fled", "silent": "silenced"}.get(event.cause, "eliminated")
            line = say("say", which, name=name(event.key))
        case r.RoundVoided():
            line = say("say", "voided", round=event.round)
        case r.MatchWon():
            line = say("say", "won", name=name(event.key))
        case _:
            return []
    return [(NOBODY, line)]
