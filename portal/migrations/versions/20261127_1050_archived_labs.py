"""Labs that are archived: on no public page and in no ranking any more

Revision: archived_labs
After: 'audit_log_by_object'
Created: 2026-11-27 10:50:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'archived_labs'
down_revision = 'audit_log_by_object'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('lab', sa.Column('archived_at', sa.DateTime(timezone=True)))
    op.create_index('ix_lab_archived_at', 'lab', ['archived_at'])
    op.add_column('lab', sa.Column('archived_why', sa.String(length=500), nullable=False, server_default=''))


def downgrade() -> None:
    op.drop_column('lab', 'archived_why')
    op.drop_index('ix_lab_archived_at', table_name='lab')
    op.drop_column('lab', 'archived_at')
