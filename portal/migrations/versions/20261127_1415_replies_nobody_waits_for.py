"""Closed choices have no date for a reply that never came: it would be late for ever

Revision: replies_nobody_waits_for
After: 'ineligible_in_closed_cycles'
Created: 2026-11-27 14:15:00.000000
"""

from alembic import op

revision = 'replies_nobody_waits_for'
down_revision = 'ineligible_in_closed_cycles'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE choice SET reply_by_at = NULL WHERE state = 'closed' AND replied_at IS NULL")


def downgrade() -> None:
    """They stay as they are: the version before reads them so, too."""
