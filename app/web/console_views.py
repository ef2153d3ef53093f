"""What the owner's console shows: his tables, how they are, what can be set."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Protocol, cast

import msgspec
from jinja2 import nodes
from sqlmodel import Session, col, select

from app import troubles
from app.games import GAMES, languages, menus, texts
from app.games.core import Game, Key, Match
from app.table import deeds, standings
from app.table.hot import HotTable
from app.table.keeper import SILENCE_S
from app.table.models import DeviceRow, TableRow
from app.table.service import Tables
from app.web import pages, reading
from app.web.words import ENGLISH, Words

MOST_TABLES: Final = 100
"""Shown on one page."""
LITTLE_BYTES: Final = 8 * 1024
"""A script that has less memory left is in danger of stopping."""

LABELS: Final = {
    "turn_s": "Time to answer",
    "afk": "Whoever stays silent is",
    "afk_limit": "Silences until then",
    "rank_practice": "Practice counts",
    "bot_pick_s": "A bot picks",
    "bot_roll_s": "A bot rolls",
    "bot_turn_s": "A bot’s turn",
    "title_after_s": "Title again after",
    "shown_s": "Picture shown",
    "on_timeout": "If somebody stays silent",
    "finals_reset": "Reload in the finals",
    "utc_offset": "Difference to UTC",
    "day_early": "The day ends when all have voted",
    "stall_limit": "Quiet days until the lot",
    "check": "Look who has won",
    "elder_simul": "The elder’s extra life goes at once",
    "seer_reads": "The seer reads",
    "guard_repeat": "The guard",
    "piper_self": "The piper may make himself crazed",
    "crazed_stays": "The crazed stay so",
    "empty_camp_wins": "An empty camp wins",
}
"""Options whose names say too little; the others are called by theirs."""


_RULE: Final = re.compile(r"W\d+: ")
"""What a meaning begins with that stands at a rule which the page of rules numbers."""

_NAME: Final = re.compile(r"\b[a-z]+(_[a-z]+)+\b")
"""An option as programs call it."""


class Devices(Protocol):
    """What the console needs of the tables in-world.  `revoke`: NotFound if there is none."""

    def errors(self, row: DeviceRow) -> dict[str, int]: ...

    def free_bytes(self, row: DeviceRow) -> dict[str, int]: ...

    async def revoke(self, by: deeds.By, table_id: str) -> None: ...


@dataclass(frozen=True)
class Health:
    """How the table in-world is.  `seen`: when it was heard of, in words; '' if never paired."""

    seen: str = ""
    here: bool = False
    region: str = ""
    version: str = ""
    troubles: str = ""
    pushed: bool = False
    errors: str = ""
    lost: int = 0
    """Requests to which it got no answer since its scripts began."""
    free_bytes: Mapping[str, int] = field(default_factory=dict)
    """Script → bytes of memory that it has left."""

    @property
    def short(self) -> bool:
        """A script is about to run out of memory."""
        return any(free < LITTLE_BYTES for free in self.free_bytes.values())

    @property
    def word(self) -> str:
        if not self.seen:
            return "not in-world"
        return "in touch" if self.here else "gone silent"


@dataclass(frozen=True)
class Summary:
    """A table in the list."""

    id: str
    name: str
    title: str
    stage: str
    players: int
    seats: int
    locked: bool
    health: Health


@dataclass(frozen=True)
class Field:
    """An option as a form asks for it.  `choices`: value and label; none for a number."""

    name: str
    label: str
    meaning: str
    value: str
    choices: Sequence[tuple[str, str]] = ()
    least: str = ""
    most: str = ""
    step: str = "1"
    pause: bool = False


async def owned(tables: Tables, owner: Key) -> list[HotTable]:
    """The owner's tables, the oldest first."""

    def read(session: Session) -> list[str]:
        query = select(TableRow.id).where(TableRow.owner_key == owner)
        return list(session.exec(query.order_by(col(TableRow.created_ms)).limit(MOST_TABLES)))

    return [await tables.table(table_id) for table_id in await tables.store.run(read)]


async def standings_of(tables: Tables, owner: Key) -> standings.Standings:
    """How everybody stands with the owner, from the store."""
    return await tables.store.run(lambda session: standings.of(session, owner))


async def summaries(tables: Tables, devices: Devices, owner: Key, t: Words) -> list[Summary]:
    out = []
    for table in await owned(tables, owner):
        match = table.now.match
        game = GAMES[match.game]
        health = await health_of(tables, devices, table.id, t)
        where = table.id, table.name, game.title, match.stage
        count = len(match.seats), game.seats[-1]
        out.append(Summary(*where, *count, match.locked, health))
    return out


async def health_of(tables: Tables, devices: Devices, table_id: str, t: Words) -> Health:
    """How the linkset of a table is, as far as the server knows."""

    def read(session: Session) -> DeviceRow | None:
        return session.exec(select(DeviceRow).where(DeviceRow.table_id == table_id)).first()

    row = await tables.store.run(read)
    if row is None:
        return Health()
    seen_s = max(row.seen_ms / 1000, tables.keeper.seen.get(table_id, 0.0))
    ago_s = max(tables.clock() - seen_s, 0.0)
    errors = {kind: n for kind, n in devices.errors(row).items() if n}
    return Health(
        seen=ago(ago_s, t),
        here=ago_s <= SILENCE_S,
        region=row.region,
        version=row.version,
        troubles=troubles.said(row.troubles, texts.lobby(t.language)),
        pushed=bool(row.url),
        errors=", ".join(f"{n} × {kind}" for kind, n in errors.items()),
        lost=row.lost,
        free_bytes=devices.free_bytes(row),
    )


AGO: Final = (
    (86_400, "{n} day ago", "{n} days ago"),
    (3600, "{n} hour ago", "{n} hours ago"),
    (60, "{n} minute ago", "{n} minutes ago"),
)


def ago(seconds: float, t: Words) -> str:
    """How long something is past, roughly."""
    for size, one, several in AGO:
        count = int(seconds // size)
        if count:
            return t(one if count == 1 else several).format(n=count)
    return t("just now")


def moment(at_ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at_ms / 1000))


# ---- options --------------------------------------------------------------------------------


def fields(match: Match[Any], t: Words) -> list[Field]:
    """The options of the game as they are now, read off their types."""
    game = GAMES[match.game]
    return [
        _field(game, name, getattr(match.options, name), t)
        for name in game.options.__struct_fields__
    ]


def label(name: str) -> str:
    """What an option is called, in English."""
    return LABELS.get(name) or name.removesuffix("_s").replace("_", " ").capitalize()


def _field(game: Game[Any], name: str, value: Any, t: Words) -> Field:
    called = t(label(name))
    if name.endswith("_s"):
        called += t(", seconds")
    meaning = _RULE.sub("", meanings(game.name, t.language).get(name, ""))
    meaning = _NAME.sub(lambda found: t(label(found[0])), meaning)
    pause = name.endswith("_s") and name != "turn_s"
    choices = menus.choosable(game).get(name, ())
    shown = {form_value(c): _word(game, c, t) for c in choices}
    for code, word in shown.items():  # the meanings name them as programs do
        named = rf"(?<=\(){code}(?=\))" if t is ENGLISH else rf"\b{code}\b"
        meaning = re.sub(named, word, meaning)
    meaning = meaning[:1].upper() + meaning[1:]
    if choices:
        return Field(name, called, meaning, form_value(value), list(shown.items()))
    least, most = game.options.LIMITS[name]
    step = "1" if isinstance(value, int) else "any"
    numbers = form_value(value), (), form_value(least), form_value(most), step
    return Field(name, called, meaning, *numbers, pause=pause)


def _word(game: Game[Any], choice: Any, t: Words) -> str:
    """A value of an option as people read it."""
    if isinstance(choice, int) and not isinstance(choice, bool):
        return form_value(choice)
    return str(texts.load(game.name, language=t.language).value(choice))


def form_value(value: Any) -> str:
    """A value of an option as a form has it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def chosen(match: Match[Any], form: Mapping[str, str]) -> dict[str, Any]:
    """The options which a form changes, with values of their types where they are some."""
    choices = menus.choosable(GAMES[match.game])
    out: dict[str, Any] = {}
    for name in match.options.__struct_fields__:
        given = form.get(name)
        if given is not None and given != form_value(getattr(match.options, name)):
            by_form = {form_value(choice): choice for choice in choices.get(name, ())}
            out[name] = by_form[given] if given in by_form else menus.number(given.strip()[:20])
    return out


@cache
def meanings(game: str, language: str) -> Mapping[str, str]:
    """What each option does, as the game's page of rules says it."""
    there = pages.templates.list_templates()
    name = f"rules/{game}.{language}.html"
    source, _, _ = pages.templates.loader.get_source(  # type: ignore[union-attr]
        pages.templates, name if name in there else f"rules/{game}.html"
    )
    for node in pages.templates.parse(source).find_all(nodes.Assign):
        if isinstance(node.target, nodes.Name) and node.target.name == "meanings":
            return dict(cast(nodes.Expr, node.node).as_const())
    return {}


# ---- a table --------------------------------------------------------------------------------


def table_view(table: HotTable, t: Words) -> dict[str, Any]:
    """What the page of a table shows besides its health."""
    state = table.now
    match = state.match
    game = GAMES[match.game]
    return {
        "table": table,
        "match": match,
        "game": game,
        "seq": state.seq,
        "seats": [
            (seat, pages.seat_state(_seat(seat, match), match.stage)) for seat in state.public.seats
        ],
        "waiting": [match.name(key) for key in state.public.waiting_for],
        "games": [
            (g.name, languages.title(g, texts.load(g.name, language=t.language)))
            for g in GAMES.values()
        ],
        "presets": [(p, reading.preset(game, p, t)) for p in game.presets],
        "fields": fields(match, t),
        "themes": texts.names(match.game),
        "tongues": texts.LANGUAGES,
        "language": match.language,
    }


def _seat(seat: Any, match: Match[Any]) -> dict[str, Any]:
    return {**msgspec.to_builtins(seat), "starter": seat.key == match.starter}


def people(known: standings.Standings) -> tuple[list[standings.Standing], ...]:
    """Staff and who is banned, by their names."""
    by_name = sorted(known.values(), key=lambda s: (s.name.casefold(), s.key))
    return [s for s in by_name if not s.banned], [s for s in by_name if s.banned]
