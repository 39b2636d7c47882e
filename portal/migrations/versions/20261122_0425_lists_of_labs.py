"""What labs' lists are read by

Revision: lab_lists
After: 'imports'
Created: 2026-11-22 04:25:40.112093
"""

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'lab_lists'
down_revision = 'imports'
branch_labels = None
depends_on = None

CYCLE = """
SELECT application.cycle_id FROM application
WHERE application.id = choice.application_id AND application.state IN ('eligible', 'closed')
"""
SINCE = """
SELECT max(move_record.at) FROM move_record
WHERE move_record.application_id = choice.application_id AND move_record.choice_id IS NULL
AND move_record.move = 'mark_eligible'
"""


def upgrade() -> None:
    op.add_column('choice', sa.Column('listed_in_id', sa.Integer(), nullable=True))
    op.add_column('choice', sa.Column('listed_since', portal.db.UtcDateTime(timezone=True), nullable=True))
    op.execute(f'UPDATE choice SET listed_in_id = ({CYCLE}), listed_since = ({SINCE})')
    op.drop_index('ix_choice_lab_id_state_score', table_name='choice')
    op.create_index(
        'ix_choice_listed_by_score',
        'choice',
        ['lab_id', 'listed_in_id', sa.text('score DESC'), 'id', 'state', 'application_id'],
    )
    op.create_index(
        'ix_choice_listed_by_state',
        'choice',
        ['lab_id', 'listed_in_id', 'state', 'state_since', 'listed_since', 'application_id'],
    )
    op.create_index('ix_choice_lab_id_replied_at', 'choice', ['lab_id', 'replied_at'])


def downgrade() -> None:
    op.drop_index('ix_choice_lab_id_replied_at', table_name='choice')
    op.drop_index('ix_choice_listed_by_state', table_name='choice')
    op.drop_index('ix_choice_listed_by_score', table_name='choice')
    op.create_index('ix_choice_lab_id_state_score', 'choice', ['lab_id', 'state', 'score'])
    op.drop_column('choice', 'listed_since')
    op.drop_column('choice', 'listed_in_id')
