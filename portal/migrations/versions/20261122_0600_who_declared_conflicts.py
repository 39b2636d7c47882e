"""Who declared a conflict of interest

Revision: declared_conflicts
After: 'cancelled_interviews'
Created: 2026-11-22 06:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'declared_conflicts'
down_revision = 'cancelled_interviews'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('conflict', schema=None) as batch_op:
        batch_op.add_column(sa.Column('declared_by_id', sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column('by_administrator', sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.create_index(batch_op.f('ix_conflict_declared_by_id'), ['declared_by_id'], unique=False)
        batch_op.create_foreign_key(batch_op.f('fk_conflict_declared_by_id_user_account'), 'user_account', ['declared_by_id'], ['id'], ondelete='SET NULL')
    with op.batch_alter_table('conflict', schema=None) as batch_op:
        batch_op.alter_column('by_administrator', server_default=None)
    # Until now reviewers alone declared conflicts.
    op.execute("UPDATE conflict SET declared_by_id = reviewer_id WHERE state = 'declared'")


def downgrade() -> None:
    with op.batch_alter_table('conflict', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_conflict_declared_by_id_user_account'), type_='foreignkey')
        batch_op.drop_index(batch_op.f('ix_conflict_declared_by_id'))
        batch_op.drop_column('by_administrator')
        batch_op.drop_column('declared_by_id')
