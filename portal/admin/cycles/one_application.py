"""What an administrator sees of one application beside its own row: the chosen labs, and who waits next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select

from portal.applications.states import CHOICE_LABELS, READ_BY_LABS
from portal.applications.submissions_shown import GONE
from portal.models import Application, Choice, Lab

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Submission, User


@dataclass(frozen=True, slots=True)
class ChosenLab:
    """A lab as it was submitted, in the applicant's order. `state` is how far the lab is with the applicant, in words,
    since `since`; it is empty until the lab may read the application. `slug` is empty where there is no such lab now.
    """

    name: str
    slug: str
    reason: str
    state: str
    since: datetime | None
    is_waiting: bool  # for its release: the applicant sees nothing of the state yet


@dataclass(frozen=True, slots=True)
class ToCheck:
    """How many other submitted applications of a cycle wait to be checked, and the one that comes next."""

    others: int
    next: int | None


def chosen_labs(
    session: Session, application: Application, submission: Submission | None, reader: User
) -> Sequence[ChosenLab]:
    """The labs of the last submission. Of their own application, readers see what every applicant sees."""
    if submission is None:
        return ()
    sent = sorted(submission.choices, key=lambda one: int(one["position"]))
    found = select(Lab).where(Lab.id.in_([one["lab_id"] for one in sent]))
    labs = {lab.id: lab for lab in session.scalars(found)}
    read = application.state in READ_BY_LABS
    choices = {one.lab_id: one for one in application.choices} if read else {}
    is_own = application.applicant_id == reader.id
    shown = []
    for one in sent:
        lab, choice = labs.get(one["lab_id"]), choices.get(one["lab_id"])
        shown.append(
            ChosenLab(
                lab.name if lab else GONE,
                lab.slug if lab else "",
                one["reason"],
                _state(choice, is_own=is_own),
                _since(choice, is_own=is_own),
                choice is not None and not is_own and _waits_for_release(choice),
            )
        )
    return shown


def to_check(session: Session, application: Application) -> ToCheck:
    """The others that wait, first submitted first; after the last one the first comes again."""
    waiting = (Application.cycle_id == application.cycle_id, Application.state == "submitted")
    others = (*waiting, Application.id != application.id)
    ordered = select(Application.id).where(*others).order_by(Application.submitted_at, Application.id).limit(1)
    count = session.scalar(select(func.count()).select_from(Application).where(*others)) or 0
    at = application.submitted_at
    if at is None or not count:
        return ToCheck(count, session.scalar(ordered))
    later = or_(
        Application.submitted_at > at,
        (Application.submitted_at == at) & (Application.id > application.id),
    )
    return ToCheck(count, session.scalar(ordered.where(later)) or session.scalar(ordered))


def _state(choice: Choice | None, *, is_own: bool) -> str:
    if choice is None:
        return ""
    return CHOICE_LABELS[choice.shown_state if is_own else choice.state]


def _since(choice: Choice | None, *, is_own: bool) -> datetime | None:
    """From when on it has been so: for a lab that has not begun, from when it could read the application."""
    if choice is None:
        return None
    since = choice.shown_since if is_own else choice.state_since
    return max(since, choice.listed_since) if choice.listed_since else since


def _waits_for_release(choice: Choice) -> bool:
    """Whether a decision was made of which the applicant knows nothing yet."""
    return choice.state in {"offered", "waitlisted", "declined"} and choice.shown_state != choice.state
