"""Reads for the pages on which applications are checked: the chosen labs, the moves, and the next one to check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select

from portal.applications.states import CHOICE_LABELS, READ_BY_LABS
from portal.applications.submissions import GONE
from portal.models import Application, Choice, Lab, MoveRecord

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Submission, User


@dataclass(frozen=True, slots=True)
class ChosenLab:
    """A lab chosen in a submission. `state` is the state of the choice in words, and `since` when it began; both are
    empty until the lab may read the application. `slug` is empty if the lab no longer exists.
    """

    name: str
    slug: str
    reason: str
    state: str
    since: datetime | None
    is_waiting: bool  # for its release: the applicant sees nothing of the state yet


@dataclass(frozen=True, slots=True)
class ToCheck:
    """How many other submitted applications of a cycle wait to be checked, and the id of the next one."""

    others: int
    next: int | None


def applications_in(session: Session, cycle: Cycle, ids: Sequence[int]) -> Sequence[Application]:
    """The applications of a cycle with these ids, in their order; others are left out."""
    statement = select(Application).where(Application.id.in_(ids), Application.cycle_id == cycle.id)
    found = {application.id: application for application in session.scalars(statement)}
    return [found[application_id] for application_id in ids if application_id in found]


def own_moves(session: Session, application: Application) -> Sequence[MoveRecord]:
    """The moves of an application itself, not of its choices, in their order."""
    moves = select(MoveRecord).where(MoveRecord.application_id == application.id, MoveRecord.choice_id.is_(None))
    return session.scalars(moves.order_by(MoveRecord.id)).all()


def chosen_labs(
    session: Session, application: Application, submission: Submission | None, reader: User
) -> Sequence[ChosenLab]:
    """The labs of the last submission, in the applicant's order. In their own application, readers see the states that
    applicants see.
    """
    if submission is None:
        return ()
    submitted = sorted(submission.choices, key=lambda item: int(item["position"]))
    statement = select(Lab).where(Lab.id.in_([item["lab_id"] for item in submitted]))
    labs = {lab.id: lab for lab in session.scalars(statement)}
    is_readable = application.state in READ_BY_LABS
    choices = {item.lab_id: item for item in application.choices} if is_readable else {}
    is_own = application.applicant_id == reader.id
    rows = []
    for item in submitted:
        lab, choice = labs.get(item["lab_id"]), choices.get(item["lab_id"])
        rows.append(
            ChosenLab(
                lab.name if lab else GONE,
                lab.slug if lab else "",
                item["reason"],
                _state(choice, is_own=is_own),
                _since(choice, is_own=is_own),
                choice is not None and not is_own and _waits_for_release(choice),
            )
        )
    return rows


def to_check(session: Session, application: Application) -> ToCheck:
    """The other waiting applications: their number, and the next by time of submission, wrapping around at the end."""
    waiting = (Application.cycle_id == application.cycle_id, Application.state == "submitted")
    others = (*waiting, Application.id != application.id)
    ordered = select(Application.id).where(*others).order_by(Application.submitted_at, Application.id).limit(1)
    count = session.scalar(select(func.count()).select_from(Application).where(*others)) or 0
    submitted_at = application.submitted_at
    if submitted_at is None or not count:
        return ToCheck(count, session.scalar(ordered))
    later = or_(
        Application.submitted_at > submitted_at,
        (Application.submitted_at == submitted_at) & (Application.id > application.id),
    )
    return ToCheck(count, session.scalar(ordered.where(later)) or session.scalar(ordered))


def _state(choice: Choice | None, *, is_own: bool) -> str:
    if choice is None:
        return ""
    return CHOICE_LABELS[choice.shown_state if is_own else choice.state]


def _since(choice: Choice | None, *, is_own: bool) -> datetime | None:
    """Since when the choice is in its state; at the earliest, since the lab could read the application."""
    if choice is None:
        return None
    since = choice.shown_since if is_own else choice.state_since
    return max(since, choice.listed_since) if choice.listed_since else since


def _waits_for_release(choice: Choice) -> bool:
    """Whether a decision was made that is not released to the applicant yet."""
    return choice.state in {"offered", "waitlisted", "declined"} and choice.shown_state != choice.state
