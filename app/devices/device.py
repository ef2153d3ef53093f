"""A table in-world as the server knows it, what it says of itself, and why it may be refused."""

from __future__ import annotations

import asyncio
import re

import msgspec

from app.devices import signing
from app.errors import NOTICES, PerilError
from app.table.models import DeviceRow

SCRIPTS = ("requests", "link")
"""Those that say how much memory they have left: the ones that hold what comes and goes."""
SCRIPT_BYTES = 65_536
HEALTH = re.compile(r"[0-9]{1,5}\.[0-9]{1,6}\.[0-9]{1,5}")
"""What `requests` has left, how many of its requests were lost, what `link` has left."""


class Hello(msgspec.Struct, frozen=True):
    """What a table in-world says of itself."""

    object_key: str
    owner_key: str
    owner_name: str = ""
    table: str = ""
    name: str = ""
    region: str = ""
    url: str = ""
    version: str = ""
    theme: str = ""
    language: str = ""
    sets: dict[str, tuple[int, int]] = {}


def free_bytes(row: DeviceRow) -> dict[str, int]:
    """Script → bytes of memory that it has left, as it is stored; {} if the table never said."""
    return msgspec.json.decode(row.free_bytes, type=dict[str, int])


class Device:
    """A registered linkset.

    `seq`: the state that it acknowledged last, 0 if unknown.  `heard`: the state up to which it has
    said all lines.  `begun`: the state from which it was last told something in parts; it may have
    painted some of them.  `dead_url`: one that did not answer; it is not called again, and the
    linkset is told to ask for another one.
    """

    def __init__(self, row: DeviceRow, seen_s: float) -> None:
        self.id = row.id
        self.table_id = row.table_id
        self.secret = row.secret
        self.next_secret = row.next_secret
        self.nonces = signing.Nonces()
        self.notices: list[str] = []
        """What its owner is to be told with the next answer, by the names in `[notice]`."""
        self.stamp = (0, 0)
        """Second and number of the last push."""
        self.object_key = row.object_key
        self.owner_key = row.owner_key
        self.url = row.url
        self.troubles = row.troubles
        self.dead_url = ""
        self.seq = 0
        self.heard = 0
        self.begun = 0
        self.seen_s = seen_s
        self.checked_s = seen_s
        self.doubtful = False
        """Another process said that it changed."""
        self.pushing: asyncio.Task[None] | None = None
        self.errors = {"4xx": 0, "429": 0, "5xx": 0}
        """Answered to it by this process and not stored yet; see `app.tally`."""
        self.free_bytes: dict[str, int] = {}
        """Memory that scripts have left, as the table said last."""
        self.free_stored = free_bytes(row)
        self.lost = self.lost_stored = row.lost
        """Requests that got no answer (499, 503 and the like), as its scripts count from their
        beginning; and the same as it is in the store."""
        self.words = ""
        """The language of what its scripts say by themselves, as told last; '' if it was not."""

    def next_stamp(self, now_s: float) -> tuple[int, int]:
        """Second and number of the next push: later than all before, of other processes too."""
        second, fraction = divmod(now_s, 1)
        number = int(fraction * 1_000_000)
        self.stamp = max((int(second), number), (self.stamp[0], self.stamp[1] + 1))
        return self.stamp

    def answered(self, status: int) -> None:
        """An error was answered to a request in the name of this device."""
        self.errors["429" if status == 429 else f"{status // 100}xx"] += 1

    def told_health(self, said: str) -> None:
        """What its scripts say of themselves; nothing that is not of that form counts."""
        if not HEALTH.fullmatch(said):
            return
        requests, lost, link = map(int, said.split("."))
        if max(requests, link) <= SCRIPT_BYTES:
            self.free_bytes = dict(zip(SCRIPTS, (requests, link), strict=True))
            self.lost = lost

    def basis(self, seq: int) -> int:
        """What to tell from to one who has painted `seq`: the whole board, -seq, if parts of
        something newer may be among it."""
        return -seq if seq == self.begun else seq


class Copied(PerilError):
    """Another object with the same secret is alive."""

    status = 409

    def __init__(self) -> None:
        super().__init__("copied", NOTICES["copied"])


class UnknownDevice(PerilError):
    """The same for every reason why a request is not of a device that is known here."""

    status = 401

    def __init__(self) -> None:
        super().__init__("unknown_device", "This table is not paired here.")


class NotPaired(PerilError):
    status = 403

    def __init__(self) -> None:
        super().__init__("not_paired", NOTICES["not_paired"])
