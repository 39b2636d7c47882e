"""The resume: handed in as a file or text, checked, confirmed, downloaded, deleted."""

from __future__ import annotations

import hashlib
import logging
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from flask import abort, current_app, redirect, render_template, request, url_for
from flask_wtf.file import FileField
from wtforms import (
    TextAreaField,
)

from portal.accounts.rate_limits import allowance
from portal.applications.files import (
    PASTE_INSTEAD,
    file_store,
    holds,
    is_submitted_file,
    remove_if_rolled_back,
    remove_once_committed,
    shown_filename,
    uploaded_file,
)
from portal.applications.forms import one_line, running_text
from portal.applications.interests.service import resume_of
from portal.applications.locks import lock_person
from portal.applications.submissions import cycles_with_resume
from portal.config import settings_of
from portal.db import db
from portal.documents.extraction import extract, pasted
from portal.documents.kinds import Kind
from portal.documents.limits import MEBIBYTE, Limits
from portal.documents.notices import Notice
from portal.documents.refusals import Busy, ReaderFailed, Reason, RefusedDocument, too_large
from portal.documents.slots import Slots
from portal.matching import redact
from portal.models import Resume, User
from portal.storage import StoreUnavailable
from portal.web.access import actor, or_404
from portal.web.downloads import record_download_while_impersonating
from portal.web.forms import PortalForm, form_holds_too_much
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.documents.extracted import Extracted
    from portal.matching import Redacted
    from portal.storage import FileStore


KINDS_OF_REMOVED = {
    "name": "Names",
    "address": "E-mail and web addresses",
    "telephone": "Telephone numbers",
    "school": "Schools",
    "employer": "Employers",
    "place": "Countries and cities",
    "date": "Dates",
    "gender": "Gendered words",
}
logger = logging.getLogger(__name__)
# Reading a file takes a process for some seconds: enough tries for anybody, too few to keep the host busy.
UPLOADS = allowance("resume", "6 per minute; 40 per hour")
FAILED_HERE = (
    "We cannot read files at the moment; the fault is on our side, not in your file. "
    "Paste the text instead, or try again later. If it fails again, tell the administrators."
)
BOTH_EMPTY = "Choose a file, or paste the text of your resume below."


class ResumeForm(PortalForm):
    """A file or pasted text; the button that was pressed says which of the two is meant."""

    resume = FileField("Resume file")
    text = TextAreaField("Text of your resume", filters=[lambda text: running_text(text or "")])


class ReplacedResume(Exception):
    """The resume is not the one that was shown any more: it was replaced or deleted. Nothing was written."""


def keep_resume(
    session: Session, files: FileStore, user: User, extracted: Extracted, *, data: bytes, filename: str, now: datetime
) -> Resume:
    """Store what was read as the applicant's resume, in place of any other; it waits for confirmation.

    `data` is the file as uploaded, empty for pasted text. If the content is the same as before, and its file still
    there, only the name changes.

    Side effects: writes the file now, removes it if the transaction fails, and removes the file that it
    replaces once the transaction is committed.
    """
    digest = hashlib.sha256(data or extracted.text.encode()).hexdigest()
    lock_person(session, user)
    resume = resume_of(session, user)
    same = (digest, extracted.kind, extracted.text)
    if (
        resume is not None
        and (resume.sha256, resume.kind, resume.text) == same
        and holds(files, resume.storage_key, data)
    ):
        resume.filename = filename
        return resume
    key = _stored_file(session, files, user, data) if data else ""
    read = {
        "kind": str(extracted.kind),
        "filename": filename,
        "storage_key": key,
        "size": len(data),
        "sha256": digest,
        "pages": extracted.pages,
        "text": extracted.text,
        "hidden_text": extracted.hidden,
        "warnings": [str(warning) for warning in extracted.warnings],
        "uploaded_at": now,
        "confirmed_at": None,
    }
    if resume is None:
        resume = Resume(user_id=user.id, **read)
        session.add(resume)
        session.flush()
        return resume
    _forget_file(session, files, resume)
    for name, value in read.items():
        setattr(resume, name, value)
    session.flush()
    return resume


def confirm_resume(session: Session, user: User, *, sha256: str, now: datetime) -> Resume:
    """Let the resume count in matching; `sha256` says which one the applicant has seen.

    Raises:
        ReplacedResume: It is another one by now, or there is none.
    """
    lock_person(session, user)
    resume = resume_of(session, user)
    if resume is None or resume.sha256 != sha256:
        raise ReplacedResume
    if resume.confirmed_at is None:
        resume.confirmed_at = now
        session.flush()
    return resume


def delete_resume(session: Session, files: FileStore, user: User) -> bool:
    """Delete the resume, and its file once the transaction is committed; False where there was none."""
    lock_person(session, user)
    resume = resume_of(session, user)
    if resume is None:
        return False
    _forget_file(session, files, resume)
    session.delete(resume)
    session.flush()
    return True


def _stored_file(session: Session, files: FileStore, user: User, data: bytes) -> str:
    key = f"resumes/{user.id}/{secrets.token_urlsafe(24)}"
    files.put(key, data)
    remove_if_rolled_back(session, files, key)
    return key


def _forget_file(session: Session, files: FileStore, resume: Resume) -> None:
    """Remove the file once the transaction is committed, unless a submission refers to it."""
    if resume.storage_key and not is_submitted_file(session, resume.storage_key):
        remove_once_committed(session, files, resume.storage_key)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text, and whether matching leaves it out."""

    text: str
    left_out: bool


@dataclass(frozen=True, slots=True)
class ResumeView:
    """What was handed in and read. `size` is in words; empty for pasted text.

    `stretches` are the text in order; `removed` are kinds of what matching leaves out, each with its different
    words as they stand in the text.
    """

    title: str
    kind: str
    size: str
    pages: int | None
    stretches: tuple[Stretch, ...]
    removed: tuple[tuple[str, tuple[str, ...]], ...]
    hidden_text: str
    warnings: tuple[str, ...]
    sha256: str
    has_file: bool
    uploaded_at: datetime
    confirmed_at: datetime | None


def resume_view(resume: Resume) -> ResumeView:
    """Finished values for a page."""
    redacted = redact(resume.text)
    return ResumeView(
        title=resume.filename or "Pasted text",
        kind=Kind(resume.kind).label,
        size=_in_words(resume.size) if resume.size else "",
        pages=resume.pages,
        stretches=tuple(_stretches(resume.text, redacted)),
        removed=tuple(_by_kind(redacted)),
        hidden_text=resume.hidden_text,
        warnings=tuple(Notice(warning).sentence for warning in resume.warnings),
        sha256=resume.sha256,
        has_file=bool(resume.storage_key),
        uploaded_at=resume.uploaded_at,
        confirmed_at=resume.confirmed_at,
    )


def _stretches(text: str, redacted: Redacted) -> Iterator[Stretch]:
    position = 0
    for item in redacted.removed:
        if item.start > position:
            yield Stretch(text[position : item.start], left_out=False)
        yield Stretch(text[item.start : item.end], left_out=True)
        position = item.end
    if position < len(text):
        yield Stretch(text[position:], left_out=False)


def _by_kind(redacted: Redacted) -> Iterator[tuple[str, tuple[str, ...]]]:
    for reason, kind in KINDS_OF_REMOVED.items():
        words = tuple(dict.fromkeys(one_line(item.text) for item in redacted.removed if item.reason == reason))
        if words:
            yield kind, words


def download_name(resume: Resume) -> str:
    """The name under which the owner's own file is saved; its ending says what the file truly is."""
    stem = PurePosixPath(resume.filename).stem or "resume"
    return f"{stem}.{resume.kind}"


def _in_words(size: int) -> str:
    if size < MEBIBYTE:
        return f"{max(1, round(size / 1024)):,} KB"
    return f"{size / MEBIBYTE:.1f} MB"


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
        keep_resume(
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


def delete_page() -> ResponseReturnValue:
    """Ask, then delete the resume with its file."""
    stored = resume_of(db.session(), actor())
    if request.method == "GET":
        if stored is None:
            return redirect(url_for("applications.resume"))
        names = cycles_with_resume(db.session(), actor())
        return render_template("applications/delete_resume.html", resume=resume_view(stored), submitted_in=names)
    if delete_resume(db.session(), file_store(current_app), actor()):
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
        confirm_resume(db.session(), actor(), sha256=request.form.get("sha256", ""), now=datetime.now(UTC))
    except ReplacedResume:
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
