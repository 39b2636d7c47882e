"""Which revisions of labs are news: the feed need not look through the others

Revision: revisions_that_are_news
After: 'no_notes_of_labs'
Created: 2026-11-27 01:50:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'revisions_that_are_news'
down_revision = 'no_notes_of_labs'
branch_labels = None
depends_on = None

REVISION = sa.table(
    'lab_revision',
    *(sa.column(name, sa.Integer()) for name in ('id', 'lab_id', 'number')),
    sa.column('snapshot', sa.JSON()),
    sa.column('changes_recruiting', sa.Boolean()),
)
RECRUITING = {'recruiting_focus': '', 'recruiting': '', 'openings': '[]'}


def upgrade() -> None:
    op.add_column(
        'lab_revision', sa.Column('changes_recruiting', sa.Boolean(), nullable=False, server_default=sa.false())
    )
    now, was = REVISION.alias('now'), REVISION.alias('was')
    before = sa.and_(was.c.lab_id == now.c.lab_id, was.c.number == now.c.number - 1)
    changed = sa.select(now.c.id).outerjoin(was, before).where(
        sa.or_(*(_part(now, name, empty) != _part(was, name, empty) for name, empty in RECRUITING.items()))
    )
    op.execute(sa.update(REVISION).where(REVISION.c.id.in_(changed)).values(changes_recruiting=True))
    op.create_index(
        'ix_lab_revision_recruiting',
        'lab_revision',
        ['id'],
        sqlite_where=sa.text('changes_recruiting'),
        postgresql_where=sa.text('changes_recruiting'),
    )


def downgrade() -> None:
    op.drop_index('ix_lab_revision_recruiting', table_name='lab_revision')
    op.drop_column('lab_revision', 'changes_recruiting')


def _part(revision, name, empty):
    return sa.func.coalesce(revision.c.snapshot[name].as_string(), empty)
