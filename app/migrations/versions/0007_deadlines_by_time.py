"""Deadlines by their time: any process finds those that nobody fired"""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_index(op.f("ix_deadlines_due_ms"), "deadlines", ["due_ms"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_deadlines_due_ms"), "deadlines")
