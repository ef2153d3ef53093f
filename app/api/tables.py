"""Tables: create, list, read, options, sign of life."""

from __future__ import annotations

import json
import uuid
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from app.api.access import Access
from app.api.schemas import UUID
from app.display import LARGEST_SET, TEXT_SETS
from app.errors import Malformed, PerilError
from app.games import GAMES, lobby, menus
from app.games.core import Actor, Key
from app.settings import Settings
from app.table import deeds, listing, news, talk
from app.table.hot import HotTable
from app.table.service import Tables


def _sound(options: dict[str, Any]) -> dict[str, Any]:
    """ValueError if a text in it holds half a surrogate pair, which no other part can take."""
    json.dumps(options, ensure_ascii=False).encode()
    return options


OptionsIn = Annotated[dict[str, JsonValue], AfterValidator(_sound)]


class Owner(BaseModel):
    """The avatar who owns a table."""

    key: str = Field(pattern=f"^{UUID}$", examples=["0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b"])
    name: str = Field(default="", max_length=255, examples=["Ada"])


class TableCreate(BaseModel):
    """A new table.  Without an owner one is made up, which is enough for a test harness."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"name": "The Rooftop", "preset": "speed_peril"}},
    )

    name: str = Field(default="Peril Table", max_length=63)
    owner: Owner | None = None
    game: str = Field(default="peril", max_length=32)
    preset: str = Field(default="", max_length=32)
    options: OptionsIn = {}
    listed: bool = False


class TablePatch(BaseModel):
    """What an owner may change besides the options."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"listed": True}})

    listed: bool = Field(description="Named on the front page and in the list of tables.")


class OptionsPatch(BaseModel):
    """A preset, single options, or both (the preset first)."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"options": {"lives": 2, "pace": "brisk"}}}
    )

    preset: str = Field(default="", max_length=32)
    options: OptionsIn = {}


class TextSets(BaseModel):
    """Sizes of the text sets a linkset has: name → columns, rows."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"text_sets": {"Leaderboard": [32, 12]}}}
    )

    text_sets: dict[str, tuple[int, int]] = Field(max_length=8)


class TableOut(BaseModel):
    """A table as everybody may see it."""

    id: str
    name: str
    game: str
    title: str = Field(description="The game's name as people read it.")
    owner: Owner
    match: str
    seq: int
    stage: str
    listed: bool = Field(description="Everybody may find it in the list of tables.")
    locked: bool
    frozen: str
    options: dict[str, Any]
    options_text: str
    presets: dict[str, dict[str, Any]]
    text_sets: dict[str, tuple[int, int]]
    state: dict[str, Any]
    """The public view of the match."""


class TableCreated(TableOut):
    owner_token: str = Field(description="Acts as the owner of this table.  Shown only now.")


class TableLine(BaseModel):
    """A table in the list."""

    id: str
    name: str
    game: str
    stage: str
    players: int
    seats: int
    locked: bool


class TableList(BaseModel):
    tables: list[TableLine]


class Answered(BaseModel):
    match: str
    seq: int


def router(tables: Tables, access: Access, settings: Settings) -> APIRouter:
    """Routes of the tables themselves."""
    routes = APIRouter(prefix="/tables", tags=["tables"])

    @routes.post("", status_code=201, summary="Create a table")
    async def create(body: TableCreate, request: Request) -> TableCreated:
        """Make a table with an open lobby.  Needs the operator's token."""
        caller = await access.caller(request)
        access.must_operate(caller)
        if await listing.count(tables.store) >= settings.tables_limit:
            raise PerilError("too_many_tables", "This server has as many tables as it takes.")
        owner = body.owner or Owner(key=str(uuid.uuid4()), name="Owner")
        table = await tables.create(
            body.name, Key(owner.key), owner.name, body.game, body.preset, body.options
        )
        if body.listed:
            await listing.set_listed(tables, access.by(caller), table.id, True)
        now_ms = int(tables.clock() * 1000)
        token, _ = await access.grant(access.by(caller), "owner", now_ms, table.id)
        return TableCreated(**_out(table), owner_token=token)

    @routes.get("", summary="List tables")
    async def index(
        request: Request,
        after: Annotated[str, Query(max_length=16)] = "",
        limit: Annotated[int, Query(ge=1, le=100)] = 50,
    ) -> TableList:
        """Tables in the order of their ids, from the one behind `after` on.

        To who may not read everything only those that their owners list.
        """
        everything = access.may_read(await access.caller(request))
        lines = await listing.tables(tables, after, limit, unlisted=everything)
        return TableList(tables=[TableLine(**msgspec.structs.asdict(line)) for line in lines])

    @routes.get("/{table_id}", summary="Read a table")
    async def read(table_id: str) -> TableOut:
        """The table and the public view of its match."""
        return TableOut(**_out(await tables.table(table_id)))

    @routes.patch("/{table_id}", summary="List a table, or not")
    async def patch(table_id: str, body: TablePatch, request: Request) -> TableOut:
        """Whether everybody may find the table, on the front page and in the list of tables."""
        table, by = await _owned(table_id, request)
        await listing.set_listed(tables, by, table_id, body.listed)
        return TableOut(**_out(table))

    @routes.patch("/{table_id}/options", summary="Change options")
    async def patch_options(table_id: str, body: OptionsPatch, request: Request) -> TableOut:
        """Set options for the matches to come.  Refused while a match runs."""
        table, by = await _owned(table_id, request)
        await _set_options(tables, table, by, body)
        return TableOut(**_out(table))

    @routes.put("/{table_id}/text-sets", summary="Set the sizes of the text sets")
    async def put_text_sets(table_id: str, body: TextSets, request: Request) -> TableOut:
        """Say how large the linkset's text sets are; the frames then fit them."""
        table, _ = await _owned(table_id, request)
        for name, (columns, rows) in body.text_sets.items():
            if name not in TEXT_SETS:
                line, known = "There is no text set “{name}”, only {known}.", ", ".join(TEXT_SETS)
                raise Malformed(line, name=name[:40], known=known)
            if not (1 <= columns <= LARGEST_SET[0] and 1 <= rows <= LARGEST_SET[1]):
                most = f"{LARGEST_SET[0]} × {LARGEST_SET[1]}"
                raise Malformed("A text set has 1 × 1 to {most} characters.", most=most)
        await tables.set_text_sets(table_id, body.text_sets)
        return TableOut(**_out(table))

    @routes.post("/{table_id}/contact", summary="Give a sign of life")
    async def post_contact(table_id: str, request: Request) -> Answered:
        """The table in-world is there.  From then on 90 s of silence freeze a match."""
        table, _ = await _owned(table_id, request)
        await tables.keeper.contact(table_id)
        return Answered(match=table.now.match_id, seq=table.now.seq)

    async def _owned(table_id: str, request: Request) -> tuple[HotTable, deeds.By]:
        caller = await access.caller(request)
        table = await tables.table(table_id)
        access.must_own(caller, table_id)
        return table, access.by(caller)

    return routes


async def _set_options(tables: Tables, table: HotTable, by: deeds.By, body: OptionsPatch) -> None:
    what = lobby.SetOptions(body.preset, body.options)
    actor = Actor(table.owner, table.owner_name, owner=True)
    answer = await talk.command(tables, table.id, actor, what, None)
    if answer.refusal is not None:
        raise talk.refused(table, table.owner, answer)
    named = ", ".join(filter(None, (body.preset, *body.options)))
    await deeds.note_operator(tables, by, "options_set", table.id, named)


def _out(table: HotTable) -> dict[str, Any]:
    state = news.noticed(table)
    match = state.match
    return {
        "id": table.id,
        "name": table.name,
        "game": match.game,
        "title": GAMES[match.game].title,
        "owner": Owner(key=table.owner, name=table.owner_name),
        "match": state.match_id,
        "seq": state.seq,
        "stage": match.stage,
        "listed": table.listed,
        "locked": match.locked,
        "frozen": match.frozen,
        "options": msgspec.to_builtins(match.options),
        "options_text": menus.describe(match, state.theme),
        "presets": {k: dict(v) for k, v in GAMES[match.game].presets.items()},
        "text_sets": table.text_sets,
        "state": msgspec.to_builtins(state.public),
    }
