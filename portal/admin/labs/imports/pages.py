"""Importing a file into a lab: uploading or pasting it, seeing what it would change, accepting or refusing that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from flask import current_app, redirect, render_template, request, url_for

from portal.admin.labs.imports import jobs, queries
from portal.admin.pages.loading import lab_or_404
from portal.admin.pages.saving import INVALID
from portal.applications.files import file_store, remove_if_rolled_back, shown_filename
from portal.applications.forms import running_text
from portal.db import db
from portal.jobs.registry import recent_job_alone, start
from portal.labs.imports import (
    LONGEST_REASON,
    RefusedImport,
    accept_many,
    check_size,
    refuse_many,
    store_import,
)
from portal.labs.proposals import DecidedProposal
from portal.labs.service import StaleEdit
from portal.models import LabImport
from portal.seeding.changes import MergeError
from portal.seeding.imports.imported import KIND_NAMES
from portal.web.access import actor, or_404
from portal.web.forms import whole_numbers
from portal.web.job_pages import follow, start_and_follow
from portal.web.messages import flash_message, flash_with_link
from portal.web.paging import page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Lab

# A table of labs is for several: `portal import` takes it.
SAME_WITHIN = timedelta(days=1)
KINDS = {kind: name for kind, name in KIND_NAMES.items() if kind != "labs_csv"}


def imports(slug: str) -> ResponseReturnValue:
    """The form to upload or paste a file for a lab, and all its imports."""
    lab = lab_or_404(slug)
    if request.method != "POST":
        return _form_page(lab, "", "")
    kind = request.form.get("kind", "")
    kind = kind if kind in KINDS else ""
    try:
        return _import_once(lab, kind, now=datetime.now(UTC))
    except RefusedImport as refusal:
        return _form_page(lab, str(refusal), request.form.get("text", ""), kind), INVALID


def _import_once(lab: Lab, kind: str, *, now: datetime) -> ResponseReturnValue:
    """Store the sent file, and start a job that reads it. Content that the same person sent for the lab within a day,
    as by a second click, leads to its first import instead.

    Raises:
        RefusedImport: It is empty or too large, or the storage does not answer.
    """
    session, files, person = db.session(), file_store(current_app), actor()
    upload = request.files.get("file")
    if upload is not None and upload.filename:
        data, filename = upload.read(), shown_filename(upload.filename) or "file without a name"
    else:
        data, filename = request.form.get("text", "").encode(), "pasted text"
    check_size(data)
    identity = {"kind": kind, "lab": lab.id, "sha256": sha256(data).hexdigest()}
    earlier_job = recent_job_alone(session, jobs.READ, identity, by=person, since=now - SAME_WITHIN)
    first_import = session.get(LabImport, int(earlier_job.arguments["import"])) if earlier_job else None
    if earlier_job is not None and first_import is not None:
        if first_import.read_at is None:
            return follow(earlier_job)
        flash_message(
            f"You imported the same content as {first_import.filename} within the last day. This is that import; "
            "nothing was added.",
            "info",
        )
        return redirect(url_for("admin.one_import", slug=lab.slug, import_id=first_import.id))
    lab_import = store_import(session, files, lab, data=data, filename=filename, actor=person, now=now)
    remove_if_rolled_back(session, files, lab_import.storage_key)
    about = f"/admin/labs/{lab.slug}/imports/{lab_import.id}"
    title, arguments = f"Read {filename} for {lab.name}", {"import": lab_import.id, **identity}
    return follow(start(session, jobs.READ, title, arguments, by=person, now=now, about=about))


def one_import(slug: str, import_id: int) -> str:
    """One import: its proposals beside today's values, and the entries that were left out with the reason."""
    lab, session = lab_or_404(slug), db.session()
    lab_import = _import(lab, import_id)
    waiting = queries.waiting_by_import(session, lab)
    return render_template(
        "admin/import.html",
        lab=lab,
        lab_import=lab_import,
        kind=KIND_NAMES.get(lab_import.kind, lab_import.kind),  # type: ignore[call-overload]  # or one of an older version
        page=queries.waiting_page(session, lab, lab_import, page_number(request.args.get("page"))),
        decided=queries.proposals_by_state(session, lab_import),
        elsewhere=sum(waiting.values()) - waiting.get(import_id, 0),
    )


def read_import(slug: str, import_id: int) -> ResponseReturnValue:
    """Read a file whose job was cancelled or failed; or go to the job that reads it already."""
    lab = lab_or_404(slug)
    lab_import = _import(lab, import_id)
    if lab_import.read_at is not None or not lab_import.storage_key:
        flash_message("This file was read already.", "info")
        return redirect(url_for("admin.one_import", slug=slug, import_id=import_id))
    kind = queries.kind_asked_for(db.session(), lab_import, jobs.READ)
    return start_and_follow(
        jobs.READ,
        f"Read {lab_import.filename} for {lab.name}",
        {"import": import_id, "kind": kind},
        about=f"/admin/labs/{lab.slug}/imports/{import_id}",
    )


def decide(slug: str, import_id: int) -> ResponseReturnValue:
    """Accept or refuse the ticked proposals, or start a job that accepts all open ones."""
    lab, session, now = lab_or_404(slug), db.session(), datetime.now(UTC)
    lab_import = _import(lab, import_id)
    import_url = url_for("admin.one_import", slug=slug, import_id=import_id)
    decision, reason = request.form.get("decision", ""), running_text(request.form.get("reason", "")).strip()
    if not reason or len(reason) > LONGEST_REASON:
        flash_message(f"Give a reason of up to {LONGEST_REASON} characters; it stands in the lab’s history.", "warn")
        return redirect(import_url)
    if decision == "accept all":
        arguments: dict[str, Any] = {"import": lab_import.id, "author": actor().id, "reason": reason}
        title = f"Accept what {lab_import.filename} says of {lab.name}"
        about = f"/admin/labs/{lab.slug}/imports/{lab_import.id}"
        return start_and_follow(jobs.ACCEPT, title, arguments, about=about, apart_from=("author", "reason"))
    ticked = queries.waiting_proposals(session, lab_import, whole_numbers(request.form.getlist("proposal")))
    if not ticked or decision not in {"accept", "refuse"}:
        flash_message("Nothing was ticked. Tick the changes to accept or refuse.", "info")
        return redirect(import_url)
    try:
        if decision == "refuse":
            refuse_many(session, lab, ticked, author=actor(), reason=reason, now=now)
            flash_message(f"{len(ticked)} refused; they are not asked again.")
        else:
            revision = accept_many(session, lab, ticked, author=actor(), reason=reason, now=now)
            if revision is None:
                flash_message("Accepted. The profile said this already.")
            else:
                link = url_for("admin.revision", slug=slug, number=revision.number)
                flash_with_link(
                    f"{len(ticked)} accepted. This is revision {revision.number}.", link, "See what changed"
                )
    except (DecidedProposal, StaleEdit):
        session.rollback()
        flash_message("Somebody decided or saved in the same moment. Look again at what is open.", "warn")
    except MergeError as refusal:
        session.rollback()
        flash_message(f"Not accepted: {refusal}. Take it out of what is ticked, or refuse it.", "warn")
    return redirect(import_url)


def _import(lab: Lab, import_id: int) -> LabImport:
    lab_import = or_404(db.session().get(LabImport, import_id))
    return or_404(lab_import if lab_import.lab_id == lab.id else None)


def _form_page(lab: Lab, refusal: str, text: str, kind: str = "") -> str:
    session = db.session()
    return render_template(
        "admin/imports.html",
        lab=lab,
        page=queries.imports_page(session, lab, page_number(request.args.get("page"))),
        waiting=queries.waiting_by_import(session, lab),
        kinds=KINDS,
        refusal=refusal,
        text=text,
        kind=kind,
    )
