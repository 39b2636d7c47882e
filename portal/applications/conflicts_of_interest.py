"""Conflicts of interest: the one place to ask whether a reviewer is excluded from an applicant's matters.

A reviewer who applies is excluded from their own application, without declaring anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlalchemy import bindparam, exists, or_, select

from portal.db import columns
from portal.models import Conflict

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, SQLColumnExpression
    from sqlalchemy.orm import Session

    from portal.models import User

    Who = int | SQLColumnExpression[int]

_DECLARED = select(Conflict.id).where(
    Conflict.reviewer_id == bindparam("reviewer"),
    Conflict.applicant_id == bindparam("applicant"),
    Conflict.state == "declared",
)


def keeps_out(reviewer: Who, applicant: Who) -> ColumnElement[bool]:
    """As an SQL expression: whether the reviewer declared a conflict with the applicant, or is the applicant.

    Both are ids: columns of the statement, parameters or numbers.
    """
    declared = exists().where(
        Conflict.reviewer_id == reviewer, Conflict.applicant_id == applicant, Conflict.state == "declared"
    )
    return or_(cast("ColumnElement[bool]", reviewer == applicant), declared.correlate_except(Conflict))


def declared_conflict(session: Session, reviewer: User, applicant_id: int) -> bool:
    """Whether the reviewer declared a conflict of interest with the applicant, or is the applicant."""
    if reviewer.id == applicant_id:
        return True
    return columns(session, _DECLARED, {"reviewer": reviewer.id, "applicant": applicant_id}).first() is not None


def applicants_in_conflict(session: Session, reviewer: User) -> frozenset[int]:
    """The applicants with whom the reviewer declared a conflict of interest, and the reviewer."""
    declared = select(Conflict.applicant_id).where(Conflict.reviewer_id == reviewer.id, Conflict.state == "declared")
    return frozenset((reviewer.id, *session.scalars(declared)))
