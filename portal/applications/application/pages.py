"""/me/application/<cycle>/: one's application, as its form or its status."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for
from icalendar import Event
from sqlalchemy import select

from portal.applications.application.documents import REMOVE, UPLOAD, change_documents, sent_files
from portal.applications.application.forms import (
    ApplicationForm,
    answer_rows,
    differences,
    label_of,
    merge,
    name_fields,
    opened_form,
    parts_of,
    sent_form,
)
from portal.applications.application.invitations import open_invitations
from portal.applications.cycles import (
    application_of,
    application_path,
    cycle_by_slug,
    labs_with_slugs,
)
from portal.applications.drafts import StaleApplication, candidates, own_steps, save_draft, start_application
from portal.applications.files import upload_limits
from portal.applications.forms import conflict_answer, fingerprint, in_words, saved_answer
from portal.applications.interviews.service import calendar_file
from portal.applications.locks import Refusal
from portal.applications.moves.rules import why_not_apply
from portal.applications.referees.service import ask_named, referees_of
from portal.applications.status import announcements_to, can, labs_by_id, shown_choices, standing_of, timeline
from portal.applications.submissions import (
    LONGEST_REASON,
    Draft,
    checklist,
    current_documents,
    draft_of,
    why_not_draft,
    why_not_save,
)
from portal.db import db
from portal.documents.refusals import too_large
from portal.labs.live_index.live import live_index
from portal.models import Application, Lab
from portal.web.access import actor, or_404
from portal.web.downloads import download
from portal.web.errors import wants_json
from portal.web.forms import form_holds_too_much
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.applications.application.documents import Upload
    from portal.applications.files import NotRead
    from portal.applications.forms import Difference, Merged
    from portal.models import Cycle, User


EDITED = ("draft", "incomplete")
CHANGED_ELSEWHERE = "This application was changed in another tab or on another device since you opened this page."
KEPT = "What you typed is kept on this page. Copy what you need."
GO_BACK = "This is the form as it was saved last; to get back to what you typed since, go one page back."
NO_UPLOAD = "The file was not uploaded, because the form could not be saved. Save the form, then choose the file again."


def draft_or_empty(application: Application | None, user: User, cycle: Cycle) -> Application:
    """The application, or an unsaved empty one."""
    if application is not None:
        return application
    return Application(
        cycle=cycle,
        applicant=user,
        cycle_id=cycle.id,
        state="draft",
        answers={},
        named_referees=[],
        submissions=0,
        version=0,
    )


def labs_of_form(session: Session, form: ApplicationForm) -> dict[str, Lab]:
    """The labs that a form chooses, by their slugs."""
    return labs_with_slugs(session, [row.form.lab.data or "" for row in form.choices])


def why_not_edit(application: Application, now: datetime) -> str | None:
    """Why it cannot be edited at all."""
    if application.version == 0:
        return why_not_apply(application.cycle, now)
    return why_not_save(application, now, choices_change=False)


def status_page(application: Application, user: User, now: datetime) -> str:
    """The status page of an application that is not being edited."""
    session = db.session()
    return render_template(
        "applications/application_status.html",
        application=application,
        applicant=user,
        cycle=application.cycle,
        standing=standing_of(session, application, now),
        choices=shown_choices(session, application, actor=user, now=now),
        moves=timeline(session, application),
        may_edit=can(session, application, "edit", user, now),
        may_withdraw=can(session, application, "withdraw", user, now),
        reason=application.state_reason if application.state == "ineligible" else "",
        invitations=open_invitations(session, user),
        announcements=announcements_to(session, application),
        interview_path=application_path(application) + "/interview",
    )


def application(cycle: str) -> ResponseReturnValue:
    """The form while it can be edited, else the status of the application; a sent form is saved."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    row = or_404(cycle_by_slug(session, cycle))
    application = application_of(session, user, row)
    if request.method == "POST":
        return _sent(row, now)
    if application is not None and application.state not in EDITED:
        return status_page(application, user, now)
    if application is None and (reason := why_not_apply(row, now)) is not None:
        return render_template("applications/application_closed.html", cycle=row, reason=reason)
    shown = draft_or_empty(application, user, row)
    form = opened_form(row, draft_of(shown), labs_by_id(shown.choices), shown.version)
    return _page(form, shown, now)


def deadline_file(cycle: str) -> ResponseReturnValue:
    """The deadline of a cycle, as a file for a calendar."""
    row = or_404(cycle_by_slug(db.session(), cycle))
    event = Event()
    event.add("uid", f"deadline-{row.slug}-{row.deadline_at:%Y%m%d%H%M}")
    event.add("dtstamp", row.created_at)
    event.add("dtstart", row.deadline_at)
    event.add("summary", f"Deadline: {row.name}")
    event.add("url", url_for("applications.application", cycle=row.slug, _external=True))
    return download(calendar_file(event, "Deadlines"), f"deadline-{row.slug}.ics", "text/calendar")


def show_again(why: str = "") -> ResponseReturnValue | None:
    """The form as it was sent, with the reason why it was not saved; without a reason, as it is saved, after a request
    that was too large to be read. None where there is no such cycle.
    """
    session, user = db.session(), actor()
    row = cycle_by_slug(session, (request.view_args or {})["cycle"])
    if row is None:
        return None
    shown = draft_or_empty(application_of(session, user, row), user, row)
    if why:
        _tell_of_files()
        return _page(sent_form(request.form, row), shown, datetime.now(UTC), unsaved=why), 400
    form = opened_form(row, draft_of(shown), labs_by_id(shown.choices), shown.version)
    largest = upload_limits(current_app).bytes
    why = form_holds_too_much(request) or too_large(request.content_length or 0, largest).message
    return _page(form, shown, datetime.now(UTC), unsaved=f"{why} {GO_BACK}"), 413


def _sent(cycle: Cycle, now: datetime) -> ResponseReturnValue:
    """Save what was sent, after what its buttons did to the list of labs."""
    session, user = db.session(), actor()
    form = sent_form(request.form, cycle)
    labs = labs_of_form(session, form)
    valid = form.check(cycle, labs)
    application = application_of(session, user, cycle)
    if application is None and (reason := why_not_apply(cycle, now)) is not None:
        return _refused(form, draft_or_empty(None, user, cycle), now, reason)
    if not valid:
        return _refused(form, draft_or_empty(application, user, cycle), now)
    files = sent_files(cycle)
    application = start_application(session, user, cycle, now=now)
    return _save(form, application, now, files)


def _save(
    form: ApplicationForm, application: Application, now: datetime, files: Mapping[str, Upload | NotRead | None]
) -> ResponseReturnValue:
    """Save the form joined with what is saved, or say why not; then do so with the files that were sent with it."""
    session = db.session()
    merged, stored = _merged(form, application, now), draft_of(application)
    changes = merged.value != stored
    if changes and (locked := why_not_edit(application, now)) is not None:
        return _refused(form, application, now, locked)
    if merged.conflicting or (merged.from_elsewhere and wants_json()):
        return _conflict(application, merged, now)
    if changes and (reason := why_not_draft(session, application.cycle, merged.value, stored)) is not None:
        form.choices.errors = [*form.choices.errors, reason]
        return _refused(form, application, now)
    try:
        save_draft(session, application, merged.value, base=application.version, now=now)
    except StaleApplication as stale:
        return _save(form, stale.stored, now, files)
    except Refusal as refusal:
        return _refused(form, application, now, str(refusal))
    change_documents(application, files, now)
    return _saved(application, merged, now)


def _saved(application: Application, merged: Merged[Draft], now: datetime) -> ResponseReturnValue:
    """Report the save: to a script with what its next save needs; to a person on the page the button leads to."""
    if wants_json():
        return saved_answer(now, application.version, parts_of(merged.value), parts=_checklist(application))
    if "ask" in request.form:
        _ask_named(application, now)
    if merged.from_elsewhere:
        labs = labs_by_id(application.choices)
        parts = in_words(label_of(part, application.cycle, labs) for part in merged.from_elsewhere)
        flash_message(f"The draft is saved. Kept as saved in another tab or on another device: {parts}.")
    return _onwards(application)


def _ask_named(application: Application, now: datetime) -> None:
    try:
        with db.session().begin_nested():  # what was saved stays when somebody cannot be asked
            names = ask_named(db.session(), application, actor=actor(), now=now)
    except Refusal as refusal:
        flash_message(str(refusal), "warn")
    else:
        asked = f"A mail with a link of their own goes to {' and '.join(names)}."
        flash_message(asked if names else "Give a name and an e-mail address first.", "good" if names else "warn")


def _checklist(application: Application) -> dict[str, str]:
    """The texts of the page about what is complete and what is missing, by the id of their element."""
    items = checklist(db.session(), application)
    templates = {
        "checklist": "applications/_checklist.html",
        "checklist-count": "applications/_checklist_count.html",
    }
    return {place: render_template(name, items=items) for place, name in templates.items()}


def _onwards(application: Application) -> ResponseReturnValue:
    """The page that the pressed button leads to once everything is saved."""
    slug, sent = application.cycle.slug, request.form
    if sent.get("then") == "submit":
        return redirect(url_for("applications.submit_application", cycle=slug))
    moved = sent.get("up") or sent.get("down")
    acts = {"add": "add", "remove": "choices", "ask": "referees", UPLOAD: "documents", REMOVE: "documents"}
    anchor = f"lab-{moved}" if moved else next((place for act, place in acts.items() if act in sent), None)
    if anchor is None:
        flash_message("The draft is saved.")
    return redirect(url_for("applications.application", cycle=slug, _anchor=anchor))


def _merged(form: ApplicationForm, application: Application, now: datetime) -> Merged[Draft]:
    """The form joined with what is saved."""
    theirs = draft_of(application)
    typed = form.draft(labs_of_form(db.session(), form))
    if application.state == "incomplete" and now >= application.cycle.deadline_at:
        typed = replace(typed, labs=theirs.labs)
    return merge(typed, theirs, form.opening(application.version, parts_of(theirs)))


def _refused(form: ApplicationForm, application: Application, now: datetime, reason: str = "") -> ResponseReturnValue:
    """The form as it was typed with the reason; if nothing can be saved any more, the text only to be copied."""
    if wants_json():
        of_list = (error for error in form.choices.errors if isinstance(error, str))
        return form.refusal(reason or next(of_list, ""))
    _tell_of_files()
    page = _page(
        form, application, now, unsaved=f"Not saved. {reason} {KEPT}" if reason else "", only_copy=bool(reason)
    )
    return page, 422


def _tell_of_files() -> None:
    if any(upload.filename for upload in request.files.values()):
        flash_message(NO_UPLOAD, "warn")


def _conflict(application: Application, merged: Merged[Draft], now: datetime) -> ResponseReturnValue:
    """The form with what was typed, and beside it what is saved of the same parts; saving it again puts it in place."""
    if wants_json():
        return conflict_answer("This application was", "Save the draft")
    _tell_of_files()
    session, stored = db.session(), draft_of(application)
    lab_ids = [chosen.lab_id for chosen in (*merged.value.labs, *stored.labs)]
    labs = {lab.id: lab for lab in session.scalars(select(Lab).where(Lab.id.in_(lab_ids)))}
    form = opened_form(application.cycle, merged.value, labs, application.version)
    form.opened_with.data = fingerprint(parts_of(stored))
    differing = differences(stored, merged.conflicting, application.cycle, labs)
    return _page(form, application, now, differing=differing), 409


def _page(
    form: ApplicationForm,
    application: Application,
    now: datetime,
    *,
    differing: Sequence[Difference] = (),
    unsaved: str = "",
    only_copy: bool = False,
) -> str:
    session, user, cycle = db.session(), actor(), application.cycle
    labs = labs_of_form(session, form)
    typed = form.draft(labs)
    locked = why_not_edit(application, now)
    fixed = application.state == "incomplete" and now >= cycle.deadline_at
    uploaded = current_documents(session, application) if application.version else {}
    asked = referees_of(session, application) if application.version else ()
    while len(form.referees) < cycle.referees - sum(referee.declined_at is None for referee in asked):
        form.referees.append_entry()
    name_fields(form, labs, cycle)
    offered = candidates(session, live_index(current_app), user, cycle, {chosen.lab_id for chosen in typed.labs})
    return render_template(
        "applications/application_form.html",
        form=form,
        cycle=cycle,
        application=application,
        applicant=user,
        standing=standing_of(session, application, now),
        items=checklist(session, application),
        rows=[(row, labs.get(row.form.lab.data)) for row in form.choices],
        questions=answer_rows(form, cycle),
        referees=asked,
        documents=[(row, uploaded.get(row["key"])) for row in cycle.documents or ()],
        largest_bytes=upload_limits(current_app).bytes,
        steps=own_steps(session, user)[:2],
        offered=offered,
        full=len(typed.labs) >= cycle.most_choices,
        fixed=fixed,
        longest_reason=LONGEST_REASON,
        differing=differing,
        unsaved=unsaved,
        only_copy=only_copy or locked is not None,
        locked=locked,
        moves=timeline(session, application) if application.submissions else [],
        announcements=announcements_to(session, application) if application.version else [],
    )
