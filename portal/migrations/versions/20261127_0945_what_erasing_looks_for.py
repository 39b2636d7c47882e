"""Indexes for what erasing an application looks for: match records of a submission, news by the beginning of its key

Revision: what_erasing_looks_for
After: 'revisions_that_are_news'
Created: 2026-11-27 09:45:00.000000
"""

from alembic import op

revision = 'what_erasing_looks_for'
down_revision = 'revisions_that_are_news'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index('ix_match_record_submission_id', 'match_record', ['submission_id'])
    op.create_index(
        'ix_notification_dedupe_key',
        'notification',
        ['dedupe_key'],
        postgresql_ops={'dedupe_key': 'varchar_pattern_ops'},
    )


def downgrade() -> None:
    op.drop_index('ix_notification_dedupe_key', table_name='notification')
    op.drop_index('ix_match_record_submission_id', table_name='match_record')
