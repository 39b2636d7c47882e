"""Declines keep the place in the lab's order that they gave up, so that it can be given back

Revision: places_that_declines_gave_up
After: 'replies_nobody_waits_for'
Created: 2026-11-27 15:35:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'places_that_declines_gave_up'
down_revision = 'replies_nobody_waits_for'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('decision', sa.Column('preference', sa.Integer()))


def downgrade() -> None:
    op.drop_column('decision', 'preference')
