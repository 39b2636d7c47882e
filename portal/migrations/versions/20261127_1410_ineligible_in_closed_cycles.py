"""Applications that were not eligible when their cycle was closed are so again: as closed ones, labs could read them

Revision: ineligible_in_closed_cycles
After: 'files_and_mails_by_key'
Created: 2026-11-27 14:10:00.000000
"""

from alembic import op

revision = 'ineligible_in_closed_cycles'
down_revision = 'files_and_mails_by_key'
branch_labels = None
depends_on = None

CLOSED_SO = """
FROM move_record
WHERE move_record.choice_id IS NULL AND move_record.move = 'close' AND move_record.from_state = 'ineligible'
"""
FOUND = """
FROM move_record
WHERE move_record.application_id = application.id AND move_record.choice_id IS NULL
AND move_record.to_state = 'ineligible'
ORDER BY move_record.id DESC LIMIT 1
"""
ELIGIBLE_BEFORE = """
SELECT max(move_record.at) FROM move_record
WHERE move_record.application_id = choice.application_id AND move_record.choice_id IS NULL
AND move_record.move = 'mark_eligible'
"""


def upgrade() -> None:
    op.execute(
        f'UPDATE choice SET listed_in_id = NULL, listed_since = ({ELIGIBLE_BEFORE}) '
        f'WHERE application_id IN (SELECT move_record.application_id {CLOSED_SO})'
    )
    op.execute(
        "UPDATE application SET state = 'ineligible', "
        f"state_reason = coalesce((SELECT move_record.message {FOUND}), ''), "
        f'state_since = coalesce((SELECT move_record.at {FOUND}), state_since) '
        f"WHERE state = 'closed' AND id IN (SELECT move_record.application_id {CLOSED_SO})"
    )
    op.execute(f'DELETE {CLOSED_SO}')


def downgrade() -> None:
    """They stay as they are: the version before shows them so, too."""
