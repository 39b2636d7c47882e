"""Jobs that were refused are not done

Revision: jobs_that_were_refused
After: 'replies_that_are_late'
Created: 2026-11-24 11:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'jobs_that_were_refused'
down_revision = 'replies_that_are_late'
branch_labels = None
depends_on = None

BEFORE = ('waiting', 'running', 'done', 'failed', 'cancelled')
SINCE = ('waiting', 'running', 'done', 'refused', 'failed', 'cancelled')
JOB = sa.table(
    'job', sa.column('id', sa.Integer), sa.column('state', sa.String), sa.column('error', sa.Text), sa.column('outcome', sa.JSON)
)


def upgrade() -> None:
    _allow(SINCE)
    # Until now such a job was done, and only the tone of its notice said that what it was about could not be.
    connection = op.get_bind()
    done = connection.execute(sa.select(JOB.c.id, JOB.c.outcome).where(JOB.c.state == 'done')).all()
    for number, outcome in done:
        if (outcome or {}).get('tone') == 'warn':
            values = {'state': 'refused', 'error': outcome.get('text', '')}
            connection.execute(sa.update(JOB).where(JOB.c.id == number).values(values))


def downgrade() -> None:
    op.execute("UPDATE job SET state = 'done', error = '' WHERE state = 'refused'")
    _allow(BEFORE)


def _allow(states: tuple[str, ...]) -> None:
    with op.batch_alter_table('job', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_job_state'), type_='check')
        batch_op.create_check_constraint(batch_op.f('ck_job_state'), f"state IN ({', '.join(repr(state) for state in states)})")
