"""Tables in-world: codes to pair them, their secrets, and cutting one off."""

from __future__ import annotations

from typing import Protocol

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from sqlmodel import Session, select

from app import codes, troubles
from app.api.access import Access
from app.api.schemas import KEY
from app.errors import NotFound
from app.games import texts
from app.table import deeds
from app.table.models import DeviceRow
from app.table.service import Tables


class Devices(Protocol):
    """What this API needs of the registry.  Both raise NotFound if a table has no device."""

    async def rotate(self, by: deeds.By, table_id: str) -> None: ...

    async def revoke(self, by: deeds.By, table_id: str) -> None: ...

    def errors(self, row: DeviceRow) -> dict[str, int]: ...

    def free_bytes(self, row: DeviceRow) -> dict[str, int]: ...


class CodeCreate(BaseModel):
    """For a table in-world: a new one of this owner, or the one that shows `table` from now on."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"owner": "0f7e1c2a-3b4d-4e5f-8a9b-0c1d2e3f4a5b"}},
    )

    owner: str = Field(pattern=KEY, max_length=36, description="The avatar who will type it.")
    table: str = Field(default="", max_length=16)


class CodeCreated(BaseModel):
    code: str = Field(description="Eight characters, good once.  Shown only now.")
    expires_ms: int


class DeviceOut(BaseModel):
    """The linkset that shows a table."""

    id: str
    table: str
    owner: str
    region: str
    version: str
    troubles: str = Field(description="What its scripts found missing or double.")
    seen_ms: int = Field(description="When it said hello last.")
    pushed: bool = Field(description="Whether it has a URL, so that news are pushed.")
    errors: dict[str, int] = Field(
        description="Errors answered to it since it was paired: `429` too many or busy,"
        " `4xx` the other ones of that kind, `5xx`."
    )
    free_bytes: dict[str, int] = Field(
        description="Memory that the scripts `requests` and `link` have left of the 65,536 bytes"
        " of each, as they said last; nothing if they are of a version that does not say."
    )
    lost: int = Field(
        description="Requests to which it got no answer (499, 503 and the like), as its scripts"
        " count from their beginning."
    )


def router(tables: Tables, access: Access, devices: Devices) -> APIRouter:
    """Routes of the devices."""
    routes = APIRouter(tags=["devices"])

    @routes.post("/pairing-codes", status_code=201, summary="Make a pairing code")
    async def create(body: CodeCreate, request: Request, response: Response) -> CodeCreated:
        """The operator for any owner, an owner's token for its table."""
        caller = await access.caller(request)
        if body.table:
            access.must_own(caller, body.table)
            table = await tables.table(body.table)
            if table.owner != body.owner:
                raise NotFound("table of this owner", body.table)
        else:
            access.must_operate(caller)
        now_ms = int(tables.clock() * 1000)
        by = access.by(caller)
        code = await codes.pairing(tables.store, by, body.owner, body.table, now_ms)
        response.headers["Cache-Control"] = "no-store"
        return CodeCreated(code=code, expires_ms=now_ms + codes.LIFE_S * 1000)

    @routes.get("/tables/{table_id}/device", summary="The linkset that shows a table")
    async def get(table_id: str, request: Request) -> DeviceOut:
        """404 if none is paired."""
        await _owner(table_id, request)
        return await _device(table_id)

    @routes.post("/tables/{table_id}/device/rotate", summary="Rotate its secret")
    async def rotate(table_id: str, request: Request) -> DeviceOut:
        """It gets another secret with its next answer; the old one ends when it uses that."""
        by = await _owner(table_id, request)
        device = await _device(table_id)
        await devices.rotate(by, table_id)
        return device

    @routes.delete("/tables/{table_id}/device", summary="Cut it off")
    async def revoke(table_id: str, request: Request) -> DeviceOut:
        """At once.  It shows that it is not paired; the table itself and its records stay."""
        by = await _owner(table_id, request)
        device = await _device(table_id)
        await devices.revoke(by, table_id)
        return device

    async def _owner(table_id: str, request: Request) -> deeds.By:
        caller = await access.caller(request)
        access.must_own(caller, table_id)
        return access.by(caller)

    async def _device(table_id: str) -> DeviceOut:
        def read(session: Session) -> DeviceRow | None:
            return session.exec(select(DeviceRow).where(DeviceRow.table_id == table_id)).first()

        row = await tables.store.run(read)
        if row is None:
            raise NotFound("device of the table", table_id)
        return DeviceOut(
            id=row.id,
            table=row.table_id,
            owner=row.owner_key,
            region=row.region,
            version=row.version,
            troubles=troubles.said(row.troubles, texts.lobby()),
            seen_ms=row.seen_ms,
            pushed=bool(row.url),
            errors=devices.errors(row),
            free_bytes=devices.free_bytes(row),
            lost=row.lost,
        )

    return routes
