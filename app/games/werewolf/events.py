"""What happens in Werewolf, named as in its rules.

An event that is not for everybody says in `seen_by` for whom it is; `HOST` events are for nobody
before the end.  The events' types begin with `werewolf.`.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from app.games.core import Event, Key, snake
from app.games.werewolf.words import Camp, Cause, Group, Phase, Role, What

HOST: tuple[Key, ...] = ()
"""Nobody may know of it before the match is over."""


class WerewolfEvent(Event, frozen=True, tag=lambda name: "werewolf." + snake(name)):
    """What happened in the village, for everybody to know."""


class HostEvent(WerewolfEvent, frozen=True):
    """What nobody may know before the end."""

    def seen_by(self) -> tuple[Key, ...]:
        return HOST


class OwnEvent(WerewolfEvent, frozen=True):
    """What one player alone may know."""

    player: Key

    def seen_by(self) -> tuple[Key, ...]:
        return (self.player,)


class GameStarted(WerewolfEvent, frozen=True):
    """Twelve sit; the roles are dealt next."""

    players: tuple[Key, ...]


class RoleDealt(OwnEvent, frozen=True):
    role: Role
    camp: Camp


class PackKnown(WerewolfEvent, frozen=True):
    wolves: tuple[Key, ...]

    def seen_by(self) -> tuple[Key, ...]:
        return self.wolves


class PhaseBegan(WerewolfEvent, frozen=True, tag="werewolf.phase"):
    phase: Phase
    day: int


class EveningCame(WerewolfEvent, frozen=True):
    """By the calendar: an evening at which the day does not end yet."""

    number: int


class LoversMade(WerewolfEvent, frozen=True, tag="werewolf.lovers"):
    pair: tuple[Key, Key]

    def seen_by(self) -> tuple[Key, ...]:
        return self.pair


class CampIs(OwnEvent, frozen=True):
    camp: Camp


class Voted(WerewolfEvent, frozen=True, tag="werewolf.voted"):
    voter: Key
    target: Key


class Tally(WerewolfEvent, frozen=True):
    """The votes of the day, the sheriff's twice, and whom they hit (nobody: "")."""

    counts: dict[Key, int]
    result: Key


class Absent(WerewolfEvent, frozen=True):
    """People who neither voted nor abstained on this day."""

    players: tuple[Key, ...]


class QuietDay(WerewolfEvent, frozen=True):
    """W29: so many days in a row without anything; `lot_next`: the next one is decided by lot."""

    days: int
    lot_next: bool


class Lot(WerewolfEvent, frozen=True):
    candidates: tuple[Key, ...]
    player: Key


class SheriffMade(WerewolfEvent, frozen=True, tag="werewolf.sheriff"):
    player: Key


class NoSheriff(WerewolfEvent, frozen=True):
    pass


class Chosen(OwnEvent, frozen=True):
    """A choice that is kept till the step of the night ends."""

    what: What
    targets: tuple[Key, ...]


class Rested(OwnEvent, frozen=True):
    pass


class WolfChoice(WerewolfEvent, frozen=True):
    by: Key
    target: Key
    to: tuple[Key, ...]

    def seen_by(self) -> tuple[Key, ...]:
        return self.to


class WolfKill(WerewolfEvent, frozen=True):
    """Whom the pack has agreed on (nobody: "")."""

    target: Key
    to: tuple[Key, ...]

    def seen_by(self) -> tuple[Key, ...]:
        return self.to


class KillTargets(OwnEvent, frozen=True):
    """Second sight: whom the wolves chose tonight."""

    targets: tuple[Key, ...]


class SeerResult(OwnEvent, frozen=True):
    target: Key
    villager: bool


class CrazedList(OwnEvent, frozen=True):
    players: tuple[Key, ...]


class OutAnnounced(WerewolfEvent, frozen=True):
    players: tuple[Key, ...]


class ElderOut(WerewolfEvent, frozen=True):
    """Special and ordinary roles have lost their skills."""

    player: Key


class PiperOut(WerewolfEvent, frozen=True):
    """Nobody is crazed any more."""

    player: Key


class LastWordsPrompt(OwnEvent, frozen=True):
    pass


class LastWordsSaid(WerewolfEvent, frozen=True, tag="werewolf.last_words"):
    player: Key
    text: str


class WordsForgone(OwnEvent, frozen=True):
    pass


class SuccessorPrompt(OwnEvent, frozen=True):
    pass


class Whispered(WerewolfEvent, frozen=True):
    by: Key
    group: Group
    text: str
    to: tuple[Key, ...]

    def seen_by(self) -> tuple[Key, ...]:
        return self.to


class Unveiled(OwnEvent, frozen=True):
    shown: bool


class SeatLeft(WerewolfEvent, frozen=True):
    """W21: somebody is gone; his seat stays in play and does nothing by itself."""

    player: Key
    cause: Literal["left", "kicked", "silent"]


class Dying(HostEvent, frozen=True):
    player: Key


class Immune(HostEvent, frozen=True):
    player: Key


class Saved(HostEvent, frozen=True):
    player: Key


class Mark(HostEvent, frozen=True):
    """A life more is used up."""

    player: Key


class Out(HostEvent, frozen=True):
    player: Key
    cause: Cause


class Crazed(HostEvent, frozen=True):
    player: Key


class Poured(HostEvent, frozen=True):
    """The witch's potion is gone."""

    potion: Literal["antidote", "poison"]


class Guarded(HostEvent, frozen=True):
    """What the guard does this night."""

    protect: Key
    soundproof: Key


class Defaulted(HostEvent, frozen=True):
    """Nobody chose in time, so the dice did."""

    what: Literal["arrow", "successor"]


class Revealed(Struct, frozen=True, gc=False):
    """A player as he was, shown at the end."""

    player: Key
    role: Role
    camp: Camp
    out: bool
    crazed: bool


class Victory(WerewolfEvent, frozen=True):
    """The one winning camp, the step at which it won, and everything that was hidden."""

    camp: Camp
    step: str
    members: tuple[Key, ...]
    roles: tuple[Revealed, ...]


EVENTS = (
    GameStarted,
    RoleDealt,
    PackKnown,
    PhaseBegan,
    EveningCame,
    LoversMade,
    CampIs,
    Voted,
    Tally,
    Absent,
    QuietDay,
    Lot,
    SheriffMade,
    NoSheriff,
    Chosen,
    Rested,
    WolfChoice,
    WolfKill,
    KillTargets,
    SeerResult,
    CrazedList,
    OutAnnounced,
    ElderOut,
    PiperOut,
    LastWordsPrompt,
    LastWordsSaid,
    WordsForgone,
    SuccessorPrompt,
    Whispered,
    Unveiled,
    SeatLeft,
    Dying,
    Immune,
    Saved,
    Mark,
    Out,
    Crazed,
    Poured,
    Guarded,
    Defaulted,
    Victory,
)
