"""Tokens: make them, list them, revoke them.  For the operator alone."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app.api.access import LABEL, Access, Granted
from app.table.models import TokenRow
from app.table.service import Tables


class TokenCreate(BaseModel):
    """A new token.  Only that of an owner is for one table."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"scope": "harness", "label": "nightly tests"}},
    )

    scope: Granted = Field(
        description="operator: everything. owner: one table. harness: plays any avatar but"
        " owners and their staff. read: reads, and acts for nobody."
    )
    table: str = Field(default="", max_length=16)
    label: str = Field(default="", max_length=LABEL, description="What it is for; any words.")


class TokenOut(BaseModel):
    """A token as it is listed.  `id` is the beginning of its hash; itself it is not kept."""

    id: str
    scope: str
    table: str
    label: str
    created_ms: int


class TokenCreated(TokenOut):
    token: str = Field(description="To be sent as `Authorization: Bearer …`.  Shown only now.")


class TokenList(BaseModel):
    tokens: list[TokenOut]


def router(tables: Tables, access: Access) -> APIRouter:
    """Routes of the tokens."""
    routes = APIRouter(prefix="/tokens", tags=["tokens"])

    @routes.post("", status_code=201, summary="Make a token")
    async def create(body: TokenCreate, request: Request, response: Response) -> TokenCreated:
        """Operator only.  The answer is the only place where the token ever stands."""
        caller = await access.caller(request)
        access.must_operate(caller)
        if body.table:
            await tables.table(body.table)
        now_ms = int(tables.clock() * 1000)
        by = access.by(caller)
        token, row = await access.grant(by, body.scope, now_ms, body.table, body.label)
        response.headers["Cache-Control"] = "no-store"
        return TokenCreated(**line(row).model_dump(), token=token)

    @routes.get("", summary="List tokens")
    async def index(
        request: Request,
        after: Annotated[str, Query(max_length=64)] = "",
        limit: Annotated[int, Query(ge=1, le=100)] = 50,
    ) -> TokenList:
        """Operator only.  In the order of their ids, from the one behind `after` on."""
        access.must_operate(await access.caller(request))
        return TokenList(tokens=[line(row) for row in await access.granted(after, limit)])

    @routes.delete("/{token_id}", summary="Revoke a token")
    async def revoke(token_id: Annotated[str, Path(max_length=64)], request: Request) -> TokenOut:
        """Operator only.  Whoever bears it is cut off at once, streams included."""
        caller = await access.caller(request)
        access.must_operate(caller)
        now_ms = int(tables.clock() * 1000)
        return line(await access.revoke(access.by(caller), token_id, now_ms))

    return routes


def line(row: TokenRow) -> TokenOut:
    """What may be told of a token."""
    return TokenOut(
        id=row.hash[:16],
        scope=row.scope,
        table=row.table_id,
        label=row.label,
        created_ms=row.created_ms,
    )
