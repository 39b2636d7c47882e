"""Importing a file into a lab: sending it, the job that reads it, what it would change, accepting or refusing that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from flask import current_app, redirect, render_template, request, url_for
from sqlalchemy import func, select

from portal.admin.labs.questions import ProposedChange, changes_of_file
from portal.admin.labs.saving import INVALID, lab_or_404
from portal.applications.files import file_store, remove_if_rolled_back, remove_once_committed, shown_filename
from portal.applications.forms import running_text
from portal.db import db
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job, recent_job_alone, start
from portal.labs.imports import (
    LONGEST_REASON,
    RefusedImport,
    accept_fitting,
    accept_many,
    check_size,
    read_stored_import,
    refuse_many,
    store_import,
)
from portal.labs.proposals import DecidedProposal
from portal.labs.queries import profile_of
from portal.labs.service import StaleEdit
from portal.models import Job, LabImport, LabProposal, User
from portal.seeding.changes import MergeError
from portal.seeding.imports.imported import KIND_NAMES
from portal.web.access import actor, or_404
from portal.web.forms import whole_numbers
from portal.web.job_pages import follow, start_and_follow
from portal.web.messages import flash_message, flash_with_link
from portal.web.paging import Page, cut_to_page, page_number
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.models import Lab
    from portal.seeding.imports.imported import ImportKind


def imports_page(session: Session, lab: Lab, page_number: int) -> Page[LabImport]:
    """One page of the imports of a lab, newest first."""
    of_lab = select(LabImport).where(LabImport.lab_id == lab.id).order_by(LabImport.id.desc())
    shown, page, total = cut_to_page(session, of_lab, page_number)
    return Page(session.scalars(shown).all(), page, total)


def kind_asked_for(session: Session, lab_import: LabImport, job_kind: str) -> str:
    """The kind of file that whoever imported it chose; empty if they left it open."""
    of_import = select(Job).where(Job.kind == job_kind, Job.arguments["import"].as_integer() == lab_import.id)
    job = session.scalars(of_import.order_by(Job.id).limit(1)).first()
    return str(job.arguments.get("kind") or "") if job is not None else ""


def waiting_by_import(session: Session, lab: Lab) -> dict[int, int]:
    """How many proposals of each import of a lab wait for a decision; imports without any are left out."""
    rows = session.execute(
        select(LabProposal.import_id, func.count())
        .where(LabProposal.lab_id == lab.id, LabProposal.state == "open", LabProposal.import_id.is_not(None))
        .group_by(LabProposal.import_id)
    )
    return {import_id: count for import_id, count in rows if import_id is not None}


def proposals_by_state(session: Session, lab_import: LabImport) -> dict[str, int]:
    """How many proposals of an import are in which state."""
    rows = session.execute(
        select(LabProposal.state, func.count())
        .where(LabProposal.import_id == lab_import.id)
        .group_by(LabProposal.state)
    )
    return {str(state): int(count) for state, count in rows}


def waiting_page(session: Session, lab: Lab, lab_import: LabImport, page_number: int) -> Page[ProposedChange]:
    """One page of the proposals that wait, each beside today's value."""
    shown, page, total = cut_to_page(session, _waiting(lab_import), page_number)
    return Page(changes_of_file(profile_of(session, lab), session.scalars(shown).all()), page, total)


def waiting_proposals(
    session: Session, lab_import: LabImport, ids: Collection[int] | None = None
) -> Sequence[LabProposal]:
    """The proposals of an import that wait, in their order; only those with these `ids`, if given."""
    waiting = _waiting(lab_import)
    return session.scalars(waiting if ids is None else waiting.where(LabProposal.id.in_(ids))).all()


def _waiting(lab_import: LabImport) -> Select[LabProposal]:
    return (
        select(LabProposal)
        .where(LabProposal.import_id == lab_import.id, LabProposal.state == "open")
        .order_by(LabProposal.id)
    )


READ = "read an import"
ACCEPT = "accept proposals"
FORMER = "Whoever asked for this is not an administrator any more, or is suspended, so nothing was decided."


@job(READ)
def read_import_file(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Read a stored file and propose what it would change; the file is deleted once its proposals are stored."""
    lab_import, lab = _import_of_job(session, arguments)
    page = f"/admin/labs/{lab.slug}/imports/{lab_import.id}"
    progress.step(0, 2, f"Reading {lab_import.filename}")
    kind = cast("ImportKind | None", arguments.get("kind") or None)
    files = file_store(current_app)
    proposals = read_stored_import(session, files, lab_import, kind=kind, now=datetime.now(UTC))
    # Committed together with the outcome: a kill in between would make the next try report that nothing is proposed.
    key, lab_import.storage_key = lab_import.storage_key, ""
    if key:
        remove_once_committed(session, files, key)
    text = lab_import.refusal or f"{counted(len(proposals), 'change is', 'changes are')} proposed."
    return Outcome(text, page, "See what it says", refused=bool(lab_import.refusal))


@job(ACCEPT)
def accept_proposals(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Accept all open proposals of an import that still fit, as one revision."""
    lab_import, lab = _import_of_job(session, arguments)
    author = administrator_asking(session, int(arguments["author"]))
    waiting = waiting_proposals(session, lab_import)
    progress.step(0, 1, f"Accepting {counted(len(waiting), 'change', 'changes')}")
    now, reason = datetime.now(UTC), str(arguments["reason"])
    done, revision = accept_fitting(session, lab, waiting, author=author, reason=reason, now=now)
    left = len(waiting) - done
    text = f"{counted(done, 'change is', 'changes are')} accepted."
    text += f" {left} no longer fit the profile; look at them." if left else ""
    text += f" This is revision {revision.number}." if revision else ""
    return Outcome(text, f"/admin/labs/{lab.slug}/imports/{lab_import.id}", "See the import")


def administrator_asking(session: Session, person_id: int) -> User:
    """The administrator for whom a job decides; it may have waited for long.

    Raises:
        JobRefused: They are none any more.
    """
    person = session.get(User, person_id)
    if person is None or not person.is_acting_admin:
        raise JobRefused(FORMER)
    return person


def _import_of_job(session: Session, arguments: Mapping[str, Any]) -> tuple[LabImport, Lab]:
    lab_import = session.get(LabImport, int(arguments["import"]))
    if lab_import is None or lab_import.lab is None:
        raise JobRefused("This import is not there any more.")
    return lab_import, lab_import.lab


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
    earlier_job = recent_job_alone(session, READ, identity, by=person, since=now - SAME_WITHIN)
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
    return follow(start(session, READ, title, arguments, by=person, now=now, about=about))


def one_import(slug: str, import_id: int) -> str:
    """One import: its proposals beside today's values, and the entries that were left out with the reason."""
    lab, session = lab_or_404(slug), db.session()
    lab_import = _import(lab, import_id)
    waiting = waiting_by_import(session, lab)
    return render_template(
        "admin/import.html",
        lab=lab,
        lab_import=lab_import,
        kind=KIND_NAMES.get(lab_import.kind, lab_import.kind),  # type: ignore[call-overload]  # or one of an older version
        page=waiting_page(session, lab, lab_import, page_number(request.args.get("page"))),
        decided=proposals_by_state(session, lab_import),
        elsewhere=sum(waiting.values()) - waiting.get(import_id, 0),
    )


def read_import(slug: str, import_id: int) -> ResponseReturnValue:
    """Read a file whose job was cancelled or failed; or go to the job that reads it already."""
    lab = lab_or_404(slug)
    lab_import = _import(lab, import_id)
    if lab_import.read_at is not None or not lab_import.storage_key:
        flash_message("This file was read already.", "info")
        return redirect(url_for("admin.one_import", slug=slug, import_id=import_id))
    kind = kind_asked_for(db.session(), lab_import, READ)
    return start_and_follow(
        READ,
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
        return start_and_follow(ACCEPT, title, arguments, about=about, apart_from=("author", "reason"))
    ticked = waiting_proposals(session, lab_import, whole_numbers(request.form.getlist("proposal")))
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
        page=imports_page(session, lab, page_number(request.args.get("page"))),
        waiting=waiting_by_import(session, lab),
        kinds=KINDS,
        refusal=refusal,
        text=text,
        kind=kind,
    )
