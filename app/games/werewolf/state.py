"""The running match of Werewolf, its options, and how events change it.

`evolve` also takes the public events alone, in which case all secrets are missing: what everybody
may see comes out the same (`board.public` uses nothing else).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from app.games.core import NOBODY, Event, Key, Match, Options
from app.games.werewolf import events as ev
from app.games.werewolf.words import Camp, Phase, Role

Character = Literal["mixed", "goal", "random", "idle"]
NIGHT: tuple[Phase, ...] = ("night0", "n1", "n2", "n345", "n6")
"""The steps in which everybody who is in has to say that he is done."""


class WerewolfOptions(Options, frozen=True):
    """Options of Werewolf.  Seconds are real seconds.

    `turn_s`: how long a day lasts.  `days`: by the timer, or by the calendar, where a day ends at
    the second evening at half past nine on a clock that is `utc_offset` hours before UTC (-8:
    Second Life time in winter).  The switches at the end are those of the rule text, with its
    recommended readings as defaults.
    """

    turn_s: float = 300
    night_s: float = 60
    succession_s: float = 45
    days: Literal["timer", "calendar"] = "timer"
    utc_offset: float = -8
    day_early: bool = True
    bots: Character = "mixed"
    bot_turn_s: float = 8
    stall_limit: Literal[3, 4, 5, 2, 1, 0] = 3
    check: Literal["step", "atomic"] = "step"
    elder_simul: Literal["guarded", "anyKill", "off"] = "guarded"
    seer_reads: Literal["role", "camp"] = "role"
    guard_repeat: Literal["each", "none"] = "each"
    piper_self: bool = True
    crazed_stays: bool = False
    empty_camp_wins: bool = False

    LIMITS: ClassVar[dict[str, tuple[float, float]]] = {
        **Options.LIMITS,
        "turn_s": (15, 172_800),
        "night_s": (10, 86_400),
        "succession_s": (10, 86_400),
        "utc_offset": (-12, 14),
        "bot_turn_s": (0, 60),
    }
    TYPED: ClassVar[tuple[str, ...]] = (
        *Options.TYPED,
        "night_s",
        "succession_s",
        "utc_offset",
    )


PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "long": {"turn_s": 900, "night_s": 120, "succession_s": 90},
    "forum": {
        "days": "calendar",
        "night_s": 900,
        "succession_s": 900,
        "day_early": False,
        "afk_limit": 3,
    },
}


class Player(Struct, frozen=True, gc=False):
    """One seat in the running match.

    `shown_out`: everybody knows that he is out.  `missed`: days in a row without a vote.  `note`:
    whom he noted in this step of the night.  `words`: he may leave last words.
    """

    key: Key
    role: Role = "villager"
    camp: Camp = "villagers"
    status: Literal["alive", "dying", "out"] = "alive"
    shown_out: bool = False
    crazed: bool = False
    mark: bool = False
    done: bool = False
    words: bool = False
    note: Key = NOBODY
    unveiled: bool = False
    missed: int = 0
    left: str = ""

    @property
    def living(self) -> bool:
        return self.status != "out"


class Play(Struct, frozen=True, gc=False):
    """The running match.  Keys of `chosen` are what tonight's targets were chosen for.

    `protect`, `soundproof`: who is guarded tonight; `last_…`: who was the night before.  `held`:
    the seer's answer waits for the morning.  `quiet`: days in a row without anything; `changed`:
    somebody went out or crazed since the last vote.  `then`: what follows the succession.
    `focus`: whose place the board shows.
    """

    players: tuple[Player, ...]
    phase: Phase = "night0"
    day: int = 0
    evening: int = 0
    then: Phase = "n1"
    lovers: tuple[Key, ...] = ()
    sheriff: Key = NOBODY
    votes: dict[Key, Key] = {}
    tally: ev.Tally | None = None
    chosen: dict[str, tuple[Key, ...]] = {}
    kills: dict[Key, Key] = {}
    targets: tuple[Key, ...] = ()
    check: Key = NOBODY
    held: bool = False
    results: tuple[tuple[Key, bool], ...] = ()
    protect: Key = NOBODY
    soundproof: Key = NOBODY
    last_protect: Key = NOBODY
    last_soundproof: Key = NOBODY
    antidote_used: bool = False
    poison_used: bool = False
    skills_lost: bool = False
    ever_crazed: int = 0
    out_order: tuple[Key, ...] = ()
    announced: tuple[Key, ...] = ()
    quiet: int = 0
    lot_next: bool = False
    changed: bool = False
    victory: ev.Victory | None = None
    focus: Key = NOBODY

    def player(self, key: Key) -> Player | None:
        for player in self.players:
            if player.key == key:
                return player
        return None

    def of(self, role: Role) -> Player:
        """The one who was dealt this role; of the wolves the first."""
        return next(p for p in self.players if p.role == role)

    @property
    def living(self) -> tuple[Key, ...]:
        """Who is not out, in the order of seats; so are the others."""
        return tuple(p.key for p in self.players if p.living)

    @property
    def shown_in(self) -> tuple[Key, ...]:
        """Who is in, as far as everybody knows."""
        return tuple(p.key for p in self.players if not p.shown_out)

    @property
    def pack(self) -> tuple[Key, ...]:
        """The living wolves, whatever their camp."""
        return tuple(p.key for p in self.players if p.role == "wolf" and p.living)

    @property
    def crazed(self) -> tuple[Key, ...]:
        return tuple(p.key for p in self.players if p.crazed)

    def members(self, camp: Camp) -> tuple[Player, ...]:
        return tuple(p for p in self.players if p.camp == camp)

    def with_player(self, key: Key, **changes: Any) -> Play:
        return replace(
            self,
            players=tuple(replace(p, **changes) if p.key == key else p for p in self.players),
        )

    def with_all(self, keys: tuple[Key, ...] | None = None, **changes: Any) -> Play:
        """The same change for each of `keys`, or for everybody."""
        return replace(
            self,
            players=tuple(
                replace(p, **changes) if keys is None or p.key in keys else p for p in self.players
            ),
        )


WerewolfMatch = Match[Play]


def options_of(match: WerewolfMatch) -> WerewolfOptions:
    assert isinstance(match.options, WerewolfOptions)
    return match.options


# ---- evolve ---------------------------------------------------------------------------------


def evolve(match: WerewolfMatch, event: Event) -> WerewolfMatch:
    handler = _EVOLVE.get(type(event))
    return handler(match, event) if handler else match


def _on(match: WerewolfMatch) -> Play:
    assert match.play is not None
    return match.play


def _with(change: Callable[[Play, Any], Play]) -> _Evolve:
    return lambda match, event: replace(match, play=change(_on(match), event))


def _started(match: WerewolfMatch, event: ev.GameStarted) -> WerewolfMatch:
    return replace(match, play=Play(tuple(Player(key) for key in event.players)))


def _phase(match: WerewolfMatch, event: ev.PhaseBegan) -> WerewolfMatch:
    """Another step: nobody is done with it yet."""
    before = _on(match)
    play = replace(before.with_all(done=False, note=NOBODY), phase=event.phase, day=event.day)
    play = replace(play, chosen={}, evening=0)
    if event.phase == "succession":
        play = replace(play, then="n1" if before.phase == "day" else "day", focus=play.sheriff)
    elif event.phase == "day":
        play = replace(play, votes={}, tally=None)
    elif event.phase == "n1":
        play = replace(
            play,
            last_protect=play.protect,
            last_soundproof=play.soundproof,
            protect=NOBODY,
            soundproof=NOBODY,
            check=NOBODY,
            targets=(),
            focus=NOBODY,
        )
    if event.phase == "n345":
        play = replace(play, kills={})
    return match.in_phase(play)


def _lovers(play: Play, event: ev.LoversMade) -> Play:
    """5.1: two of one camp stay there; others form a camp with Cupid, who goes where they are."""
    camps = {p.camp for p in play.players if p.key in event.pair}
    camp: Camp = camps.pop() if len(camps) == 1 else "lovers"
    cupid = tuple(p.key for p in play.players if p.role == "cupid")
    return replace(play.with_all((*event.pair, *cupid), camp=camp), lovers=event.pair)


def _chosen(play: Play, event: ev.Chosen) -> Play:
    if event.what == "note":
        return play.with_player(event.player, note=event.targets[0])
    if event.what == "check":
        return replace(play, check=event.targets[0], held=True)
    return replace(play, chosen={**play.chosen, event.what: event.targets})


def _seen(play: Play, event: ev.SeerResult) -> Play:
    found = (*play.results, (event.target, event.villager))
    return replace(play, check=event.target, held=False, results=found)


def _voted(play: Play, event: ev.Voted) -> Play:
    play = play.with_player(event.voter, missed=0)
    return replace(play, votes={**play.votes, event.voter: event.target})


def _absent(play: Play, event: ev.Absent) -> Play:
    for key in event.players:
        player = play.player(key)
        assert player is not None
        play = play.with_player(key, missed=player.missed + 1)
    return play


def _out(match: WerewolfMatch, event: ev.Out) -> WerewolfMatch:
    play = _on(match).with_player(event.player, status="out")
    role = next(p.role for p in play.players if p.key == event.player)
    if role == "elder":
        play = replace(play, skills_lost=True)
    if role == "piper" and not getattr(match.options, "crazed_stays", False):
        play = play.with_all(crazed=False)
    out_order = (*play.out_order, event.player)
    return replace(match, play=replace(play, out_order=out_order, changed=True))


def _announced(play: Play, event: ev.OutAnnounced) -> Play:
    focus = event.players[0] if event.players else play.focus
    play = play.with_all(event.players, status="out", shown_out=True, note=NOBODY)
    return replace(play, announced=event.players, focus=focus)


def _crazed(play: Play, event: ev.Crazed) -> Play:
    play = play.with_player(event.player, crazed=True)
    return replace(play, ever_crazed=play.ever_crazed + 1, changed=True)


def _quiet(play: Play, event: ev.QuietDay) -> Play:
    return replace(play, quiet=event.days, lot_next=event.lot_next, changed=False)


def _result(play: Play, event: ev.Tally) -> Play:
    play = replace(play, tally=event, focus=event.result or play.focus)
    return replace(play, quiet=0, lot_next=False, changed=False) if event.result else play


def _lot(play: Play, event: ev.Lot) -> Play:
    return replace(play, quiet=0, lot_next=False, changed=False, focus=event.player)


def _left(match: WerewolfMatch, event: ev.SeatLeft) -> WerewolfMatch:
    play = _on(match).with_player(event.player, left=event.cause)
    kicked = event.cause == "kicked"
    return replace(match.with_seat(event.player, auto=True, barred=kicked), play=play)


def _victory(match: WerewolfMatch, event: ev.Victory) -> WerewolfMatch:
    play = _on(match)
    for shown in event.roles:
        # Who is out and was not announced any more is known to be out now.
        play = play.with_player(shown.player, shown_out=shown.out)
    return match.in_phase(replace(play, phase="over", victory=event, focus=NOBODY), stage="over")


_Evolve = Callable[[WerewolfMatch, Any], WerewolfMatch]
_EVOLVE: dict[type[Event], _Evolve] = {
    ev.GameStarted: _started,
    ev.RoleDealt: _with(lambda p, e: p.with_player(e.player, role=e.role, camp=e.camp)),
    ev.PhaseBegan: _phase,
    ev.EveningCame: lambda m, e: m.in_phase(replace(_on(m), evening=e.number)),
    ev.LoversMade: _with(_lovers),
    ev.Voted: _with(_voted),
    ev.Tally: _with(_result),
    ev.Absent: _with(_absent),
    ev.QuietDay: _with(_quiet),
    ev.Lot: _with(_lot),
    ev.SheriffMade: _with(lambda p, e: replace(p, sheriff=e.player, focus=e.player)),
    ev.Chosen: _with(_chosen),
    ev.Rested: _with(lambda p, e: p.with_player(e.player, done=True)),
    ev.WolfChoice: _with(lambda p, e: replace(p, kills={**p.kills, e.by: e.target})),
    ev.WolfKill: _with(lambda p, e: replace(p, targets=(e.target,) if e.target else ())),
    ev.SeerResult: _with(_seen),
    ev.OutAnnounced: _with(_announced),
    ev.LastWordsPrompt: _with(lambda p, e: p.with_player(e.player, words=True)),
    ev.LastWordsSaid: _with(lambda p, e: p.with_player(e.player, words=False)),
    ev.WordsForgone: _with(lambda p, e: p.with_player(e.player, words=False)),
    ev.Unveiled: _with(lambda p, e: p.with_player(e.player, unveiled=e.shown)),
    ev.SeatLeft: _left,
    ev.Dying: _with(lambda p, e: p.with_player(e.player, status="dying")),
    ev.Saved: _with(lambda p, e: p.with_player(e.player, status="alive")),
    ev.Mark: _with(lambda p, e: p.with_player(e.player, mark=True, status="alive")),
    ev.Out: _out,
    ev.Crazed: _with(_crazed),
    ev.Poured: _with(lambda p, e: replace(p, **{f"{e.potion}_used": True})),
    ev.Guarded: _with(lambda p, e: replace(p, protect=e.protect, soundproof=e.soundproof)),
    ev.Victory: _victory,
}
