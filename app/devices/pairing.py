"""A table that is nobody's here yet (or no more): what it shows, and how its owner pairs it.

It has no state of its own, so its answers are of state 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.devices import wire
from app.devices.device import UnknownDevice
from app.devices.registry import Registry
from app.display import YELLOW, Frame
from app.errors import TooMany
from app.limits import Limits

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TOKEN = "pair"
"""Of the text box for the code."""
POLL_S = 60

TYPE_CODE = "Type the pairing code of this table. It is good once, for 15 minutes."
WRONG_CODE = "That is not a pairing code of yours, or it is no longer good. Ask for a new one."
OWNER_PAIRS = "This table is not paired with its server yet. Its owner has to touch it."
PAIRED = "This table is paired with its server now."
BOARD = Frame(
    picture="start",
    text="🔗 NOT PAIRED YET\nIts owner touches it and types the pairing code",
    text_color=YELLOW,
)


def without_state(*records: str, poll_s: int = POLL_S) -> str:
    """An answer to a table that has no state here."""
    return wire.RECORD.join((wire.record("S", "0", "0", str(poll_s)), *records))


async def answer(
    registry: Registry, limits: Limits, verb: str, form: Mapping[str, str], address: str
) -> str:
    """What a touch or press at such a table leads to.  UnknownDevice if it is not even one.

    Of the owner the table says only that it is him; the code proves it.
    """
    who, owner, thing = (form.get(name, "") for name in ("a", "owner", "o"))
    if not all(map(UUID.fullmatch, (who, owner, thing))):
        raise UnknownDevice
    if who != owner:
        return without_state(wire.whisper(0, who, OWNER_PAIRS))
    if verb != "press" or form.get("t") != TOKEN:
        return without_state(wire.ask(0, who, TOKEN, TYPE_CODE))
    try:
        limits.check("guess", (TOKEN, address, owner))
    except TooMany as error:
        return without_state(wire.whisper(0, who, error.message))
    device = await registry.pair(form.get("b", "")[:64], thing, owner, form.get("n", "")[:63])
    if device is None:
        return without_state(wire.whisper(0, who, WRONG_CODE))
    told = wire.record("I", device.id, device.secret, device.table_id)
    return without_state(told, wire.whisper(0, who, PAIRED), poll_s=0)
