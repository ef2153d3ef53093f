"""What somebody was in a match: a role and a camp, where a game has them"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    with op.batch_alter_table("results", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("part", sa.String(length=32), nullable=False, server_default="")
        )
    connection = op.get_bind()
    entries = connection.execute(
        sa.text("""SELECT match_id, events FROM entries WHERE events LIKE '%"detail":%'""")
    ).all()
    fill = sa.text("UPDATE results SET part = :part WHERE match_id = :match_id AND key = :key")
    for match_id, events in entries:
        for event in json.loads(events):
            if event["type"] == "scored" and event.get("detail"):
                what = {"part": event["detail"], "match_id": match_id, "key": event["key"]}
                connection.execute(fill, what)


def downgrade() -> None:
    with op.batch_alter_table("results", schema=None) as batch_op:
        batch_op.drop_column("part")
