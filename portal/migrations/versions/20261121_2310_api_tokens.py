"""Tokens of the API, and answers that are given again

Revision: api
After: 'admission'
Created: 2026-11-21 23:10:12.410233
"""

import sqlalchemy as sa
from alembic import op

import portal.db

revision = 'api'
down_revision = 'admission'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('api_token',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('user_id', sa.Integer(), nullable=False),
    sa.Column('name', sa.String(length=80), nullable=False),
    sa.Column('digest', sa.String(length=64), nullable=False),
    sa.Column('hint', sa.String(length=12), nullable=False),
    sa.Column('scopes', sa.JSON(), nullable=False),
    sa.Column('created_at', portal.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('expires_at', portal.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('last_used_at', portal.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('revoked_at', portal.db.UtcDateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_api_token_user_id_user_account'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_token')),
    sa.UniqueConstraint('digest', name=op.f('uq_api_token_digest'))
    )
    with op.batch_alter_table('api_token', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_api_token_user_id'), ['user_id'], unique=False)

    op.create_table('api_answer',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('user_id', sa.Integer(), nullable=False),
    sa.Column('key', sa.String(length=64), nullable=False),
    sa.Column('request_digest', sa.String(length=64), nullable=False),
    sa.Column('status', sa.Integer(), nullable=False),
    sa.Column('body', sa.JSON(), nullable=False),
    sa.Column('created_at', portal.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_api_answer_user_id_user_account'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_answer')),
    sa.UniqueConstraint('user_id', 'key', name=op.f('uq_api_answer_user_id_key'))
    )
    with op.batch_alter_table('api_answer', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_api_answer_created_at'), ['created_at'], unique=False)


def downgrade() -> None:
    op.drop_table('api_answer')
    op.drop_table('api_token')
