"""Answers to questions that were taken off the form

Revision: asked_before
After: 'declared_conflicts'
Created: 2026-11-22 06:10:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'asked_before'
down_revision = 'declared_conflicts'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('application', schema=None) as batch_op:
        batch_op.add_column(sa.Column('asked_before', sa.JSON(), nullable=False, server_default='{}'))
    with op.batch_alter_table('application', schema=None) as batch_op:
        batch_op.alter_column('asked_before', server_default=None)


def downgrade() -> None:
    with op.batch_alter_table('application', schema=None) as batch_op:
        batch_op.drop_column('asked_before')
