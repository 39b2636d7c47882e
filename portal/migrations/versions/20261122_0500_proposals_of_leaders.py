"""Proposals of leaders, and why proposals were decided

Revision: leader_proposals
After: 'profile_reminders'
Created: 2026-11-22 05:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'leader_proposals'
down_revision = 'profile_reminders'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('lab_proposal', schema=None) as batch_op:
        batch_op.add_column(sa.Column('decided_why', sa.String(length=500), nullable=False, server_default=''))
        batch_op.add_column(sa.Column('proposed_by_id', sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f('ix_lab_proposal_proposed_by_id'), ['proposed_by_id'], unique=False)
        batch_op.create_foreign_key(batch_op.f('fk_lab_proposal_proposed_by_id_user_account'), 'user_account', ['proposed_by_id'], ['id'], ondelete='SET NULL')
    with op.batch_alter_table('lab_proposal', schema=None) as batch_op:
        batch_op.alter_column('decided_why', server_default=None)


def downgrade() -> None:
    with op.batch_alter_table('lab_proposal', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_lab_proposal_proposed_by_id_user_account'), type_='foreignkey')
        batch_op.drop_index(batch_op.f('ix_lab_proposal_proposed_by_id'))
        batch_op.drop_column('proposed_by_id')
        batch_op.drop_column('decided_why')
