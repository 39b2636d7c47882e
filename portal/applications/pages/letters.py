"""/letters/<token>: the page of one referee, who has no account. Its link opens this form and nothing else.

Opening it changes nothing, no other site learns its address, and that it was opened is not recorded.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, make_response, redirect, request, url_for
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import RequestEntityTooLarge

from portal.accounts.rate_limits import allowance
from portal.applications.files import PASTE_INSTEAD, file_store
from portal.applications.referees import service as referees
from portal.applications.referees.forms import LetterForm
from portal.applications.referees.letter_reading import LetterRefused, read_letter
from portal.applications.referees.queries import letter_seen, referee_by_token
from portal.applications.referees.rules import why_not_write
from portal.db import db
from portal.documents.refusals import too_large
from portal.storage import StoreUnavailable
from portal.web.extensions import settings_of
from portal.web.form_limits import form_holds_too_much
from portal.web.limits import network_of_request
from portal.web.secret_pages import BAD_REQUEST, OUT_OF_DATE, alone, closed_page, page_alone

if TYPE_CHECKING:
    from flask import Response

    from portal.models import Referee

logger = logging.getLogger(__name__)
LETTERS = allowance("letters", "20 per minute", per_network=True)
CONFLICT, TOO_LARGE, UNPROCESSABLE, TOO_MANY = 409, 413, 422, 429
TOO_OFTEN = "You sent many forms in a short time. Wait a minute, then send it again; your text is kept."

SENT_MEANWHILE = (
    "Another letter arrived through your link while this page was open, perhaps from a second window. It is kept, and "
    "yours was not sent. To put yours in its place, send it again; a file has to be chosen once more."
)


def letter_page(token: str) -> Response:
    """Show the form, or take what is sent with it."""
    referee = referee_by_token(db.session(), token)
    try:
        form = LetterForm()
    except RequestEntityTooLarge:
        return _too_large(token, referee)
    if request.method == "POST":
        return _sent(token, referee, form)
    if referee is None or why_not_write(referee, datetime.now(UTC)) is not None:
        return _closed(referee)
    return _page(token, referee, form)


def _sent(token: str, referee: Referee | None, form: LetterForm) -> Response:
    now = datetime.now(UTC)
    valid = form.validate()
    if not valid and (referee is None or "csrf_token" not in form.errors):
        raise CSRFError
    if referee is None or why_not_write(referee, now) is not None:
        return _closed(referee, form.letter.data or "")
    if not valid:
        return _page(token, referee, form, OUT_OF_DATE, BAD_REQUEST)
    if not LETTERS.use(network_of_request()):
        return _page(token, referee, form, TOO_OFTEN, TOO_MANY)
    return _acted(token, referee, form, now)


def _acted(token: str, referee: Referee, form: LetterForm, now: datetime) -> Response:
    """Decline or keep the letter; or the page again, which says why not."""
    session = db.session()
    try:
        if request.form.get("act") == "decline":
            referees.decline(session, referee, now=now)
        else:
            _keep_letter(referee, form, now)
    except LetterRefused as refusal:
        upload = request.files.get("letter_file")
        of_file = not form.letter.data or (upload is not None and bool(upload.filename))
        (form.letter_file if of_file else form.letter).errors = [str(refusal)]
        return _page(token, referee, form, status=UNPROCESSABLE)
    except referees.SentMeanwhile:
        session.rollback()
        form.seen.data = letter_seen(referee)
        return _page(token, referee, form, SENT_MEANWHILE, CONFLICT)
    except referees.LinkClosed:
        session.rollback()
        return _closed(referee, form.letter.data or "")
    return alone(make_response(redirect(url_for("secret.letter", token=token))))


def _keep_letter(referee: Referee, form: LetterForm, now: datetime) -> None:
    """Read the letter and keep it.

    Raises:
        LetterRefused: It cannot be read, or its file cannot be kept just now.
        LinkClosed: It cannot be sent any more.
        SentMeanwhile: Another one was sent while the page was open.
    """
    letter = read_letter(current_app, form.letter.data or "", request.files.get("letter_file"))
    try:
        referees.send_letter(db.session(), file_store(current_app), referee, letter, now=now, seen=form.seen.data or "")
    except StoreUnavailable:
        logger.exception("A letter could not be kept")
        raise LetterRefused(PASTE_INSTEAD) from None


def _too_large(token: str, referee: Referee | None) -> Response:
    """The form again after a request that was too large, or had too many fields, to be read."""
    if referee is None or why_not_write(referee, datetime.now(UTC)) is not None:
        return _closed(referee)
    too_much = form_holds_too_much(request)
    if too_much is not None:
        return _page(token, referee, LetterForm(formdata=None), too_much, TOO_LARGE)
    refusal = too_large(request.content_length or 0, settings_of(current_app).upload_bytes).message
    form = LetterForm(formdata=None)
    form.letter_file.errors = [refusal]
    return _page(token, referee, form, status=TOO_LARGE)


def _page(token: str, referee: Referee, form: LetterForm, refusal: str = "", status: int = 200) -> Response:
    application = referee.application
    if form.seen.data is None:
        form.seen.data = letter_seen(referee)
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


def _closed(referee: Referee | None, typed: str = "") -> Response:
    """The same page for every invalid link; what was written is shown again, to be copied."""
    return closed_page("letters/closed.html", known=referee is not None, typed=typed)
