"""When leaders were last asked to confirm the profile of their lab

Revision: profile_reminders
After: 'account_invitations'
Created: 2026-11-22 04:50:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'profile_reminders'
down_revision = 'account_invitations'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('lab', schema=None) as batch_op:
        batch_op.add_column(sa.Column('reminded_on', sa.Date(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table('lab', schema=None) as batch_op:
        batch_op.drop_column('reminded_on')
