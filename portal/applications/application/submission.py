"""An application as a whole: submitted, reopened, restored, withdrawn; what labs will read, and the receipt."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for

from portal.applications.application.pages import (
    CHANGED_ELSEWHERE,
    EDITED,
    why_not_edit,
)
from portal.applications.cycles import last_submission, own_application
from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.applications.interviews.queries import slot_of
from portal.applications.locks import Refusal, lock_person, locked_application
from portal.applications.match_records import keep_records
from portal.applications.moves.rules import Case, why_not
from portal.applications.moves.service import AlreadyMoved, perform
from portal.applications.referees.service import ask_named
from portal.applications.states import move_named
from portal.applications.status import ENDED, can
from portal.applications.submissions import checklist, current_documents, documents_sent, draft_of, labs_sent
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.live_index.state import IndexPreparing
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.models import Application, MoveRecord, User


PUT_BACK = (
    "Nothing was submitted from this page: what you submitted last was put back meanwhile, and counts without the "
    "changes since then. This is its receipt."
)


def locked_to_submit(session: Session, application: Application) -> Application:
    """The application, locked with what its applicant states and handed in: a submission refers to the resume's file,
    which would be deleted if the resume were replaced meanwhile. Raises `ApplicationGone`: it was erased after it was
    read.
    """
    lock_person(session, application.applicant)
    return locked_application(session, application)


def submit(
    session: Session, labs: IndexedLabs | None, application: Application, *, actor: User, now: datetime
) -> MoveRecord:
    """Submit a draft, or an application that was incomplete. Submitting again is refused as already done.

    Side effects: the locks of `locked_to_submit`; the move, the submission, the receipt, and the match records; while
    there is no index, these are computed later (`portal.applications.clock`). Raises `AlreadyMoved`: it is submitted
    already; `Refusal`: it is not complete, or it is too late.
    """
    application = locked_to_submit(session, application)
    if application.named_referees and application.state in EDITED:
        ask_named(session, application, actor=actor, now=now)
    name = "complete" if application.state == "incomplete" else "submit"
    record = perform(session, name, application, actor=actor, capacity="applicant", now=now)
    submission = last_submission(session, application)
    if labs is not None and submission is not None:
        with suppress(IndexPreparing):
            keep_records(session, labs, submission, application.choices, now=now)
    return record


def submit_application(cycle: str) -> ResponseReturnValue:
    """Preview what will be submitted, then submit; a repeated submission redirects to the receipt."""
    application, user, now = or_404(own_application(db.session(), actor(), cycle)), actor(), datetime.now(UTC)
    if request.method == "GET":
        if application.state not in EDITED:
            return _to_receipt(application)
        return _submit_page(application, now)
    session = db.session()
    # While the index is being built, match records are computed later.
    labs = live_index(current_app).current_if_ready(session)
    application = locked_to_submit(session, application)
    shown = (request.form.get("version", ""), request.form.get("after", "0"))
    if application.state in EDITED and shown != (str(application.version), str(application.submissions)):
        return _submit_page(application, now, f"{CHANGED_ELSEWHERE} Look through it as it is now."), 409
    try:
        submit(session, labs, application, actor=user, now=now)
    except Refusal as refusal:
        session.rollback()  # nobody is asked for a letter by what was not submitted
        if application.state in EDITED:
            return _submit_page(application, now, str(refusal)), 422
        if application.state in ENDED:
            flash_message(str(refusal), "warn")
            return redirect(url_for("applications.application", cycle=cycle))
        # Where the page was not sent twice, what was submitted last was put back meanwhile.
        again = request.form.get("after") != str(application.submissions)
        flash_message("This application is submitted already. This is its receipt." if again else PUT_BACK, "info")
    else:
        flash_message("Your application is submitted.")
    return _to_receipt(application)


DONE = {
    "edit": "You can edit the application. What you submitted counts until you submit again.",
    "restore": "What you submitted last counts. The changes since then are gone.",
}


def move_application(cycle: str) -> ResponseReturnValue:
    """Open a submitted application again, or discard the edited draft and restore the last submission."""
    name = request.path.rpartition("/")[2]  # the addresses end so
    application = or_404(own_application(db.session(), actor(), cycle))
    try:
        with suppress(AlreadyMoved):  # a second click: people read the second answer
            perform(db.session(), name, application, actor=actor(), capacity="applicant", now=datetime.now(UTC))
        flash_message(DONE[name])
    except Refusal as refusal:
        flash_message(str(refusal), "warn")
    return redirect(url_for("applications.application", cycle=cycle))


def withdraw_application(cycle: str) -> ResponseReturnValue:
    """Ask, then withdraw."""
    application, now = or_404(own_application(db.session(), actor(), cycle)), datetime.now(UTC)
    if application.state == "withdrawn":
        if request.method == "POST":
            flash_message(f"Your application for {application.cycle.name} is withdrawn.")
        return redirect(url_for("applications.application", cycle=cycle))
    if request.method == "GET":
        move, case = move_named("application", "withdraw"), Case(application, None, actor(), "applicant", now)
        return _withdraw_page(application, now, why_not(db.session(), move, case))
    try:
        perform(db.session(), "withdraw", application, actor=actor(), capacity="applicant", now=now)
    except AlreadyMoved:
        pass
    except Refusal as refusal:
        return _withdraw_page(application, now, str(refusal)), 422
    flash_message(f"Your application for {application.cycle.name} is withdrawn.")
    return redirect(url_for("applications.application", cycle=cycle))


def receipt(cycle: str) -> ResponseReturnValue:
    """The receipt of what was submitted last."""
    application = or_404(own_application(db.session(), actor(), cycle))
    submission = or_404(last_submission(db.session(), application))
    return render_template(
        "applications/receipt.html",
        application=application,
        cycle=application.cycle,
        person=actor(),
        sent=submission,
        labs=labs_sent(db.session(), submission),
        questions={question["key"]: question["text"] for question in application.cycle.questions},
        documents=documents_sent(db.session(), submission, application.cycle),
        may_edit=can(db.session(), application, "edit", actor(), datetime.now(UTC)),
    )


def _withdraw_page(application: Application, now: datetime, reason: str | None) -> str:
    """The question, with what ends: offers that were not answered, interviews still to come."""
    slots = [(choice, slot_of(db.session(), choice)) for choice in application.choices]
    return render_template(
        "applications/withdraw.html",
        application=application,
        cycle=application.cycle,
        reason=reason,
        offering=[choice.lab.name for choice in application.choices if choice.shown_state == "offered"],
        interviewing=[choice.lab.name for choice, slot in slots if slot is not None and slot.starts_at > now],
        may_change=application.state in {"draft", "submitted"} and now < application.cycle.deadline_at,
    )


def _submit_page(application: Application, now: datetime, problem: str = "") -> str:
    items = checklist(db.session(), application)
    missing = [item for item in items if not item.done]
    session, person = db.session(), application.applicant
    move = move_named("application", "complete" if application.state == "incomplete" else "submit")
    refusal = why_not(session, move, Case(application, None, actor(), "applicant", now))
    resume = resume_of(session, person)
    return render_template(
        "applications/submit.html",
        stated=stated_in(interests_of(session, person)),
        resume=resume if resume and resume.confirmed_at else None,
        answers=[
            (question["text"], application.answers.get(question["key"], "")) for question in application.cycle.questions
        ],
        application=application,
        cycle=application.cycle,
        uploaded=current_documents(session, application),
        to_ask=[referee.name for referee in draft_of(application).referees if referee.can_be_asked],
        person=person,
        items=items,
        missing=missing,
        problem=problem,
        refusal=refusal if not missing or why_not_edit(application, now) else None,
        ready=refusal is None,
    )


def _to_receipt(application: Application) -> ResponseReturnValue:
    """Redirect to the receipt, or to the application if it never was submitted."""
    endpoint = "receipt" if application.submissions else "application"
    return redirect(url_for(f"applications.{endpoint}", cycle=application.cycle.slug))
