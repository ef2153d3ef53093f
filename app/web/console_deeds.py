"""What the forms of the owner's console do: commands to a table, and what is set beside it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from app import codes
from app.errors import PerilError, Refused
from app.games import lobby, texts
from app.games.core import Actor, Command, Key, Right
from app.people import key_of
from app.table import listing, standings, talk, themes
from app.table.deeds import OWNERS_CONSOLE
from app.table.hot import HotTable
from app.table.service import Tables
from app.web import console_views
from app.web.console_views import Devices
from app.web.words import Words

Form = Mapping[str, str]

SURE: Final = PerilError("not_sure", "Nothing was done: the box was not ticked.", status=422)
STAFF_RIGHTS: Final[tuple[Right, ...]] = ("matches", "options")
WILD: Final = {"close", "reset_ranking", "reset_all", "cut"}
"""What wants a tick in the box `sure` besides."""


class Done(NamedTuple):
    """Something is done.  `part`: where the page goes on; `code`: what is to be told once."""

    part: str = "now"
    code: str = ""


def once() -> str:
    """What makes a form one that counts once, however often it is sent."""
    return secrets.token_hex(12)


def _id(form: Form) -> str | None:
    """The id of the command in a form: the same form, filled in alike, is the same command."""
    given = form.get("once", "")
    if not given:
        return None
    said = "\0".join(f"{name}={value}" for name, value in sorted(form.items()))
    return "console-" + hashlib.blake2s(said.encode(errors="replace"), digest_size=16).hexdigest()


# ---- at a table -----------------------------------------------------------------------------

_COMMANDS: Final[dict[str, Callable[[HotTable, Form], Command]]] = {
    "start": lambda _, __: lobby.Start(),
    "close": lambda _, __: lobby.ResetMatch(),
    "lock": lambda _, __: lobby.Lock(),
    "unlock": lambda _, __: lobby.Unlock(),
    "add_bot": lambda _, __: lobby.AddBot(),
    "remove_bot": lambda _, __: lobby.RemoveBot(),
    "kick": lambda _, form: lobby.Kick(Key(form.get("key", "")[:36])),
    "send_huds": lambda _, __: lobby.SendHuds(),
    "clear_huds": lambda _, __: lobby.ClearHuds(),
    "check_land": lambda _, __: lobby.CheckLand(),
    "reset_ranking": lambda _, __: lobby.ResetRanking(),
    "reset_all": lambda _, __: lobby.ResetAll(),
    "game": lambda _, form: lobby.ChooseGame(form.get("game", "")[:32]),
    "preset": lambda _, form: lobby.SetOptions(preset=form.get("preset", "")[:32]),
    "options": lambda table, form: lobby.SetOptions(
        options=console_views.chosen(table.now.match, form)
    ),
    "language": lambda _, form: lobby.SetLanguage(form.get("language", "")[:16]),
}
_PARTS: Final = {
    **dict.fromkeys(("game", "preset", "options", "language", "theme", "listed"), "options"),
    **dict.fromkeys(("send_huds", "clear_huds", "check_land", "pair", "cut"), "in-world"),
    **dict.fromkeys(("reset_ranking", "reset_all"), "resets"),
}


async def at_table(tables: Tables, devices: Devices, table: HotTable, form: Form, t: Words) -> Done:
    """Do what a form of the table's page asks.  Refused, or another error with its sentence."""
    what = form.get("do", "")
    if what in WILD and form.get("sure") != "on":
        raise SURE
    done = Done(_PARTS.get(what, "now"))
    if what in _COMMANDS:
        command = _COMMANDS[what](table, form)
        if command != lobby.SetOptions():  # a form that changes nothing
            await _send(tables, table, command, _id(form), t)
        return done
    match what:
        case "theme":
            await themes.choose(tables, OWNERS_CONSOLE, table.id, form.get("theme", "")[:32])
        case "listed":
            listed = form.get("listed") == "on"
            await listing.set_listed(tables, OWNERS_CONSOLE, table.id, listed)
        case "pair":
            now_ms = int(tables.clock() * 1000)
            code = await codes.pairing(tables.store, OWNERS_CONSOLE, table.owner, table.id, now_ms)
            return Done(done.part, code)
        case "cut":
            await devices.revoke(OWNERS_CONSOLE, table.id)
        case "ban" | "staff" | "pardon":
            await about_people(tables, table.owner, form)
        case _:
            raise PerilError("unknown_wish", "The console knows no such thing.", status=422)
    return done


async def _send(
    tables: Tables, table: HotTable, command: Command, command_id: str | None, t: Words
) -> None:
    owner = Actor(table.owner, table.owner_name, owner=True)
    answer = await talk.command(tables, table.id, owner, command, command_id)
    if answer.refusal is not None:
        # The console speaks to its visitor, whatever the table speaks in public.
        raise Refused(answer.refusal, texts.load(table.now.match.game, language=t.language))


# ---- staff and bans -------------------------------------------------------------------------


async def about_people(tables: Tables, owner: Key, form: Form) -> None:
    """Ban somebody, trust him with rights, or neither any more."""
    what, key, name = form.get("do"), key_of(form.get("key", "")), form.get("name", "")[:255]
    match what:
        case "ban":
            await standings.change(tables, OWNERS_CONSOLE, owner, key, name, banned=True)
        case "staff":
            # A field named `matches` would hide the method of that name from scripts.
            ticked = (right for right in STAFF_RIGHTS if form.get(f"may_{right}") == "on")
            rights = frozenset(ticked)
            if not rights:
                raise PerilError("no_rights", "Tick what they may do.", status=422)
            await standings.change(tables, OWNERS_CONSOLE, owner, key, name, rights)
        case "pardon":
            await standings.change(tables, OWNERS_CONSOLE, owner, key)
        case _:
            raise PerilError("unknown_wish", "The console knows no such thing.", status=422)
