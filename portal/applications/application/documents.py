"""/me/application/<cycle>/documents/<key>: a file that the cycle asks for, uploaded, replaced, removed, downloaded."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from flask import current_app, redirect, request, url_for

from portal.applications.cycles import cycle_by_slug, last_submission, own_application
from portal.applications.drafts import start_application
from portal.applications.files import (
    PASTE_INSTEAD,
    NotRead,
    file_store,
    put_file,
    read_upload,
    remove_once_committed,
    shown_filename,
    uploaded_file,
)
from portal.applications.locks import MoveRefused, locked_application
from portal.applications.resume import UPLOADS
from portal.applications.submissions import current_documents, why_not_save
from portal.db import db
from portal.models import Document
from portal.storage import StoreUnavailable
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Application
    from portal.storage import FileStore

logger = logging.getLogger(__name__)


Upload = tuple[str, bytes, str]
"""The kind, the content and the name of a file."""


def keep_document(
    session: Session, files: FileStore, application: Application, key: str, file: Upload, *, now: datetime
) -> None:
    """Keep a file as the document with this key, in place of any other.

    Side effects: the file is written now, and removed if the transaction fails.

    Raises:
        MoveRefused: The application cannot be edited now.
    """
    remove_document(session, files, application, key, now=now)
    kind, data, name = file
    stored = put_file(session, files, f"documents/{application.id}", data)
    session.add(
        Document(
            application_id=application.id,
            key=key,
            kind=kind,
            filename=name,
            storage_key=stored,
            size=len(data),
            uploaded_at=now,
        )
    )
    session.flush()


def remove_document(session: Session, files: FileStore, application: Application, key: str, *, now: datetime) -> None:
    """Take a document off the application; its file goes once the transaction is committed, unless it was submitted.

    Raises:
        MoveRefused: The application cannot be edited now.
    """
    application = locked_application(session, application)
    if (reason := why_not_save(application, now, choices_change=False)) is not None:
        raise MoveRefused(reason)
    document = current_documents(session, application).get(key)
    if document is None:
        return
    submission = last_submission(session, application)
    if submission is not None and document.id in submission.document_ids:
        document.removed_at = now
    else:
        remove_once_committed(session, files, document.storage_key)
        session.delete(document)
    session.flush()


def document(cycle: str, key: str) -> ResponseReturnValue:
    """One's own file as a download; a sent form uploads it, or removes it (`act` is "remove")."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    row = or_404(cycle_by_slug(session, cycle))
    asked = or_404(next((asked for asked in row.documents if asked["key"] == key), None))
    if request.method == "GET":
        stored = or_404(current_documents(session, or_404(own_application(session, user, cycle))).get(key))
        return uploaded_file(stored.storage_key, stored.kind, f"{PurePosixPath(stored.filename).stem}.{stored.kind}")
    try:
        application = start_application(session, user, row, now=now)
        if request.form.get("act") == "remove":
            remove_document(session, file_store(current_app), application, key, now=now)
            flash_message(f"{asked['text']}: removed.")
        else:
            keep_document(session, file_store(current_app), application, key, _read(str(user.id)), now=now)
            flash_message(f"{asked['text']}: uploaded.")
    except (MoveRefused, NotRead) as refusal:
        session.rollback()
        flash_message(f"{asked['text']}: not uploaded. {refusal}", "warn")
    except StoreUnavailable:
        logger.exception("A document could not be kept")
        session.rollback()
        flash_message(f"{asked['text']}: not uploaded. {PASTE_INSTEAD}", "warn")
    return redirect(url_for("applications.application", cycle=cycle, _anchor="documents"))


def _read(account: str) -> Upload:
    """The uploaded file.

    Raises:
        NotRead: There is none, or it cannot be read.
    """
    upload = request.files.get("file")
    if upload is None or not upload.filename:
        raise NotRead("Choose a file first.", 422)
    if not UPLOADS.use(account):
        raise NotRead("You sent many files in a short time. Wait a minute, then send it again.", 429)
    data = upload.read()
    return str(read_upload(current_app, data).kind), data, shown_filename(upload.filename)
