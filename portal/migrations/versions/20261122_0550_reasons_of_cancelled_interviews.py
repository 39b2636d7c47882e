"""Why an interview that somebody picked was cancelled, for the applicant

Revision: cancelled_interviews
After: 'bias_reports'
Created: 2026-11-22 05:50:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'cancelled_interviews'
down_revision = 'bias_reports'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('interview_slot', schema=None) as batch_op:
        batch_op.add_column(sa.Column('cancel_reason', sa.Text(), nullable=False, server_default=''))
        batch_op.add_column(sa.Column('cancelled_choice_id', sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f('ix_interview_slot_cancelled_choice_id'), ['cancelled_choice_id'], unique=False)
        batch_op.create_foreign_key(batch_op.f('fk_interview_slot_cancelled_choice_id_choice'), 'choice', ['cancelled_choice_id'], ['id'], ondelete='SET NULL')
    with op.batch_alter_table('interview_slot', schema=None) as batch_op:
        batch_op.alter_column('cancel_reason', server_default=None)


def downgrade() -> None:
    with op.batch_alter_table('interview_slot', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_interview_slot_cancelled_choice_id_choice'), type_='foreignkey')
        batch_op.drop_index(batch_op.f('ix_interview_slot_cancelled_choice_id'))
        batch_op.drop_column('cancelled_choice_id')
        batch_op.drop_column('cancel_reason')
