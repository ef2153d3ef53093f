"""What the processes of one service count together: refusals, and errors and memory of devices.

Each counts by itself, and adds what is new to the store every few seconds: the sums are those of
all processes, and outlive them but for these seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple, Protocol

import msgspec
import structlog
from sqlalchemy import func, text
from sqlmodel import Session, col, delete, select, update

from app.errors import Busy
from app.table.models import DeviceRow, RefusalRow
from app.table.service import Tables

log = structlog.get_logger("tally")

DAY_S: Final = 24 * 60 * 60
WEEK_DAYS: Final = 7
KEPT_DAYS: Final = 30
STEP_BYTES: Final = 1024
"""Memory that differs by less from what is stored is not stored again."""

_ADD = text(
    "INSERT INTO refusals (day, kind, refused) VALUES (:day, :kind, :refused)"
    " ON CONFLICT (day, kind) DO UPDATE SET refused = refusals.refused + excluded.refused"
)


class Device(Protocol):
    """What is counted of a table in-world.  `errors`: those not stored yet."""

    id: str
    errors: dict[str, int]
    free_bytes: dict[str, int]
    free_stored: dict[str, int]
    lost: int
    lost_stored: int


class Limits(Protocol):
    """`refused`: by limit, since this process started."""

    @property
    def refused(self) -> Mapping[str, int]: ...


class Refused(NamedTuple):
    """How many requests were too many for a limit, by UTC days."""

    limit: str
    today: int
    week: int


class _New(NamedTuple):
    """What is not stored yet of a device."""

    device: Device
    errors: dict[str, int]
    free_bytes: dict[str, int]
    lost: int


class Tally:
    """Of one process."""

    def __init__(
        self, tables: Tables, limits: Limits, devices: Callable[[], Collection[Device]]
    ) -> None:
        self._tables = tables
        self._limits = limits
        self._devices = devices
        self._stored: dict[str, int] = {}
        self._saving = False

    def sweep(self) -> None:
        """Store what is new, meanwhile."""
        self._tables.spawn(self.save())

    async def save(self) -> None:
        """Store what is new.  What the store cannot take now is kept for the next time."""
        refused, devices = self._new_refusals(), self._new_of_devices()
        if self._saving or not (refused or devices):
            return
        self._saving = True
        day = self._day()

        def write(session: Session) -> None:
            _add(session, day, refused, devices)

        try:
            await self._tables.store.run(write)
        except Busy:
            log.info("store_busy")
        except Exception:
            log.exception("save_failed")
        else:
            for kind, count in refused.items():
                self._stored[kind] = self._stored.get(kind, 0) + count
            for device, errors, free_bytes, lost in devices:
                device.errors = {kind: n - errors[kind] for kind, n in device.errors.items()}
                device.free_stored, device.lost_stored = free_bytes, lost
        finally:
            self._saving = False

    async def refused(self) -> list[Refused]:
        """What all processes refused, each limit in the order of this one's list."""
        day, mine = self._day(), self._new_refusals()

        def read(session: Session, since: int) -> dict[str, int]:
            sums = select(RefusalRow.kind, func.sum(RefusalRow.refused))
            rows = session.exec(
                sums.where(col(RefusalRow.day) > since).group_by(col(RefusalRow.kind))
            )
            return {kind: int(count) for kind, count in rows}

        today = await self._tables.store.run(lambda s: read(s, day - 1))
        week = await self._tables.store.run(lambda s: read(s, day - WEEK_DAYS))
        return [
            Refused(kind, *(sums.get(kind, 0) + mine.get(kind, 0) for sums in (today, week)))
            for kind in self._limits.refused
        ]

    def _day(self) -> int:
        return int(self._tables.clock() // DAY_S)

    def _new_refusals(self) -> dict[str, int]:
        counts = self._limits.refused.items()
        new = {kind: count - self._stored.get(kind, 0) for kind, count in counts}
        return {kind: count for kind, count in new.items() if count}

    def _new_of_devices(self) -> list[_New]:
        return [
            _New(device, dict(device.errors), device.free_bytes, device.lost)
            for device in self._devices()
            if any(device.errors.values())
            or device.lost != device.lost_stored
            or _differs(device.free_bytes, device.free_stored)
        ]


def _differs(free_bytes: Mapping[str, int], stored: Mapping[str, int]) -> bool:
    return any(
        script not in stored or abs(free - stored[script]) >= STEP_BYTES
        for script, free in free_bytes.items()
    )


def _add(session: Session, day: int, refused: Mapping[str, int], devices: list[_New]) -> None:
    # In one order everywhere, so that no two processes wait for each other.
    for kind, count in sorted(refused.items()):
        session.execute(_ADD, {"day": day, "kind": kind, "refused": count})
    if refused:
        session.exec(delete(RefusalRow).where(col(RefusalRow.day) <= day - KEPT_DAYS))
    for device, errors, free_bytes, lost in sorted(devices, key=lambda new: new.device.id):
        values: dict[str, Any] = {
            "errors_4xx": col(DeviceRow.errors_4xx) + errors["4xx"],
            "errors_429": col(DeviceRow.errors_429) + errors["429"],
            "errors_5xx": col(DeviceRow.errors_5xx) + errors["5xx"],
            "lost": lost,
        }
        if free_bytes:
            values["free_bytes"] = msgspec.json.encode(free_bytes).decode()
        session.exec(update(DeviceRow).where(col(DeviceRow.id) == device.id).values(values))
    session.commit()
