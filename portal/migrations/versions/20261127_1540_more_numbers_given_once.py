"""Numbers of proposals, news and saved views are given once, also on SQLite

Revision: more_numbers_given_once
After: 'places_that_declines_gave_up'
Created: 2026-11-27 15:40:00.000000
"""

import re

import sqlalchemy as sa
from alembic import op

revision = 'more_numbers_given_once'
down_revision = 'places_that_declines_gave_up'
branch_labels = None
depends_on = None

TABLES = ('lab_proposal', 'notification', 'saved_view')
PLAIN = 'id INTEGER NOT NULL'
ONCE = 'id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT'
SAVED = sa.text('SELECT type, sql FROM sqlite_master WHERE tbl_name = :name AND sql IS NOT NULL')


def upgrade() -> None:
    for name in TABLES:
        _write_anew(name, lambda sql, name=name: _key(name).sub('', sql).replace(PLAIN, ONCE, 1))


def downgrade() -> None:
    for name in TABLES:
        _write_anew(name, lambda sql, name=name: _with_key(sql.replace(ONCE, PLAIN, 1), name))


def _write_anew(name, change):
    """The table by another definition, with its rows and indexes. The words SQLite keeps are changed, so that checks
    and conditions of indexes stay, which it does not tell apart from them.
    """
    if op.get_context().dialect.name != 'sqlite':
        return
    saved = op.get_bind().execute(SAVED, {'name': name}).all()
    table = next(sql for kind, sql in saved if kind == 'table')
    start, columns = table.split('(', 1)
    changed = change(columns)
    if changed == columns:
        raise RuntimeError(f'The table {name} is not as it was written: {table}')
    op.execute(sa.text('CREATE TABLE written_anew (' + changed.replace(':', '\\:')))
    op.execute(f'INSERT INTO written_anew SELECT * FROM {name}')
    op.execute(f'DROP TABLE {name}')
    op.execute(f'ALTER TABLE written_anew RENAME TO {name}')
    for kind, sql in saved:
        if kind == 'index':
            op.execute(sa.text(sql.replace(':', '\\:')))


def _key(name):
    return re.compile(rf',\s*CONSTRAINT "?pk_{name}"? PRIMARY KEY \(id\)')


def _with_key(columns, name):
    end = columns.rindex(')')
    return f'{columns[:end].rstrip()}, \n\tCONSTRAINT pk_{name} PRIMARY KEY (id)\n)'
