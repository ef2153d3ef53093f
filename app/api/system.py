"""Is the service well?"""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field
from sqlalchemy import text

from app.limits import Limits
from app.table.service import Tables


class Health(BaseModel):
    """`ok` as long as the process answers and its store can be read."""

    status: str
    tables_in_memory: int
    deadlines: int
    refused: dict[str, int] = Field(
        description="Requests refused since the start because they were too many, by what of"
        " them was too much."
    )


def router(tables: Tables, limits: Limits) -> APIRouter:
    """Routes for load balancers and people who look after the server."""
    routes = APIRouter(tags=["system"])

    @routes.get("/healthz", summary="Is the service well?")
    async def healthz() -> Health:
        """Reads from the store, so that a lost disk shows."""
        await tables.store.run(lambda session: session.connection().execute(text("SELECT 1")))
        return Health(
            status="ok",
            tables_in_memory=len(tables.hot),
            deadlines=sum(len(t.deadlines) for t in tables.hot.values()),
            refused=limits.refused,
        )

    return routes
