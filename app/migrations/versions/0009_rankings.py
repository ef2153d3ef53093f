"""Rankings of many players are read in their order"""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_index("ix_records_wins", "records", ["scope", "game", "wins"], unique=False)
    op.create_index("ix_results_game", "results", ["game", "at_ms"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_results_game", table_name="results")
    op.drop_index("ix_records_wins", table_name="records")
