"""Joins rows of two accounts of which one account can have only one. The caller commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from portal.accounts.service import grant_role
from portal.admin.people.merging_overlaps import KEPT, Overlap, overlapping
from portal.labs import service as labs
from portal.models import (
    Application,
    Conflict,
    LabProfessor,
    LabShare,
    MailPreference,
    Notification,
    QueueVisit,
    SavedView,
    Scorecard,
)

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, User

# Rows that mean the same for both accounts, as (table, column of the owner, key): those of the kept account stay.
SAME: tuple[tuple[Any, str, str], ...] = (
    (LabShare, "user_id", "lab_id"),
    (MailPreference, "user_id", "kind"),
    (QueueVisit, "reviewer_id", "lab_id"),
    (Notification, "user_id", "dedupe_key"),
)
VIEWS = Overlap(SavedView, "reviewer_id", ("lab_id", "name"))
CONFLICTS = (
    Overlap(Conflict, "reviewer_id", ("applicant_id",)),
    Overlap(Conflict, "applicant_id", ("reviewer_id",)),
)
STRONGEST = ("declared", "suggested", "dismissed")
LONGEST_VIEW_NAME = 100


def move_application(session: Session, cycle: Cycle, kept: User, other: User, side: str) -> None:
    """In a cycle in which both have an application, delete the draft that was not chosen to stay."""
    loser = other if side == KEPT else kept
    row = session.scalar(
        select(Application).where(Application.cycle_id == cycle.id, Application.applicant_id == loser.id)
    )
    if row is not None:
        session.delete(row)
        session.flush()


def settle(session: Session, overlap: Overlap, kept: User, other: User, side: str) -> None:
    """Of each pair of rows that cannot both stay, delete the one not chosen. A locked scorecard stays in any case."""
    for ours, theirs in overlapping(session, overlap, kept, other):
        loser = theirs if side == KEPT else ours
        if isinstance(loser, Scorecard) and loser.locked_at is not None:
            loser = theirs if loser is ours else ours
        session.delete(loser)
    session.flush()


def join_rows(session: Session, kept: User, other: User) -> None:
    """Delete or rename the rows of `other` that would duplicate rows of `kept`."""
    for table, owner_column, key_column in SAME:
        owner, key = getattr(table, owner_column), getattr(table, key_column)
        kept_keys = select(key).where(owner == kept.id, key.is_not(None)).scalar_subquery()
        session.execute(
            delete(table).where(owner == other.id, key.in_(kept_keys)).execution_options(synchronize_session=False)
        )
    _join_views(session, kept, other)
    _join_conflicts(session, kept, other)


def carry_rights(session: Session, kept: User, other: User, *, author: User, now: datetime) -> None:
    """Give the kept account the roles and labs of the other one. Of two positions at a lab, that of leader counts."""
    for role in [role.name for role in other.roles]:
        grant_role(session, kept, role, author=author, now=now)
    for seat in session.scalars(select(LabProfessor).where(LabProfessor.user_id == other.id)).all():
        before = session.get(LabProfessor, (seat.lab_id, kept.id))
        if before is None or seat.position == "leader":
            labs.attach_professor(session, seat.lab, kept, seat.position, author=author, now=now)
    leave_labs(session, other, author=author, now=now)
    session.flush()


def leave_labs(session: Session, other: User, *, author: User, now: datetime) -> None:
    """Detach an account that is being closed from all labs."""
    for seat in session.scalars(select(LabProfessor).where(LabProfessor.user_id == other.id)).all():
        labs.detach_professor(session, seat.lab, other, author=author, now=now)


def _join_views(session: Session, kept: User, other: User) -> None:
    """Of two views with one name, delete an identical one, and add a number to the name of a different one."""
    for ours, theirs in overlapping(session, VIEWS, kept, other):
        if ours.query == theirs.query:
            session.delete(theirs)
            continue
        taken = set(
            session.scalars(
                select(SavedView.name).where(
                    SavedView.lab_id == ours.lab_id, SavedView.reviewer_id.in_((kept.id, other.id))
                )
            )
        )
        number = next(number for number in range(2, len(taken) + 3) if _numbered(theirs.name, number) not in taken)
        theirs.name = _numbered(theirs.name, number)
        session.flush()
    session.flush()


def _numbered(name: str, number: int) -> str:
    ending = f" ({number})"
    return f"{name[: LONGEST_VIEW_NAME - len(ending)]}{ending}"


def _join_conflicts(session: Session, kept: User, other: User) -> None:
    """Keep the stronger of two conflicts: one declared by either account keeps the person out."""
    pair = (kept.id, other.id)
    session.execute(
        delete(Conflict)
        .where(Conflict.reviewer_id.in_(pair), Conflict.applicant_id.in_(pair))
        .execution_options(synchronize_session=False)
    )
    for conflict in CONFLICTS:
        for ours, theirs in overlapping(session, conflict, kept, other):
            weaker = theirs if STRONGEST.index(ours.state) <= STRONGEST.index(theirs.state) else ours
            session.delete(weaker)
        session.flush()
