"""Where a revision of a lab came from

Revision: revision_sources
After: 'lab_lists'
Created: 2026-11-22 04:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'revision_sources'
down_revision = 'lab_lists'
branch_labels = None
depends_on = None

# SQLite writes the table anew, and would then give the id of a deleted newest revision again.
NEVER_TWICE = {'sqlite_autoincrement': True}


def upgrade() -> None:
    with op.batch_alter_table('lab_revision', schema=None, table_kwargs=NEVER_TWICE) as batch_op:
        batch_op.add_column(sa.Column('source', sa.String(length=20), nullable=False, server_default=''))
    with op.batch_alter_table('lab_revision', schema=None, table_kwargs=NEVER_TWICE) as batch_op:
        batch_op.alter_column('source', server_default=None)


def downgrade() -> None:
    with op.batch_alter_table('lab_revision', schema=None, table_kwargs=NEVER_TWICE) as batch_op:
        batch_op.drop_column('source')
