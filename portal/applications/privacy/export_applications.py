"""An applicant's applications in their bundle: what they submitted, and what they may know of the outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal.applications.announcements import announcements_to
from portal.applications.content.match_records import record_of
from portal.applications.content.submissions_shown import submission_view
from portal.applications.cycles import applications_of, released_decision
from portal.applications.interviews.queries import slot_of
from portal.applications.status.shown import shown_state, timeline
from portal.models import Decision, Invitation, Referee, Submission

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Application, Choice, InterviewSlot, User


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
