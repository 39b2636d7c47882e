"""Labs that were “named” are those that applicants share with

Revision: shares_with_labs
After: 'jobs_that_were_refused'
Created: 2026-11-24 15:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'shares_with_labs'
down_revision = 'jobs_that_were_refused'
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_anew('named_lab', 'named_at', as_table='lab_share', as_column='shared_at')


def downgrade() -> None:
    _make_anew('lab_share', 'shared_at', as_table='named_lab', as_column='named_at')


def _make_anew(table: str, column: str, *, as_table: str, as_column: str) -> None:
    """Make the table under its other name and move the rows: SQLite renames no constraint."""
    op.create_table(
        as_table,
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('lab_id', sa.Integer(), nullable=False),
        sa.Column(as_column, portal.db.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(['lab_id'], ['lab.id'], name=op.f(f'fk_{as_table}_lab_id_lab'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f(f'fk_{as_table}_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('user_id', 'lab_id', name=op.f(f'pk_{as_table}')),
    )
    op.execute(f'INSERT INTO {as_table} (user_id, lab_id, {as_column}) SELECT user_id, lab_id, {column} FROM {table}')
    op.drop_table(table)
