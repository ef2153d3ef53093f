"""What all processes count together: errors and memory of devices, refusals"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

COUNTS = ("errors_4xx", "errors_429", "errors_5xx", "lost")


def upgrade() -> None:
    with op.batch_alter_table("devices", schema=None) as batch_op:
        for name in COUNTS:
            batch_op.add_column(sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(
            sa.Column("free_bytes", sa.String(length=64), nullable=False, server_default="{}")
        )
    op.create_table(
        "refusals",
        sa.Column("day", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("refused", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "kind"),
    )


def downgrade() -> None:
    op.drop_table("refusals")
    with op.batch_alter_table("devices", schema=None) as batch_op:
        for name in (*COUNTS, "free_bytes"):
            batch_op.drop_column(name)
