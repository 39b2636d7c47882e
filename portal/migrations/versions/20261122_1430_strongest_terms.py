"""The strongest terms of a match record by themselves

Revision: strongest_terms
After: 'asked_before'
Created: 2026-11-22 14:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'strongest_terms'
down_revision = 'asked_before'
branch_labels = None
depends_on = None

SHOWN = 5
AT_ONCE = 500
RECORDS = sa.table('match_record', sa.column('id', sa.Integer), sa.column('found', sa.JSON), sa.column('strongest', sa.JSON))


def upgrade() -> None:
    with op.batch_alter_table('match_record', schema=None) as batch_op:
        batch_op.add_column(sa.Column('strongest', sa.JSON(), nullable=False, server_default='[]'))
    connection = op.get_bind()
    last = 0
    while records := connection.execute(
        sa.select(RECORDS.c.id, RECORDS.c.found).where(RECORDS.c.id > last).order_by(RECORDS.c.id).limit(AT_ONCE)
    ).all():
        last = records[-1].id
        for record in records:
            first = {}
            for term in record.found.get('terms', ()):
                first.setdefault(term['term'], term)
            connection.execute(
                RECORDS.update().where(RECORDS.c.id == record.id).values(strongest=list(first.values())[:SHOWN])
            )
    with op.batch_alter_table('match_record', schema=None) as batch_op:
        batch_op.alter_column('strongest', server_default=None)


def downgrade() -> None:
    with op.batch_alter_table('match_record', schema=None) as batch_op:
        batch_op.drop_column('strongest')
