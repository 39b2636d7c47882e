"""/me/resume: hand in a file or text, check what was read, confirm it, download it, delete it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import abort, current_app, redirect, render_template, request, url_for

from portal.accounts.rate_limits import allowance
from portal.applications import service
from portal.applications.content.submissions import cycles_with_resume
from portal.applications.files import PASTE_INSTEAD, file_store
from portal.applications.forms import ResumeForm
from portal.applications.queries import resume_of
from portal.applications.resume_view import download_name, resume_view, shown_filename
from portal.applications.uploaded_files import uploaded_file
from portal.db import db
from portal.documents.extraction import extract, pasted
from portal.documents.limits import MEBIBYTE, Limits
from portal.documents.refusals import Busy, ReaderFailed, Reason, RefusedDocument, too_large
from portal.documents.slots import Slots
from portal.storage import StoreUnavailable
from portal.web.access import actor, or_404
from portal.web.extensions import settings_of
from portal.web.form_limits import form_holds_too_much
from portal.web.messages import flash_message
from portal.web.recorded_downloads import record_download_while_impersonating

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.documents.extracted import Extracted

logger = logging.getLogger(__name__)

# Reading a file takes a process for some seconds: enough tries for anybody, too few to keep the host busy.
UPLOADS = allowance("resume", "6 per minute; 40 per hour")

FAILED_HERE = (
    "We cannot read files at the moment; the fault is on our side, not in your file. "
    "Paste the text instead, or try again later. If it fails again, tell the administrators."
)
BOTH_EMPTY = "Choose a file, or paste the text of your resume below."


@dataclass(frozen=True, slots=True)
class _Received:
    """What was handed in and read; `data` is empty for pasted text."""

    extracted: Extracted
    data: bytes = b""
    filename: str = ""


class _NotReceived(Exception):
    """The upload was refused: the reason, the field that it concerns, and the status of the response."""

    def __init__(self, message: str, field: str, status: int) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.status = status


def resume() -> ResponseReturnValue:
    """Take a file or text, read it, and go on to the text that was read."""
    form = ResumeForm()
    if request.method == "GET":
        return _form_page(form)
    form.validate()
    try:
        received = _receive(form)
    except _NotReceived as refusal:
        form[refusal.field].errors = [refusal.message]
        return _form_page(form), refusal.status
    try:
        service.keep_resume(
            db.session(),
            file_store(current_app),
            actor(),
            received.extracted,
            data=received.data,
            filename=received.filename,
            now=datetime.now(UTC),
        )
    except StoreUnavailable:
        logger.exception("A resume could not be kept")
        db.session.rollback()
        form.resume.errors = [PASTE_INSTEAD]
        return _form_page(form), 503
    return redirect(url_for("applications.resume_text"))


def resume_text() -> ResponseReturnValue:
    """Show the text that was read and what of it is not used; confirm it."""
    if request.method == "POST":
        return _confirm()
    stored = resume_of(db.session(), actor())
    if stored is None:
        flash_message("There is no resume yet. Upload one, or paste its text.", "info")
        return redirect(url_for("applications.resume"))
    return render_template("applications/resume_text.html", resume=resume_view(stored))


def resume_file() -> ResponseReturnValue:
    """The file as it was uploaded, for its owner, to be saved and never to be opened in the page."""
    stored = or_404(resume_of(db.session(), actor()))
    if not stored.storage_key:
        abort(404)
    record_download_while_impersonating(act="resume.download", object_type="account", object_key=actor().email)
    return uploaded_file(stored.storage_key, stored.kind, download_name(stored))


def delete_resume() -> ResponseReturnValue:
    """Ask, then delete the resume with its file."""
    stored = resume_of(db.session(), actor())
    if request.method == "GET":
        if stored is None:
            return redirect(url_for("applications.resume"))
        names = cycles_with_resume(db.session(), actor())
        return render_template("applications/delete_resume.html", resume=resume_view(stored), submitted_in=names)
    if service.delete_resume(db.session(), file_store(current_app), actor()):
        flash_message("Your resume is deleted. Your matches now come from your topics and your statement.")
    return redirect(url_for("applications.resume"))


def show_again_too_large() -> ResponseReturnValue:
    """The form again after a request that was too large, or had too many fields, to be read."""
    form = ResumeForm(formdata=None)
    too_much = form_holds_too_much(request)
    if too_much is not None:
        return _form_page(form, unsent=too_much), 413
    form.resume.errors = [too_large(request.content_length or 0, settings_of(current_app).upload_bytes).message]
    return _form_page(form), 413


def show_again_unsent(why: str) -> ResponseReturnValue:
    """The form with the text that was sent, and the reason why it was not taken. A file has to be chosen again."""
    return _form_page(ResumeForm(), unsent=why), 400


def _confirm() -> ResponseReturnValue:
    try:
        service.confirm_resume(db.session(), actor(), sha256=request.form.get("sha256", ""), now=datetime.now(UTC))
    except service.ReplacedResume:
        flash_message(
            "Your resume was replaced in another tab. This is the new one; look at it before you confirm it.", "warn"
        )
        return redirect(url_for("applications.resume_text"))
    flash_message("Your resume now counts in your matches.")
    return redirect(url_for("applications.matches"))


def _receive(form: ResumeForm) -> _Received:
    """Read what was handed in: the file or the text, as the button says; without a button, the file if there is one.

    Raises:
        _NotReceived: With the reason, to be shown beside its field.
    """
    upload = request.files.get("resume")
    has_file = upload is not None and bool(upload.filename)
    if upload is not None and has_file and request.form.get("use") != "text":
        return _receive_file(upload.read(), upload.filename or "")
    if request.form.get("use") == "file" or not (form.text.data or "").strip():
        wanted_text = request.form.get("use") == "text"
        raise _NotReceived(BOTH_EMPTY, "text" if wanted_text else "resume", 422)
    try:
        return _Received(pasted(form.text.data, limits=_limits()))
    except RefusedDocument as refusal:
        raise _NotReceived(refusal.message, "text", 422) from None


def _receive_file(data: bytes, filename: str) -> _Received:
    _count_upload()
    try:
        extracted = extract(data, slots=_slots(), limits=_limits())
    except RefusedDocument as refusal:
        status = 413 if refusal.reason is Reason.TOO_LARGE else 422
        raise _NotReceived(refusal.message, "resume", status) from None
    except Busy as busy:
        raise _NotReceived(busy.message, "resume", 503) from None
    except ReaderFailed:
        logger.exception("The child process that reads resumes cannot work")
        raise _NotReceived(FAILED_HERE, "resume", 503) from None
    return _Received(extracted, data, shown_filename(filename))


def _count_upload() -> None:
    """Count one upload of this person.

    Raises:
        _NotReceived: There were too many in a short time.
    """
    account = str(actor().id)
    if not UPLOADS.use(account):
        seconds = UPLOADS.wait(account)
        wait = f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"  # noqa: PLR2004
        message = f"You sent many files in a short time. Wait {wait}, then choose the file again; your text is kept."
        raise _NotReceived(message, "resume", 429)


def _form_page(form: ResumeForm, *, unsent: str = "") -> str:
    stored = resume_of(db.session(), actor())
    limits = _limits()
    return render_template(
        "applications/resume.html",
        form=form,
        resume=resume_view(stored) if stored else None,
        unsent=unsent,
        largest_bytes=limits.bytes,
        largest_mb=limits.bytes // MEBIBYTE,
        most_pages=limits.pages,
        most_characters=limits.characters,
    )


def _limits() -> Limits:
    return Limits(bytes=settings_of(current_app).upload_bytes)


def _slots() -> Slots:
    settings = settings_of(current_app)
    return Slots(settings.instance / "slots", settings.extraction_slots)
