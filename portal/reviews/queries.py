"""Reads the applicants whom a lab may find, ranked for it, with the marks on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.applications.conflicts_of_interest import applicants_in_conflict
from portal.applications.name_search import name_holds
from portal.applications.queries import ApplicantForLab, applicants_of_lab, query_from
from portal.models import ReviewMark
from portal.reviews.blinding import Shown, is_blind, pseudonym_of_person
from portal.reviews.invitations import invitations_of, who_chose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.labs.live_index.live import IndexedLabs
    from portal.models import Invitation, Lab, User
    from portal.reviews.scoreboard import Scoreboard

MarkValue = Literal["yes", "maybe", "no"]
MARKS: tuple[MarkValue, ...] = ("yes", "maybe", "no")


@dataclass(frozen=True)
class Candidate:
    """A person whom a lab may read about and who has not chosen it.

    `position` counts from 1 in the whole ranked list, regardless of filters. `percentile` is that position in per cent:
    the first of n has 100, the last 100/n.
    """

    applicant: ApplicantForLab
    position: int
    score: float
    percentile: float
    fits: bool
    mark: ReviewMark | None
    shown: Shown
    invitation: Invitation | None = None

    @property
    def id(self) -> int:
        """The id of the applicant's account."""
        return self.applicant.user.id


@dataclass(frozen=True)
class DiscoverFilter:
    """A filter by mark ("yes", "maybe", "no", "none", or "" for all), by sharing, and by name."""

    mark: str = ""
    sharing_only: bool = False
    text: str = ""

    def keeps(self, candidate: Candidate) -> bool:
        """Whether a candidate is shown."""
        marked = candidate.mark.mark if candidate.mark else "none"
        if self.mark and marked != self.mark:
            return False
        if self.sharing_only and candidate.applicant.shared_at is None:
            return False
        shown = candidate.shown
        return (
            not self.text
            or name_holds(shown.label, self.text)
            or self.text.casefold() in (shown.email or "").casefold()
        )


def ranked_applicants(
    session: Session, lab: Lab, labs: IndexedLabs, reviewer: User, board: Scoreboard
) -> list[Candidate]:
    """The applicants that a lab may read about, best match first; those who state nothing come last."""
    applicants = found_by_lab(session, lab, reviewer)
    marks, invitations, blind = own_marks(session, lab, reviewer), invitations_of(session, lab), is_blind(session, lab)
    queries = {str(one.user.id): query_from(one.interests, one.resume) for one in applicants}
    scores = board.scores(labs, lab.slug, queries)
    ordered = sorted(applicants, key=lambda one: (-scores[str(one.user.id)].score, one.user.id))
    return [
        Candidate(
            applicant=one,
            position=position,
            score=scores[str(one.user.id)].score,
            percentile=100 * (len(ordered) - position + 1) / len(ordered),
            fits=scores[str(one.user.id)].fits,
            mark=marks.get(one.user.id),
            shown=shown_candidate(one.user, blind=blind),
            invitation=invitations.get(one.user.id),
        )
        for position, one in enumerate(ordered, start=1)
    ]


def found_by_lab(session: Session, lab: Lab, reviewer: User) -> list[ApplicantForLab]:
    """Applicants who share with the lab or agreed to be found, have not chosen it in a running cycle, and have no
    conflict of interest with the reviewer.
    """
    left_out = who_chose(session, lab) | applicants_in_conflict(session, reviewer)
    return [one for one in applicants_of_lab(session, lab) if one.user.id not in left_out]


def found_applicant(session: Session, lab: Lab, reviewer: User, applicant_id: int) -> ApplicantForLab | None:
    """One of `found_by_lab`."""
    return next((one for one in found_by_lab(session, lab, reviewer) if one.user.id == applicant_id), None)


def shown_candidate(user: User, *, blind: bool) -> Shown:
    """How a person who has not chosen the lab is shown; under blind review never by name."""
    if blind:
        return Shown(pseudonym_of_person(user.id), None, hidden=True)
    return Shown(user.display_name, user.email, hidden=False)


def own_marks(session: Session, lab: Lab, reviewer: User) -> Mapping[int, ReviewMark]:
    """A reviewer's marks for a lab, by applicant."""
    marks = session.scalars(
        select(ReviewMark).where(ReviewMark.lab_id == lab.id, ReviewMark.reviewer_id == reviewer.id)
    )
    return {mark.applicant_id: mark for mark in marks}


def colleagues_marks(session: Session, lab: Lab, applicant_id: int, reviewer: User) -> Sequence[ReviewMark]:
    """The marks of the lab's other reviewers on an applicant, oldest first."""
    return session.scalars(
        select(ReviewMark)
        .where(
            ReviewMark.lab_id == lab.id,
            ReviewMark.applicant_id == applicant_id,
            ReviewMark.reviewer_id != reviewer.id,
        )
        .options(joinedload(ReviewMark.reviewer))
        .order_by(ReviewMark.marked_at, ReviewMark.id)
    ).all()
