"""Profile pictures"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "pictures",
        sa.Column("key", sa.String(length=36), nullable=False),
        sa.Column("picture", sa.String(length=36), nullable=False),
        sa.Column("due_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )


def downgrade() -> None:
    op.drop_table("pictures")
