"""Runs migrations on the connection that `app.table.database` hands in."""

from alembic import context
from sqlmodel import SQLModel

from app.table import models

assert models.EntryRow.__tablename__ == "entries"
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
