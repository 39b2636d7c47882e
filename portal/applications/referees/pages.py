"""/me/application/<cycle>/referees, for applicants, and /letters/<token>, for a referee, who has no account.

Opening the link of a letter changes nothing, no other site learns its address, and that it was opened is not recorded.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, make_response, redirect, render_template, request, url_for
from flask_wtf.csrf import CSRFError
from flask_wtf.file import FileField
from werkzeug.exceptions import RequestEntityTooLarge
from wtforms import StringField, TextAreaField
from wtforms.validators import InputRequired

from portal.accounts.rate_limits import allowance
from portal.applications.cycles import application_of, cycle_by_slug
from portal.applications.drafts import start_application
from portal.applications.files import (
    PASTE_INSTEAD,
    NotRead,
    file_store,
    read_upload,
    shown_filename,
    upload_limits,
)
from portal.applications.forms import one_line
from portal.applications.locks import Refusal
from portal.applications.referees import service as referees
from portal.applications.referees.service import (
    Letter,
    RefereeRefused,
    referee_by_token,
    referee_of,
    referees_of,
    why_not_write,
)
from portal.config import settings_of
from portal.db import db
from portal.documents.extraction import pasted
from portal.documents.refusals import RefusedDocument, too_large
from portal.storage import StoreUnavailable
from portal.web.access import actor, or_404
from portal.web.forms import PortalForm, form_holds_too_much
from portal.web.headers import BAD_REQUEST, OUT_OF_DATE, alone, closed_page, page_alone
from portal.web.limits import network_of_request
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask import Flask, Response
    from flask.typing import ResponseReturnValue
    from werkzeug.datastructures import FileStorage

    from portal.models import Application, Cycle, Referee


logger = logging.getLogger(__name__)
EMPTY = "Write the letter below, or choose a file."
LETTERS = allowance("letters", "20 per minute")
TOO_OFTEN = "You sent many forms in a short time. Wait a minute, then send it again; your text is kept."


class RefereeForm(PortalForm):
    """Whom an applicant asks for a letter. `referees.ask` says what is wrong with any of the fields."""

    name = StringField("Name", [InputRequired()], filters=[lambda text: one_line(text or "")])
    email = StringField("E-mail address", [InputRequired()])
    relation = StringField(
        "How they know you",
        filters=[lambda text: one_line(text or "")],
        description="For example: supervised my thesis. The labs read it beside the letter.",
    )


class LetterForm(PortalForm):
    """A letter of reference: a file, or text."""

    letter_file = FileField("File")
    letter = TextAreaField("Text")


def read_letter(app: Flask, text: str, upload: FileStorage | None) -> Letter:
    """The letter from a file, from the text, or from both: the typed text goes before the text read from the file.
    Raises `NotRead`: there is neither, or it cannot be read.
    """
    try:
        written = pasted(text, limits=upload_limits(app)) if text.strip() else None
    except RefusedDocument as refusal:
        raise NotRead(refusal.message, 422) from None
    if upload is None or not upload.filename:
        if written is None:
            raise NotRead(EMPTY, 422)
        return Letter(written.text, str(written.kind))
    data = upload.read()
    extracted = read_upload(app, data)
    full_text = f"{written.text}\n\n{extracted.text}" if written is not None else extracted.text
    return Letter(full_text, str(extracted.kind), data, shown_filename(upload.filename))


def referees_page(cycle: str) -> ResponseReturnValue:
    """The named referees and the state of each; a sent form asks one more."""
    row = or_404(cycle_by_slug(db.session(), cycle))
    form = RefereeForm()
    if not form.is_submitted():
        return _page(row, form)
    session, now = db.session(), datetime.now(UTC)
    try:
        application = start_application(session, actor(), row, now=now)
        named = (form.name.data, form.email.data or "", form.relation.data)
        referee = referees.ask(session, application, *named, actor=actor(), now=now)
    except Refusal as refusal:
        session.rollback()
        errors = refusal.errors if isinstance(refusal, RefereeRefused) else {None: refusal}
        for field, reason in errors.items():
            form.show_refusal(reason, field)
        return _page(row, form), 422
    if referee.invited_at == now:
        flash_message(f"{referee.name} is on your list, and a mail with a link of their own goes to {referee.email}.")
    else:
        flash_message(f"{referee.name} was asked already and has a link of their own. No second mail was sent.", "info")
    return redirect(url_for("applications.referees", cycle=cycle))


def remove_referee(cycle: str, referee_id: int) -> ResponseReturnValue:
    """Take one off the list."""
    row = or_404(cycle_by_slug(db.session(), cycle))
    referee = or_404(referee_of(db.session(), or_404(_mine(row)), referee_id))
    session, was_there = db.session(), referee.revoked_at is None
    try:
        referees.remove(session, referee, actor=actor(), now=datetime.now(UTC))
    except Refusal as refusal:
        session.rollback()
        return _page(row, RefereeForm(formdata=None), str(refusal)), 409
    if was_there:
        flash_message(f"{referee.name} is not on your list any more.")
    return redirect(url_for("applications.referees", cycle=cycle))


def _mine(cycle: Cycle) -> Application | None:
    return application_of(db.session(), actor(), cycle)


def _page(cycle: Cycle, form: RefereeForm, refusal: str = "") -> str:
    application, now = _mine(cycle), datetime.now(UTC)
    return render_template(
        "applications/referees.html",
        cycle=cycle,
        person=actor(),
        referees=referees_of(db.session(), application) if application else (),
        form=form,
        refusal=refusal,
        against=referees.why_not_change(application, now) if application else None,
        most=referees.MOST_REFEREES,
        until=referees.letters_until(cycle),
    )


def letter_page(token: str) -> Response:
    """Show the form, or take what is sent with it."""
    referee = referee_by_token(db.session(), token)
    try:
        form = LetterForm()
    except RequestEntityTooLarge:
        return _too_large(token, referee)
    if request.method == "POST":
        return _letter_sent(token, referee, form)
    if referee is None or why_not_write(referee, datetime.now(UTC)) is not None:
        return _letter_closed(referee)
    return _letter_page(token, referee, form)


def _letter_sent(token: str, referee: Referee | None, form: LetterForm) -> Response:
    now = datetime.now(UTC)
    valid = form.validate()
    if not valid and (referee is None or "csrf_token" not in form.errors):
        raise CSRFError
    if referee is None or why_not_write(referee, now) is not None:
        return _letter_closed(referee, form.letter.data or "")
    if not valid:
        return _letter_page(token, referee, form, OUT_OF_DATE, BAD_REQUEST)
    if not LETTERS.use(network_of_request()):
        return _letter_page(token, referee, form, TOO_OFTEN, 429)
    return _acted(token, referee, form, now)


def _acted(token: str, referee: Referee, form: LetterForm, now: datetime) -> Response:
    """Decline or keep the letter; or the page again, which says why not."""
    session, upload = db.session(), request.files.get("letter_file")
    try:
        if request.form.get("act") == "decline":
            referees.decline(session, referee, now=now)
        else:
            letter = read_letter(current_app, form.letter.data or "", upload)
            referees.send_letter(session, file_store(current_app), referee, letter, now=now)
    except (NotRead, StoreUnavailable) as failure:
        if isinstance(failure, StoreUnavailable):
            logger.exception("A letter could not be kept")
        of_file = not form.letter.data or (upload is not None and bool(upload.filename))
        why = str(failure) if isinstance(failure, NotRead) else PASTE_INSTEAD
        (form.letter_file if of_file else form.letter).errors = [why]
        return _letter_page(token, referee, form, status=422)
    except referees.LinkClosed:
        session.rollback()
        return _letter_closed(referee, form.letter.data or "")
    return alone(make_response(redirect(url_for("secret.letter", token=token))))


def _too_large(token: str, referee: Referee | None) -> Response:
    """The form again after a request that was too large, or had too many fields, to be read."""
    if referee is None or why_not_write(referee, datetime.now(UTC)) is not None:
        return _letter_closed(referee)
    form, too_much = LetterForm(formdata=None), form_holds_too_much(request)
    if too_much is None:
        largest = upload_limits(current_app).bytes
        form.letter_file.errors = [too_large(request.content_length or 0, largest).message]
    return _letter_page(token, referee, form, too_much or "", 413)


def _letter_page(token: str, referee: Referee, form: LetterForm, refusal: str = "", status: int = 200) -> Response:
    application = referee.application
    return page_alone(
        "letters/letter.html",
        status,
        token=token,
        form=form,
        refusal=refusal,
        referee=referee.name,
        applicant=application.applicant.display_name,
        cycle=application.cycle,
        until=referee.expires_at,
        received_at=referee.received_at,
        declined_at=referee.declined_at,
        largest_bytes=settings_of(current_app).upload_bytes,
        largest_mb=settings_of(current_app).upload_bytes // 1024**2,
    )


def _letter_closed(referee: Referee | None, typed: str = "") -> Response:
    """The same page for every invalid link; what was written is shown again, to be copied."""
    return closed_page("letters/closed.html", known=referee is not None, typed=typed)
