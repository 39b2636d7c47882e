"""What the pages of one choice begin with, read at once: what was submitted, its match record, who is hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import aliased

from portal.applications.submissions import IS_NEWEST
from portal.models import Application, Choice, MatchRecord, Submission
from portal.reviews.blinding import HIDDEN

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import Lab, User

_record = aliased(MatchRecord)
_OPENED = (
    select(Submission, MatchRecord, HIDDEN)
    .select_from(Choice)
    .join(Application, Application.id == Choice.application_id)
    .join(Submission, IS_NEWEST)
    .outerjoin(
        MatchRecord,
        MatchRecord.id
        == select(func.max(_record.id)).where(_record.choice_id == Choice.id).correlate(Choice).scalar_subquery(),
    )
    .where(Choice.id == bindparam("choice"))
)


@dataclass(frozen=True, slots=True)
class Opened:
    """What was submitted last with a choice, the newest match record if there is one, and whether the applicant is
    hidden from the reviewer. Texts are as written: they say who it is.
    """

    submission: Submission
    record: MatchRecord | None
    hidden: bool


def opened(session: Session, lab: Lab, choice: Choice, reviewer: User) -> Opened:
    """A choice that the reviewer may open. One statement.

    Raises:
        LookupError: The application was never submitted.
    """
    found = session.execute(_OPENED, {"choice": choice.id, "lab": lab.id, "reviewer": reviewer.id}).one_or_none()
    if found is None:
        raise LookupError(f"application {choice.application_id} was never submitted")
    submission, record, hidden = found
    return Opened(submission, record, bool(hidden))
