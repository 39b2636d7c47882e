"""Reports of the bias audit

Revision: bias_reports
After: 'looks'
Created: 2026-11-22 05:10:00.000000
"""

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'bias_reports'
down_revision = 'looks'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('bias_report',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('cycle_id', sa.Integer(), nullable=True),
    sa.Column('made_at', portal.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('made_by_id', sa.Integer(), nullable=True),
    sa.Column('findings', sa.JSON(), nullable=False),
    sa.ForeignKeyConstraint(['cycle_id'], ['cycle.id'], name=op.f('fk_bias_report_cycle_id_cycle'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['made_by_id'], ['user_account.id'], name=op.f('fk_bias_report_made_by_id_user_account'), ondelete='SET NULL'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_bias_report'))
    )


def downgrade() -> None:
    op.drop_table('bias_report')
