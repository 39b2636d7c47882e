"""Importing a file into a lab: uploading or pasting it, seeing what it would change, accepting or refusing that."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for
from sqlalchemy import func, select

from portal.admin.imports import work as import_work
from portal.admin.imports.same_content import import_once, submitted_file
from portal.admin.imports.views import views_of
from portal.admin.pages.saving import INVALID
from portal.admin.searching import page_within
from portal.applications.stated import running_text
from portal.db import db
from portal.jobs.starting import open_job_alone, start
from portal.labs.imports_service import LONGEST_REASON, RefusedImport, accept_many, refuse_many
from portal.labs.proposals import DecidedProposal
from portal.labs.queries import lab_by_slug, profile_of
from portal.labs.service import StaleEdit
from portal.models import LabImport, LabProposal
from portal.seeding.changes import MergeError
from portal.seeding.imports.imported import KIND_NAMES
from portal.web.access import actor, or_404
from portal.web.messages import say, say_with_link
from portal.web.paging import PER_PAGE, Page, page_number
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Lab

# A table of labs is for several: `portal.admin.pages.lab_tables` takes it.
KINDS = {kind: name for kind, name in KIND_NAMES.items() if kind != "labs_csv"}


def imports(slug: str) -> ResponseReturnValue:
    """The form to upload or paste a file for a lab, and all its imports."""
    lab = _lab(slug)
    if request.method != "POST":
        return _form_page(lab, "", "")
    kind = request.form.get("kind", "")
    kind = kind if kind in KINDS else ""
    try:
        submitted = submitted_file(lab, import_work.READ, pasted="pasted text", kind=kind)
        title = f"Read {submitted.filename} for {lab.name}"
        return import_once(submitted, import_work.READ, title, f"/admin/labs/{lab.slug}/imports", now=datetime.now(UTC))
    except RefusedImport as refusal:
        return _form_page(lab, str(refusal), request.form.get("text", ""), kind), INVALID


def one_import(slug: str, import_id: int) -> str:
    """One import: its proposals beside today's values, and the entries that were left out with the reason."""
    lab, session = _lab(slug), db.session()
    lab_import = _import(lab, import_id)
    waiting = select(LabProposal).where(LabProposal.import_id == lab_import.id, LabProposal.state == "open")
    total = session.scalar(select(func.count()).select_from(waiting.subquery())) or 0
    page = page_within(page_number(request.args.get("page")), total)
    rows = session.scalars(waiting.order_by(LabProposal.id).limit(PER_PAGE).offset((page - 1) * PER_PAGE)).all()
    states = session.execute(
        select(LabProposal.state, func.count())
        .where(LabProposal.import_id == lab_import.id)
        .group_by(LabProposal.state)
    )
    return render_template(
        "admin/import.html",
        lab=lab,
        lab_import=lab_import,
        kind=KIND_NAMES.get(lab_import.kind, lab_import.kind),  # type: ignore[call-overload]  # or one of an older version
        page=Page(views_of(lab, profile_of(session, lab), rows), page, total),
        decided={str(state): int(count) for state, count in states},
        elsewhere=sum(count for waiting_id, count in _waiting(lab).items() if waiting_id != import_id),
    )


def decide(slug: str, import_id: int) -> ResponseReturnValue:
    """Accept or refuse the ticked proposals, or start a job that accepts all open ones."""
    lab, session, now = _lab(slug), db.session(), datetime.now(UTC)
    lab_import = _import(lab, import_id)
    import_url = url_for("admin.one_import", slug=slug, import_id=import_id)
    decision, reason = request.form.get("decision", ""), running_text(request.form.get("reason", "")).strip()
    if not reason or len(reason) > LONGEST_REASON:
        say(f"Give a reason of up to {LONGEST_REASON} characters; it stands in the lab’s history.", "warn")
        return redirect(import_url)
    if decision == "accept all":
        arguments: dict[str, Any] = {"import": lab_import.id, "author": actor().id, "reason": reason}
        title = f"Accept what {lab_import.filename} says of {lab.name}"
        about = f"/admin/labs/{lab.slug}/imports/{lab_import.id}"
        job = open_job_alone(session, import_work.ACCEPT, **{"import": lab_import.id})
        if job is None:
            job = start(session, import_work.ACCEPT, title, arguments, by=actor(), now=now, about=about)
        return redirect(url_for("jobs.job", job_id=job.id))
    ticked = _ticked(lab_import)
    if not ticked or decision not in {"accept", "refuse"}:
        say("Nothing was ticked. Tick the changes to accept or refuse.", "info")
        return redirect(import_url)
    try:
        if decision == "refuse":
            refuse_many(session, lab, ticked, author=actor(), reason=reason, now=now)
            say(f"{len(ticked)} refused; they are not asked again.")
        else:
            revision = accept_many(session, lab, ticked, author=actor(), reason=reason, now=now)
            if revision is None:
                say("Accepted. The profile said this already.")
            else:
                link = url_for("admin.revision", slug=slug, number=revision.number)
                say_with_link(f"{len(ticked)} accepted. This is revision {revision.number}.", link, "See what changed")
    except (DecidedProposal, StaleEdit):
        session.rollback()
        say("Somebody decided or saved in the same moment. Look again at what is open.", "warn")
    except MergeError as refusal:
        session.rollback()
        say(f"Not accepted: {refusal}. Take it out of what is ticked, or refuse it.", "warn")
    return redirect(import_url)


def _ticked(lab_import: LabImport) -> Sequence[LabProposal]:
    numbers = whole_numbers(request.form.getlist("proposal"))
    return (
        db.session()
        .scalars(
            select(LabProposal)
            .where(LabProposal.import_id == lab_import.id, LabProposal.id.in_(numbers), LabProposal.state == "open")
            .order_by(LabProposal.id)
        )
        .all()
    )


def _lab(slug: str) -> Lab:
    return or_404(lab_by_slug(db.session(), slug))


def _import(lab: Lab, import_id: int) -> LabImport:
    lab_import = or_404(db.session().get(LabImport, import_id))
    return or_404(lab_import if lab_import.lab_id == lab.id else None)


def _form_page(lab: Lab, refusal: str, text: str, kind: str = "") -> str:
    session = db.session()
    lab_imports = session.scalars(
        select(LabImport).where(LabImport.lab_id == lab.id).order_by(LabImport.id.desc())
    ).all()
    return render_template(
        "admin/imports.html",
        lab=lab,
        imports=lab_imports,
        waiting=_waiting(lab),
        kinds=KINDS,
        refusal=refusal,
        text=text,
        kind=kind,
    )


def _waiting(lab: Lab) -> dict[int, int]:
    """How many proposals of each import of a lab wait for a decision; imports without any are left out."""
    rows = db.session().execute(
        select(LabProposal.import_id, func.count())
        .where(LabProposal.lab_id == lab.id, LabProposal.state == "open", LabProposal.import_id.is_not(None))
        .group_by(LabProposal.import_id)
    )
    return {import_id: count for import_id, count in rows if import_id is not None}
