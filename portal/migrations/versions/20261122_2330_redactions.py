"""What is hidden of texts that are read blind, kept for the pages

Revision: redactions
After: 'lists_by_time'
Created: 2026-11-22 23:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'redactions'
down_revision = 'lists_by_time'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'redaction',
        sa.Column('choice_id', sa.Integer(), nullable=False),
        sa.Column('submission_id', sa.Integer(), nullable=False),
        sa.Column('record_id', sa.Integer(), nullable=True),
        sa.Column('rules', sa.String(length=40), nullable=False),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('email', sa.String(length=255), nullable=False),
        sa.Column('other_names', sa.JSON(), nullable=False),
        sa.Column('hidden', sa.JSON(), nullable=False),
        sa.Column('hidden_terms', sa.JSON(), nullable=False),
        sa.Column('searchable', sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(['choice_id'], ['choice.id'], name=op.f('fk_redaction_choice_id_choice'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['record_id'], ['match_record.id'], name=op.f('fk_redaction_record_id_match_record'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['submission_id'], ['submission.id'], name=op.f('fk_redaction_submission_id_submission'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('choice_id', name=op.f('pk_redaction')),
    )
    with op.batch_alter_table('redaction', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_redaction_record_id'), ['record_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_redaction_submission_id'), ['submission_id'], unique=False)


def downgrade() -> None:
    op.drop_table('redaction')
