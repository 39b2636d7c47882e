"""Tables of labs: imports of several labs, and rows that would become new ones

Revision: lab_tables
After: 'revision_sources'
Created: 2026-11-22 04:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'lab_tables'
down_revision = 'revision_sources'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('lab_import', schema=None) as batch_op:
        batch_op.alter_column('lab_id', existing_type=sa.Integer(), nullable=True)
    op.create_table('new_lab_proposal',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('import_id', sa.Integer(), nullable=True),
    sa.Column('line', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(length=300), nullable=False),
    sa.Column('snapshot', sa.JSON(), nullable=False),
    sa.Column('fingerprint', sa.String(length=64), nullable=False),
    sa.Column('state', sa.String(length=20), nullable=False),
    sa.Column('created_at', portal.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('decided_at', portal.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('decided_by_id', sa.Integer(), nullable=True),
    sa.Column('lab_id', sa.Integer(), nullable=True),
    sa.CheckConstraint("state IN ('open', 'accepted', 'refused')", name=op.f('ck_new_lab_proposal_state')),
    sa.ForeignKeyConstraint(['decided_by_id'], ['user_account.id'], name=op.f('fk_new_lab_proposal_decided_by_id_user_account'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['import_id'], ['lab_import.id'], name=op.f('fk_new_lab_proposal_import_id_lab_import'), ondelete='SET NULL'),
    sa.ForeignKeyConstraint(['lab_id'], ['lab.id'], name=op.f('fk_new_lab_proposal_lab_id_lab'), ondelete='SET NULL'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_new_lab_proposal')),
    sa.UniqueConstraint('fingerprint', name=op.f('uq_new_lab_proposal_fingerprint'))
    )
    with op.batch_alter_table('new_lab_proposal', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_new_lab_proposal_import_id'), ['import_id'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('new_lab_proposal', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_new_lab_proposal_import_id'))
    op.drop_table('new_lab_proposal')
    op.execute("DELETE FROM lab_import WHERE lab_id IS NULL")
    with op.batch_alter_table('lab_import', schema=None) as batch_op:
        batch_op.alter_column('lab_id', existing_type=sa.Integer(), nullable=False)
