"""Announcements to the applicants of a cycle

Revision: announcements
After: 'archived_labs'
Created: 2026-11-27 12:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'announcements'
down_revision = 'archived_labs'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'announcement',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('cycle_id', sa.Integer(), nullable=False),
        sa.Column('form_key', sa.String(length=40), nullable=False),
        sa.Column('about', sa.String(length=150), nullable=False),
        sa.Column('message', sa.Text(), nullable=False),
        sa.Column('announced_to', sa.String(length=20), nullable=False),
        sa.Column('recipients', sa.Integer(), nullable=False),
        sa.Column('written_by_id', sa.Integer()),
        sa.Column('written_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('taken_back_at', sa.DateTime(timezone=True)),
        sa.CheckConstraint(
            "announced_to IN ('everybody', 'not_submitted', 'considered', 'accepted')",
            name=op.f('ck_announcement_announced_to'),
        ),
        sa.ForeignKeyConstraint(
            ['cycle_id'], ['cycle.id'], name=op.f('fk_announcement_cycle_id_cycle'), ondelete='CASCADE'
        ),
        sa.ForeignKeyConstraint(
            ['written_by_id'],
            ['user_account.id'],
            name=op.f('fk_announcement_written_by_id_user_account'),
            ondelete='SET NULL',
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_announcement')),
        sa.UniqueConstraint('form_key', name=op.f('uq_announcement_form_key')),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f('ix_announcement_cycle_id'), 'announcement', ['cycle_id'])
    op.create_table(
        'announcement_recipient',
        sa.Column('announcement_id', sa.Integer(), nullable=False),
        sa.Column('application_id', sa.Integer(), nullable=False),
        sa.Column('told_at', sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ['announcement_id'],
            ['announcement.id'],
            name=op.f('fk_announcement_recipient_announcement_id_announcement'),
            ondelete='CASCADE',
        ),
        sa.ForeignKeyConstraint(
            ['application_id'],
            ['application.id'],
            name=op.f('fk_announcement_recipient_application_id_application'),
            ondelete='CASCADE',
        ),
        sa.PrimaryKeyConstraint('announcement_id', 'application_id', name=op.f('pk_announcement_recipient')),
    )
    op.create_index(op.f('ix_announcement_recipient_application_id'), 'announcement_recipient', ['application_id'])


def downgrade() -> None:
    op.drop_table('announcement_recipient')
    op.drop_table('announcement')
