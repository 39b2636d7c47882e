"""Of a lab's list, those without a reply by when it is due

Revision: replies_that_are_late
After: 'numbers_given_once'
Created: 2026-11-24 08:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'replies_that_are_late'
down_revision = 'numbers_given_once'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        'ix_choice_listed_unanswered',
        'choice',
        ['lab_id', 'listed_in_id', 'reply_by_at', 'application_id', 'replied_at'],
        sqlite_where=sa.text('replied_at IS NULL'),
        postgresql_where=sa.text('replied_at IS NULL'),
    )


def downgrade() -> None:
    op.drop_index('ix_choice_listed_unanswered', table_name='choice')
