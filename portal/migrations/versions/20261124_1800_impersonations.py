"""“Looks” are called impersonations

Revision: impersonations
After: 'shares_with_labs'
Created: 2026-11-24 18:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'impersonations'
down_revision = 'shares_with_labs'
branch_labels = None
depends_on = None

COLUMNS = 'id, admin_id, person_id, reason, began_at, ends_at, ended_at, how_ended, pages, refused'


def upgrade() -> None:
    _make_anew('look', as_table='impersonation')
    _rename_kind('seen_as', as_kind='impersonation')


def downgrade() -> None:
    _rename_kind('impersonation', as_kind='seen_as')
    _make_anew('impersonation', as_table='look')


def _make_anew(table: str, *, as_table: str) -> None:
    """Make the table under its other name and move the rows: SQLite renames no constraint."""
    op.create_table(
        as_table,
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('admin_id', sa.Integer(), nullable=False),
        sa.Column('person_id', sa.Integer(), nullable=False),
        sa.Column('reason', sa.String(length=500), nullable=False),
        sa.Column('began_at', portal.db.UtcDateTime(timezone=True), nullable=False),
        sa.Column('ends_at', portal.db.UtcDateTime(timezone=True), nullable=False),
        sa.Column('ended_at', portal.db.UtcDateTime(timezone=True), nullable=True),
        sa.Column('how_ended', sa.String(length=80), nullable=False),
        sa.Column('pages', sa.JSON(), nullable=False),
        sa.Column('refused', sa.Integer(), nullable=False),
        sa.CheckConstraint('admin_id <> person_id', name=op.f(f'ck_{as_table}_two_people')),
        sa.ForeignKeyConstraint(['admin_id'], ['user_account.id'], name=op.f(f'fk_{as_table}_admin_id_user_account'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['person_id'], ['user_account.id'], name=op.f(f'fk_{as_table}_person_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f(f'pk_{as_table}')),
    )
    op.execute(f'INSERT INTO {as_table} ({COLUMNS}) SELECT {COLUMNS} FROM {table}')
    if op.get_bind().dialect.name == 'postgresql':
        # The rows brought their numbers; the next row must get a number after them.
        op.execute(f"SELECT setval(pg_get_serial_sequence('{as_table}', 'id'), coalesce(max(id), 0) + 1, false) FROM {as_table}")
    op.drop_table(table)
    for column in ('admin_id', 'person_id'):
        op.create_index(op.f(f'ix_{as_table}_{column}'), as_table, [column], unique=False)


def _rename_kind(kind: str, *, as_kind: str) -> None:
    for table in ('outbox_mail', 'notification', 'mail_preference'):
        op.execute(f"UPDATE {table} SET kind = '{as_kind}' WHERE kind = '{kind}'")
