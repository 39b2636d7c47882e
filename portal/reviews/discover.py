"""Whom a lab may find before they choose it: ranked for it, one of them, and invitations while a cycle takes
applications for it.

The applicant answers (`portal.applications.application.invitations`); until then, the lab can withdraw the invitation.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from flask import Response, abort, current_app, redirect, render_template, request, url_for
from sqlalchemy import delete, exists, func, select
from sqlalchemy.exc import IntegrityError

from portal import audit, mail
from portal.applications.cycles import open_cycles
from portal.applications.files import uploaded_file
from portal.applications.interests.service import query_from
from portal.applications.locks import Refusal
from portal.applications.match_records import strong_terms
from portal.applications.people import applicants_in_conflict, is_named
from portal.applications.sharing import ApplicantForLab, ApplicantInShort, applicants_in_short, applicants_of_lab
from portal.applications.sharing import queries_of as queries_of_people
from portal.applications.states import READ_BY_LABS
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.matches import LabMatch, match_with
from portal.labs.queries import IS_LISTED
from portal.matching import mark as mark_terms
from portal.models import Application, Choice, Cycle, Invitation, Lab, LabIntake, LabProfessor, QueueVisit
from portal.reviews.access import lab_i_read_for, lab_that_finds
from portal.reviews.applicant.queries import match_without_person, reading_notices
from portal.reviews.blind_review import Redactor, Shown, is_blind, other_names, shown_person
from portal.reviews.lab_settings import LONGEST, filled, texts_of
from portal.reviews.rules import why_not_find
from portal.reviews.scoreboard import scoreboard
from portal.web.access import Refused, actor, or_404
from portal.web.downloads import record_download
from portal.web.messages import flash_message
from portal.web.paging import PER_PAGE, page_number, page_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.matching import Query
    from portal.models import User
    from portal.reviews.scoreboard import Scoreboard

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
            shown=shown_person(applicant.id, applicant.name, applicant.email, blind, "person"),
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


LONGEST_MESSAGE = LONGEST["invitation"]
ANSWERS = {None: "invited", "accepted": "accepted the invitation", "refused": "refused the invitation"}


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
    """Invite and notify an applicant whom the lab may read about; `Refusal` says why not."""
    cycle = cycle_to_invite_to(session, lab, now)
    if (reason := why_not_invite(session, lab, applicant, now)) is not None or cycle is None:
        raise Refusal(reason)
    if len(message) > LONGEST_MESSAGE:
        raise Refusal(f"Keep the message to {LONGEST_MESSAGE:,} characters; this one has {len(message):,}.")
    invitation = Invitation(
        lab_id=lab.id, applicant_id=applicant.id, invited_by_id=actor.id, message=message.strip(), invited_at=now
    )
    try:
        with session.begin_nested():
            session.add(invitation)
    except IntegrityError as error:
        raise Refusal(f"{lab.name} has invited this person already.") from error
    context = {"cycle": cycle.name, "lab": lab.name, "zone": cycle.zone, "deadline_at": cycle.deadline_at.isoformat()}
    mail.tell(session, applicant, "invitation", context, now=now, path="/me/", dedupe=_key(invitation))
    _log(session, "invitation.invite", lab, actor, now, invitation)
    return invitation


def withdraw_invitation(session: Session, lab: Lab, applicant: User, *, actor: User, now: datetime) -> None:
    """Withdraw an invitation; an unsent mail is dropped. `Refusal` if there is none, or it is answered."""
    invitation = invitation_to(session, lab, applicant)
    if invitation is None:
        raise Refusal("There is no invitation to take back.")
    # One statement, like answering: of the two at the same time, one finds no row.
    deleted = session.execute(delete(Invitation).where(Invitation.id == invitation.id, Invitation.answer.is_(None)))
    if not deleted.rowcount:  # type: ignore[attr-defined]  # a DELETE gives a CursorResult
        raise Refusal("The invitation is answered already, so it cannot be taken back.")
    mail.cancel(session, _key(invitation))
    _log(session, "invitation.take_back", lab, actor, now, invitation)


def _key(invitation: Invitation) -> str:
    return f"invitation:{invitation.id}"


def _log(session: Session, act: str, lab: Lab, actor: User, now: datetime, invitation: Invitation) -> None:
    # Not the message itself: it is to a person, and what the log holds outlasts an erasure.
    key, after = f"{lab.slug}/{invitation.applicant_id}", {"characters_of_message": len(invitation.message)}
    audit.record(session, actor, act, "applicant of lab", key, now, after=after)


def discover(slug: str) -> str:
    """The lab's applicants, best match first."""
    lab = lab_that_finds(slug)
    indexed = live_index(current_app).current(db.session())
    ranked, unscored = ranked_applicants(db.session(), lab, indexed, actor(), scoreboard(current_app))
    text = request.args.get("q", "").strip()[:200]
    filtered = [candidate for candidate in ranked if is_kept(candidate, text)]
    page = page_of(filtered, page_number(request.args.get("page")), PER_PAGE)
    return render_template(
        "reviews/discover.html",
        lab=lab,
        text=text,
        is_blind=is_blind(db.session(), lab),
        everybody=len(ranked),
        answers=ANSWERS,
        unscored=unscored,
        page=page.with_items(_rows(indexed, lab, page.items)),
    )


def candidate(slug: str, applicant_id: int) -> str:
    """One applicant: what they state, the resume, the evidence from both sides, and a box to invite them."""
    lab = lab_that_finds(slug)
    return _candidate_page(lab, found_candidate(lab, applicant_id))


def _candidate_page(lab: Lab, applicant: ApplicantForLab, message: str | None = None, refusal: str = "") -> str:
    session, now, applicant_id = db.session(), datetime.now(UTC), applicant.user.id
    indexed = live_index(current_app).current(session)
    ranked, _unscored = ranked_applicants(session, lab, indexed, actor(), scoreboard(current_app), first=applicant_id)
    # Whoever stopped sharing since the request began is not among them.
    index = or_404(next((place for place, candidate in enumerate(ranked) if candidate.id == applicant_id), None))
    cycle = cycle_to_invite_to(session, lab, now)
    message = texts_of(session, lab)["invitation"] if message is None else message
    match, hidden = _match(indexed, lab, ranked[index], applicant), ranked[index].shown.hidden
    redact = _redactor(applicant).redacted if hidden else str
    resume = redact(applicant.resume.text) if applicant.resume else ""
    return render_template(
        "reviews/candidate.html",
        lab=lab,
        applicant=applicant,
        candidate=ranked[index],
        total=len(ranked),
        before=ranked[index - 1] if index else None,
        after=ranked[index + 1] if index + 1 < len(ranked) else None,
        match=match,
        told=redact,
        resume=resume,
        # Words with a notable share of the score; weaker ones would mark every line.
        resume_spans=list(mark_terms(resume, strong_terms(match))) if resume and match else [],
        resume_notices=reading_notices(applicant.resume.warnings) if applicant.resume else (),
        why_not_invite=why_not_invite(session, lab, applicant.user, now),
        cycle=cycle,
        answers=ANSWERS,
        message=message,
        example=filled(message, name=ranked[index].shown.label, lab=lab.name, cycle=cycle.name if cycle else ""),
        refusal=refusal,
        longest_message=LONGEST_MESSAGE,
    )


def candidate_file(slug: str, applicant_id: int) -> Response:
    """The uploaded resume as a sandboxed download."""
    lab = lab_that_finds(slug)
    applicant = found_candidate(lab, applicant_id)
    if is_blind(db.session(), lab):
        raise Refused(f"{lab.name} reviews blind first. The file would show whose it is.")
    if applicant.resume is None or not applicant.resume.storage_key:
        abort(404)
    file = uploaded_file(applicant.resume.storage_key, applicant.resume.kind, f"resume-{applicant_id}")
    record_download(act="resume.download", object_type="applicant of lab", object_key=f"{lab.slug}/{applicant_id}")
    return file


def found_candidate(lab: Lab, applicant_id: int) -> ApplicantForLab:
    """The applicant, or 404: whether a person has an account is not revealed."""
    return or_404(found_applicants(db.session(), lab, actor(), {applicant_id}).get(applicant_id))


def shown_name(lab: Lab, user: User) -> str:
    """The name or the pseudonym of a person who has not chosen the lab."""
    return shown_person(user.id, user.name, user.email, is_blind(db.session(), lab), "person").label


def _rows(indexed: IndexedLabs, lab: Lab, candidates: Sequence[Candidate]) -> list[tuple[Candidate, LabMatch | None]]:
    """The candidates of a page with their matches, without those who cannot be found any more."""
    with_texts = found_applicants(db.session(), lab, actor(), {candidate.id for candidate in candidates})
    return [
        (candidate, _match(indexed, lab, candidate, with_texts[candidate.id]))
        for candidate in candidates
        if candidate.id in with_texts
    ]


def _match(indexed: IndexedLabs, lab: Lab, candidate: Candidate, applicant: ApplicantForLab) -> LabMatch | None:
    match = match_with(indexed, query_from(applicant.interests, applicant.resume), lab.slug)
    return match_without_person(match, _redactor(applicant)) if match and candidate.shown.hidden else match


def _redactor(applicant: ApplicantForLab) -> Redactor:
    """The redactor for a person, with the names of the account and those found in their texts."""
    texts = (
        applicant.resume.text if applicant.resume else "",
        applicant.interests.statement if applicant.interests else "",
    )
    user = applicant.user
    return Redactor(user.name, user.email, other_names(texts, user.name))


def send_invitation(slug: str, applicant_id: int) -> ResponseReturnValue:
    """Invite the applicant; a double click finds it done, and a second message is shown again."""
    lab = lab_that_finds(slug)
    candidate = found_candidate(lab, applicant_id)
    typed, now = request.form.get("message", "").replace("\0", ""), datetime.now(UTC)
    cycle = cycle_to_invite_to(db.session(), lab, now)
    # The name goes into it also while it is hidden from the lab.
    message = filled(typed, name=candidate.user.display_name, lab=lab.name, cycle=cycle.name if cycle else "")
    try:
        invite_applicant(db.session(), lab, candidate.user, message=message, actor=actor(), now=now)
    except Refusal as refusal:
        sent = invitation_to(db.session(), lab, candidate.user)
        if sent is None or message.strip() not in {"", sent.message}:
            return _candidate_page(lab, candidate, typed, str(refusal)), 422
        flash_message(str(refusal), "info")
    else:
        flash_message(
            f"{shown_name(lab, candidate.user)} is invited and decides. You can take it back until there is an answer."
        )
    return redirect(url_for("reviews.candidate", slug=slug, applicant_id=applicant_id))


def take_back_invitation(slug: str, applicant_id: int) -> ResponseReturnValue:
    """Withdraw an unanswered invitation, also that of a lab which has been archived since."""
    lab = lab_i_read_for(slug)
    candidate = found_candidate(lab, applicant_id)
    try:
        withdraw_invitation(db.session(), lab, candidate.user, actor=actor(), now=datetime.now(UTC))
    except Refusal as refusal:
        flash_message(str(refusal), "warn")
    else:
        flash_message(f"The invitation to {shown_name(lab, candidate.user)} is taken back.")
    if why_not_find(lab) is not None:
        return redirect(url_for("reviews.queue", slug=slug))
    return redirect(url_for("reviews.candidate", slug=slug, applicant_id=applicant_id))
