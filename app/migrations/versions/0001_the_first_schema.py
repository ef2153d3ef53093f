"""The first schema"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "deadlines",
        sa.Column("match_id", sa.String(length=24), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("phase", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("due_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "name", "phase", "epoch"),
    )
    with op.batch_alter_table("deadlines", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deadlines_table_id"), ["table_id"], unique=False)

    op.create_table(
        "devices",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("object_key", sa.String(length=36), nullable=False),
        sa.Column("owner_key", sa.String(length=36), nullable=False),
        sa.Column("region", sa.String(length=255), nullable=False),
        sa.Column("url", sa.String(length=255), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("troubles", sa.String(length=1000), nullable=False),
        sa.Column("seen_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("devices", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_devices_table_id"), ["table_id"], unique=True)

    op.create_table(
        "entries",
        sa.Column("match_id", sa.String(length=24), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("command_id", sa.String(length=64), nullable=True),
        sa.Column("actor", sa.String(length=36), nullable=False),
        sa.Column("command", sa.String(), nullable=False),
        sa.Column("events", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seq"),
        sa.UniqueConstraint("table_id", "command_id"),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("first_seq", sa.Integer(), nullable=False),
        sa.Column("opened_ms", sa.BigInteger(), nullable=False),
        sa.Column("closed_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_matches_table_id"), ["table_id"], unique=False)

    op.create_table(
        "records",
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("reached_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "game", "key"),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("owner_key", sa.String(length=36), nullable=False),
        sa.Column("owner_name", sa.String(length=63), nullable=False),
        sa.Column("theme", sa.String(length=32), nullable=False),
        sa.Column("text_sets", sa.String(), nullable=False),
        sa.Column("watched", sa.Boolean(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tables_owner_key"), ["owner_key"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_table(
        "wipes",
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("at_ms", "game"),
    )


def downgrade() -> None:
    op.drop_table("devices")
    op.drop_table("wipes")
    op.drop_table("tokens")
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tables_owner_key"))

    op.drop_table("tables")
    op.drop_table("records")
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_matches_table_id"))

    op.drop_table("matches")
    op.drop_table("entries")
    with op.batch_alter_table("deadlines", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_deadlines_table_id"))

    op.drop_table("deadlines")
