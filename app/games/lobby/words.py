"""The words of the table around the game: commands (imperative) and events (past)."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from app.games.core import SERVER, Command, Event, Key, Right

# ---- commands -------------------------------------------------------------------------------


class Join(Command, frozen=True):
    """Take a seat in the lobby."""


class Leave(Command, frozen=True):
    """Give the seat up; in a running match that is an elimination."""


class Ready(Command, frozen=True):
    """Say whether you are ready."""

    ready: bool = True


class Start(Command, frozen=True):
    """Begin the match."""


class TakeBack(Command, frozen=True):
    """Take your seat back from the bot that plays it."""


class TurnRanking(Command, frozen=True):
    """Show another page of the ranking on the board; pages count from 0."""

    page: int


class AddBot(Command, frozen=True):
    """Owner: seat another bot."""


class RemoveBot(Command, frozen=True):
    """Owner: remove the bot that came last."""


class Kick(Command, frozen=True):
    """Owner: remove a player or bot, without a record."""

    key: Key


class Lock(Command, frozen=True):
    """Owner: nobody joins, no menus for others."""


class Unlock(Command, frozen=True):
    """Owner: open the table again."""


class ResetMatch(Command, frozen=True):
    """Owner: back to an empty lobby."""


class ResetRanking(Command, frozen=True):
    """Owner: forget the records of this table."""


class ResetAll(Command, frozen=True):
    """Owner: both resets at once."""


class SetOptions(Command, frozen=True):
    """Owner: a preset, single options, or both (the preset first)."""

    preset: str = ""
    options: dict[str, Any] = field(default_factory=dict)


class ChooseGame(Command, frozen=True):
    """Owner: another game on this table."""

    game: str


class SetLanguage(Command, frozen=True):
    """Owner: another language in public, by its code."""

    language: str


class ClearHuds(Command, frozen=True):
    """Owner: take all HUDs and floaters away."""


class SendHuds(Command, frozen=True):
    """Owner: send HUDs and floaters to everybody again."""


class CheckLand(Command, frozen=True):
    """Owner: report privately what the land allows."""


class Freeze(Command, frozen=True):
    """Server: the table cannot be reached."""

    reason: Literal["unreachable", "restart", "maintenance"]


class Thaw(Command, frozen=True):
    """Server: the match goes on, every deadline full again."""


class Repaint(Command, frozen=True):
    """Server: what the table can show has changed, paint everything anew."""


class TimeUp(Command, frozen=True):
    """Server: a deadline has come."""

    name: str
    phase: int
    epoch: int


PLAYER_COMMANDS = (Join, Leave, Ready, Start, TakeBack, TurnRanking)
OWNER_COMMANDS = (
    AddBot,
    RemoveBot,
    Kick,
    Lock,
    Unlock,
    ResetMatch,
    ResetRanking,
    ResetAll,
    SetOptions,
    ChooseGame,
    SetLanguage,
    ClearHuds,
    SendHuds,
    CheckLand,
)
SERVER_COMMANDS = (Freeze, Thaw, Repaint, TimeUp)

RIGHTS: dict[type[Command], Right] = {
    **dict.fromkeys(OWNER_COMMANDS, "matches"),
    **dict.fromkeys((SetOptions, ChooseGame, SetLanguage), "options"),
    **dict.fromkeys((ResetRanking, ResetAll), "own"),
    **dict.fromkeys((Join, Ready, Start), "matches"),
}
"""What it takes to do something in the owner's place: his commands, and what only he may at times,
as to sit down at a locked table."""


# ---- events ---------------------------------------------------------------------------------


class MatchOpened(Event, frozen=True):
    """A lobby is open.  The first entry of every match."""

    game: str
    owner: Key
    options: dict[str, Any]
    locked: bool = False
    invited: tuple[Key, ...] = ()
    commitment: str = ""
    """SHA-256 of the seed of this match's dice, in hex."""
    language: str = "en"


class Drawn(Event, frozen=True):
    """The `number`-th draw of the match: `index` of `among` possibilities, both from 0."""

    number: int
    why: str
    among: int
    index: int

    def seen_by(self) -> tuple[Key, ...]:
        return ()


class SeedShown(Event, frozen=True):
    """The match is over: what its dice came from, in hex."""

    seed: str


class Joined(Event, frozen=True):
    key: Key
    name: str
    bot: bool = False


class Left(Event, frozen=True):
    """Somebody's seat in the lobby is free again.  `by`: self or kick."""

    key: Key
    by: Literal["self", "kick"] = "self"


class Renamed(Event, frozen=True):
    """An avatar acts under another display name than before."""

    key: Key
    name: str


class ReadyChanged(Event, frozen=True):
    key: Key
    ready: bool


class MatchStarted(Event, frozen=True):
    by: Key


class Locked(Event, frozen=True):
    pass


class Unlocked(Event, frozen=True):
    pass


class ActedForOwner(Event, frozen=True):
    """What follows was done by one of his staff, in the owner's place."""

    key: Key
    name: str


class OptionsSet(Event, frozen=True):
    options: dict[str, Any]
    preset: str = ""


class LanguageSet(Event, frozen=True):
    language: str


class RankingReset(Event, frozen=True):
    pass


class RankingTurned(Event, frozen=True):
    page: int


class HudsCleared(Event, frozen=True):
    pass


class HudsSent(Event, frozen=True):
    pass


class LandChecked(Event, frozen=True):
    """The table in-world is to look what its land allows."""


class Reminded(Event, frozen=True):
    key: Key
    left_s: float


class TimedOut(Event, frozen=True):
    key: Key


class HandedToBot(Event, frozen=True):
    key: Key


class TakenBack(Event, frozen=True):
    key: Key


class Attended(Event, frozen=True):
    """Somebody who had been silent acted himself again."""

    key: Key


class Scored(Event, frozen=True):
    """A result for the record.  `detail`: what he was, as "role/camp"."""

    key: Key
    name: str
    won: bool
    detail: str = ""


class Frozen(Event, frozen=True):
    reason: str


class Thawed(Event, frozen=True):
    pass


class Repainted(Event, frozen=True):
    """Everybody sees the whole board anew."""


class Forgotten(Event, frozen=True):
    """Somebody deleted his data after the match: where his key stood, `key` stands now.

    The draws were fed by his own, so nobody can draw them again.  It follows `MatchClosed`.
    """

    key: Key


class MatchClosed(Event, frozen=True):
    """The last entry of a match.  `why`: victory, reset or game."""

    why: Literal["victory", "reset", "game"]
    by: Key = SERVER
    next_game: str = ""


EVENTS: tuple[type[Event], ...] = (
    MatchOpened,
    Drawn,
    SeedShown,
    Joined,
    Left,
    Renamed,
    ReadyChanged,
    MatchStarted,
    Locked,
    Unlocked,
    ActedForOwner,
    OptionsSet,
    LanguageSet,
    RankingReset,
    RankingTurned,
    HudsCleared,
    HudsSent,
    LandChecked,
    Reminded,
    TimedOut,
    HandedToBot,
    TakenBack,
    Attended,
    Scored,
    Frozen,
    Thawed,
    Repainted,
    MatchClosed,
    Forgotten,
)
