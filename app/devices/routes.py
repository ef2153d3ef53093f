"""The route of the tables in-world: one request per human action, and one answer with all news."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from urllib.parse import unquote_plus

import msgspec
from starlette.types import Scope

from app import troubles
from app.devices import land, pairing, wire
from app.devices.device import Copied, Device, Hello, UnknownDevice
from app.devices.registry import Registry
from app.display import LARGEST_SET, TEXT_SETS
from app.errors import Malformed, PerilError
from app.games import texts
from app.games.core import Actor, Key
from app.games.lobby import SetLanguage
from app.limits import Limits, network
from app.replies import Reply, Take
from app.table import news, talk
from app.table.hot import HotTable, Snapshot
from app.table.service import Tables

FIELDS = 32
NAME = 63
"""Characters of the name of an Experience that are said."""
TEXT = b"text/plain; charset=utf-8"

ID = re.compile(r"[A-Za-z0-9:._-]{1,64}")
NUMBER = re.compile(r"-?[0-9]{1,9}")
MESH = re.compile(r"(\w{1,16}):(\d{1,3}):\d{1,3}:?([1-8]?)")
FACES = 8
MEDIA = "media:"
"""How the name of a prim begins on which the table's page is to be shown."""
MOST_MEDIA = 4

POLL_PUSHED_S = 30
"""With a URL that works, asking is only a sign of life."""
POLL_WAITING_S = 2
POLL_SHOWING_S = 1
POLL_LOBBY_S = 5
POLL_IDLE_S = 15

Form = dict[str, str]


def takers(tables: Tables, registry: Registry, limits: Limits) -> dict[str, Take]:
    """`POST /lsl/v1/{verb}`: hello, poll, touch, press, land.  Bodies are forms, answers text.

    Requests are signed (see `signing`); only a hello and the touch that pairs may be without.
    """
    take = _Lsl(tables, registry, limits)
    return {f"/lsl/v1/{verb}": take for verb in ("hello", *_VERBS)}


class _Lsl:
    """Reads what a script sent, does it, answers with all news."""

    def __init__(self, tables: Tables, registry: Registry, limits: Limits) -> None:
        self._tables = tables
        self._registry = registry
        self._limits = limits

    async def __call__(self, scope: Scope, body: bytes) -> Reply:
        text = _text(scope, body)
        form = read_form(text)
        verb = scope["path"].rpartition("/")[2]
        try:
            if verb == "hello":
                answer = await self._hello(text, form)
            else:
                answer = await self._act(verb, text, form, scope)
        finally:  # only now is one known that this process had to read first
            scope["device"] = self._registry.named(form)
        return Reply(200, answer.encode(), TEXT)

    async def _hello(self, body: str, form: Form) -> str:
        """Register or come back: who the device is, textures, the whole board."""
        registry, tables = self._registry, self._tables
        said, signer = _hello(form), None
        try:
            signer = await registry.signed("hello", body, form)
            device, secret = await registry.hello(said, signer)
        except PerilError as error:
            known = tables.hot.get(signer.table_id) if signer else None
            theme = known.now.theme_of(known.owner) if known else texts.lobby(said.language)
            return pairing.refused(error, said, theme)
        table = await tables.table(device.table_id)
        # What was said before is over; that the game goes on is said because it is back.
        device.heard = device.heard or table.now.seq
        device.told_health(form.get("m", ""))
        await tables.keeper.contact(device.table_id)
        await _speak(tables, table, said.language)
        device.words = ""
        first = [wire.record("I", device.id, secret, table.id), *_words(table, device)]
        if said.url and said.url == device.dead_url:
            first.append("U")
        if found := form.get("prims"):
            painted = [p for p in table.now.board if p not in TEXT_SETS]
            wrong = await registry.examine(device, found.split(","), painted)
            if wrong:
                told = troubles.said(wrong, table.now.theme_of(table.owner))
                first.append(wire.whisper(0, table.owner, told))
            media = [prim for prim in found.split(",") if prim.startswith(MEDIA)][:MOST_MEDIA]
            address = f"{tables.public_url}/t/{table.id}?media"
            first += [wire.record("V", wire.safe(prim), address) for prim in media]
        return _news(device, table, first, {})

    async def _act(self, verb: str, body: str, form: Form, scope: Scope) -> str:
        """A human action, or just the news."""
        registry, tables, limits = self._registry, self._tables, self._limits
        try:
            device = await registry.known(verb, body, form)
        except (UnknownDevice, Copied):
            if registry.open or verb == "poll":
                raise
            return await pairing.answer(registry, limits, verb, form, _address(scope))
        limits.check("device", device.id)
        known = max(_number(form, "since"), 0)
        table = await tables.table(device.table_id, known)
        await tables.keeper.contact(device.table_id)
        if "u" in form:
            await registry.set_url(device, form["u"])
        if "m" in form:
            device.told_health(form["m"])
        direct = await _VERBS[verb](tables, table, form)
        if "more" not in form:  # the rest of an answer has no room for what is said directly
            direct += _notices(table, device) if device.notices else ()
            if device.words != table.now.match.language:
                direct += _words(table, device)
        if device.next_secret:
            direct.append(wire.record("I", device.id, device.next_secret, table.id))
        if device.dead_url and form.get("u") == device.dead_url:
            direct.append("U")
        text = _news(device, table, direct, form)
        registry.told(device)
        return text


async def _speak(tables: Tables, table: HotTable, language: str) -> None:
    """The owner's notecard says what the table speaks in public."""
    if language not in ("", table.now.match.language):
        owner = Actor(table.owner, table.owner_name, owner=True)
        await tables.submit(table.id, owner, SetLanguage(language))


def _notices(table: HotTable, device: Device) -> list[str]:
    """What the owner is to be told of his table, once."""
    names, device.notices = device.notices, []
    say = table.now.theme_of(table.owner).say
    return [wire.whisper(0, table.owner, say("notice", name)) for name in names]


def _words(table: HotTable, device: Device) -> list[str]:
    """What the scripts say while this server is not reached, in the language of the table."""
    device.words = table.now.match.language
    return [wire.words(table.now.theme)]


def _news(device: Device, table: HotTable, direct: list[str], form: Form) -> str:
    known = max(_number(form, "since"), 0)
    device.heard = known or device.heard
    start = _number(form, "more")
    upto = table.at(_number(form, "to")) if start > 0 else None
    since = _number(form, "from") if upto else device.basis(known)
    if upto and since > 0 and table.at(since) is None:
        # Another process gave the first part, as a difference that this one cannot make.
        upto, since = None, -known
    part = since_part(
        table,
        since,
        device.heard,
        direct,
        start if upto else 0,
        upto,
        poll_s(table, device),
        wire.BODY_BYTES,
    )
    if part.rest:
        device.begun = abs(since)
    else:
        device.seq = (upto or table.now).seq
    return part.text


def since_part(
    table: HotTable,
    since: int,
    heard: int,
    direct: list[str],
    start: int,
    upto: Snapshot | None,
    poll: int,
    budget_bytes: int,
) -> wire.Part:
    """The news since `since`, or as much of it as fits, from record `start` on.

    `since` 0: nothing is known; -n: state n, and yet the whole board.  Who knows nothing still
    hears the lines after state `heard`.
    """
    known = table.at(since) if since > 0 else None
    state = upto or table.now
    seats = {s.key: s.bot for s in state.match.seats if s.key in state.huds}
    renewed = known is not None and known.match.hud_epoch != state.match.hud_epoch
    whose = list(seats) if renewed else None
    told = news.since(table, since if since > 0 else None, whose, upto=upto)
    if since <= 0 and (earlier := -since or heard):
        said = news.since(table, earlier, upto=upto).said
        told = msgspec.structs.replace(told, said=said)
    records = wire.news_records(told, seats, renewed, state.theme.pictures)
    if known is not None and known.match.land_checks != state.match.land_checks:
        records.append("K")
    begin = -abs(since) if told.kind == "whole" else since
    header = wire.record("S", str(begin), str(told.seq), str(poll))
    return wire.pack(header, direct, records, (begin, told.seq), budget_bytes, start)


def poll_s(table: HotTable, device: Device) -> int:
    """In how many seconds the table should ask again."""
    if device.url:
        return POLL_PUSHED_S
    match = table.now.match
    if match.stage == "lobby":
        return POLL_LOBBY_S if match.seats else POLL_IDLE_S
    return POLL_WAITING_S if table.now.public.waiting_for else POLL_SHOWING_S


# ---- verbs ----------------------------------------------------------------------------------


async def _poll(_: Tables, __: HotTable, ___: Form) -> list[str]:
    return []


async def _touch(tables: Tables, table: HotTable, form: Form) -> list[str]:
    actor = _actor(table, form)
    if "x" in form:
        column, row = _number(form, "x"), _number(form, "y")
        answer = await talk.turn_ranking(tables, table.id, actor, column, row)
    else:
        answer = await talk.touch(tables, table.id, actor, _id(form))
    return _direct(table, actor.key, answer)


async def _press(tables: Tables, table: HotTable, form: Form) -> list[str]:
    actor = _actor(table, form)
    answer = await talk.press(
        tables, table.id, actor, form.get("t", ""), form.get("b", ""), _id(form)
    )
    return _direct(table, actor.key, answer)


async def _land(_: Tables, table: HotTable, form: Form) -> list[str]:
    """The owner is told what the scripts saw of his land."""
    key = _actor(table, form).key
    if key != table.owner:
        return []
    theme = table.now.theme_of(key)
    told = land.said(form.get("lacks", ""), form.get("experience", "")[:NAME], theme)
    return [wire.whisper(0, key, told)]


Verb = Callable[[Tables, HotTable, Form], Awaitable[list[str]]]
_VERBS: dict[str, Verb] = {"poll": _poll, "touch": _touch, "press": _press, "land": _land}


def _direct(table: HotTable, key: Key, answer: talk.Answer) -> list[str]:
    """What is said and shown to the one who acted; a refusal is a sentence to him alone."""
    out = []
    if answer.refusal is not None:
        sentence = table.now.theme_of(key).refusal(answer.refusal)
        out.append(wire.whisper(0, key, sentence))
    if answer.aside:
        out.append(wire.whisper(0, key, answer.aside))
    if answer.dialog is not None:
        out.append(wire.dialog(0, key, answer.dialog))
    return out


# ---- reading --------------------------------------------------------------------------------


def _text(scope: Scope, body: bytes) -> str:
    """What a script sent.  UnknownDevice if it comes from a page in a browser instead."""
    if any(name == b"origin" for name, _ in scope["headers"]):
        raise UnknownDevice
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise Malformed("That is not a form.") from error


def read_form(body: str) -> Form:
    """The fields of a form; of two with the same name the last one.  Malformed if it is none."""
    # Of what a table sends `parse_qsl` takes 65 µs, this 10.
    if body.count("&") >= FIELDS:
        raise Malformed("That is not a form.")
    form = {}
    # LSL escapes the hyphens of keys too: they are put back first, and little is left to do then.
    for pair in body.replace("%2D", "-").split("&") if body else ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise Malformed("That is not a form.")
        if "%" in pair or "+" in pair:
            name, value = unquote_plus(name), unquote_plus(value)
        form[name] = value.replace("\0", "")
    return form


def _number(form: Form, name: str) -> int:
    value = form.get(name, "")
    return int(value) if NUMBER.fullmatch(value) else 0


def _id(form: Form) -> str | None:
    """The id of a human action; sent again, it gets the same answer."""
    value = form.get("id", "")
    if value and not ID.fullmatch(value):
        raise Malformed("An id has up to 64 letters, digits and : . _ -")
    return value or None


def _actor(table: HotTable, form: Form) -> Actor:
    key = form.get("a", "")
    if not pairing.UUID.fullmatch(key):
        raise Malformed("An avatar is named by its key.")
    return Actor(Key(key), form.get("n", "")[:255], key == table.owner)


def _hello(form: Form) -> Hello:
    for name in ("o", "owner"):
        if not pairing.UUID.fullmatch(form.get(name, "")):
            raise Malformed("A table and its owner are named by their keys.")
    return Hello(
        object_key=form["o"],
        owner_key=form["owner"],
        owner_name=form.get("name", ""),
        table=form.get("table", ""),
        name=form.get("title", ""),
        region=form.get("region", ""),
        url=form.get("u", ""),
        version=form.get("v", ""),
        theme=form.get("theme", ""),
        language=form.get("language", ""),
        sets=_sets(form.get("prims", "").split(",")),
    )


def _sets(prims: list[str]) -> dict[str, tuple[int, int]]:
    """How many columns and rows the meshes of each text set make, as far as all may have."""
    sizes: dict[str, tuple[int, int]] = {}
    for mesh in filter(None, map(MESH.fullmatch, prims)):
        name, row, faces = mesh[1], int(mesh[2]), int(mesh[3] or FACES)
        if name in TEXT_SETS:
            columns, rows = sizes.get(name, (0, 0))
            columns = min(columns + faces * (row == 0), LARGEST_SET[0])
            sizes[name] = columns, min(max(rows, row + 1), LARGEST_SET[1])
    return {name: size for name, size in sizes.items() if size[0]}


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return network(client[0]) if client else ""
