"""Conflicts of interest with an applicant, as administrators see and declare them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.applications.states import READ_BY_LABS
from portal.models import Choice, Conflict, LabProfessor, User

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from portal.models import Application


def declared_conflicts(session: Session, application: Application) -> Sequence[Conflict]:
    """Who keeps out of the application, the latest first."""
    return session.scalars(
        select(Conflict)
        .where(Conflict.applicant_id == application.applicant_id, Conflict.state == "declared")
        .options(joinedload(Conflict.reviewer), joinedload(Conflict.declared_by))
        .order_by(Conflict.changed_at.desc(), Conflict.id)
    ).all()


def readers_of(session: Session, application: Application) -> Sequence[User]:
    """Who reads the application for a lab and has declared no conflict; nobody while labs may not read it.

    To be told of a conflict with an applicant of one's lab would else say that there is one.
    """
    if application.state not in READ_BY_LABS:
        return ()
    out = select(Conflict.reviewer_id).where(
        Conflict.applicant_id == application.applicant_id, Conflict.state == "declared"
    )
    reading = (
        select(LabProfessor.user_id)
        .join(Choice, Choice.lab_id == LabProfessor.lab_id)
        .where(Choice.application_id == application.id)
    )
    return session.scalars(
        select(User)
        .where(
            User.id.in_(reading),
            User.active.is_(True),
            User.id != application.applicant_id,
            User.id.not_in(out),
        )
        .order_by(User.name, User.id)
    ).all()
