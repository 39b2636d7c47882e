"""The audit log as a chain

Revision: chain
After: 'api'
Created: 2026-11-21 23:15:00
"""

import hashlib
import json
from datetime import UTC

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'chain'
down_revision = 'api'
branch_labels = None
depends_on = None

entry = sa.table(
    'audit_entry',
    sa.column('id', sa.Integer),
    sa.column('at', portal.db.UtcDateTime(timezone=True)),
    sa.column('actor_label', sa.String),
    sa.column('act', sa.String),
    sa.column('object_type', sa.String),
    sa.column('object_key', sa.String),
    sa.column('before', sa.JSON),
    sa.column('after', sa.JSON),
    sa.column('position', sa.Integer),
    sa.column('seal', sa.String),
)
head = sa.table('audit_head', sa.column('id', sa.Integer), sa.column('position', sa.Integer), sa.column('seal', sa.String))


def upgrade() -> None:
    op.create_table('audit_head',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('seal', sa.String(length=64), nullable=False),
    sa.CheckConstraint('id = 1', name=op.f('ck_audit_head_one_row')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_head'))
    )
    with op.batch_alter_table('audit_entry', schema=None) as batch_op:
        batch_op.add_column(sa.Column('position', sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column('seal', sa.String(length=64), nullable=True))
        batch_op.create_unique_constraint(batch_op.f('uq_audit_entry_position'), ['position'])
    bind = op.get_bind()
    seal, position = '', 0
    for row in bind.execute(sa.select(entry).order_by(entry.c.id)).all():
        position += 1
        said = [seal, position, row.at.astimezone(UTC).isoformat(), row.actor_label, row.act, row.object_type,
                row.object_key, row.before, row.after]
        seal = hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
        bind.execute(sa.update(entry).where(entry.c.id == row.id).values(position=position, seal=seal))
    bind.execute(sa.insert(head).values(id=1, position=position, seal=seal))


def downgrade() -> None:
    with op.batch_alter_table('audit_entry', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('uq_audit_entry_position'), type_='unique')
        batch_op.drop_column('seal')
        batch_op.drop_column('position')
    op.drop_table('audit_head')
