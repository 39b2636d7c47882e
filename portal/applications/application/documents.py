"""Files that a cycle asks for: uploaded, replaced and removed with the form of an application, and downloaded."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from flask import current_app, request

from portal.applications.cycles import cycle_by_slug, last_submission, own_application
from portal.applications.files import (
    PASTE_INSTEAD,
    NotRead,
    file_store,
    put_file,
    remove_once_committed,
    uploaded_file,
)
from portal.applications.locks import Refusal, locked_application, refuse_if
from portal.applications.resume import receive_file
from portal.applications.submissions import current_documents, why_not_save
from portal.db import db
from portal.models import Document
from portal.storage import StoreUnavailable
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from flask import Response
    from sqlalchemy.orm import Session
    from werkzeug.datastructures import FileStorage

    from portal.models import Application, Cycle
    from portal.storage import FileStore

logger = logging.getLogger(__name__)


Upload = tuple[str, bytes, str]
"""The kind, the content and the name of a file."""
UPLOAD, REMOVE = "upload", "remove_document"
"""The names of the buttons; their value is the key of the document."""


def sent_files(cycle: Cycle) -> dict[str, Upload | NotRead | None]:
    """What a sent form says of documents, by their key: a file, why it cannot be read, or None to remove the document.
    A chosen file counts whichever button was pressed.
    """
    sent: dict[str, Upload | NotRead | None] = {}
    for key in (str(asked["key"]) for asked in cycle.documents or ()):
        upload = request.files.get(f"document-{key}")
        if request.form.get(REMOVE) == key:
            sent[key] = None
        elif upload is not None and upload.filename:
            sent[key] = _read(upload)
        elif request.form.get(UPLOAD) == key:
            sent[key] = NotRead("Choose a file first.", 422)
    return sent


def _read(upload: FileStorage) -> Upload | NotRead:
    try:
        extracted, data, name = receive_file(upload)
    except NotRead as refusal:
        return refusal
    return str(extracted.kind), data, name


def change_documents(application: Application, sent: Mapping[str, Upload | NotRead | None], now: datetime) -> None:
    """Do what `sent_files` found, and tell of it. What else was saved stays, whatever comes of it."""
    names = {asked["key"]: asked["text"] for asked in application.cycle.documents or ()}
    for key, file in sent.items():
        try:
            if isinstance(file, NotRead):
                raise file
            keep_document(db.session(), file_store(current_app), application, key, file, now=now)
        except (Refusal, NotRead) as refusal:
            flash_message(f"{names[key]}: not uploaded. {refusal}", "warn")
        except StoreUnavailable:
            logger.exception("A document could not be kept")
            flash_message(f"{names[key]}: not uploaded. {PASTE_INSTEAD}", "warn")
        else:
            flash_message(f"{names[key]}: {'uploaded' if file else 'removed'}.")


def keep_document(
    session: Session, files: FileStore, application: Application, key: str, file: Upload | None, *, now: datetime
) -> None:
    """Keep a file as the document with this key, in place of any other; None removes that one.

    Side effects: the file is written now, before any row, and removed if the transaction fails; that of the other one
    goes once the transaction is committed, unless it was submitted. Raises `Refusal`: the application cannot be edited
    now; `StoreUnavailable`: the file cannot be kept. Nothing was written then.
    """
    application = locked_application(session, application)
    refuse_if(why_not_save(application, now, choices_change=False))
    stored = put_file(session, files, f"documents/{application.id}", file[1] if file else b"")
    before, submission = current_documents(session, application).get(key), last_submission(session, application)
    if before is not None and submission is not None and before.id in submission.document_ids:
        before.removed_at = now
    elif before is not None:
        remove_once_committed(session, files, before.storage_key)
        session.delete(before)
    session.flush()
    if file:
        kind, data, name = file
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


def document(cycle: str, key: str) -> Response:
    """One's own file as a download."""
    session, user = db.session(), actor()
    asked = {asked["key"] for asked in or_404(cycle_by_slug(session, cycle)).documents or ()}
    stored = current_documents(session, or_404(own_application(session, user, cycle))).get(key)
    stored = or_404(stored if key in asked else None)
    return uploaded_file(stored.storage_key, stored.kind, stored.filename)
