"""The tables of the database.  `entries` is the truth; everything else can be rebuilt from it.

Times are milliseconds since 1970 in UTC.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class TableRow(SQLModel, table=True):
    """A game table: who owns it and how it is shown."""

    __tablename__ = "tables"

    id: str = Field(primary_key=True, max_length=16)
    name: str = Field(max_length=63)
    owner_key: str = Field(max_length=36, index=True)
    owner_name: str = Field(max_length=63)
    theme: str = Field(default="classic", max_length=32)
    own_theme: str = ""
    """JSON: game → what the owner changed of its theme; "" if nothing.  See `app.games.own`."""
    text_sets: str = Field(default="{}")
    """JSON: text set → [columns, rows]."""
    watched: bool = False
    """A device keeps in touch; its silence freezes the match."""
    listed: bool = False
    """Its owner wants it named on the front page and in lists that everybody may see."""
    created_ms: int = Field(sa_type=BigInteger)


class MatchRow(SQLModel, table=True):
    """A match on a table, an index into `entries`."""

    __tablename__ = "matches"

    id: str = Field(primary_key=True, max_length=24)
    table_id: str = Field(max_length=16, index=True)
    game: str = Field(max_length=32)
    number: int
    """Counts from 1 on each table."""
    first_seq: int
    seed: str = Field(default="", max_length=64)
    """What its dice come from, in hex; a secret of the server until the match is over."""
    opened_ms: int = Field(sa_type=BigInteger)
    closed_ms: int | None = Field(default=None, sa_type=BigInteger)


class EntryRow(SQLModel, table=True):
    """One accepted command and its events.  `(match_id, seq)` is the lock of the writers.

    `seq` goes on counting from match to match of a table: it is the number of the table's state.
    """

    __tablename__ = "entries"
    __table_args__ = (UniqueConstraint("table_id", "command_id"),)

    match_id: str = Field(primary_key=True, max_length=24)
    seq: int = Field(primary_key=True)
    table_id: str = Field(max_length=16)
    at_ms: int = Field(sa_type=BigInteger)
    command_id: str | None = Field(default=None, max_length=64)
    actor: str = Field(max_length=36)
    command: str
    """JSON of the command; `""` for the opening of a match."""
    events: str
    """JSON list of the events."""


class DeadlineRow(SQLModel, table=True):
    """A deadline that runs: when it is due, its `TimeUp` is sent to the match."""

    __tablename__ = "deadlines"

    match_id: str = Field(primary_key=True, max_length=24)
    name: str = Field(primary_key=True, max_length=64)
    phase: int = Field(primary_key=True)
    epoch: int = Field(primary_key=True)
    table_id: str = Field(max_length=16, index=True)
    due_ms: int = Field(sa_type=BigInteger, index=True)


class RecordRow(SQLModel, table=True):
    """Wins and losses of an avatar in a game: on one table, or with scope "" on all of them."""

    __tablename__ = "records"
    __table_args__ = (Index("ix_records_wins", "scope", "game", "wins"),)

    scope: str = Field(primary_key=True, max_length=16)
    game: str = Field(primary_key=True, max_length=32)
    key: str = Field(primary_key=True, max_length=36)
    name: str = Field(max_length=63)
    wins: int = 0
    losses: int = 0
    reached_ms: int = Field(sa_type=BigInteger)
    """When this score was reached; the earlier one stands higher."""
    folded: str = Field(default="", max_length=255)
    """The name as it is searched for; see `log.folded`."""


class ResultRow(SQLModel, table=True):
    """What a match was for one who played in it: the single results of which records are sums."""

    __tablename__ = "results"
    __table_args__ = (Index("ix_results_game", "game", "at_ms"),)

    match_id: str = Field(primary_key=True, max_length=24)
    key: str = Field(primary_key=True, max_length=36, index=True)
    table_id: str = Field(max_length=16)
    game: str = Field(max_length=32)
    won: bool
    at_ms: int = Field(sa_type=BigInteger, index=True)
    of_table: bool = True
    """Counts for the table: its ranking was not reset since."""
    of_service: bool = True
    """Counts for the whole service: its ranking was not wiped since."""
    part: str = Field(default="", max_length=32)
    """What he was, as "role/camp", where the game has such."""


class PictureRow(SQLModel, table=True):
    """The picture on an avatar's public profile page, as it was found; see `app.pictures`."""

    __tablename__ = "pictures"

    key: str = Field(primary_key=True, max_length=36)
    picture: str = Field(default="", max_length=36)
    """Key of its texture; "": he shows none, or it could not be had."""
    due_ms: int = Field(sa_type=BigInteger)
    """When it is looked for again."""


class WipeRow(SQLModel, table=True):
    """When the operator wiped the ranking of the whole service, for rebuilding it."""

    __tablename__ = "wipes"

    at_ms: int = Field(primary_key=True, sa_type=BigInteger)
    game: str = Field(primary_key=True, max_length=32)


class TokenRow(SQLModel, table=True):
    """Whom a bearer token lets in.  Only the hash is kept."""

    __tablename__ = "tokens"

    hash: str = Field(primary_key=True, max_length=64)
    scope: str = Field(max_length=16)
    """operator, owner of one table, harness (plays any avatar but owners and staff), or read."""
    table_id: str = Field(default="", max_length=16)
    label: str = Field(default="", max_length=63)
    """What it is for, in the words of whoever made it."""
    created_ms: int = Field(sa_type=BigInteger)


class DeviceRow(SQLModel, table=True):
    """The linkset in-world that shows a table.  It is known by its secret, not by its key."""

    __tablename__ = "devices"

    id: str = Field(primary_key=True, max_length=16)
    table_id: str = Field(max_length=16, index=True, unique=True)
    secret: str = Field(max_length=64)
    """What signs its requests and the pushes to it, in hex."""
    next_secret: str = Field(default="", max_length=64)
    """Handed out by a rotation and not used yet; both are good until it is."""
    object_key: str = Field(max_length=36)
    """Another one after each rez; two at one time are a copy."""
    owner_key: str = Field(max_length=36)
    region: str = Field(default="", max_length=255)
    url: str = Field(default="", max_length=255)
    version: str = Field(default="", max_length=32)
    troubles: str = Field(default="", max_length=1000)
    """What the scripts found missing or double when they looked last; see `app.troubles`."""
    seen_ms: int = Field(sa_type=BigInteger)
    errors_4xx: int = 0
    errors_429: int = 0
    errors_5xx: int = 0
    """Errors answered to it since it was paired; see `app.tally`."""
    free_bytes: str = Field(default="{}", max_length=64)
    """JSON: script → bytes of memory that it has left."""
    lost: int = 0
    """Requests that got no answer, as its scripts count from their beginning."""


class CodeRow(SQLModel, table=True):
    """Something handed to an avatar that is good once and for a short while.  Only hashes are kept.

    `purpose`: pair (a table with the account of its owner), person or console (a link to the own
    data, or to the own tables), visit, owner or operator (a browser that came in).
    """

    __tablename__ = "codes"

    hash: str = Field(primary_key=True, max_length=64)
    purpose: str = Field(max_length=16)
    key: str = Field(max_length=64, index=True)
    """The avatar it was made for; of the operator, the hash of his token."""
    table_id: str = Field(default="", max_length=16)
    expires_ms: int = Field(sa_type=BigInteger)


class StandingRow(SQLModel, table=True):
    """How an avatar stands with an owner, at all of that one's tables."""

    __tablename__ = "standings"

    owner_key: str = Field(primary_key=True, max_length=36)
    key: str = Field(primary_key=True, max_length=36, index=True)
    name: str = Field(max_length=63)
    rights: str = Field(default="", max_length=63)
    """Words of `games.core.Right`: what he may do in the owner's place."""
    banned: bool = False
    since_ms: int = Field(sa_type=BigInteger)


class RefusalRow(SQLModel, table=True):
    """How many requests were too many for a limit on a day (UTC, counted from 1970)."""

    __tablename__ = "refusals"

    day: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    kind: str = Field(primary_key=True, max_length=16)
    refused: int = Field(sa_type=BigInteger)


class NoticeRow(SQLModel, table=True):
    """What all boards show besides their game; there is one or none."""

    __tablename__ = "notices"
    ONLY: ClassVar[int] = 1

    id: int = Field(primary_key=True)
    text: str = Field(max_length=255)
    since_ms: int = Field(sa_type=BigInteger)


class PersonRow(SQLModel, table=True):
    """What an avatar wishes for his data; most have no row."""

    __tablename__ = "people"

    key: str = Field(primary_key=True, max_length=36)
    hidden: bool = False
    """Is not named in rankings and on pages about players."""
    language: str = Field(default="", max_length=8)
    """What tables speak to him alone; "": what they speak in public."""


class DeedRow(SQLModel, table=True):
    """Something done beside the matches, for the owner to read; see `table.deeds`.

    With no table it concerns all tables of the owner, with no owner the whole service.
    """

    __tablename__ = "deeds"

    id: str = Field(primary_key=True, max_length=24)
    """Grows with the time."""
    at_ms: int = Field(sa_type=BigInteger)
    owner_key: str = Field(default="", max_length=36, index=True)
    table_id: str = Field(default="", max_length=16)
    who: str = Field(max_length=16)
    """owner, operator or table."""
    way: str = Field(max_length=16)
    """console, rest, in_world or command_line."""
    label: str = Field(default="", max_length=63)
    """Of the token that was shown."""
    what: str = Field(max_length=32)
    about_key: str = Field(default="", max_length=36, index=True)
    """The avatar whom it concerns."""
    about_name: str = Field(default="", max_length=63)
    detail: str = Field(default="", max_length=255)
