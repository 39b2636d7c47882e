"""What labs' lists are read by in the order of time, and within a state

Revision: lists_by_time
After: 'strongest_terms'
Created: 2026-11-22 17:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'lists_by_time'
down_revision = 'strongest_terms'
branch_labels = None
depends_on = None

SUBMITTED = 'SELECT application.submitted_at FROM application WHERE application.id = choice.application_id'


def upgrade() -> None:
    op.add_column('choice', sa.Column('submitted_at', portal.db.UtcDateTime(timezone=True), nullable=True))
    op.execute(f'UPDATE choice SET submitted_at = ({SUBMITTED})')
    op.create_index(
        'ix_choice_listed_by_time',
        'choice',
        [
            'lab_id',
            'listed_in_id',
            sa.text('submitted_at DESC'),
            sa.text('score DESC'),
            'id',
            'state',
            'application_id',
        ],
    )
    op.drop_index('ix_choice_listed_by_state', table_name='choice')
    op.create_index(
        'ix_choice_listed_by_state',
        'choice',
        [
            'lab_id',
            'listed_in_id',
            'state',
            sa.text('score DESC'),
            'id',
            'state_since',
            'listed_since',
            'application_id',
        ],
    )


def downgrade() -> None:
    op.drop_index('ix_choice_listed_by_state', table_name='choice')
    op.create_index(
        'ix_choice_listed_by_state',
        'choice',
        ['lab_id', 'listed_in_id', 'state', 'state_since', 'listed_since', 'application_id'],
    )
    op.drop_index('ix_choice_listed_by_time', table_name='choice')
    op.drop_column('choice', 'submitted_at')
