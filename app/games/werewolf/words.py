"""The words of Werewolf, named as in its rules: roles, camps, phases, and the commands."""

from __future__ import annotations

from typing import Literal

from app.games.core import NOBODY, Command, Key

Role = Literal["wolf", "villager", "seer", "witch", "guard", "elder", "cupid", "piper"]
Camp = Literal["wolves", "villagers", "piper", "lovers"]
Phase = Literal["night0", "day", "n1", "n2", "n345", "n6", "succession", "over"]
What = Literal[
    "arrow",
    "protect",
    "soundproof",
    "pipe",
    "check",
    "kill",
    "antidote",
    "poison",
    "successor",
    "note",
]
"""What a target is chosen for; `note` is for those who have nothing to do, and does nothing."""
Cause = Literal["vote", "kill", "poison", "lover"]
Group = Literal["wolves", "lovers"]

DECK: tuple[Role, ...] = (
    *("wolf",) * 2,
    *("villager",) * 4,
    "seer",
    "witch",
    "guard",
    "elder",
    "cupid",
    "piper",
)
"""W22: the twelve roles."""

# ---- commands -------------------------------------------------------------------------------


class Arrow(Command, frozen=True):
    """Cupid: make two others lovers."""

    one: Key
    other: Key


class Vote(Command, frozen=True):
    """By day: vote for somebody who is in, or for nobody."""

    target: Key = NOBODY


class Protect(Command, frozen=True):
    """Guard: this player cannot be killed by the wolves tonight."""

    target: Key = NOBODY


class Soundproof(Command, frozen=True):
    """Guard: this player cannot be made crazed tonight."""

    target: Key = NOBODY


class Pipe(Command, frozen=True):
    """Piper: make somebody crazed."""

    target: Key = NOBODY


class Check(Command, frozen=True):
    """Seer: is this player a villager?"""

    target: Key


class Kill(Command, frozen=True):
    """Wolf: whom the pack is to kill."""

    target: Key = NOBODY


class Antidote(Command, frozen=True):
    """Witch: save somebody who is dying, once in a game."""

    target: Key = NOBODY


class Poison(Command, frozen=True):
    """Witch: put somebody else out, once in a game."""

    target: Key = NOBODY


class Successor(Command, frozen=True):
    """The sheriff who went out: who is sheriff now."""

    target: Key


class LastWords(Command, frozen=True):
    """One of the first two who went out: what you leave behind; no text leaves nothing."""

    text: str = ""


class Rest(Command, frozen=True):
    """Be done with this step of the night, with these choices in the order in which they are asked.

    Everybody who is in says so in each step, with something to do or not.
    """

    targets: tuple[Key, ...] = ()


class Whisper(Command, frozen=True):
    """Say something to the other wolves or to your lover alone."""

    group: Group
    text: str


class Unveil(Command, frozen=True):
    """Show your role on your own HUD, or hide it."""

    shown: bool = True


COMMANDS = (
    Arrow,
    Vote,
    Protect,
    Soundproof,
    Pipe,
    Check,
    Kill,
    Antidote,
    Poison,
    Successor,
    LastWords,
    Rest,
    Whisper,
    Unveil,
)
