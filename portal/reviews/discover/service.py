"""Whom a lab may find before they choose it: ranked for it, and invited once while a cycle accepts applications for it.

The applicant answers (`portal.applications.application.invitations`); until then, the lab can withdraw the invitation.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import delete, exists, func, select
from sqlalchemy.exc import IntegrityError

from portal import audit, mail
from portal.applications.cycles import open_cycles
from portal.applications.people import applicants_in_conflict, is_named
from portal.applications.sharing import ApplicantForLab, ApplicantInShort, applicants_in_short, applicants_of_lab
from portal.applications.sharing import queries_of as queries_of_people
from portal.applications.states import READ_BY_LABS
from portal.labs.queries import IS_LISTED
from portal.models import Application, Choice, Cycle, Invitation, Lab, LabIntake, LabProfessor, QueueVisit
from portal.models.user import called
from portal.reviews.blind_review import Shown, is_blind, pseudonym
from portal.reviews.own_settings import LONGEST

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.matching import Query
    from portal.models import User
    from portal.reviews.discover.scoreboard import Scoreboard

SCORED_IN_A_REQUEST = 100  # people: two seconds at most, for a long resume takes some 20 ms


class Candidate(NamedTuple):
    """A person whom a lab may read about and who has not chosen it; `position` counts from 1 in the whole list."""

    applicant: ApplicantInShort
    position: int
    score: float
    shown: Shown
    invitation: Invitation | None = None

    @property
    def id(self) -> int:
        """The id of the applicant's account."""
        return self.applicant.id


def is_kept(candidate: Candidate, text: str) -> bool:
    """Whether a list narrowed by a name or an address, if any, keeps a candidate."""
    shown = candidate.shown
    return not text or is_named(shown.label, text) or text.casefold() in (shown.email or "").casefold()


def ranked_applicants(
    session: Session, lab: Lab, labs: IndexedLabs, reviewer: User, board: Scoreboard, *, first: int = 0
) -> tuple[list[Candidate], int]:
    """The applicants that a lab may read about, best match first, and how many are not scored yet: a request scores
    some of them, beginning with the account `first`.
    """
    left_out = _left_out(session, lab, reviewer)
    applicants = [one for one in applicants_in_short(session, lab) if one.id not in left_out]
    invitations, blind = invitations_of(session, lab), is_blind(session, lab)
    stated, queries = stated_by(applicants), partial(stated_queries, session)
    scores = board.scores(labs, lab.slug, stated, queries, at_most=SCORED_IN_A_REQUEST, first=str(first))
    scored = [applicant for applicant in applicants if str(applicant.id) in scores]
    ordered = sorted(scored, key=lambda applicant: (-scores[str(applicant.id)], applicant.id))
    candidates = [
        Candidate(
            applicant=applicant,
            position=position,
            score=scores[str(applicant.id)],
            shown=shown_candidate(applicant.id, applicant.name, applicant.email, blind=blind),
            invitation=invitations.get(applicant.id),
        )
        for position, applicant in enumerate(ordered, start=1)
    ]
    return candidates, len(applicants) - len(candidates)


def stated_to(session: Session, lab: Lab) -> dict[str, bytes]:
    """`stated_by` for everyone whom the lab may read about and who has not chosen it."""
    chose = who_chose(session, lab)
    return stated_by(applicant for applicant in applicants_in_short(session, lab) if applicant.id not in chose)


def labs_to_score(session: Session, limit: int) -> Sequence[Lab]:
    """At most `limit` labs that somebody reads for, those first whose queue was opened last."""
    opened = func.max(QueueVisit.visited_at)
    return session.scalars(
        select(Lab)
        .join(LabProfessor, LabProfessor.lab_id == Lab.id)
        .outerjoin(QueueVisit, QueueVisit.lab_id == Lab.id)
        .where(IS_LISTED)
        .group_by(Lab.id)
        .order_by(opened.desc().nulls_last(), Lab.id)
        .limit(limit)
    ).all()


def stated_by(applicants: Iterable[ApplicantInShort]) -> dict[str, bytes]:
    """The scoreboard keys of people, each with a digest that changes when the person states something else."""
    return {str(applicant.id): applicant.stated for applicant in applicants}


def stated_queries(session: Session, people: Collection[str]) -> dict[str, Query]:
    """The queries of the people with these scoreboard keys."""
    queries = queries_of_people(session, [int(key) for key in people])
    return {str(user_id): query for user_id, query in queries.items()}


def found_applicants(session: Session, lab: Lab, reviewer: User, only: Collection[int]) -> dict[int, ApplicantForLab]:
    """Those of the same people whose accounts have these ids, with what they state."""
    ids = set(only) - _left_out(session, lab, reviewer)
    return {applicant.user.id: applicant for applicant in applicants_of_lab(session, lab, ids)}


def _left_out(session: Session, lab: Lab, reviewer: User) -> set[int]:
    return who_chose(session, lab) | applicants_in_conflict(session, reviewer)


def invitations_of(session: Session, lab: Lab) -> Mapping[int, Invitation]:
    """The lab's invitations, by applicant."""
    return {
        invitation.applicant_id: invitation
        for invitation in session.scalars(select(Invitation).where(Invitation.lab_id == lab.id))
    }


def invitation_to(session: Session, lab: Lab, applicant: User) -> Invitation | None:
    """The lab's invitation to an applicant, if there is one."""
    return session.scalar(
        select(Invitation).where(Invitation.lab_id == lab.id, Invitation.applicant_id == applicant.id)
    )


def who_chose(session: Session, lab: Lab) -> set[int]:
    """The applicants whose choice of the lab, in a cycle that is not closed, the lab may read.

    Drafted, unchecked or withdrawn choices do not count: leaving these people out would reveal them to the lab.
    """
    return set(
        session.scalars(
            select(Application.applicant_id).where(
                Application.state.in_(READ_BY_LABS),
                exists().where(Choice.application_id == Application.id, Choice.lab_id == lab.id),
                exists().where(Cycle.id == Application.cycle_id, Cycle.closed_at.is_(None)),
            )
        )
    )


def shown_candidate(user_id: int, name: str, email: str, *, blind: bool) -> Shown:
    """How a person who has not chosen the lab is shown; under blind review never by name."""
    if blind:
        return Shown(pseudonym("person", user_id), None, hidden=True)
    return Shown(called(name, email), email, hidden=False)


LONGEST_MESSAGE = LONGEST["invitation"]
ANSWERS = {None: "invited", "accepted": "accepted the invitation", "refused": "refused the invitation"}


class InvitationRefused(Exception):
    """An invitation cannot be made or withdrawn; the message says why. Nothing was written."""


def cycle_to_invite_to(session: Session, lab: Lab, now: datetime) -> Cycle | None:
    """The open cycle with the nearest deadline in which the lab accepts applications."""
    closed = set(
        session.scalars(select(LabIntake.cycle_id).where(LabIntake.lab_id == lab.id, LabIntake.open.is_(False)))
    )
    return next((cycle for cycle in open_cycles(session, now) if cycle.id not in closed), None)


def why_not_invite(session: Session, lab: Lab, applicant: User, now: datetime) -> str | None:
    """The reason against inviting a person whom the lab may read about."""
    existing = invitation_to(session, lab, applicant)
    if existing is not None:
        answer = {None: "has not answered yet", "accepted": "accepted", "refused": "refused"}[existing.answer]
        return f"{lab.name} has invited this person already, who {answer}."
    if cycle_to_invite_to(session, lab, now) is None:
        return f"No cycle takes applications for {lab.name} now, so nobody can be invited to one."
    return None


def invite_applicant(
    session: Session, lab: Lab, applicant: User, *, message: str, actor: User, now: datetime
) -> Invitation:
    """Invite and notify an applicant whom the lab may read about; `InvitationRefused` says why not."""
    reason = why_not_invite(session, lab, applicant, now)
    cycle = cycle_to_invite_to(session, lab, now)
    if reason is not None or cycle is None:
        raise InvitationRefused(reason)
    if len(message) > LONGEST_MESSAGE:
        raise InvitationRefused(f"Keep the message to {LONGEST_MESSAGE:,} characters; this one has {len(message):,}.")
    invitation = Invitation(
        lab_id=lab.id, applicant_id=applicant.id, invited_by_id=actor.id, message=message.strip(), invited_at=now
    )
    try:
        with session.begin_nested():
            session.add(invitation)
    except IntegrityError as error:
        raise InvitationRefused(f"{lab.name} has invited this person already.") from error
    context = {"cycle": cycle.name, "lab": lab.name, "zone": cycle.zone, "deadline_at": cycle.deadline_at.isoformat()}
    mail.tell(session, applicant, "invitation", context, now=now, path="/me/", dedupe=_key(invitation))
    _log(session, "invitation.invite", lab, actor, now, invitation)
    return invitation


def withdraw_invitation(session: Session, lab: Lab, applicant: User, *, actor: User, now: datetime) -> None:
    """Withdraw an invitation; an unsent mail is dropped. `InvitationRefused` if there is none, or it is answered."""
    invitation = invitation_to(session, lab, applicant)
    if invitation is None:
        raise InvitationRefused("There is no invitation to take back.")
    # One statement, like answering: of the two at the same time, one finds no row.
    deleted = session.execute(delete(Invitation).where(Invitation.id == invitation.id, Invitation.answer.is_(None)))
    if not deleted.rowcount:  # type: ignore[attr-defined]  # a DELETE gives a CursorResult
        raise InvitationRefused("The invitation is answered already, so it cannot be taken back.")
    mail.cancel(session, _key(invitation))
    _log(session, "invitation.take_back", lab, actor, now, invitation)


def _key(invitation: Invitation) -> str:
    return f"invitation:{invitation.id}"


def _log(session: Session, act: str, lab: Lab, actor: User, now: datetime, invitation: Invitation) -> None:
    audit.record(
        session,
        actor=actor,
        act=act,
        object_type="applicant of lab",
        object_key=f"{lab.slug}/{invitation.applicant_id}",
        now=now,
        # Not the message itself: it is to a person, and what the log holds outlasts an erasure.
        after={"characters_of_message": len(invitation.message)},
    )
