"""Who may try to move a choice, how it comes to where it stands, and whether a try succeeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.locks import MoveRefused
from portal.applications.moves.service import perform

if TYPE_CHECKING:
    from portal.applications.states import Move
    from portal.models import Application, Choice, User
    from tests.admission import Admission
    from tests.people import Person

# How a choice comes into each state by moves of the lab, after its application was found eligible.
WAY = {
    "pending": (),
    "in_review": ("start_review",),
    "shortlisted": ("start_review", "shortlist"),
    "declined": ("start_review", "decline"),
    "interview": ("start_review", "shortlist", "invite_to_interview"),
    "interviewed": ("start_review", "shortlist", "invite_to_interview", "mark_interviewed"),
    "ranked": ("start_review", "shortlist", "rank"),
    "waitlisted": ("start_review", "shortlist", "waitlist"),
    "offered": ("start_review", "shortlist", "rank", "offer"),
}


def everybody(admission: Admission, applicant: Person) -> list[tuple[str, User | None, frozenset[str]]]:
    """Everybody who may try, with the capacities they really have towards an application to Systems."""
    stranger = admission.add_applicant()
    conflicted = admission.reviewers["Systems"]
    return [
        ("its applicant", admission.user(applicant), frozenset({"applicant"})),
        ("another applicant", admission.user(stranger), frozenset()),
        ("the lab's leader", admission.user(admission.leaders["Systems"]), frozenset({"reviewer", "leader"})),
        ("the lab's reviewer", admission.user(conflicted), frozenset({"reviewer"})),
        ("the leader of another lab", admission.user(admission.leaders["Vision"]), frozenset()),
        ("an administrator", admission.user(admission.admin), frozenset({"admin"})),
        ("nobody", None, frozenset()),
    ]


def tries(
    admission: Admission, one: Move, subject: Application | Choice, actor: User | None, capacity: str, when: object
) -> bool:
    """Whether the move is made; what it wrote is rolled back."""
    try:
        perform(
            admission.session,
            one.name,
            subject,
            actor=actor,
            capacity=capacity,  # type: ignore[arg-type]  # one of the capacities
            now=when,  # type: ignore[arg-type]
            message="Because.",
        )
    except MoveRefused:
        return False
    else:
        return True
    finally:
        admission.session.rollback()
