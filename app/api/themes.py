"""The theme of a table: its lines, colours and textures as an owner changes them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.api.access import Access
from app.errors import NotFound
from app.games import GAMES
from app.table import deeds, themes
from app.table.hot import HotTable
from app.table.service import Tables

Name = Annotated[str, StringConstraints(max_length=40)]
Text = Annotated[str, StringConstraints(max_length=1000)]


class ThemeIn(BaseModel):
    """Section → name → what stands there instead; what is not named, or "", is as in the theme."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "game": "peril",
                "changes": {
                    "say": {"joined": "{name} dares."},
                    "colors": {"marked": "#ff8800"},
                },
            }
        },
    )

    game: str = Field(max_length=32)
    changes: dict[Name, Annotated[dict[Name, Text], Field(max_length=200)]] = Field(max_length=8)


class LineOut(BaseModel):
    """Something that may be changed."""

    section: str
    name: str
    text: str = Field(description="As it is now.")
    standard: str = Field(description="As it is in the theme, without changes.")
    places: list[str] = Field(description="What may be filled in, as it is written there.")
    longest: int = Field(description="How many characters it may have.")


class ThemeOut(BaseModel):
    theme: str
    game: str
    language: str
    lines: list[LineOut]


def router(tables: Tables, access: Access) -> APIRouter:
    """Routes of the themes; for the owner of the table."""
    routes = APIRouter(prefix="/tables/{table_id}/theme", tags=["tables"])

    async def owned(table_id: str, request: Request) -> tuple[HotTable, deeds.By]:
        caller = await access.caller(request)
        table = await tables.table(table_id)
        access.must_own(caller, table_id)
        return table, access.by(caller)

    @routes.get("", summary="Read the theme of a table")
    async def read(
        table_id: str, request: Request, game: Annotated[str, Query(max_length=32)] = ""
    ) -> ThemeOut:
        """All that may be changed of a game, by default of the one that the table plays."""
        table, _ = await owned(table_id, request)
        return _out(table, _known(game or table.now.match.game))

    @routes.put("", summary="Change the theme of a table")
    async def put(table_id: str, body: ThemeIn, request: Request) -> ThemeOut:
        """Replace all changes of a game; the board follows at once.

        Lines may fill in what the line they replace does, as plain `{name}`. What cannot be as it
        is written is told by `bad_theme`, and nothing is changed.
        """
        table, by = await owned(table_id, request)
        await themes.change(tables, by, table_id, _known(body.game), body.changes)
        return _out(table, body.game)

    return routes


def _known(game: str) -> str:
    if game not in GAMES:
        raise NotFound("game", game)
    return game


def _out(table: HotTable, game: str) -> ThemeOut:
    changed = themes.changes(table, game)
    return ThemeOut(
        theme=table.theme,
        game=game,
        language=table.now.match.language,
        lines=[
            LineOut(
                section=line.section,
                name=line.name,
                text=changed.get(line.section, {}).get(line.name, line.standard),
                standard=line.standard,
                places=list(line.places),
                longest=line.longest,
            )
            for line in themes.lines(table, game)
        ],
    )
