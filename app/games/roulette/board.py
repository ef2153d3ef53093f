"""Russian roulette as it looks: what everybody sees, and the frames made from it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from app.display import HOVER_BYTES, Board, Frame, clip
from app.games import boards
from app.games.core import NOBODY, Chance, Event, Key, Private, Public, RankingPage, SeatPublic
from app.games.roulette import words as r
from app.games.roulette.rules import waits
from app.games.roulette.state import News, Phase, Play, RouletteMatch
from app.games.texts import Theme

SEATS = 30
MOST_DRAWN_CHAMBERS = 6

PICTURES: Mapping[News, str] = {
    "click": "click",
    "bang": "bang",
    "pass": "pass",
    "steal": "steal",
    "duel": "duel",
    "finals": "finals",
    "won": "roulette_victory",
}

OTHER_PICTURES = (
    "roulette_title",
    *(f"chamber_{number + 1}" for number in range(MOST_DRAWN_CHAMBERS)),
    "chamber_many",
    "pass_held",
    "pass_used",
)


class RouletteSeat(SeatPublic, frozen=True, kw_only=True):
    """What everybody may see of a player."""

    has_pass: bool
    in_turn: bool
    quick_draw: bool
    """He has still a Quick Draw."""
    cause: str


class RoulettePublic(Public, frozen=True, kw_only=True):
    """What everybody may see of a match: all of it, nothing is hidden in this game."""

    seats: tuple[RouletteSeat, ...]
    moment: Phase | None
    news: News
    round: int
    chambers: int
    chamber: int
    turn: Key
    must_pull: bool
    must_steal: bool
    shot: r.Rolled | None
    duel: r.Battle | None
    struck: Key
    winner: Key


def public(match: RouletteMatch, ranking: RankingPage) -> RoulettePublic:
    play = match.play
    players = {p.key: p for p in play.players} if play else {}
    quick_draw = bool(getattr(match.options, "quick_draw", False))
    seats = []
    for seat in match.seats:
        player = players.get(seat.key)
        in_turn = play is not None and play.turn == seat.key
        has_pass = player.has_pass if player else True
        marks = [m for m, so in (("in turn", in_turn), ("pass", has_pass)) if so]
        seats.append(
            RouletteSeat(
                **boards.seat_view(seat),
                out=player is not None and not player.alive,
                gone=player is not None and player.cause == "left",
                winner=play is not None and play.winner == seat.key,
                marks=tuple(marks) if player else (),
                has_pass=has_pass,
                in_turn=in_turn,
                quick_draw=quick_draw and player is not None and player.alive and not player.drew,
                cause=player.cause if player else "",
            )
        )
    return RoulettePublic(
        **boards.table_view(match, ranking, waits(match)),
        seats=tuple(seats),
        chances=_chances(play),
        moment=play.phase if play else None,
        news=play.news if play else "",
        round=play.round if play else 0,
        chambers=play.chambers if play else 0,
        chamber=play.chamber if play else 0,
        turn=play.turn if play else NOBODY,
        must_pull=play.must_pull if play else False,
        must_steal=play.must_steal if play else False,
        shot=play.shot if play else None,
        duel=play.duel if play else None,
        struck=play.struck if play else NOBODY,
        winner=play.winner if play else NOBODY,
    )


def _chances(play: Play | None) -> tuple[Chance, ...]:
    """Of the shot that comes: one of the chambers is loaded."""
    if play is None or play.phase == "over" or play.must_steal:
        return ()
    fires = 1 / play.chamber
    return (Chance("the gun fires", fires), Chance("click", 1 - fires))


def private(match: RouletteMatch, key: Key) -> Private:  # noqa: ARG001 - there is no secret
    return Private(key)


# ---- the board ------------------------------------------------------------------------------


def board(view: RoulettePublic, theme: Theme, sizes: Mapping[str, tuple[int, int]]) -> Board:
    """Every prim of the linkset; `sizes` of the text sets in columns and rows."""
    names = {s.key: s.name for s in view.seats}
    alive = sum(not s.out for s in view.seats)
    page = boards.page_of(_focus(view))
    out: Board = {
        "root": boards.root(
            view,
            theme,
            "confetti" if view.stage == "over" else "",
            page,
            title=theme.say("hud", "title"),
            count=len(view.seats) if view.stage == "lobby" else alive,
            seats=SEATS,
            winner=names.get(view.winner, ""),
        ),
        **boards.plates(theme),
        "TitleAction:0:0": Frame(picture=_picture(view)),
        **boards.slots([_slot(s) for s in view.seats], theme, page),
    }
    status, dice = _status(view, names, theme), _dice(view, names, theme)
    return out | boards.texts(sizes, view, theme, status, dice)


def _focus(view: RoulettePublic) -> int:
    """The seat whose page of ten is shown: who is in turn or has won, else who came last."""
    key = view.winner or view.turn
    keys = [s.key for s in view.seats]
    return keys.index(key) if key in keys else max(0, len(keys) - 1)


def _picture(view: RoulettePublic) -> str:
    if view.moment is None:
        return "roulette_title"
    if view.news in PICTURES:
        return PICTURES[view.news]
    return f"chamber_{view.chamber}" if view.chamber <= MOST_DRAWN_CHAMBERS else "chamber_many"


def mood(seat: RouletteSeat) -> boards.Mood:
    if seat.winner:
        return "winner"
    if seat.out:
        return "out"
    return "marked" if seat.in_turn else "plain"


def _slot(seat: RouletteSeat) -> boards.Slot:
    return boards.Slot(
        picture=seat.picture,
        life=_pass(seat),
        mood=mood(seat),
    )


def _pass(seat: RouletteSeat) -> str:
    return "pass_held" if seat.has_pass else "pass_used"


def _status(view: RoulettePublic, names: Mapping[Key, str], theme: Theme) -> list[str]:
    say = theme.say
    idle = boards.idle_status(view, theme, SEATS)
    if idle is not None:
        return idle
    if view.winner:
        return [say("status", "won_1"), say("status", "won_2", name=names[view.winner])]
    first = view.news or ("must_steal" if view.must_steal else "chamber")
    words = {
        "n": view.chamber,
        "of": view.chambers,
        "name": names.get(view.turn, ""),
        "struck": names.get(view.struck, ""),
    }
    return [say("status", f"{first}_1", **words), say("status", "turn_2", **words)]


def _dice(view: RoulettePublic, names: Mapping[Key, str], theme: Theme) -> str:
    say = theme.say
    if view.winner:
        return say("dice", "won", name=names[view.winner])
    if view.shot:
        shot = view.shot
        which = "bang" if shot.roll == shot.of else "click"
        return say("dice", which, name=names.get(shot.player, ""), roll=shot.roll, of=shot.of)
    if view.duel:
        duel = view.duel
        return say(
            "dice",
            "duel",
            attacker=names.get(duel.attacker, ""),
            defender=names.get(duel.defender, ""),
            mine=duel.attacker_roll,
            his=duel.defender_roll,
        )
    if view.chambers:
        return say("dice", "chambers", n=view.chamber, of=view.chambers)
    return boards.fair(view, theme)


def hud(view: RoulettePublic, private: Private, theme: Theme) -> Frame:
    """The HUD of a human or the floater of a bot: game, player, turn, chamber, pass."""
    seat = next(s for s in view.seats if s.key == private.key)
    turn = next((s.name for s in view.seats if s.in_turn), "")
    chamber = (view.chamber, view.chambers) if view.chambers else None
    return _hud(seat, view.moment is not None, chamber, turn, view.must_pull, theme)


@lru_cache(4096)  # thirty seats, and who joins changes one of them
def _hud(
    seat: RouletteSeat,
    plays: bool,
    chamber: tuple[int, int] | None,
    turn: str,
    must_pull: bool,
    theme: Theme,
) -> Frame:
    """`turn`: name of who is in turn."""
    say = theme.say
    held = say("hud", "pass_held" if seat.has_pass else "pass_used")
    if seat.winner:
        lines = [say("hud", "won_1"), clip(seat.name, 60), say("hud", "won_2")]
    else:
        lines = [say("hud", "title"), clip(seat.name, 60)]
        lines.append(_turn_line(seat, plays, turn, must_pull, theme))
        if chamber and not seat.out:
            lines.append(say("hud", "chamber", n=chamber[0], of=chamber[1]))
            lines.append(held)
        lines.append(say("hud", "auto") if seat.auto and not seat.out else "")
    how = mood(seat)
    return Frame(
        picture=_pass(seat),
        color=theme.color(how),
        glow=boards.MOOD_GLOWS[how],
        text=clip("\n".join(line for line in lines if line), HOVER_BYTES),
    )


def _turn_line(seat: RouletteSeat, plays: bool, turn: str, must_pull: bool, theme: Theme) -> str:
    say = theme.say
    if seat.out:
        return say("hud", "out")
    if not plays:
        return say("hud", "lobby")
    if seat.in_turn:
        return say("hud", "must_pull" if must_pull else "your_turn")
    return say("hud", "turn", name=clip(turn, 60))


# ---- what is said ---------------------------------------------------------------------------

SAID: Mapping[type[Event], str] = {
    r.GameStarted: "loaded",
    r.RoundStarted: "round",
    r.FinalsStarted: "finals",
    r.Picked: "picked",
    r.ForcedSteal: "forced_steal",
    r.Safe: "safe",
    r.StealTried: "steal",
    r.QuickDrawn: "quick_draw",
    r.MustPull: "must_pull",
    r.LooseTrigger: "loose_trigger",
    r.Missed: "missed",
    r.GameOver: "won",
}
"""Events with a line of their own; `_which` knows those that have several."""


def _which(event: Event) -> str:
    """Name of the line that is said of an event, or ''."""
    match event:
        case r.Passed(forced=forced):
            return "forced_pass" if forced else "passed"
        case r.Rolled(player=player, at=at):
            return "fired" if at == player else "shot"
        case r.Eliminated(cause=cause):
            return f"out_{cause}"
        case r.Battle(result=result):
            return "tie" if result == "tie" else "battle"
    return SAID.get(type(event), "")


def lines(before: RouletteMatch, event: Event, theme: Theme) -> list[tuple[Key, str]]:
    """What is said of the game's own events: (NOBODY, line) publicly."""
    which = _which(event)
    if not which:
        return []
    words = {}
    for field in event.__struct_fields__:
        value = getattr(event, field)
        is_seat = isinstance(value, str) and before.seat(Key(value)) is not None
        words[field] = before.name(Key(value)) if is_seat else value
    if isinstance(event, r.FinalsStarted):
        words["one"], words["other"] = map(before.name, event.players)
    return [(NOBODY, theme.say("say", which, **words))]
