"""The single results of matches, names as they are searched for, tables that are listed"""

import json
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

no = sa.false()


def upgrade() -> None:
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.add_column(sa.Column("listed", sa.Boolean(), nullable=False, server_default=no))
    # Till now all were listed; those in-world are from now on only if their owners say so.
    op.execute(sa.text("UPDATE tables SET listed = NOT watched"))
    with op.batch_alter_table("records", schema=None) as batch_op:
        folded = sa.Column("folded", sa.String(length=255), nullable=False, server_default="")
        batch_op.add_column(folded)
    op.create_table(
        "results",
        sa.Column("match_id", sa.String(length=24), nullable=False),
        sa.Column("key", sa.String(length=36), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("of_table", sa.Boolean(), nullable=False),
        sa.Column("of_service", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "key"),
    )
    with op.batch_alter_table("results", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_results_key"), ["key"], unique=False)
        batch_op.create_index(batch_op.f("ix_results_at_ms"), ["at_ms"], unique=False)
    _fold()
    _take_from_the_log()


def _fold() -> None:
    connection = op.get_bind()
    for (name,) in connection.execute(sa.text("SELECT DISTINCT name FROM records")).all():
        folded = unicodedata.normalize("NFKC", name).casefold()[:255]
        fill = sa.text("UPDATE records SET folded = :folded WHERE name = :name")
        connection.execute(fill, {"folded": folded, "name": name})


def _take_from_the_log() -> None:
    """The results of all matches so far; what was reset since counts no longer."""
    connection = op.get_bind()
    wipes = connection.execute(sa.text("SELECT game, max(at_ms) FROM wipes GROUP BY game"))
    wiped: dict[str, int] = dict(map(tuple, wipes))
    entries = connection.execute(
        sa.text(
            "SELECT e.match_id, e.table_id, m.game, e.at_ms, e.events FROM entries e"
            " JOIN matches m ON m.id = e.match_id"
            """ WHERE e.events LIKE '%"type":"scored"%'"""
            """ OR e.events LIKE '%"type":"ranking_reset"%'"""
            " ORDER BY e.at_ms, e.table_id, e.seq"
        )
    ).all()
    forgotten = {
        event["key"]
        for (events,) in connection.execute(
            sa.text("""SELECT events FROM entries WHERE events LIKE '%"type":"forgotten"%'""")
        )
        for event in json.loads(events)
        if event["type"] == "forgotten"
    }
    results: dict[tuple[str, str], dict[str, object]] = {}
    for match_id, table_id, game, at_ms, events in entries:
        for event in json.loads(events):
            if event["type"] == "ranking_reset":
                for row in results.values():
                    if (row["table_id"], row["game"]) == (table_id, game):
                        row["of_table"] = False
            elif event["type"] == "scored" and event["key"] not in forgotten:
                results[match_id, event["key"]] = {
                    "match_id": match_id,
                    "key": event["key"],
                    "table_id": table_id,
                    "game": game,
                    "won": event["won"],
                    "at_ms": at_ms,
                    "of_table": True,
                    "of_service": at_ms >= wiped.get(game, 0),
                }
    if results:
        table = sa.table("results", *map(sa.column, next(iter(results.values()))))
        op.bulk_insert(table, list(results.values()))


def downgrade() -> None:
    op.drop_table("results")
    with op.batch_alter_table("records", schema=None) as batch_op:
        batch_op.drop_column("folded")
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.drop_column("listed")
