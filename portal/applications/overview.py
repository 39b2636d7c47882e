"""/me/: one's applications and what goes with them; /me/export and /me/erase: everything to take along, or deleted."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import current_app, redirect, render_template, request, session, url_for
from flask_security import logout_user
from sqlalchemy import select

from portal.accounts.mailing import send
from portal.accounts.service import identities_of, why_not_delete
from portal.accounts.sessions import sign_ins_of
from portal.applications.application.invitations import open_invitations
from portal.applications.cycles import applications_of, next_to_open, open_cycles, released_decision
from portal.applications.drafts import own_steps
from portal.applications.erasure import due_at, erase_account, erase_everything, submitted_by
from portal.applications.files import file_store
from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.applications.interviews.queries import slot_of
from portal.applications.match_records import record_of
from portal.applications.sharing import saved_labs, shares_of
from portal.applications.status import announcements_to, shown_state, standing_of, timeline
from portal.applications.submissions import current_documents, labs_sent
from portal.db import db
from portal.models import Invitation, Referee, Submission
from portal.web.access import actor, with_recent_password
from portal.web.downloads import download
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Application, Choice, User


def overview() -> str:
    """One's applications, cycles in which one can apply, invitations, and what goes with every application."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    applications, cycles = applications_of(session, user), open_cycles(session, now)
    applied_in = {application.cycle_id for application in applications}
    steps = own_steps(session, user)
    return render_template(
        "applications/overview.html",
        rows=[(application, standing_of(session, application, now)) for application in applications],
        open_cycles=[cycle for cycle in cycles if cycle.id not in applied_in],
        next_cycle=next_to_open(session, now),
        steps=steps,
        first_step=next((step for step in steps[:1] if not step.done), None),
        invitations=open_invitations(session, user),
    )


FORMAT = 3
RECEIPT = "receipt_of_erasure"  # in the session
NOT_TICKED = "Tick the box to confirm that you want this; it cannot be undone."


def export_of(session: Session, user: User, *, now: datetime) -> dict[str, Any]:
    """Everything stored about an applicant, as far as they may know it, as JSON-able data; moments are ISO 8601 in
    UTC. Letters of referees and unreleased decisions are never included.
    """
    interests, resume = interests_of(session, user), resume_of(session, user)
    stated = stated_in(interests)
    shares = sorted(shares_of(session, user), key=lambda share: (share.shared_at, share.lab.slug))
    invitations = session.scalars(select(Invitation).where(Invitation.applicant_id == user.id).order_by(Invitation.id))
    return {
        "format": FORMAT,
        "exported_at": now.isoformat(),
        "account": _values(user, "name", "email", "confirmed_at", "zone")
        | {"roles": [role.name for role in user.roles]},
        "signed_in": [_values(each, "device", "created_at") for each in sign_ins_of(session, user, now)],
        "signs_in_with": [_values(each, "issuer", "subject", "connected_at") for each in identities_of(session, user)],
        "interests": _values(stated, "statement", "education", "discoverable", "resume_weight")
        | {
            "topics": [{"text": topic.text, "weight": topic.weight} for topic in stated.topics],
            "wanted": {name: list(values) for name, values in stated.facets.items()},
            "changed_at": _value(interests.changed_at if interests else None),
        },
        "shared_with": [
            {"lab": share.lab.slug, "name": share.lab.name, "shared_at": _value(share.shared_at)} for share in shares
        ],
        "saved_labs": [{"lab": lab.slug, "name": lab.name} for lab in saved_labs(session, user)],
        "resume": _values(resume, "kind", "filename", "sha256", "pages", "text", "hidden_text", "warnings")
        | _values(resume, "uploaded_at", "confirmed_at")
        | {"size_bytes": resume.size}
        if resume
        else None,
        "applications": [
            _application(session, application) for application in reversed(applications_of(session, user))
        ],
        "invitations": [
            {"lab": invitation.lab.slug} | _values(invitation, "message", "invited_at", "answer", "answered_at")
            for invitation in invitations
        ],
    }


def _application(session: Session, application: Application) -> dict[str, Any]:
    submissions = session.scalars(
        select(Submission).where(Submission.application_id == application.id).order_by(Submission.number)
    )
    referees = session.scalars(select(Referee).where(Referee.application_id == application.id).order_by(Referee.id))
    return {
        "cycle": application.cycle.slug,
        "cycle_name": application.cycle.name,
        **_values(application, "state", "state_since", "receipt", "submitted_at"),
        "answers": dict(application.answers),
        "named_referees": list(application.named_referees),
        "choices": [_choice(session, application, choice) for choice in application.choices],
        "submissions": [_submission(session, submission) for submission in submissions],
        "timeline": [
            {"at": _value(move.at), "what": move.text, "by": move.by, "message": move.message}
            for move in timeline(session, application)
        ],
        "announcements": [
            _values(one, "written_at", "about", "message") for one in announcements_to(session, application)
        ],
        "documents": [
            _values(document, "key", "kind", "filename", "size", "uploaded_at")
            for document in current_documents(session, application).values()
        ],
        "referees": [
            _values(referee, "name", "email", "relation", "invited_at") | {"received": referee.received_at is not None}
            for referee in referees
        ],
    }


def _choice(session: Session, application: Application, choice: Choice) -> dict[str, Any]:
    state, since = shown_state(application, choice)
    record, slot, decision = record_of(session, choice), slot_of(session, choice), released_decision(session, choice)
    return {
        "lab": choice.lab.slug,
        "lab_name": choice.lab.name,
        **_values(choice, "position", "reason"),
        "state": state,
        "state_since": _value(since),
        "reply_by": _value(choice.reply_by_at),
        "decision": _values(decision, "kind", "message", "released_at") if decision else None,
        "answer_by": _value(choice.offer_reply_by_at),
        "interview": _values(slot, "starts_at", "minutes", "zone", "where", "picked_at") if slot else None,
        "match": _values(record, "computed_at", "score", "fits", "applicants", "found", "model")
        | {
            "position_of_lab": record.position,
            "labs_that_fit": record.labs,
            "position_among_applicants": record.applicant_position,
        }
        if record
        else None,
    }


def _submission(session: Session, submission: Submission) -> dict[str, Any]:
    resume = ("kind", "filename", "text", "hidden_text", "warnings")
    return {
        **_values(submission, "number", "submitted_at"),
        "choices": [
            {"lab": name, "position": place, "reason": reason}
            for place, (name, reason) in enumerate(labs_sent(session, submission), start=1)
        ],
        "answers": dict(submission.answers),
        "interests": dict(submission.interests),
        "resume": {name: _value(getattr(submission, f"resume_{name}")) for name in resume}
        | {"size_bytes": submission.resume_size}
        if submission.resume_text
        else None,
    }


def _values(row: object, *names: str) -> dict[str, Any]:
    return {name: _value(getattr(row, name)) for name in names}


def _value(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


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
        session[RECEIPT] = {"account": actor().id, "at": now.isoformat(), **counts}
        return redirect(url_for("applications.erased"))
    return _erase_page("")


@with_recent_password
def delete_account() -> ResponseReturnValue:
    """Ask, then delete the account with what its owner stated, and sign them out."""
    user, why_not = actor(), why_not_delete(actor())
    submitted = [(one, due_at(one.cycle)) for one in submitted_by(db.session(), user)]
    error = "" if request.form.get("sure") == "yes" else NOT_TICKED
    if request.method == "GET" or why_not or error:
        error = error if request.method == "POST" else ""
        page = render_template("applications/delete_account.html", submitted=submitted, why_not=why_not, error=error)
        return page, 422 if error or (why_not and request.method == "POST") else 200
    email = user.email
    logout_user()
    erase_account(db.session(), file_store(current_app), user, now=datetime.now(UTC))
    send("account_deleted", "Your account was deleted", email, stays=bool(submitted))
    flash_message("Your account is deleted.")
    return redirect(url_for("labs.home"))


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
    has_resume = resume_of(session, user) is not None
    return render_template(
        "applications/erase.html",
        steps=[step for step in own_steps(session, user) if step.done or (step.subject == "Resume" and has_resume)],
        applications=applications_of(session, user),
        error=error,
    )
