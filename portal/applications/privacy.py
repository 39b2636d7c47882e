"""/me/export and /me/erase: download or delete everything one has stated."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import current_app, redirect, render_template, request, session, url_for
from sqlalchemy import select

from portal.applications.cycles import applications_of, released_decision
from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.applications.interviews.queries import slot_of
from portal.applications.match_records import record_of
from portal.applications.overview import steps_of
from portal.applications.sharing import share_count, shares_of
from portal.applications.status import announcements_to, shown_state, timeline
from portal.applications.submissions import submission_view
from portal.db import db
from portal.models import Decision, Invitation, Referee, Submission
from portal.web.access import actor
from portal.web.downloads import download

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Application, Choice, InterviewSlot, Resume, User


FORMAT = 3
RECEIPT = "receipt_of_erasure"  # in the session
NOT_TICKED = "Tick the box to confirm that you want this; it cannot be undone."


def export_of(session: Session, user: User, *, now: datetime) -> dict[str, Any]:
    """Everything stored about an applicant, as far as they may know it, as JSON-able data; moments are ISO 8601 in
    UTC.
    """
    interests = interests_of(session, user)
    stated = stated_in(interests)
    shares = sorted(shares_of(session, user), key=lambda share: (share.shared_at, share.lab.slug))
    return {
        "format": FORMAT,
        "exported_at": now.isoformat(),
        "account": {
            "name": user.name,
            "email": user.email,
            "roles": [role.name for role in user.roles],
            "confirmed_at": isoformat_or_none(user.confirmed_at),
        },
        "interests": {
            "topics": [{"text": topic.text, "weight": topic.weight} for topic in stated.topics],
            "statement": stated.statement,
            "wanted": {name: list(values) for name, values in stated.facets.items()},
            "discoverable": stated.discoverable,
            "resume_weight": stated.resume_weight,
            "changed_at": isoformat_or_none(interests.changed_at if interests else None),
        },
        "shared_with": [
            {"lab": share.lab.slug, "name": share.lab.name, "shared_at": isoformat_or_none(share.shared_at)}
            for share in shares
        ],
        "resume": _resume(resume_of(session, user)),
        "applications": applications_in_export(session, user),
        "invitations": invitations_in_export(session, user),
    }


def _resume(resume: Resume | None) -> dict[str, Any] | None:
    if resume is None:
        return None
    return {
        "kind": resume.kind,
        "filename": resume.filename,
        "size_bytes": resume.size,
        "sha256": resume.sha256,
        "pages": resume.pages,
        "text": resume.text,
        "hidden_text": resume.hidden_text,
        "warnings": list(resume.warnings),
        "uploaded_at": isoformat_or_none(resume.uploaded_at),
        "confirmed_at": isoformat_or_none(resume.confirmed_at),
    }


def applications_in_export(session: Session, user: User) -> list[dict[str, Any]]:
    """Every application with its choices, submissions, timeline, decisions, announcements and referees, oldest first.

    Letters of referees and unreleased decisions are never included.
    """
    return [_application(session, application) for application in reversed(applications_of(session, user))]


def invitations_in_export(session: Session, user: User) -> list[dict[str, Any]]:
    """The invitations of labs, with the answers."""
    return [
        {
            "lab": invitation.lab.slug,
            "message": invitation.message,
            "invited_at": isoformat_or_none(invitation.invited_at),
            "answer": invitation.answer,
            "answered_at": isoformat_or_none(invitation.answered_at),
        }
        for invitation in session.scalars(
            select(Invitation).where(Invitation.applicant_id == user.id).order_by(Invitation.id)
        )
    ]


def _application(session: Session, application: Application) -> dict[str, Any]:
    submissions = session.scalars(
        select(Submission).where(Submission.application_id == application.id).order_by(Submission.number)
    )
    referees = session.scalars(select(Referee).where(Referee.application_id == application.id).order_by(Referee.id))
    return {
        "cycle": application.cycle.slug,
        "cycle_name": application.cycle.name,
        "state": application.state,
        "state_since": isoformat_or_none(application.state_since),
        "receipt": application.receipt,
        "submitted_at": isoformat_or_none(application.submitted_at),
        "answers": dict(application.answers),
        "asked_before": list(application.asked_before.values()),
        "choices": [_choice(session, application, choice) for choice in application.choices],
        "submissions": [_submission(session, application, submission) for submission in submissions],
        "timeline": [
            {"at": isoformat_or_none(move.at), "what": move.text, "by": move.by, "message": move.message}
            for move in timeline(session, application)
        ],
        "announcements": [
            {"written_at": isoformat_or_none(one.written_at), "about": one.about, "message": one.message}
            for one in announcements_to(session, application)
        ],
        "referees": [
            {
                "name": referee.name,
                "email": referee.email,
                "relation": referee.relation,
                "invited_at": isoformat_or_none(referee.invited_at),
                "received": referee.received_at is not None,
            }
            for referee in referees
        ],
    }


def _choice(session: Session, application: Application, choice: Choice) -> dict[str, Any]:
    state, since = shown_state(application, choice)
    record = record_of(session, choice)
    return {
        "lab": choice.lab.slug,
        "lab_name": choice.lab.name,
        "position": choice.position,
        "reason": choice.reason,
        "state": state,
        "state_since": isoformat_or_none(since),
        "reply_by": isoformat_or_none(choice.reply_by_at),
        "decision": _decision(released_decision(session, choice)),
        "answer_by": isoformat_or_none(choice.offer_reply_by_at),
        "interview": _interview(slot_of(session, choice)),
        "match": None
        if record is None
        else {
            "computed_at": isoformat_or_none(record.computed_at),
            "score": record.score,
            "fits": record.fits,
            "position_of_lab": record.position,
            "labs_that_fit": record.labs,
            "position_among_applicants": record.applicant_position,
            "applicants": record.applicants,
            "found": record.found,
            "model": record.model,
        },
    }


def _interview(slot: InterviewSlot | None) -> dict[str, Any] | None:
    if slot is None:
        return None
    return {
        "starts_at": isoformat_or_none(slot.starts_at),
        "minutes": slot.minutes,
        "zone": slot.zone,
        "where": slot.where,
        "picked_at": isoformat_or_none(slot.picked_at),
    }


def _decision(decision: Decision | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    return {"kind": decision.kind, "message": decision.message, "released_at": isoformat_or_none(decision.released_at)}


def _submission(session: Session, application: Application, submission: Submission) -> dict[str, Any]:
    view = submission_view(session, submission, application.cycle)
    return {
        "number": view.number,
        "submitted_at": isoformat_or_none(view.submitted_at),
        "choices": [
            {"lab": name, "position": place, "reason": reason}
            for place, (name, reason) in enumerate(view.labs, start=1)
        ],
        "answers": dict(submission.answers),
        "interests": dict(submission.interests),
        "resume": {
            "kind": submission.resume_kind,
            "filename": submission.resume_filename,
            "size_bytes": submission.resume_size,
            "text": submission.resume_text,
            "hidden_text": submission.resume_hidden_text,
            "warnings": list(submission.resume_warnings),
        }
        if submission.resume_text
        else None,
    }


def isoformat_or_none(at: datetime | None) -> str | None:
    """A point in time as ISO 8601."""
    return at.isoformat() if at else None


def export() -> ResponseReturnValue:
    """Everything the applicant stated, as a JSON file. The resume file itself is downloaded on its own."""
    bundle = export_of(db.session(), actor(), now=datetime.now(UTC))
    text = json.dumps(bundle, ensure_ascii=False, indent=2) + "\n"
    return download(text, "my-portal-data.json", "application/json")


def erase_page() -> ResponseReturnValue:
    """Ask, then delete applications, interests, resume and what labs one shares with. The account stays."""
    if request.method == "POST":
        if request.form.get("sure") != "yes":
            return _erase_page(NOT_TICKED), 422
        now = datetime.now(UTC)
        counts = erase_everything(db.session(), file_store(current_app), actor(), now=now)
        session[RECEIPT] = {"account": actor().id, "at": now.isoformat(), **asdict(counts)}
        return redirect(url_for("applications.erased"))
    return _erase_page("")


def erased() -> ResponseReturnValue:
    """The receipt of one's last erasure, for as long as one stays signed in."""
    receipt = session.get(RECEIPT)
    # Signing out does not empty the session, and the next to sign in here may be somebody else.
    if receipt is None or receipt.get("account") != actor().id:
        return redirect(url_for("applications.overview"))
    at = datetime.fromisoformat(receipt["at"])
    return render_template("applications/erased.html", at=at, gone=receipt, email=actor().email)


def _erase_page(error: str) -> str:
    session, user = db.session(), actor()
    resume = resume_of(session, user)
    steps = steps_of(stated_in(interests_of(session, user)), resume, share_count(session, user))
    there = [step for step in steps if step.done or (step.subject == "Resume" and resume is not None)]
    applications = applications_of(session, user)
    return render_template("applications/erase.html", steps=there, applications=applications, error=error)
