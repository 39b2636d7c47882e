"""How rows of two accounts become rows of one, where an account has one of each kind. The caller commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from portal.accounts.service import grant_role
from portal.admin.people.merging_overlaps import KEPT, Overlap, overlapping
from portal.labs import service as labs
from portal.models import (
    Application,
    Conflict,
    Lab,
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

# Rows that say the same for both accounts: the kept account's stays.
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
    """Delete the draft, in a cycle in which both have an application, that was not chosen to stay."""
    loser = other if side == KEPT else kept
    row = session.scalar(
        select(Application).where(Application.cycle_id == cycle.id, Application.applicant_id == loser.id)
    )
    if row is not None:
        session.delete(row)
        session.flush()


def settle(session: Session, one: Overlap, kept: User, other: User, side: str) -> None:
    """Delete the rows that were not chosen, of those that cannot both stay. A locked scorecard stays in any case."""
    for ours, theirs in overlapping(session, one, kept, other):
        loser = theirs if side == KEPT else ours
        if isinstance(loser, Scorecard) and loser.locked_at is not None:
            loser = theirs if loser is ours else ours
        session.delete(loser)
    session.flush()


def join_rows(session: Session, kept: User, other: User) -> None:
    """Let what both accounts have be there once."""
    for table, mine, same in SAME:
        owner, key = getattr(table, mine), getattr(table, same)
        held = select(key).where(owner == kept.id, key.is_not(None)).scalar_subquery()
        session.execute(
            delete(table).where(owner == other.id, key.in_(held)).execution_options(synchronize_session=False)
        )
    _join_views(session, kept, other)
    _join_conflicts(session, kept, other)


def carry_rights(session: Session, kept: User, other: User, *, author: User, now: datetime) -> None:
    """Give the kept account the roles of the other one, and its labs; who leads a lab with one of them leads it."""
    for role in [role.name for role in other.roles]:
        grant_role(session, kept, role, author=author, now=now)
    for seat in session.scalars(select(LabProfessor).where(LabProfessor.user_id == other.id)).all():
        lab = session.get_one(Lab, seat.lab_id)
        before = session.get(LabProfessor, (lab.id, kept.id))
        if before is None or seat.position == "leader":
            labs.attach_professor(session, lab, kept, seat.position, author=author, now=now)
    leave_labs(session, other, author=author, now=now)
    session.flush()


def leave_labs(session: Session, other: User, *, author: User, now: datetime) -> None:
    """End what an account reads for that is closed."""
    for seat in session.scalars(select(LabProfessor).where(LabProfessor.user_id == other.id)).all():
        labs.detach_professor(session, session.get_one(Lab, seat.lab_id), other, author=author, now=now)


def _join_views(session: Session, kept: User, other: User) -> None:
    """Two views of one name: the same one is there once, another one gets a number."""
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
    """The stronger word stays: what was declared with one account keeps the person out with both."""
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
