"""The audit log by object: keys as long as an e-mail address, and an index

Revision: audit_log_by_object
After: 'what_to_know_about_cycles'
Created: 2026-11-27 10:10:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'audit_log_by_object'
down_revision = 'what_to_know_about_cycles'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('audit_entry') as table:
        table.alter_column('object_key', existing_type=sa.String(200), type_=sa.String(255), existing_nullable=False)
        table.create_index('ix_audit_entry_object_type_object_key', ['object_type', 'object_key'])


def downgrade() -> None:
    with op.batch_alter_table('audit_entry') as table:
        table.drop_index('ix_audit_entry_object_type_object_key')
        table.alter_column('object_key', existing_type=sa.String(255), type_=sa.String(200), existing_nullable=False)
