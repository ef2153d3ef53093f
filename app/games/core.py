"""What every game on the table shares: the words of the rules, and nothing of the service.

A match is a frozen value, and so is all that it is made of; such are never in cycles, hence
`gc=False`.  `decide` looks at it and answers with events or a refusal, `evolve`
applies one event.  Time and chance are arguments: rules name the timers they want (`Timer`), the
service keeps the clock; rules ask `Dice` for a result, and events carry what fell.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NewType, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from app.games.clock import Timer

if TYPE_CHECKING:
    from app.display import Board, Frame
    from app.games.dialogs import Dialog
    from app.games.texts import Theme

Key = NewType("Key", str)
"""Identity of a seat: an avatar's UUID, or `bot:N`.  Never a name."""

SERVER = Key("server")
"""The actor of what the service itself does: deadlines, freezing, thawing."""

NOBODY = Key("")

Right = Literal["own", "matches", "options"]
"""What one may do at a table: own it, run matches on it, choose its game and options."""
Rights = frozenset[Right]
NO_RIGHTS: Rights = frozenset()
OWNS: Rights = frozenset(("own", "matches", "options"))

P = TypeVar("P")
T = TypeVar("T")
Args = Mapping[str, str | int | tuple[str, ...]]


def snake(name: str) -> str:
    """A class name as the type of its JSON: `NumbersPicked` → `numbers_picked`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Command(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=snake, gc=False
):
    """What somebody wants: an imperative."""


class Event(msgspec.Struct, frozen=True, tag_field="type", tag=snake, gc=False):
    """What happened: a past tense that carries its results, so that replay needs no dice."""

    def seen_by(self) -> tuple[Key, ...] | None:
        """Who may know of it before the match is over; None: everybody."""
        return None


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """Why a command changes nothing.  `code` names the sentence in the theme, `args` fill it."""

    code: str
    args: dict[str, Any] = {}


class Actor(msgspec.Struct, frozen=True, gc=False):
    """Who sends a command.

    `owner`: he is the owner of the table, as the edge has checked.  `himself`: the edge takes him
    for the avatar in person, not for a program that may play any.  `staff`: what the owner lets
    him do besides; `banned`: the owner does not let him sit.
    """

    key: Key
    name: str = ""
    owner: bool = False
    himself: bool = True
    staff: Rights = NO_RIGHTS
    banned: bool = False

    @property
    def rights(self) -> Rights:
        return OWNS if self.owner else self.staff


class Dice(Protocol):
    """The one seam of chance.  `why` names the draw in the match's record of chance."""

    def roll(self, sides: int, why: str) -> int:
        """Uniform whole number in 1…sides."""

    def choose(self, options: Sequence[T], why: str) -> T:
        """One of `options`, uniformly; `options` is not empty."""

    def sample(self, options: Sequence[T], count: int, why: str) -> list[T]:
        """`count` different ones of `options`, uniformly."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Options every game has; a game adds its own by inheriting.  Seconds are real seconds."""

    turn_s: float = 120
    afk: Literal["bot", "remove"] = "bot"
    afk_limit: int = 2
    rank_practice: bool = True
    pace: Literal["normal", "brisk"] = "normal"
    victory_s: float = 24

    LIMITS: ClassVar[dict[str, tuple[float, float]]] = {
        "turn_s": (5, 3600),
        "afk_limit": (1, 10),
        "victory_s": (0, 300),
    }
    TYPED: ClassVar[tuple[str, ...]] = ("turn_s",)
    """Numbers with too many values for buttons: the menu asks for them in a text box."""

    def paced(self, seconds: float) -> float:
        """A pause of the show, as long as the pace asks for."""
        return seconds / 2 if self.pace == "brisk" else seconds


class Wait(msgspec.Struct, frozen=True, gc=False):
    """Somebody is waited for.  `bot_s`: how long a bot in his place pauses before it acts.

    `together`: he has no deadline of his own, the pause `CLOCK` of the game runs for all."""

    key: Key
    what: str
    bot_s: float
    together: bool = False


class Seat(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A place in join order.  `auto`: a bot plays it until its player takes it back.

    `barred`: he was removed from a match in which his place goes on."""

    key: Key
    name: str
    bot: bool = False
    ready: bool = False
    auto: bool = False
    strikes: int = 0
    barred: bool = False

    @property
    def by_bot(self) -> bool:
        return self.bot or self.auto


class Match(msgspec.Struct, Generic[P], frozen=True, gc=False):
    """One match from the opening of its lobby to its close.

    `phase` numbers the moments in which somebody may have to act; dialogs and deadlines belong to
    one.  `epoch` rises when a match goes on after a freeze, which renews every deadline.
    `commitment`, `seed`, `draws`: see `app.fairness`; the seed is there when the match is over.
    """

    game: str
    owner: Key
    options: Options
    stage: Literal["lobby", "playing", "over"] = "lobby"
    seats: tuple[Seat, ...] = ()
    play: P | None = None
    language: str = "en"
    """What the table speaks in public; see `texts.LANGUAGES`."""
    phase: int = 0
    epoch: int = 0
    locked: bool = False
    frozen: str = ""
    closed: str = ""
    next_game: str = ""
    reminded: tuple[Key, ...] = ()
    invited: tuple[Key, ...] = ()
    commitment: str = ""
    seed: str = ""
    draws: int = 0
    huds: bool = True
    hud_epoch: int = 0
    land_checks: int = 0
    ranking_page: int = 0

    def seat(self, key: Key) -> Seat | None:
        for seat in self.seats:
            if seat.key == key:
                return seat
        return None

    def name(self, key: Key) -> str:
        seat = self.seat(key)
        return seat.name if seat else ""

    @property
    def starter(self) -> Key:
        """D1: the first human in join order, or nobody."""
        return next((s.key for s in self.seats if not s.bot), NOBODY)

    @property
    def humans(self) -> int:
        return sum(not s.bot for s in self.seats)

    @property
    def ranked(self) -> bool:
        """D6: whether the results of this match count."""
        return self.humans >= (1 if self.options.rank_practice else 2)

    def with_seat(self, key: Key, **changes: Any) -> Match[P]:
        return replace(
            self,
            seats=tuple(replace(s, **changes) if s.key == key else s for s in self.seats),
        )

    def in_phase(self, play: P, **changes: Any) -> Match[P]:
        """The match with another moment begun."""
        return replace(self, play=play, phase=self.phase + 1, reminded=(), **changes)


class Rank(msgspec.Struct, frozen=True, gc=False):
    """A line of a ranking.  `place` counts from 1."""

    place: int
    key: Key
    name: str
    wins: int
    losses: int

    @property
    def rate(self) -> float:
        """Share of matches won, 0…1."""
        played = self.wins + self.losses
        return self.wins / played if played else 0.0


class RankingPage(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """One page, as long as a board has room for, or of ten.  `page` counts from 0."""

    rows: tuple[Rank, ...] = ()
    page: int = 0
    pages: int = 1


class SeatPublic(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True, gc=False):
    """What everybody may see of a seat; games inherit and add.

    `marks`: how it stands in the game, in a word or two each, as pages show it beside the name.
    `picture`: who sits there, as a name of a picture or the key of a profile's texture.
    """

    key: Key
    name: str
    bot: bool
    ready: bool
    auto: bool
    out: bool = False
    gone: bool = False
    winner: bool = False
    picture: str = "silhouette"
    marks: tuple[str, ...] = ()


class Chance(msgspec.Struct, frozen=True, gc=False):
    """How likely something is that the next throw decides; `share` 0…1."""

    what: str
    share: float


class Public(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What everybody may see of a match.  The type has no field for a secret.

    `chances`: the odds of the throw that comes next, none if no throw is due.
    """

    game: str
    owner: Key
    stage: Literal["lobby", "playing", "over"]
    seats: tuple[SeatPublic, ...]
    starter: Key
    locked: bool
    frozen: str
    waiting_for: tuple[Key, ...]
    options: dict[str, Any]
    language: str
    ranking: RankingPage
    phase: int
    commitment: str = ""
    seed: str = ""
    chances: tuple[Chance, ...] = ()


class Private(msgspec.Struct, frozen=True, gc=False):
    """What one seat may see besides; games inherit and add."""

    key: Key


class Game(ABC, Generic[P]):
    """One game: its rules here, its looks and words in the files beside them."""

    name: str
    title: str
    seats: range
    """How many may sit, e.g. range(2, 11)."""
    options: type[Options]
    presets: Mapping[str, Mapping[str, Any]]
    """Name → options that differ from the defaults; the first one is the default."""
    commands: tuple[type[Command], ...]
    """What a player of a running match can send."""
    events: tuple[type[Event], ...]
    play: type[P]
    pictures: tuple[str, ...] = ()
    """What its boards and HUDs show besides `boards.PICTURES`."""
    moments: tuple[tuple[str, type[Event] | str], ...] = ()
    """What is worth a look on its boards, and the event that brings it or the large picture."""

    @abstractmethod
    def start(self, match: Match[P], dice: Dice) -> Sequence[Event]:
        """What follows `MatchStarted`."""

    @abstractmethod
    def decide(
        self, match: Match[P], actor: Actor, command: Command, dice: Dice
    ) -> Sequence[Event] | Refusal:
        """The game's own commands; the lobby has seen to it that the match runs."""

    @abstractmethod
    def evolve(self, match: Match[P], event: Event) -> Match[P]:
        """The match after one of the game's events."""

    @abstractmethod
    def waits(self, match: Match[P]) -> Sequence[Wait]:
        """Who is waited for now."""

    @abstractmethod
    def pauses(self, match: Match[P]) -> Sequence[Timer]:
        """What else the clock does: shows, celebration, phases by the clock."""

    @abstractmethod
    def elapse(self, match: Match[P], timer: Timer, dice: Dice) -> Sequence[Event]:
        """What follows when one of `pauses` is over."""

    @abstractmethod
    def act_for(self, match: Match[P], wait: Wait, dice: Dice) -> Command:
        """What a bot does in a seat that is waited for."""

    def silent(self, match: Match[P], wait: Wait, dice: Dice) -> Sequence[Event] | Refusal:
        """What follows when a person's time is up: as a rule what a bot would do."""
        actor = Actor(wait.key, match.name(wait.key))
        return self.decide(match, actor, self.act_for(match, wait, dice), dice)

    @abstractmethod
    def remove(self, match: Match[P], key: Key, cause: str, dice: Dice) -> Sequence[Event]:
        """A seat goes out of a running match; cause: left, kicked or silent."""

    @abstractmethod
    def public(self, match: Match[P], ranking: RankingPage) -> Public: ...

    @abstractmethod
    def private(self, match: Match[P], key: Key) -> Private: ...

    @abstractmethod
    def board(self, view: Any, theme: Theme, sizes: Mapping[str, tuple[int, int]]) -> Board:
        """Every prim's frame, from what everybody may see.  Sizes: text set → columns, rows."""

    @abstractmethod
    def hud(self, view: Any, private: Any, theme: Theme) -> Frame:
        """What the HUD of a human or the floater of a bot shows."""

    @abstractmethod
    def dialog(
        self, match: Match[P], who: Actor, name: str, page: int, theme: Theme
    ) -> Dialog | None:
        """A dialog of the running match, by name; None if this seat has no such dialog now."""

    @abstractmethod
    def due(self, match: Match[P], key: Key) -> str:
        """Name of the dialog the running match has for this seat now, or ''."""

    def idle(self, match: Match[P], key: Key) -> str:  # noqa: ARG002 - most games have none
        """Name of the dialog that a touch opens where nothing is due, or ''."""
        return ""

    def typed(self, match: Match[P], key: Key, name: str, text: str) -> Command | None:  # noqa: ARG002
        """What a text means that was typed into the game's dialog `name`."""
        return None

    @abstractmethod
    def lines(self, before: Match[P], event: Event, theme: Theme) -> Sequence[tuple[Key, str]]:
        """What is said of an event: (NOBODY, line) in public, (key, line) to one alone."""
