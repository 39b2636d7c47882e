"""The page on which administrators check one application: its submission, moves, and conflicts of interest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import abort, redirect, render_template, request, url_for

from portal.admin.conflict_queries import declared_conflicts, readers_of
from portal.admin.cycles.one_application import applications_in, chosen_labs, own_moves, to_check
from portal.admin.pages.loading import cycle_or_404
from portal.applications.checklist import MAY_LACK, lacking
from portal.applications.cycles import last_submission
from portal.applications.files import uploaded_file
from portal.applications.forms import running_text
from portal.applications.locks import MoveRefused
from portal.applications.moves.rules import Case, why_not
from portal.applications.moves.service import LONGEST_MESSAGE, AlreadyMoved, perform
from portal.applications.referees.service import referees_of
from portal.applications.states import APPLICATION_LABELS, MOVES, moves_from
from portal.db import db
from portal.reviews.conflicts.service import THEIRS, ConflictRefused, declare, take_back
from portal.web.access import actor, or_404
from portal.web.messages import flash_message, flash_with_link
from portal.web.recorded_downloads import record_download

if TYPE_CHECKING:
    from flask import Response
    from flask.typing import ResponseReturnValue

    from portal.models import Application, Cycle
    from portal.web.messages import Tone

REFUSED = 409
_OF_ADMINISTRATORS = {each.name for each in MOVES if each.subject == "application" and "admin" in each.actors}


def application(slug: str, application_id: int) -> ResponseReturnValue:
    """One application: the submission, what it lacks, the possible moves, and its history."""
    return _page(_application(cycle_or_404(slug), application_id), "")


def move_application(slug: str, application_id: int) -> ResponseReturnValue:
    """Make one of an administrator's moves; the message links to the next application that waits.

    A second click changes nothing and gets the same response as the first, since people see the second response.
    """
    session, administrator = db.session(), actor()
    application = _application(cycle_or_404(slug), application_id)
    name, message = request.form.get("move", ""), running_text(request.form.get("message", "")).strip()
    if name not in _OF_ADMINISTRATORS:
        abort(404)
    was_moved_by_another = False
    try:
        perform(
            session, name, application, actor=administrator, capacity="admin", now=datetime.now(UTC), message=message
        )
    except AlreadyMoved as already:
        was_moved_by_another = not already.was_sent_by(administrator, message)
        if was_moved_by_another and message:
            refusal_text = f"{already} What you wrote did not go with it; it stands below."
            return _page(application, refusal_text, typed=message, tried=name), REFUSED
    except MoveRefused as refusal:
        return _page(application, str(refusal), typed=message, tried=name), 422
    outcome = f"{application.applicant.display_name}: {APPLICATION_LABELS[application.state].lower()}"
    if was_moved_by_another:
        _flash_and_lead_on(application, f"{outcome} already.", "info")
    else:
        _flash_and_lead_on(application, f"{outcome}.", "good")
    return redirect(url_for("admin.application", slug=slug, application_id=application_id))


def _flash_and_lead_on(application: Application, outcome: str, tone: Tone) -> None:
    """Show what was done, with a link to the next application that waits."""
    waiting = to_check(db.session(), application)
    if waiting.next is None:
        flash_message(outcome, tone)
    else:
        next_page = url_for("admin.application", slug=application.cycle.slug, application_id=waiting.next)
        flash_with_link(outcome, next_page, f"Next to check ({waiting.others:,} left)", tone)


def submitted_resume(slug: str, application_id: int) -> Response:
    """The submitted resume as a download, sandboxed in the browser. Side effect: an audit entry."""
    application = _application(cycle_or_404(slug), application_id)
    submission = last_submission(db.session(), application)
    if submission is None or not submission.storage_key:
        abort(404)
    file = uploaded_file(
        submission.storage_key, submission.resume_kind, f"resume-{application_id}.{submission.resume_kind}"
    )
    record_download(act="resume.download", object_type="application", object_key=str(application.id))
    return file


def declare_conflict(slug: str, application_id: int) -> ResponseReturnValue:
    """Declare a conflict of interest for one of the people who read the application."""
    session, application = db.session(), _application(cycle_or_404(slug), application_id)
    reviewer_id, declared = request.form.get("reviewer", ""), declared_conflicts(session, application)
    people = [*readers_of(session, application), *(each.reviewer for each in declared)]
    reviewer = next((each for each in people if str(each.id) == reviewer_id), None)
    reason = running_text(request.form.get("reason", ""))
    if reviewer is None:
        return _page(application, "Choose who has the conflict.", typed=reason, tried="reviewer"), 422
    try:
        is_new = declare(session, application.applicant, reviewer, reason=reason, now=datetime.now(UTC), admin=actor())
    except ConflictRefused as refusal:
        return _page(application, str(refusal), typed=reason, tried="conflict"), 422
    flash_message(f"{reviewer.display_name} keeps out and is told." if is_new else "This conflict is declared already.")
    return redirect(url_for("admin.application", slug=slug, application_id=application_id))


def take_back_conflict(slug: str, application_id: int) -> ResponseReturnValue:
    """End a conflict that an administrator declared."""
    session, application = db.session(), _application(cycle_or_404(slug), application_id)
    reviewer_id = request.form.get("reviewer")
    conflict = next(
        (each for each in declared_conflicts(session, application) if str(each.reviewer_id) == reviewer_id), None
    )
    if conflict is None or not conflict.by_administrator:
        flash_message(THEIRS if conflict else "This conflict is not declared any more.", "info")
        return redirect(url_for("admin.application", slug=slug, application_id=application_id))
    reviewer, reason = conflict.reviewer, running_text(request.form.get("reason", ""))
    try:
        take_back(session, application.applicant, reviewer, reason=reason, now=datetime.now(UTC), admin=actor())
    except ConflictRefused as refusal:
        return _page(application, str(refusal), typed=reason, tried=f"take-back-{reviewer.id}"), 422
    flash_message(f"The conflict of {reviewer.display_name} is taken back; they are told.")
    return redirect(url_for("admin.application", slug=slug, application_id=application_id))


def _page(application: Application, refusal: str, typed: str = "", tried: str = "") -> str:
    session, now, administrator = db.session(), datetime.now(UTC), actor()
    case = Case(application, None, administrator, "admin", now)
    moves = [(each, why_not(session, each, case)) for each in moves_from("application", application.state, "admin")]
    submission = last_submission(session, application)
    lacking_application = (
        next(iter(lacking(session, application.cycle, only=application)), None)
        if application.state in MAY_LACK
        else None
    )
    return render_template(
        "admin/application.html",
        application=application,
        cycle=application.cycle,
        submission=submission,
        chosen=chosen_labs(session, application, submission, administrator),
        letters=[each for each in referees_of(session, application) if each.invited_at],
        lacks=lacking_application.items if lacking_application else (),
        may_lack=application.state in MAY_LACK,
        possible=[each for each, why in moves if why is None],
        refused=[(each, why) for each, why in moves if why is not None],
        waiting=to_check(session, application),
        history=own_moves(session, application),
        conflicts=declared_conflicts(session, application),
        readers=readers_of(session, application),
        labels=APPLICATION_LABELS,
        longest_message=LONGEST_MESSAGE,
        refusal=refusal,
        typed=typed,
        tried=tried,
    )


def _application(cycle: Cycle, application_id: int) -> Application:
    return or_404(next(iter(applications_in(db.session(), cycle, [application_id])), None))
