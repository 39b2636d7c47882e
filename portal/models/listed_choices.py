"""The indexes behind labs' lists of choices."""

from __future__ import annotations

from sqlalchemy import Index

from portal.models.admission import Choice

_LISTED = (Choice.lab_id, Choice.listed_in_id)
# A lab's list by score, by time, by state and score, and, for those without a reply, by due date. Each index covers
# everything that filters and counts the list, so that the table itself is not read for it.
LISTED_BY = (
    Index("ix_choice_listed_by_score", *_LISTED, Choice.score.desc(), Choice.id, Choice.state, Choice.application_id),
    Index(
        "ix_choice_listed_by_time",
        *_LISTED,
        Choice.submitted_at.desc(),
        Choice.score.desc(),
        Choice.id,
        Choice.state,
        Choice.application_id,
    ),
    Index(
        "ix_choice_listed_by_state",
        *_LISTED,
        Choice.state,
        Choice.score.desc(),
        Choice.id,
        Choice.state_since,
        Choice.listed_since,
        Choice.application_id,
    ),
    Index(
        "ix_choice_listed_unanswered",
        *_LISTED,
        Choice.reply_by_at,
        Choice.application_id,
        Choice.replied_at,
        sqlite_where=Choice.replied_at.is_(None),
        postgresql_where=Choice.replied_at.is_(None),
    ),
)
