"""The event log: what it takes and gives.  `sqlite` and `postgres` keep it, `sql` says how."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import msgspec
from sqlmodel import Session

T = TypeVar("T")


class Conflict(Exception):
    """Another writer was there first: reload and decide again."""


class Duplicate(Conflict):
    """The command id is in the log already."""


class StoreBusy(Exception):
    """The store cannot take it now (full disk, locked file); nothing was written."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A row of `entries`; see `models.EntryRow`."""

    match_id: str
    seq: int
    table_id: str
    at_ms: int
    command_id: str | None
    actor: str
    command: str
    events: str


class Deadline(msgspec.Struct, frozen=True, gc=False):
    """A row of `deadlines`."""

    match_id: str
    name: str
    phase: int
    epoch: int
    table_id: str
    due_ms: int


class Score(msgspec.Struct, frozen=True, gc=False):
    """A result to be added to the records of a table and of the service."""

    match_id: str
    game: str
    key: str
    name: str
    won: bool
    part: str = ""
    """What he was, as "role/camp", where the game has such."""
    on_table: bool = True
    """False if the table's ranking was reset in the same step, after this."""


class Opened(msgspec.Struct, frozen=True, gc=False):
    """A match begun; see `models.MatchRow`."""

    match_id: str
    game: str
    number: int
    first_seq: int
    seed: str


class Append(msgspec.Struct, gc=False):
    """Everything one step of a table writes, all of it or nothing."""

    table_id: str
    entries: list[Entry]
    stopped: Sequence[Deadline] = ()
    started: Sequence[Deadline] = ()
    opened: tuple[Opened, ...] = ()
    closed: tuple[str, ...] = ()
    wiped: tuple[str, ...] = ()
    """Games whose ranking of this table is forgotten, before the scores count."""
    scores: tuple[Score, ...] = ()
    table: dict[str, Any] | None = None
    """The row of a new table."""


def folded(name: str) -> str:
    """A name as it is searched for: without differences of case and of compatible characters."""
    return unicodedata.normalize("NFKC", name).casefold()[:255]


class Log(Protocol):
    """The store as the table service needs it.

    `shared`: other processes may serve the same tables at the same time.
    """

    shared: bool

    async def enter(self) -> bool:
        """Become one of the processes that serve these tables; whether there is no other.

        Such a first one says by `entered` when the others may follow; they wait for that here.
        """

    async def entered(self) -> None:
        """What the first one had to do is done."""

    async def stay(self) -> None:
        """Be one of them still, should the store have been gone meanwhile.  Cheap."""

    async def leave(self) -> None:
        """Be none of them any more: who enters after that does not find this one."""

    async def append(self, append: Append) -> None:
        """Store durably.  Conflict, Duplicate or StoreBusy if nothing was written."""

    async def run(self, work: Callable[[Session], T]) -> T:
        """Run `work` in a session of its own, off the event loop; it may commit."""

    def close(self) -> None:
        """Finish what waits and close."""
