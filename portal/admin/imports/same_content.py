"""Content submitted again, as by a second click, leads to its first import; it is read again only on request."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import obstore.exceptions
from flask import current_app, redirect, request, url_for
from sqlalchemy import select

from portal.applications.files import file_store, remove_if_rolled_back, shown_filename
from portal.db import db
from portal.jobs.starting import recent_job_alone, start
from portal.labs.imports.service import FOLDER, RefusedImport, store_import
from portal.models import Job, LabImport
from portal.storage import StoreUnavailable
from portal.web.access import actor
from portal.web.messages import flash_message, flash_with_undo
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from datetime import datetime

    from flask.typing import ResponseReturnValue

    from portal.models import Lab

logger = logging.getLogger(__name__)
SAME_WITHIN = timedelta(days=1)
AGAIN = "again"
"""The field that asks to import the same content again: the id of the first import."""
NOT_KEPT = "The file is not kept any more. Choose it again."


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """A file for a lab or, with None, a table of labs. `after` is the id of the import to repeat, or 0."""

    lab: Lab | None
    data: bytes
    filename: str
    kind: str = ""
    after: int = 0


def submitted_file(lab: Lab | None, job_kind: str, *, pasted: str, kind: str = "") -> SubmittedFile:
    """The file in the form of this request: an upload, a pasted text, or the content of an import to repeat.

    Raises:
        RefusedImport: The content to repeat is not stored any more.
    """
    repeated_ids = whole_numbers(request.form.getlist(AGAIN))
    if repeated_ids:
        return _repeated(lab, job_kind, repeated_ids[0])
    upload, text = request.files.get("file"), request.form.get("text", "")
    if upload is not None and upload.filename:
        return SubmittedFile(lab, upload.read(), shown_filename(upload.filename) or "file without a name", kind)
    return SubmittedFile(lab, text.encode(), pasted, kind)


def import_once(
    submitted: SubmittedFile, job_kind: str, title: str, page: str, *, now: datetime
) -> ResponseReturnValue:
    """Start a job that reads the file, and redirect to it. Content that the same person submitted for the same lab
    within a day leads to the first import instead, with a button to import it anyway. Side effects: writes a file;
    shows a message.

    Args:
        submitted: The file.
        job_kind: The kind of job that reads it.
        title: Title of the job.
        page: Address of the imports of this lab; an import is below it.
        now: The current time.

    Raises:
        RefusedImport: It is empty or too large, or the storage does not answer.
    """
    session, files, person = db.session(), file_store(current_app), actor()
    stored_import = store_import(
        session, files, submitted.lab, data=submitted.data, filename=submitted.filename, actor=person, now=now
    )
    remove_if_rolled_back(session, files, stored_import.storage_key)
    digest = sha256(submitted.data).hexdigest()
    identity = {"kind": submitted.kind, "lab": submitted.lab.id if submitted.lab else None, "sha256": digest}
    earlier_job = recent_job_alone(session, job_kind, identity, by=person, since=now - SAME_WITHIN)
    first_import = session.get(LabImport, int(earlier_job.arguments["import"])) if earlier_job else None
    if earlier_job is None or first_import is None or first_import.id <= submitted.after:
        job = start(
            session,
            job_kind,
            title,
            {"import": stored_import.id, **identity},
            by=person,
            now=now,
            about=f"{page}/{stored_import.id}",
        )
        return redirect(url_for("jobs.job", job_id=job.id))
    import_id, name, open_job = (
        first_import.id,
        first_import.filename,
        earlier_job.id if first_import.read_at is None else None,
    )
    session.rollback()
    if not submitted.after:
        _offer_again(submitted, import_id, name, digest, page)
    return redirect(url_for("jobs.job", job_id=open_job) if open_job else f"{request.script_root}{page}/{import_id}")


def _offer_again(submitted: SubmittedFile, import_id: int, name: str, digest: str, page: str) -> None:
    text = f"You imported the same content as {name} within the last day. This is that import; nothing was added."
    try:
        file_store(current_app).put(_key(digest), submitted.data)
    except obstore.exceptions.AlreadyExistsError:
        pass
    except StoreUnavailable:
        logger.exception("A file to be imported anyway could not be kept")
        flash_message(text, "info")
        return
    flash_with_undo(
        text, f"{request.script_root}{page}", {AGAIN: str(import_id)}, label="Import it anyway", tone="info"
    )


def _repeated(lab: Lab | None, job_kind: str, import_id: int) -> SubmittedFile:
    session, person = db.session(), actor()
    first_import = session.get(LabImport, import_id)
    of_import = Job.arguments["import"].as_integer() == import_id, Job.arguments["sha256"].as_string().is_not(None)
    own_jobs = select(Job).where(Job.kind == job_kind, Job.created_by_id == person.id, *of_import)
    job = session.scalars(own_jobs.order_by(Job.id.desc()).limit(1)).first()
    if first_import is None or job is None or first_import.lab_id != (lab.id if lab else None):
        raise RefusedImport(NOT_KEPT)
    try:
        data = file_store(current_app).get(_key(str(job.arguments["sha256"])))
    except (FileNotFoundError, StoreUnavailable):
        raise RefusedImport(NOT_KEPT) from None
    return SubmittedFile(lab, data, first_import.filename, str(job.arguments["kind"]), after=import_id)


def _key(digest: str) -> str:
    """The key of content that may be imported again; like every file that no row names, it is removed after a day."""
    return f"{FOLDER}/again-{actor().id}-{digest}"
