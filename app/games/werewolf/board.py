"""Werewolf as it looks: what everybody sees, and the frames made from it.

`public` uses only what public events tell.  Roles come with the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from app.display import HOVER_BYTES, Board, Frame, clip
from app.games import boards
from app.games.core import NOBODY, Key, Private, Public, RankingPage, SeatPublic
from app.games.texts import Theme
from app.games.werewolf import events as ev
from app.games.werewolf import words as w
from app.games.werewolf.rules import company
from app.games.werewolf.state import NIGHT, Play, Player, WerewolfMatch

SEATS = 12
MOST_VOTES = 13
"""Twelve votes, one of them twice."""

PICTURES = (
    "werewolf_title",
    "village_night",
    "village_day",
    "village_dusk",
    "asleep",
    "silhouette_sheriff",
    "robot_sheriff",
    *(f"won_{camp}" for camp in get_args(w.Camp)),
    *(f"card_{role}" for role in get_args(w.Role)),
    *(f"votes_{count}" for count in range(MOST_VOTES + 1)),
)


class WerewolfSeat(SeatPublic, frozen=True, kw_only=True):
    """What everybody may see of a player.  `role` and `camp` are there when the match is over."""

    sheriff: bool
    votes: int
    voted: bool
    voted_for: Key
    role: w.Role | None = None
    camp: w.Camp | None = None


class WerewolfPublic(Public, frozen=True, kw_only=True):
    """What everybody may see of a match: the village by day, and that it is night."""

    seats: tuple[WerewolfSeat, ...]
    moment: w.Phase | None
    day: int
    evening: int
    sheriff: Key
    announced: tuple[Key, ...]
    lot_next: bool
    focus: Key
    won: w.Camp | None


class WerewolfPrivate(Private, frozen=True, kw_only=True):
    """What one player may see besides: his own card, and what it has shown him."""

    role: w.Role | None = None
    camp: w.Camp | None = None
    unveiled: bool = False
    done: bool = False
    words: bool = False
    chosen: tuple[tuple[str, tuple[Key, ...]], ...] = ()
    note: Key = NOBODY
    pack: tuple[Key, ...] = ()
    kills: tuple[tuple[Key, Key], ...] = ()
    lover: Key = NOBODY
    crazed: tuple[Key, ...] = ()
    results: tuple[tuple[Key, bool], ...] = ()
    targets: tuple[Key, ...] = ()
    potions: tuple[str, ...] = ()


def public(match: WerewolfMatch, ranking: RankingPage) -> WerewolfPublic:
    play = match.play
    fields = boards.table_view(match, ranking, ())
    return WerewolfPublic(
        **{**fields, "waiting_for": _waiting_for(play) if play else ()},
        seats=_seats(match, play),
        moment=play.phase if play else None,
        day=play.day if play else 0,
        evening=play.evening if play else 0,
        sheriff=play.sheriff if play else NOBODY,
        announced=play.announced if play else (),
        lot_next=play.lot_next if play else False,
        focus=play.focus if play else NOBODY,
        won=play.victory.camp if play and play.victory else None,
    )


def _waiting_for(play: Play) -> tuple[Key, ...]:
    """By night all who are in, whether they have chosen or not."""
    if play.phase == "over":
        return ()
    if play.phase == "succession":
        return (play.sheriff,)
    return tuple(k for k in play.shown_in if play.phase in NIGHT or k not in play.votes)


def _seats(match: WerewolfMatch, play: Play | None) -> tuple[WerewolfSeat, ...]:
    players = {p.key: p for p in play.players} if play else {}
    counts: dict[Key, int] = {}
    by_day = play is not None and play.phase == "day"
    votes = play.votes if play and by_day else {}
    for voter, target in votes.items():
        counts[target] = counts.get(target, 0) + (2 if play and voter == play.sheriff else 1)
    shown = {r.player: r for r in play.victory.roles} if play and play.victory else {}
    members = play.victory.members if play and play.victory else ()
    out = []
    for seat in match.seats:
        player, revealed = players.get(seat.key), shown.get(seat.key)
        sheriff = play is not None and play.sheriff == seat.key
        count = counts.get(seat.key, 0)
        marks = ["sheriff"] if sheriff else []
        marks += [f"{count} vote" if count == 1 else f"{count} votes"] if count else []
        marks += [revealed.role, _camp_mark(revealed)] if revealed else []
        out.append(
            WerewolfSeat(
                **boards.seat_view(seat),
                out=player is not None and player.shown_out,
                gone=player is not None and seat.auto and player.left != "",
                winner=seat.key in members,
                marks=tuple(marks),
                sheriff=sheriff,
                votes=count,
                voted=seat.key in votes,
                voted_for=votes.get(seat.key, NOBODY),
                role=revealed.role if revealed else None,
                camp=revealed.camp if revealed else None,
            )
        )
    return tuple(out)


def _camp_mark(revealed: ev.Revealed) -> str:
    crazed = ", crazed" if revealed.crazed else ""
    return f"camp: {revealed.camp}{crazed}"


def private(match: WerewolfMatch, key: Key) -> WerewolfPrivate:
    """The card of one seat; out players keep their role and see the public view."""
    play = match.play
    player = play.player(key) if play else None
    if play is None or player is None:
        return WerewolfPrivate(key)
    if not player.living:
        return WerewolfPrivate(
            key,
            role=player.role,
            camp=player.camp,
            unveiled=player.unveiled,
            done=player.done,
            words=player.words,
            chosen=_own_choices(play, player),
            results=play.results if player.role == "seer" else (),
        )
    pack = company(play, key, "wolves")
    return WerewolfPrivate(
        key,
        role=player.role,
        camp=player.camp,
        unveiled=player.unveiled,
        done=player.done,
        words=player.words,
        chosen=_own_choices(play, player),
        note=player.note,
        pack=pack,
        kills=tuple(play.kills.items()) if player.role == "wolf" else (),
        lover=next((k for k in play.lovers if k != key), NOBODY) if key in play.lovers else NOBODY,
        crazed=play.crazed if player.role == "piper" else (),
        results=play.results if player.role == "seer" else (),
        targets=_second_sight(play, player),
        potions=_potions(play, player),
    )


CHOICES: Mapping[w.Role, tuple[str, ...]] = {
    "cupid": ("arrow",),
    "guard": ("protect", "soundproof"),
    "piper": ("pipe",),
    "witch": ("antidote", "poison"),
}


def _own_choices(play: Play, player: Player) -> tuple[tuple[str, tuple[Key, ...]], ...]:
    mine = list(CHOICES.get(player.role, ()))
    mine += ["successor"] if player.key == play.sheriff else []
    return tuple((what, play.chosen[what]) for what in mine if what in play.chosen)


def _second_sight(play: Play, player: Player) -> tuple[Key, ...]:
    """4.2: the witch sees whom the wolves chose, as long as she has the antidote."""
    sees = player.role == "witch" and not play.antidote_used and not play.skills_lost
    return play.targets if sees and play.phase == "n6" else ()


def _potions(play: Play, player: Player) -> tuple[str, ...]:
    if player.role != "witch" or play.skills_lost:
        return ()
    used = {"antidote": play.antidote_used, "poison": play.poison_used}
    return tuple(potion for potion, gone in used.items() if not gone)


# ---- the board ------------------------------------------------------------------------------


def board(view: WerewolfPublic, theme: Theme, sizes: Mapping[str, tuple[int, int]]) -> Board:
    """Every prim of the linkset; `sizes` of the text sets in columns and rows."""
    names = {s.key: s.name for s in view.seats}
    living = sum(not s.out for s in view.seats)
    page = boards.page_of(_focus(view))
    out: Board = {
        "root": boards.root(
            view,
            theme,
            "confetti" if view.stage == "over" else "",
            page,
            title=theme.say("hud", "title"),
            count=len(view.seats) if view.stage == "lobby" else living,
            seats=SEATS,
            winner=theme.say("camp", view.won) if view.won else "",
        ),
        **boards.plates(theme),
        "TitleAction:0:0": Frame(picture=_picture(view)),
        **boards.slots([_slot(view, s) for s in view.seats], theme, page),
    }
    status, dice = _status(view, names, theme), _dice(view, names, theme)
    return out | boards.texts(sizes, view, theme, status, dice)


def _focus(view: WerewolfPublic) -> int:
    """The seat whose page of ten is shown: whom the last thing by day was about, else the first."""
    keys = [s.key for s in view.seats]
    if view.moment is None:
        return max(0, len(keys) - 1)
    return keys.index(view.focus) if view.focus in keys else 0


def _picture(view: WerewolfPublic) -> str:
    if view.won:
        return f"won_{view.won}"
    if view.moment is None:
        return "werewolf_title"
    if view.moment in NIGHT:
        return "village_night"
    return "village_dusk" if view.moment == "succession" else "village_day"


def mood(seat: WerewolfSeat) -> boards.Mood:
    if seat.winner:
        return "winner"
    if seat.out:
        return "out"
    return "marked" if seat.sheriff else "plain"


def _slot(view: WerewolfPublic, seat: WerewolfSeat) -> boards.Slot:
    badge = f"{'robot' if seat.bot else 'silhouette'}_sheriff"
    picture = badge if seat.sheriff else seat.picture
    return boards.Slot(picture=picture, life=_beside(view, seat), mood=mood(seat))


def _beside(view: WerewolfPublic, seat: WerewolfSeat) -> str:
    """The picture beside a player: votes by day, a dark house by night, his card at the end."""
    if seat.role:
        return f"card_{seat.role}"
    if view.moment in NIGHT:
        return "asleep"
    return f"votes_{min(seat.votes, MOST_VOTES)}"


def _status(view: WerewolfPublic, names: Mapping[Key, str], theme: Theme) -> list[str]:
    say = theme.say
    idle = boards.idle_status(view, theme, SEATS)
    if idle is not None or view.moment is None:
        return idle or []
    if view.won:
        return [say("status", f"won_{view.won}"), say("status", "won_2")]
    words = {
        "day": view.day,
        "living": sum(not s.out for s in view.seats),
        "voted": sum(s.voted for s in view.seats),
        "name": names.get(view.sheriff, ""),
        "out": ", ".join(names[k] for k in view.announced),
    }
    first = "day_1_1" if (view.moment, view.day) == ("day", 1) else f"{view.moment}_1"
    return [say("status", first, **words), say("status", _second(view), **words)]


def _second(view: WerewolfPublic) -> str:
    """Which second row: who went out comes first, as long as nobody has voted."""
    if view.moment == "succession":
        return "heir_2"
    voted = any(s.voted for s in view.seats)
    if view.announced and not voted:
        return "out_2"
    if view.moment == "day":
        return "lot_2" if view.lot_next and not voted else "voted_2"
    return "night_2"


def _dice(view: WerewolfPublic, names: Mapping[Key, str], theme: Theme) -> str:
    say = theme.say
    if view.moment is None:
        return boards.fair(view, theme)
    led = sorted((s for s in view.seats if s.votes), key=lambda s: -s.votes)
    if led:
        return " · ".join(f"{s.name} {s.votes}" for s in led)
    if view.sheriff:
        return say("dice", "sheriff", name=names[view.sheriff])
    chosen = view.day > 1 or (view.day == 1 and view.moment != "day")
    return say("dice", "no_sheriff") if chosen else " "


def hud(view: WerewolfPublic, private: WerewolfPrivate, theme: Theme) -> Frame:
    """The HUD of a human or the floater of a bot.

    The role is shown only to a person who asked for it: where no HUD can be attached it hangs in
    the open, and so do the floaters of bots.
    """
    say = theme.say
    seat = next(s for s in view.seats if s.key == private.key)
    lines = [say("hud", "title"), clip(seat.name, 60)]
    if view.won:
        lines.append(say("hud", "won" if seat.winner else "lost", camp=say("camp", view.won)))
    else:
        lines.append(say("hud", _moment(view), day=view.day))
    if seat.role and seat.camp:
        lines.append(_card_line(seat.role, seat.camp, theme))
    elif private.unveiled and not seat.bot and private.role and private.camp:
        lines.append(_card_line(private.role, private.camp, theme))
    lines.append(say("hud", "sheriff") if seat.sheriff else "")
    lines.append(say("hud", "out") if seat.out else "")
    lines.append(say("hud", "auto") if seat.auto and not seat.out else "")
    how = mood(seat)
    return Frame(
        picture=_beside(view, seat),
        color=theme.color(how),
        glow=boards.MOOD_GLOWS[how],
        text=clip("\n".join(line for line in lines if line), HOVER_BYTES),
    )


def _card_line(role: w.Role, camp: w.Camp, theme: Theme) -> str:
    words: dict[str, Any] = {"role": theme.say("role", role), "camp": theme.say("camp", camp)}
    return theme.say("hud", "card", **words)


def _moment(view: WerewolfPublic) -> str:
    if view.moment is None:
        return "lobby"
    return "night" if view.moment in NIGHT else view.moment
