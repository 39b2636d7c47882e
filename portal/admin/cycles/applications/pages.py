"""The applications of a cycle as administrators check them: the list, one application, and what is missing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import abort, redirect, render_template, request, url_for

from portal.accounts.rules import shows_nothing
from portal.admin.cycles.applications.queries import (
    SORTS,
    applications_csv,
    applications_in,
    applications_page,
    chosen_in,
    chosen_labs,
    declared_conflicts,
    labs_by_name,
    own_moves,
    readers_of,
    to_check,
)
from portal.admin.cycles.applications.service import UNDONE_BY, begin_reminding, mark_all, marked_at, undo_marks
from portal.admin.labs.queries import shown_text
from portal.admin.searching import ROWS, list_request
from portal.applications.cycles import count_by_state, cycle_by_slug, last_submission
from portal.applications.files import uploaded_file
from portal.applications.forms import running_text
from portal.applications.locks import Refusal
from portal.applications.missing import MAY_LACK, lacking
from portal.applications.moves.rules import Case, why_not
from portal.applications.moves.service import LONGEST_MESSAGE, AlreadyMoved, cases_of_applications, perform
from portal.applications.referees.service import referees_of
from portal.applications.states import APPLICATION_LABELS, MOVES, move_named, moves_from
from portal.applications.submissions import documents_sent
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.reviews.conflicts import THEIRS, declare, take_back
from portal.web.access import actor, ensure, or_404
from portal.web.downloads import CSV, download, record_download, what_was_asked
from portal.web.forms import whole_numbers
from portal.web.messages import flash_message, flash_with_link, flash_with_undo
from portal.web.paging import list_state, page_number, page_of
from portal.web.templating import counted

if TYPE_CHECKING:
    from flask import Response
    from flask.typing import ResponseReturnValue

    from portal.admin.cycles.applications.service import Marked
    from portal.applications.states import Move
    from portal.models import Application, Cycle
    from portal.web.messages import Tone


MOST_AT_ONCE = 500
MOST_NAMED = 10  # of those that could not be marked
NARROWED = ("state", "lab", "q", "sort", "order")  # query parameters of the list, besides its page
REFUSED = 409
_OF_ADMINISTRATORS = {each.name for each in MOVES if each.subject == "application" and "admin" in each.actors}
MOST_REMINDED_NAMED = 100  # applicants in a preview of reminders; the list names all of them


def applications(slug: str) -> str:
    """The applications of a cycle, by default in the order of submission."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    asked = _asked()
    page = applications_page(session, cycle, asked, number=page_number(request.args.get("page")), per_page=ROWS)
    return render_template(
        "admin/applications.html",
        cycle=cycle,
        page=page,
        asked=asked,
        direction=asked["order"] or "ascending",
        labs=chosen_in(session, cycle),
        typed_lab=shown_text(session, asked["lab"]),
        narrowed={name: asked[name] for name in NARROWED if request.args.get(name) and asked[name]},
        labels=APPLICATION_LABELS,
        by_state=count_by_state(session, cycle),
        marks=[(name, APPLICATION_LABELS[move_named("application", name).target or ""]) for name in UNDONE_BY],
        labs_by_name=labs_by_name,
    )


def _asked() -> dict[str, str]:
    return list_request(request.args, sorts=SORTS, state=APPLICATION_LABELS)


def applications_file(slug: str) -> Response:
    """All pages of the list as a file for spreadsheets. Side effect: an audit entry."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    asked = _asked()
    content, rows = applications_csv(session, cycle, asked)
    typed = {"q"} if lab_by_slug(session, asked["lab"]) else {"q", "lab"}
    recorded_values = what_was_asked({name: value for name, value in asked.items() if value}, typed=typed)
    record_download(
        act="application.download", object_type="cycle", object_key=cycle.slug, rows=rows, asked=recorded_values
    )
    return download(content, f"applications-{cycle.slug}.csv", CSV)


def mark_many(slug: str) -> ResponseReturnValue:
    """Show what one move would change of the selected applications; once that is confirmed, make it of each by itself,
    so that one that is refused does not stop the others.
    """
    session, now, cycle = db.session(), datetime.now(UTC), or_404(cycle_by_slug(db.session(), slug))
    name, ids = request.form.get("move", ""), whole_numbers(request.form.getlist("application"))[:MOST_AT_ONCE]
    selected = [each.id for each in applications_in(session, cycle, ids)]
    if name not in UNDONE_BY or not selected:
        flash_message("Select applications, and what to mark them as.", "info")
        return redirect(url_for("admin.applications", slug=slug, **_list_position()))
    message, move = running_text(request.form.get("message", "")).strip(), move_named("application", name)
    is_confirmed = "confirmed" in request.form
    refusal = why_not_message(message) if move.message and is_confirmed else None
    if not is_confirmed or refusal is not None:
        cases = cases_of_applications(session, selected, actor(), "admin", now)
        rows = [(case.application, why_not(session, move, case)) for case in cases]
        page = render_template(
            "admin/mark_many.html",
            cycle=cycle,
            move=move,
            label=APPLICATION_LABELS[move.target or ""],
            ready=[application for application, reason in rows if reason is None],
            refused=[(application, reason) for application, reason in rows if reason is not None],
            message=message,
            refusal=refusal,
            longest=LONGEST_MESSAGE,
            looked_at=_list_position(),
        )
        return page, 422 if refusal else 200
    marked = mark_all(session, move, selected, actor=actor(), now=now, message=message)
    # A second click finds them marked, and what the first did can be taken back after it as well.
    _flash_outcome(cycle, move, marked, at=now if marked.moved else marked_at(session, name, selected, by=actor()))
    return redirect(url_for("admin.applications", slug=slug, **_list_position() | {"state": "submitted"}))


def undo_marking(slug: str) -> ResponseReturnValue:
    """Take back the move of many that the form names, except where another one followed. Can be sent twice."""
    cycle, name, now = or_404(cycle_by_slug(db.session(), slug)), request.form.get("move", ""), datetime.now(UTC)
    try:
        at = datetime.fromisoformat(request.form.get("at", "")).astimezone(UTC)
    except (ValueError, OverflowError):
        abort(404)
    undone = or_404(undo_marks(db.session(), cycle, name, at, actor=actor(), now=now))
    _flash_outcome(cycle, move_named("application", UNDONE_BY[name]), undone)
    return redirect(url_for("admin.applications", slug=slug, state="submitted"))


def _list_position() -> dict[str, Any]:
    """The query parameters of the list from which the form was sent, without its page: what was marked has left it."""
    return {**list_state(request.form, *NARROWED)}


def why_not_message(message: str) -> str | None:
    """A reason that applicants read is required, and limited in length."""
    if shows_nothing(message):
        return "Write why: the applicants read it."
    long = len(message) > LONGEST_MESSAGE
    return f"Keep it to {LONGEST_MESSAGE:,} characters; this has {len(message):,}." if long else None


def _flash_outcome(cycle: Cycle, move: Move, marked: Marked, at: datetime | None = None) -> None:
    """Show how many were marked at time `at`, with a button that takes it back; how many already were, as after a
    second click; how many were erased meanwhile; which could not be marked and why; and how many are left to check.
    """
    label = APPLICATION_LABELS[move.target or ""].lower()
    left = count_by_state(db.session(), cycle).get("submitted", 0)
    if marked.moved:
        text = f"{counted(marked.moved, 'application', 'applications')} marked: {label}. {left:,} left to check."
        _flash_with_undo(cycle, move, text, at)
    if marked.already:
        text = f"{counted(marked.already, 'application was', 'applications were')} “{label}” already."
        _flash_with_undo(cycle, move, text, None if marked.moved else at, "info")
    if marked.erased:
        flash_message(f"{counted(marked.erased, 'application was', 'applications were')} erased meanwhile.", "warn")
    for application, reason in marked.refused[:MOST_NAMED]:
        flash_message(f"{application.applicant.display_name}: {reason}", "warn")
    if len(marked.refused) > MOST_NAMED:
        flash_message(f"And {len(marked.refused) - MOST_NAMED:,} more were not marked.", "warn")
    if not (marked.moved or marked.already or marked.erased or marked.refused):
        flash_message("Nothing to take back: something else was done with them since.", "info")


def _flash_with_undo(cycle: Cycle, move: Move, text: str, at: datetime | None, tone: Tone = "good") -> None:
    if at is None:
        flash_message(text, tone)
    else:
        undo = url_for("admin.undo_marking", slug=cycle.slug)
        flash_with_undo(text, undo, {"move": move.name, "at": at.isoformat()}, tone=tone)


def application(slug: str, application_id: int) -> ResponseReturnValue:
    """One application: the submission, what it lacks, the possible moves, and its history."""
    return _page(_application(or_404(cycle_by_slug(db.session(), slug)), application_id), "")


def move_application(slug: str, application_id: int) -> ResponseReturnValue:
    """Make one of an administrator's moves; the message links to the next application that waits.

    A second click changes nothing and gets the same response as the first, since people see the second response.
    """
    session, administrator = db.session(), actor()
    application = _application(or_404(cycle_by_slug(db.session(), slug)), application_id)
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
    except Refusal as refusal:
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
    application = _application(or_404(cycle_by_slug(db.session(), slug)), application_id)
    submission = last_submission(db.session(), application)
    if submission is None or not submission.storage_key:
        abort(404)
    file = uploaded_file(submission.storage_key, submission.resume_kind, f"resume-{application_id}")
    record_download(act="resume.download", object_type="application", object_key=str(application.id))
    return file


def submitted_document(slug: str, application_id: int, document_id: int) -> Response:
    """A submitted document as a download, sandboxed in the browser. Side effect: an audit entry."""
    cycle = or_404(cycle_by_slug(db.session(), slug))
    application = _application(cycle, application_id)
    submission = or_404(last_submission(db.session(), application))
    sent = documents_sent(db.session(), submission, cycle)
    document = or_404(next((document for _, document in sent if document.id == document_id), None))
    file = uploaded_file(document.storage_key, document.kind, f"document-{application_id}-{document.id}")
    record_download(act="document.download", object_type="application", object_key=str(application.id))
    return file


def declare_conflict(slug: str, application_id: int) -> ResponseReturnValue:
    """Declare a conflict of interest for one of the people who read the application."""
    session, application = db.session(), _application(or_404(cycle_by_slug(db.session(), slug)), application_id)
    reviewer_id, declared = request.form.get("reviewer", ""), declared_conflicts(session, application)
    people = [*readers_of(session, application), *(each.reviewer for each in declared)]
    reviewer = next((each for each in people if str(each.id) == reviewer_id), None)
    reason = running_text(request.form.get("reason", ""))
    if reviewer is None:
        return _page(application, "Choose who has the conflict.", typed=reason, tried="reviewer"), 422
    try:
        is_new = declare(session, application.applicant, reviewer, reason=reason, now=datetime.now(UTC), admin=actor())
    except Refusal as refusal:
        return _page(application, str(refusal), typed=reason, tried="conflict"), 422
    flash_message(f"{reviewer.display_name} keeps out and is told." if is_new else "This conflict is declared already.")
    return redirect(url_for("admin.application", slug=slug, application_id=application_id))


def take_back_conflict(slug: str, application_id: int) -> ResponseReturnValue:
    """End a conflict that an administrator declared."""
    session, application = db.session(), _application(or_404(cycle_by_slug(db.session(), slug)), application_id)
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
    except Refusal as refusal:
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
        documents=documents_sent(session, submission, application.cycle) if submission else [],
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


def missing_items(slug: str) -> str:
    """One page of the submitted applications that lack something."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    return render_template(
        "admin/missing.html",
        cycle=cycle,
        page=page_of(lacking(session, cycle), page_number(request.args.get("page")), ROWS),
        labels=APPLICATION_LABELS,
    )


def remind_of_missing(slug: str) -> ResponseReturnValue:
    """Show the reminders for the ticked applications, or for all; send them once that is confirmed."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    ensure(f"{cycle.name} is closed; nothing can be added any more." if cycle.closed_at is not None else None)
    list_position: dict[str, Any] = {**list_state(request.form, "page")}
    ticked = set(whole_numbers(request.form.getlist("application")))
    if "confirmed" in request.form:
        reminding = begin_reminding(session, cycle, ticked, by=actor(), now=datetime.now(UTC))
        if reminding is None:
            flash_message("Nobody is reminded: none of them lacks anything any more.", "info")
        else:
            text = (
                f"{counted(reminding.applicants, 'applicant is', 'applicants are')} reminded; at most once a day each."
            )
            flash_with_link(text, url_for("jobs.job", job_id=reminding.job_id), "See how far the mails are")
        return redirect(url_for("admin.missing_items", slug=slug, **list_position))
    everyone = request.form.get("whom") == "all"
    chosen = [row for row in lacking(session, cycle) if everyone or row.application_id in ticked]
    if not chosen:
        flash_message("Select people who still lack something.", "info")
        return redirect(url_for("admin.missing_items", slug=slug, **list_position))
    return render_template(
        "admin/missing_preview.html", cycle=cycle, rows=chosen, named=chosen[:MOST_REMINDED_NAMED], place=list_position
    )
