"""Indexes for the names of files, by which a file is looked up before it is removed, and for the keys of mails

Revision: files_and_mails_by_key
After: 'announcements'
Created: 2026-11-27 12:55:00.000000
"""

from alembic import op

revision = 'files_and_mails_by_key'
down_revision = 'announcements'
branch_labels = None
depends_on = None

TABLES_WITH_FILES = ('submission', 'resume', 'referee', 'lab_import')


def upgrade() -> None:
    for table in TABLES_WITH_FILES:
        op.create_index(f'ix_{table}_storage_key', table, ['storage_key'])
    op.create_index(
        'ix_outbox_mail_dedupe_key',
        'outbox_mail',
        ['dedupe_key'],
        postgresql_ops={'dedupe_key': 'varchar_pattern_ops'},
    )


def downgrade() -> None:
    op.drop_index('ix_outbox_mail_dedupe_key', table_name='outbox_mail')
    for table in reversed(TABLES_WITH_FILES):
        op.drop_index(f'ix_{table}_storage_key', table_name=table)
