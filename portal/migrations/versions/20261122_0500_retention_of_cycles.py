"""Retention of cycles: holds, and what is kept once applications were erased

Revision: cycle_retention
After: 'leader_proposals'
Created: 2026-11-22 05:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'cycle_retention'
down_revision = 'leader_proposals'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('cycle', schema=None) as batch_op:
        batch_op.add_column(sa.Column('hold_reason', sa.String(length=500), nullable=False, server_default=''))
        batch_op.add_column(sa.Column('erased_at', portal.db.UtcDateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column('kept_counts', sa.JSON(), nullable=False, server_default='{}'))
    with op.batch_alter_table('cycle', schema=None) as batch_op:
        batch_op.alter_column('hold_reason', server_default=None)
        batch_op.alter_column('kept_counts', server_default=None)


def downgrade() -> None:
    with op.batch_alter_table('cycle', schema=None) as batch_op:
        batch_op.drop_column('kept_counts')
        batch_op.drop_column('erased_at')
        batch_op.drop_column('hold_reason')
