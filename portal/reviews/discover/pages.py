"""Applicants who share with the lab or agreed to be found, ranked for the lab; one of them; invitations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, abort, current_app, redirect, render_template, request, url_for

from portal.applications.files import uploaded_file
from portal.applications.interests.service import query_from
from portal.applications.match_records import strong_terms
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.matches import LabMatch, match_with
from portal.matching import mark as mark_terms
from portal.reviews.access import lab_i_read_for, lab_that_finds
from portal.reviews.applicant.queries import match_without_person, reading_notices
from portal.reviews.blind_review import Redactor, is_blind, other_names
from portal.reviews.discover.scoreboard import scoreboard
from portal.reviews.discover.service import (
    ANSWERS,
    LONGEST_MESSAGE,
    Candidate,
    InvitationRefused,
    cycle_to_invite_to,
    found_applicants,
    invitation_to,
    invite_applicant,
    is_kept,
    ranked_applicants,
    shown_candidate,
    why_not_invite,
    withdraw_invitation,
)
from portal.reviews.own_settings import filled, texts_of
from portal.reviews.rules import why_not_find
from portal.web.access import Refused, actor, or_404
from portal.web.downloads import record_download
from portal.web.messages import flash_message
from portal.web.paging import PER_PAGE, page_number, page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.applications.sharing import ApplicantForLab
    from portal.labs.live_index.state import IndexedLabs
    from portal.models import Lab, User


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
        neighbours=ranked[max(0, index - 5) : index + 6],
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
    kind = applicant.resume.kind
    file = uploaded_file(applicant.resume.storage_key, kind, f"resume-{applicant_id}.{kind}")
    record_download(act="resume.download", object_type="applicant of lab", object_key=f"{lab.slug}/{applicant_id}")
    return file


def found_candidate(lab: Lab, applicant_id: int) -> ApplicantForLab:
    """The applicant, or 404: whether a person has an account is not revealed."""
    return or_404(found_applicants(db.session(), lab, actor(), {applicant_id}).get(applicant_id))


def shown_name(lab: Lab, user: User) -> str:
    """The name or the pseudonym of a person who has not chosen the lab."""
    return shown_candidate(user.id, user.name, user.email, blind=is_blind(db.session(), lab)).label


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


REFUSED = 422


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
    except InvitationRefused as refusal:
        sent = invitation_to(db.session(), lab, candidate.user)
        if sent is None or message.strip() not in {"", sent.message}:
            return _candidate_page(lab, candidate, typed, str(refusal)), REFUSED
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
    except InvitationRefused as refusal:
        flash_message(str(refusal), "warn")
    else:
        flash_message(f"The invitation to {shown_name(lab, candidate.user)} is taken back.")
    if why_not_find(lab) is not None:
        return redirect(url_for("reviews.queue", slug=slug))
    return redirect(url_for("reviews.candidate", slug=slug, applicant_id=applicant_id))
