"""Labs' settings for reviews have no note: no page ever read or wrote one

Revision: no_notes_of_labs
After: 'impersonations'
Created: 2026-11-27 01:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'no_notes_of_labs'
down_revision = 'impersonations'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column('lab_reviewing', 'note')


def downgrade() -> None:
    op.add_column('lab_reviewing', sa.Column('note', sa.Text(), nullable=False, server_default=''))
    with op.batch_alter_table('lab_reviewing') as batch_op:
        batch_op.alter_column('note', server_default=None)
