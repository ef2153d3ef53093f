"""What is done beside the matches, and by whom"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "deeds",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("owner_key", sa.String(length=36), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("who", sa.String(length=16), nullable=False),
        sa.Column("way", sa.String(length=16), nullable=False),
        sa.Column("label", sa.String(length=63), nullable=False),
        sa.Column("what", sa.String(length=32), nullable=False),
        sa.Column("about_key", sa.String(length=36), nullable=False),
        sa.Column("about_name", sa.String(length=63), nullable=False),
        sa.Column("detail", sa.String(length=255), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("deeds", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deeds_owner_key"), ["owner_key"], unique=False)
        batch_op.create_index(batch_op.f("ix_deeds_about_key"), ["about_key"], unique=False)


def downgrade() -> None:
    op.drop_table("deeds")
