"""Seeds of matches, secrets of devices, scopes of tokens, codes, wishes of people"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def _text(name: str, length: int) -> sa.Column[str]:
    return sa.Column(name, sa.String(length=length), nullable=False, server_default="")


def upgrade() -> None:
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.add_column(_text("seed", 64))
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.add_column(_text("label", 63))
    # Of devices there was only the hash of a secret, which signs nothing: they are paired anew.
    op.execute("DELETE FROM devices")
    with op.batch_alter_table("devices", schema=None) as batch_op:
        batch_op.drop_column("secret_hash")
        batch_op.add_column(_text("secret", 64))
        batch_op.add_column(_text("next_secret", 64))
    op.create_table(
        "codes",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=36), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
    )
    with op.batch_alter_table("codes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_codes_key"), ["key"], unique=False)
    op.create_table(
        "people",
        sa.Column("key", sa.String(length=36), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )


def downgrade() -> None:
    op.drop_table("people")
    op.drop_table("codes")
    op.execute("DELETE FROM devices")
    with op.batch_alter_table("devices", schema=None) as batch_op:
        batch_op.drop_column("next_secret")
        batch_op.drop_column("secret")
        batch_op.add_column(_text("secret_hash", 64))
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.drop_column("label")
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_column("seed")
