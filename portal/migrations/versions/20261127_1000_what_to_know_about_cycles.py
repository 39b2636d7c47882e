"""What applicants should know about a cycle: who may apply, what is offered

Revision: what_to_know_about_cycles
After: 'what_erasing_looks_for'
Created: 2026-11-27 10:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = 'what_to_know_about_cycles'
down_revision = 'what_erasing_looks_for'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('cycle', sa.Column('about', sa.Text(), nullable=False, server_default=''))


def downgrade() -> None:
    op.drop_column('cycle', 'about')
