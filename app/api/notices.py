"""What the operator announces on all boards."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from app.api.access import Access
from app.table import deeds, notices
from app.table.service import Tables


class NoticeIn(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"text": "Restart at 14:00 UTC"}}
    )

    text: str = Field(min_length=1, max_length=500)


class NoticeOut(BaseModel):
    text: str = Field(
        description=f"As boards show it: one line of at most {notices.BYTES} bytes; empty if"
        " nothing is announced."
    )


def router(tables: Tables, access: Access) -> APIRouter:
    """Routes of the notice."""
    routes = APIRouter(prefix="/notice", tags=["system"])

    @routes.get("", summary="What is announced on all boards")
    async def get() -> NoticeOut:
        """Such as a restart that comes."""
        return NoticeOut(text=await notices.current(tables))

    @routes.put("", summary="Announce something")
    async def put(body: NoticeIn, request: Request) -> NoticeOut:
        """Operator only.  It stands on all boards within ten seconds, until it is taken back."""
        return NoticeOut(text=await notices.announce(tables, await _operator(request), body.text))

    @routes.delete("", summary="Announce nothing more")
    async def delete(request: Request) -> NoticeOut:
        """Operator only."""
        return NoticeOut(text=await notices.announce(tables, await _operator(request), ""))

    async def _operator(request: Request) -> deeds.By:
        caller = await access.caller(request)
        access.must_operate(caller)
        return access.by(caller)

    return routes
