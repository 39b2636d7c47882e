"""The same content brought twice, as by a second click, leads to the first import; it is read again when asked for."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import obstore.exceptions
from flask import current_app, redirect, request, url_for

from portal.applications.files import file_store, remove_if_rolled_back
from portal.db import db
from portal.jobs.starting import recent_job_alone, start
from portal.labs.imports_service import FOLDER, RefusedImport, keep_import
from portal.models import Job, LabImport
from portal.storage import StoreUnavailable
from portal.web.access import actor
from portal.web.messages import say, say_with_undo
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from datetime import datetime

    from flask.typing import ResponseReturnValue

    from portal.models import Lab

logger = logging.getLogger(__name__)
SAME_WITHIN = timedelta(days=1)
AGAIN = "again"
"""The field that asks for a second import of what was brought: the number of the first."""
NOT_KEPT = "The file is not kept any more. Choose it again."


@dataclass(frozen=True, slots=True)
class Brought:
    """What somebody brought for a lab or, with None, a table of labs. `after` is the import that it is to repeat."""

    lab: Lab | None
    data: bytes
    filename: str
    kind: str = ""
    after: int = 0


def brought(lab: Lab | None, job_kind: str, *, pasted: str, kind: str = "") -> Brought:
    """What the form of this request holds: a file, a text that was pasted, or the wish to repeat an import.

    Raises:
        RefusedImport: What is to be repeated is not kept any more.
    """
    again = whole_numbers(request.form.getlist(AGAIN))
    if again:
        return _repeated(lab, job_kind, again[0])
    upload, text = request.files.get("file"), request.form.get("text", "")
    if upload is not None and upload.filename:
        return Brought(lab, upload.read(), upload.filename, kind)
    return Brought(lab, text.encode(), pasted, kind)


def import_once(new: Brought, job_kind: str, title: str, page: str, *, now: datetime) -> ResponseReturnValue:
    """Start reading it and lead to that job. Content that the same person brought for the same lab within a day leads
    to the first import instead, with a button to import it anyway. Side effects: writes a file; says a message.

    Args:
        new: What was brought.
        job_kind: The kind of job that reads it.
        title: What the job is called.
        page: Address of the imports of this lab; an import is below it.
        now: The current time.

    Raises:
        RefusedImport: It is empty or too large, or the storage does not answer.
    """
    session, files, who = db.session(), file_store(current_app), actor()
    kept = keep_import(session, files, new.lab, data=new.data, filename=new.filename, actor=who, now=now)
    remove_if_rolled_back(session, files, kept.storage_key)
    digest = sha256(new.data).hexdigest()
    same = {"kind": new.kind, "lab": new.lab.id if new.lab else None, "sha256": digest}
    earlier = recent_job_alone(session, job_kind, same, by=who, since=now - SAME_WITHIN)
    first = session.get(LabImport, int(earlier.arguments["import"])) if earlier else None
    if earlier is None or first is None or first.id <= new.after:
        job = start(session, job_kind, title, {"import": kept.id, **same}, by=who, now=now, about=f"{page}/{kept.id}")
        return redirect(url_for("jobs.job", number=job.id))
    number, name, open_job = first.id, first.filename, earlier.id if first.read_at is None else None
    session.rollback()
    if not new.after:
        _offer_again(new, number, name, digest, page)
    return redirect(url_for("jobs.job", number=open_job) if open_job else f"{request.script_root}{page}/{number}")


def _offer_again(new: Brought, number: int, name: str, digest: str, page: str) -> None:
    text = f"You imported the same content as {name} within the last day. This is that import; nothing was added."
    try:
        file_store(current_app).put(_key(digest), new.data)
    except obstore.exceptions.AlreadyExistsError:
        pass
    except StoreUnavailable:
        logger.exception("A file to be imported anyway could not be kept")
        say(text, "info")
        return
    say_with_undo(text, f"{request.script_root}{page}", {AGAIN: str(number)}, label="Import it anyway", tone="info")


def _repeated(lab: Lab | None, job_kind: str, number: int) -> Brought:
    session, who = db.session(), actor()
    first = session.get(LabImport, number)
    jobs = session.query(Job).where(Job.kind == job_kind, Job.created_by_id == who.id).order_by(Job.id.desc())
    job = next((job for job in jobs if job.arguments.get("import") == number and "sha256" in job.arguments), None)
    if first is None or job is None or first.lab_id != (lab.id if lab else None):
        raise RefusedImport(NOT_KEPT)
    try:
        data = file_store(current_app).get(_key(str(job.arguments["sha256"])))
    except (FileNotFoundError, StoreUnavailable):
        raise RefusedImport(NOT_KEPT) from None
    return Brought(lab, data, first.filename, str(job.arguments["kind"]), after=number)


def _key(digest: str) -> str:
    """Where content waits to be imported anyway; like every file that no row names, it is removed after a day."""
    return f"{FOLDER}/again-{actor().id}-{digest}"
