"""A table that is nobody's here yet (or no more): what it shows, and how its owner pairs it.

It has no state of its own, so its answers are of state 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from app import codes
from app.devices import land, wire
from app.devices.device import Hello, NotPaired, UnknownDevice
from app.devices.registry import Registry
from app.display import YELLOW, Frame
from app.errors import PerilError, TooMany
from app.games import texts
from app.games.texts import Theme
from app.limits import Limits

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TOKEN = "pair"
"""Of the text box for the code."""
POLL_S = 60


def refused(error: PerilError, hello: Hello, theme: Theme) -> str:
    """The answer to a table that is not taken, in the words of `theme`."""
    said = theme.maybe("notice", error.notice, **error.fields) or error.message
    told = [wire.words(theme), wire.whisper(0, hello.owner_key, said)]
    if isinstance(error, NotPaired):
        board = Frame("start", text=theme.say("notice", "unpaired_board"), text_color=YELLOW)
        told.insert(0, wire.frame("root", board))
    return without_state(*told)


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
    theme = texts.lobby(form.get("language", ""))
    say = partial(theme.say, "notice")
    if not all(map(UUID.fullmatch, (who, owner, thing))):
        raise UnknownDevice
    if who != owner:
        return without_state(wire.whisper(0, who, say("owner_pairs")))
    if verb == "land":
        lacks, experience = (form.get(name, "")[:63] for name in ("lacks", "experience"))
        return without_state(wire.whisper(0, who, land.said(lacks, experience, theme)))
    if verb != "press" or form.get("t") != TOKEN:
        return without_state(wire.ask(0, who, TOKEN, say("type_code", minutes=codes.LIFE_S // 60)))
    try:
        limits.check("guess", (TOKEN, address, owner))
    except TooMany as error:
        return without_state(wire.whisper(0, who, say(error.notice, **error.fields)))
    device = await registry.pair(form.get("b", "")[:64], thing, owner, form.get("n", "")[:63])
    if device is None:
        return without_state(wire.whisper(0, who, say("wrong_code")))
    told = wire.record("I", device.id, device.secret, device.table_id)
    return without_state(told, wire.whisper(0, who, say("paired")), poll_s=0)
