"""Overlaps of two accounts of one person: reasons that forbid a merge, and rows of which an administrator chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlalchemy.orm import aliased

from portal.admin.people.merging_contents import describe_application, describe_interests, describe_resume
from portal.models import (
    Application,
    Choice,
    Cycle,
    Invitation,
    Lab,
    LabProfessor,
    Referee,
    Release,
    ReviewMark,
    Scorecard,
)

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import User

KEPT, OTHER = "kept", "other"
BOTH = (KEPT, OTHER)


@dataclass(frozen=True, slots=True)
class Question:
    """A choice between rows of both accounts of which only one can stay. `sides` are the accounts whose row may stay;
    the other row is deleted.

    `contents` describes the row of each account, `kept` and `other`; empty if there are several rows.
    """

    key: str
    text: str
    sides: tuple[str, ...] = BOTH
    contents: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Rows of which an account can have only one: of `table`, owned by column `mine`, for equal values of the columns
    `same`. If somebody has to choose between two accounts' rows, `key` names the question and `text` begins it.
    """

    table: Any
    mine: str
    same: tuple[str, ...]
    key: str = ""
    text: str = ""


CARDS = Overlap(
    Scorecard,
    "reviewer_id",
    ("choice_id",),
    "scorecards",
    "Both accounts have a scorecard on the same choice; a locked one stays in any case",
)
OVERLAPS = (
    Overlap(Invitation, "applicant_id", ("lab_id",), "invitations", "Both accounts were invited by the same lab"),
    Overlap(ReviewMark, "reviewer_id", ("lab_id", "applicant_id"), "marks", "Both accounts marked the same applicant"),
    Overlap(ReviewMark, "applicant_id", ("lab_id", "reviewer_id"), "marked", "One reviewer marked both accounts"),
    CARDS,
)


def refusals(session: Session, kept: User, other: User, *, actor: User) -> tuple[str, ...]:
    """The reasons that forbid merging `other` into `kept`, as sentences."""
    if kept.id == other.id:
        return ("These are one account already.",)
    reasons = []
    if actor.id in {kept.id, other.id}:
        reasons.append("One of these accounts is your own. Ask another administrator to merge it.")
    reasons += [f"{person.email} is closed. Restore it first." for person in (kept, other) if not person.active]
    if kept.confirmed_at is None:
        reasons.append(f"Nobody has confirmed {kept.email}. Merge the other way round.")
    pair = (kept.id, other.id)
    reasons += _in_one_cycle(session, kept, other)
    reasons += _reviews_between(session, pair)
    locked = _both_locked(session, kept, other)
    if locked:
        reasons.append(f"Both accounts have locked a scorecard on the same choice ({locked}). Locked reviews stay.")
    crossed = select(Release.id).where(Release.state == "held", Release.prepared_by_id == other.id)
    if session.scalar(crossed.where(Release.approved_by_id == kept.id).limit(1)) is not None:
        reasons.append("A release that is held was prepared by one and approved by the other. Discard it first.")
    return tuple(reasons)


def questions(session: Session, kept: User, other: User) -> tuple[Question, ...]:
    """The choices to make before `other` is merged into `kept`."""
    result: list[Question] = []
    for key, text, describe in (
        ("interests", "Both accounts have interests. Whose stay?", describe_interests),
        ("resume", "Both accounts have a resume. Whose stays?", describe_resume),
    ):
        descriptions = describe(session, kept), describe(session, other)
        if all(descriptions):
            result.append(Question(key, text, contents=descriptions))
    for cycle, sides in shared_cycles(session, kept, other):
        if sides:
            text = f"Both accounts have an application in {cycle.name}, neither submitted. Which one stays?"
            if len(sides) == 1:
                text = (
                    f"Both accounts have an application in {cycle.name}. One was submitted, or a referee was asked for "
                    "it, so that it cannot be deleted: it stays."
                )
            descriptions = describe_application(session, kept, cycle), describe_application(session, other, cycle)
            result.append(Question(f"application-{cycle.id}", text, sides, descriptions))
    for overlap in OVERLAPS:
        count = len(overlapping(session, overlap, kept, other))
        if count:
            result.append(Question(overlap.key, f"{overlap.text} ({count}). Whose stay?"))
    return tuple(result)


def overlapping(session: Session, overlap: Overlap, kept: User, other: User) -> list[tuple[Any, Any]]:
    """Pairs of rows, of `kept` and of `other`, that cannot both belong to one account."""
    ours, theirs = aliased(overlap.table), aliased(overlap.table)
    pairs = (
        select(ours, theirs)
        .where(getattr(ours, overlap.mine) == kept.id, getattr(theirs, overlap.mine) == other.id)
        .where(*(getattr(ours, name) == getattr(theirs, name) for name in overlap.same))
    )
    return [(our, their) for our, their in session.execute(pairs)]


def shared_cycles(session: Session, kept: User, other: User) -> list[tuple[Cycle, tuple[str, ...]]]:
    """Cycles in which both have an application, with the sides whose application may stay: the other's is deletable."""
    theirs = aliased(Application)
    pairs = session.execute(
        select(Application, theirs)
        .join(theirs, Application.cycle_id == theirs.cycle_id)
        .where(Application.applicant_id == kept.id, theirs.applicant_id == other.id)
        .order_by(Application.cycle_id)
    )
    return [
        (
            ours.cycle,
            tuple(side for side, loser in ((KEPT, their), (OTHER, ours)) if _can_be_deleted(session, loser)),
        )
        for ours, their in pairs
    ]


def _can_be_deleted(session: Session, application: Application) -> bool:
    """Whether an application can be deleted: an unsubmitted draft for which no referee was asked."""
    referee = select(Referee.id).where(Referee.application_id == application.id).limit(1)
    return application.state == "draft" and application.submissions == 0 and session.scalar(referee) is None


def _in_one_cycle(session: Session, kept: User, other: User) -> list[str]:
    return [
        f"Both accounts have an application in {cycle.name}, and neither is a mere draft: two would have to become one."
        for cycle, sides in shared_cycles(session, kept, other)
        if not sides
    ]


def _reviews_between(session: Session, pair: tuple[int, int]) -> list[str]:
    """Reasons against a merge because one account has reviewed the other, or reads for a lab that it applies to."""
    reasons = []
    marks = select(ReviewMark.id).where(ReviewMark.applicant_id.in_(pair), ReviewMark.reviewer_id.in_(pair))
    cards = (
        select(Scorecard.id)
        .join(Choice, Choice.id == Scorecard.choice_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.applicant_id.in_(pair), Scorecard.reviewer_id.in_(pair))
    )
    if any(session.scalar(statement.limit(1)) is not None for statement in (marks, cards)):
        reasons.append("One of these accounts has reviewed the other as an applicant.")
    labs = session.scalars(
        select(Lab.name)
        .distinct()
        .join(LabProfessor, LabProfessor.lab_id == Lab.id)
        .join(Choice, Choice.lab_id == Lab.id)
        .join(Application, Application.id == Choice.application_id)
        .where(LabProfessor.user_id.in_(pair), Application.applicant_id.in_(pair))
        .order_by(Lab.name)
    ).all()
    if labs:
        reasons.append(f"One account applies to {', '.join(labs)}, and one reads for it. Detach it there first.")
    return reasons


def _both_locked(session: Session, kept: User, other: User) -> int:
    pairs = overlapping(session, CARDS, kept, other)
    return sum(ours.locked_at is not None and their.locked_at is not None for ours, their in pairs)
