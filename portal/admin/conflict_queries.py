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
    """The declared conflicts of interest with the applicant, the latest first."""
    return session.scalars(
        select(Conflict)
        .where(Conflict.applicant_id == application.applicant_id, Conflict.state == "declared")
        .options(joinedload(Conflict.reviewer), joinedload(Conflict.declared_by))
        .order_by(Conflict.changed_at.desc(), Conflict.id)
    ).all()


def readers_of(session: Session, application: Application) -> Sequence[User]:
    """The people who read the application for a lab and have declared no conflict; nobody while labs may not read it.

    Otherwise, the notice of a conflict would reveal to a professor that this applicant chose their lab.
    """
    if application.state not in READ_BY_LABS:
        return ()
    excluded = select(Conflict.reviewer_id).where(
        Conflict.applicant_id == application.applicant_id, Conflict.state == "declared"
    )
    readers = (
        select(LabProfessor.user_id)
        .join(Choice, Choice.lab_id == LabProfessor.lab_id)
        .where(Choice.application_id == application.id)
    )
    return session.scalars(
        select(User)
        .where(
            User.id.in_(readers),
            User.active.is_(True),
            User.id != application.applicant_id,
            User.id.not_in(excluded),
        )
        .order_by(User.name, User.id)
    ).all()
