"""Staff and bans of owners, the operator's notice, sessions of consoles"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "standings",
        sa.Column("owner_key", sa.String(length=36), nullable=False),
        sa.Column("key", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("rights", sa.String(length=63), nullable=False),
        sa.Column("banned", sa.Boolean(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner_key", "key"),
    )
    with op.batch_alter_table("standings", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_standings_key"), ["key"], unique=False)
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(length=255), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("codes", schema=None) as batch_op:
        batch_op.alter_column("key", existing_type=sa.String(length=36), type_=sa.String(length=64))


def downgrade() -> None:
    op.execute("DELETE FROM codes WHERE length(key) > 36")
    with op.batch_alter_table("codes", schema=None) as batch_op:
        batch_op.alter_column("key", existing_type=sa.String(length=64), type_=sa.String(length=36))
    op.drop_table("notices")
    op.drop_table("standings")
