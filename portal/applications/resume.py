"""The resume: handed in as a file or text, checked, confirmed, downloaded, deleted."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import abort, current_app, redirect, render_template, request, url_for
from flask_wtf.file import FileField
from wtforms import TextAreaField

from portal.accounts.rate_limits import allowance
from portal.applications.drafts import cycles_to_add_in
from portal.applications.files import (
    PASTE_INSTEAD,
    NotRead,
    file_store,
    holds,
    is_submitted_file,
    put_file,
    read_upload,
    remove_once_committed,
    shown_filename,
    upload_limits,
    uploaded_file,
)
from portal.applications.forms import running_text
from portal.applications.interests.service import resume_of
from portal.applications.locks import lock_person
from portal.db import db
from portal.documents.extraction import pasted
from portal.documents.kinds import Kind
from portal.documents.limits import MEBIBYTE
from portal.documents.notices import Notice
from portal.documents.refusals import RefusedDocument, too_large
from portal.matching import redact
from portal.models import Resume, User
from portal.storage import StoreUnavailable
from portal.web.access import actor, or_404
from portal.web.forms import PortalForm, form_holds_too_much
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session
    from werkzeug.datastructures import FileStorage

    from portal.documents.extracted import Extracted
    from portal.storage import FileStore

# Reading a file takes a process for some seconds: enough tries for anybody, too few to keep the host busy.
UPLOADS = allowance("resume", "6 per minute; 40 per hour")
logger = logging.getLogger(__name__)


class ResumeForm(PortalForm):
    """A file or pasted text; the button that was pressed says which of the two is meant."""

    resume = FileField("Resume file")
    text = TextAreaField("Text of your resume", filters=[lambda text: running_text(text or "")])


class ReplacedResume(Exception):
    """The resume is not the one that was shown any more: it was replaced or deleted. Nothing was written."""


def keep_resume(
    session: Session, files: FileStore, user: User, extracted: Extracted, *, data: bytes, filename: str, now: datetime
) -> Resume:
    """Store what was read as the applicant's resume, in place of any other; it waits for confirmation. If the content
    is the same as before, only the name changes. `data` is the file, empty for pasted text.

    Side effects: writes the file now, or removes it if the transaction fails; removes the one that it replaces.
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
    key = put_file(session, files, f"resumes/{user.id}", data)
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
    """Let the resume count in matching; `sha256` says which one the applicant has seen. Raises `ReplacedResume`: it is
    another one by now, or there is none.
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


def _forget_file(session: Session, files: FileStore, resume: Resume) -> None:
    """Remove the file once the transaction is committed, unless a submission refers to it."""
    if resume.storage_key and not is_submitted_file(session, resume.storage_key):
        remove_once_committed(session, files, resume.storage_key)


def resume() -> ResponseReturnValue:
    """Take a file or text, read it, and go on to the text that was read."""
    form = ResumeForm()
    if request.method == "GET":
        return _form_page(form)
    form.validate()
    try:
        extracted, data, filename = _receive(form)
    except NotRead as refusal:
        of_text = request.form.get("use") == "text"
        (form.text if of_text else form.resume).errors = [str(refusal)]
        return _form_page(form), refusal.status
    session, files = db.session(), file_store(current_app)
    try:
        keep_resume(session, files, actor(), extracted, data=data, filename=filename, now=datetime.now(UTC))
    except StoreUnavailable:
        logger.exception("A resume could not be kept")
        session.rollback()
        form.resume.errors = [PASTE_INSTEAD]
        return _form_page(form), 503
    return redirect(url_for("applications.resume_text"))


def _receive(form: ResumeForm) -> tuple[Extracted, bytes, str]:
    """What was handed in as it was read, with the file and its name: the file or the text, as the button says. Raises
    `NotRead`: with the reason.
    """
    use, upload = request.form.get("use"), request.files.get("resume")
    if upload is not None and upload.filename and use != "text":
        return receive_file(upload)
    if use == "file" or not (form.text.data or "").strip():
        raise NotRead("Choose a file, or paste the text of your resume below.", 422)
    try:
        return pasted(form.text.data, limits=upload_limits(current_app)), b"", ""
    except RefusedDocument as refusal:
        raise NotRead(refusal.message, 422) from None


def receive_file(upload: FileStorage) -> tuple[Extracted, bytes, str]:
    """A file that whoever is signed in sent, as it was read, with its content and name. Counts the tries. Raises
    `NotRead`: with the reason.
    """
    account = str(actor().id)
    if not UPLOADS.use(account):
        minutes = -(-UPLOADS.wait(account) // 60)
        wait = "a minute" if minutes <= 1 else f"{minutes} minutes"
        message = f"You sent many files in a short time. Wait {wait}, then choose the file again; your text is kept."
        raise NotRead(message, 429)
    data = upload.read()
    return read_upload(current_app, data), data, shown_filename(upload.filename or "")


def resume_text() -> ResponseReturnValue:
    """Show the text that was read and what of it is not used; confirm it."""
    if request.method == "POST":
        return _confirm()
    stored = resume_of(db.session(), actor())
    if stored is None:
        flash_message("There is no resume yet. Upload one, or paste its text.", "info")
        return redirect(url_for("applications.resume"))
    return render_template(
        "applications/resume_text.html",
        **_facts(stored),
        warnings=[Notice(warning).sentence for warning in stored.warnings],
        stretches=list(_stretches(stored.text)),
    )


def _confirm() -> ResponseReturnValue:
    try:
        confirm_resume(db.session(), actor(), sha256=request.form.get("sha256", ""), now=datetime.now(UTC))
    except ReplacedResume:
        flash_message(
            "Your resume was replaced in another tab. This is the new one; look at it before you confirm it.", "warn"
        )
        return redirect(url_for("applications.resume_text"))
    flash_message("Your resume now counts in your matches.")
    drafts = [draft for _, draft in cycles_to_add_in(db.session(), actor(), datetime.now(UTC)) if draft is not None]
    if drafts:
        return redirect(url_for("applications.application", cycle=drafts[0].cycle.slug))
    return redirect(url_for("applications.matches"))


def resume_file() -> ResponseReturnValue:
    """The file as it was uploaded, for its owner, to be saved and never to be opened in the page."""
    stored = or_404(resume_of(db.session(), actor()))
    if not stored.storage_key:
        abort(404)
    return uploaded_file(stored.storage_key, stored.kind, stored.filename)


def delete_page() -> ResponseReturnValue:
    """Ask, then delete the resume with its file."""
    stored = resume_of(db.session(), actor())
    if request.method == "GET":
        if stored is None:
            return redirect(url_for("applications.resume"))
        return render_template("applications/delete_resume.html", **_facts(stored))
    if delete_resume(db.session(), file_store(current_app), actor()):
        flash_message("Your resume is deleted. Your matches now come from your topics and your statement.")
    return redirect(url_for("applications.resume"))


def show_again(why: str = "") -> ResponseReturnValue:
    """The form with the text that was sent, and the reason why it was not taken; empty without a reason, after a
    request that was too large, or had too many fields, to be read. A file has to be chosen again.
    """
    if why:
        return _form_page(ResumeForm(), unsent=why), 400
    form, too_much = ResumeForm(formdata=None), form_holds_too_much(request)
    if too_much is None:
        form.resume.errors = [too_large(request.content_length or 0, upload_limits(current_app).bytes).message]
    return _form_page(form, unsent=too_much or ""), 413


def _form_page(form: ResumeForm, *, unsent: str = "") -> str:
    stored = resume_of(db.session(), actor())
    limits = upload_limits(current_app)
    return render_template(
        "applications/resume.html",
        form=form,
        **(_facts(stored) if stored else {}),
        unsent=unsent,
        largest_bytes=limits.bytes,
        largest_mb=limits.bytes // MEBIBYTE,
        most_pages=limits.pages,
        most_characters=limits.characters,
    )


def _facts(stored: Resume) -> Mapping[str, object]:
    """The resume with its kind and its size in words, as all of its pages show it."""
    kilobytes = f"{max(1, round(stored.size / 1024)):,} KB"
    size = kilobytes if stored.size < MEBIBYTE else f"{stored.size / MEBIBYTE:.1f} MB"
    return {"resume": stored, "kind": Kind(stored.kind).label, "size": size if stored.size else ""}


def _stretches(text: str) -> Iterator[tuple[str, bool]]:
    """The text in order, each part with whether matching leaves it out."""
    position = 0
    for item in redact(text).removed:
        if item.start > position:
            yield text[position : item.start], False
        yield text[item.start : item.end], True
        position = item.end
    yield text[position:], False
