"""Importing a file into a lab, and proposed changes: what waits, a table of one lab's, accepting or refusing them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, cast

from flask import redirect, render_template, request, url_for
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from portal.admin.labs.differences import item_fields
from portal.admin.labs.imports.service import TRIES, BusyError
from portal.admin.labs.queries import count_proposals, doubted_page, open_changes
from portal.admin.labs.saving import INVALID, lab_or_404
from portal.admin.labs.sections import SECTIONS, item_detail, item_name, item_of, section_named, spec_at, text_at
from portal.applications.files import shown_filename
from portal.applications.forms import running_text
from portal.db import db
from portal.labs.imports import (
    LONGEST_REASON,
    RefusedImport,
    accept_fitting,
    fitting,
    planned,
    propose,
    read_file,
    refuse_many,
)
from portal.labs.proposals import DecidedProposal, with_accepted
from portal.labs.queries import profile_of
from portal.labs.service import StaleEdit
from portal.models import LabImport, LabProposal
from portal.seeding.imports.imported import KIND_NAMES
from portal.web.access import actor, or_404
from portal.web.forms import whole_number, whole_numbers
from portal.web.messages import flash_message, flash_with_link
from portal.web.paging import Page, cut_to_page, page_number
from portal.web.templating import counted, page_is_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.models import Lab
    from portal.seeding.pages import ImportKind
    from portal.seeding.records import LabRecord


# A table of labs is for several: `portal import` takes it.
KINDS = {kind: name for kind, name in KIND_NAMES.items() if kind != "labs_csv"}
SAME_WITHIN = timedelta(days=1)
NEW = LabProposal.path.like("works/%") & LabProposal.path.not_like("works/%/%")
"""A condition on a proposal: it adds a work."""


@dataclass(frozen=True, slots=True)
class ProposedRow:
    """A field or an item for which something is proposed: the ids of the proposals, and label, value now and proposed
    value of each field. `what` is "New", "Changed" or "Taken out". `fits` is False if the profile no longer has its
    place: it can only be refused. `why` says where it stands; `summary` is a new item in short.
    """

    ids: str
    section: str
    name: str
    what: str
    fields: list[tuple[str, str, str]]
    fits: bool
    why: str
    summary: str = ""


def sent_file(field: str, text_field: str) -> tuple[bytes, str]:
    """The content and the name of the file in one field of the sent form, or else of the text pasted in the other."""
    upload = request.files.get(field)
    if upload is not None and upload.filename:
        return upload.read(), shown_filename(upload.filename) or "file without a name"
    return request.form.get(text_field, "").encode(), "pasted text"


def waiting_by_import(session: Session, lab: Lab) -> dict[int, int]:
    """How many proposals of each import of a lab wait for a decision; imports without any are left out."""
    rows = session.execute(
        select(LabProposal.import_id, func.count())
        .where(LabProposal.lab_id == lab.id, LabProposal.state == "open", LabProposal.import_id.is_not(None))
        .group_by(LabProposal.import_id)
    )
    return {import_id: count for import_id, count in rows if import_id is not None}


_OF_FILES = select(LabImport.id).where(LabImport.lab_id.is_not(None))


def _waiting(lab: Lab, lab_import: LabImport | None) -> Select[LabProposal]:
    """What one file proposes for a lab, or, with None, what pages and tables of labs do."""
    from_there = (
        LabProposal.import_id == lab_import.id
        if lab_import
        else LabProposal.import_id.is_(None) | LabProposal.import_id.not_in(_OF_FILES)
    )
    waiting = select(LabProposal).where(LabProposal.lab_id == lab.id, LabProposal.state == "open", from_there)
    return waiting.order_by(NEW, LabProposal.id)


def _rows(profile: LabRecord, proposals: Sequence[LabProposal]) -> Iterator[ProposedRow]:
    """Proposals beside the profile, which is processed once for all of them; those about one item are one row."""
    fitting_rows = fitting(profile, proposals)
    proposed = with_accepted(profile, fitting_rows)
    fitting_ids = {row.id for row in fitting_rows}
    for place, group in groupby(proposals, key=lambda row: "/".join(row.path.split("/")[:2])):
        rows = list(group)
        fits = all(row.id in fitting_ids for row in rows)
        ids, why = ",".join(str(row.id) for row in rows), " ".join(dict.fromkeys(row.why for row in rows))
        section = section_named(place.partition("/")[0])
        key = place.partition("/")[2]
        if section is None or not key:
            texts = ("", text_at(profile, place), text_at(proposed, place))
            name, what = ("Their order", "Changed") if section else (spec_at(place).label, "" if texts[1] else "New")
            yield ProposedRow(ids, section.title if section else "Texts", name, what or "Changed", [texts], fits, why)
            continue
        item, today = item_of(proposed, section.name, key), item_of(profile, section.name, key)
        named = item or today
        fields = [(label, "", text) for label, text in item_fields(proposed, place)]
        if today is not None:
            paths = [row.path for row in rows if row.path != place]
            fields = [(spec_at(path).label, text_at(profile, path), text_at(proposed, path)) for path in paths]
        name, summary = (item_name(named), item_detail(named)) if named else (key, "")
        of_item = next((row for row in rows if row.path == place), None)
        what = "Changed" if of_item is None else "Taken out" if of_item.proposed is None else "New"
        yield ProposedRow(ids, section.title, name, what, fields, fits, why, summary or "All of it")


def imports(slug: str) -> ResponseReturnValue:
    """The form to upload or paste a file for a lab, and all its imports; a sent file is read at once."""
    lab = lab_or_404(slug)
    if request.method != "POST":
        return _form_page(lab, "", "")
    kind = request.form.get("kind", "")
    kind = kind if kind in KINDS else ""
    try:
        return redirect(url_for("admin.one_import", slug=slug, import_id=_import_once(lab, kind)))
    except RefusedImport as refusal:
        return _form_page(lab, str(refusal), request.form.get("text", ""), kind), INVALID


def _import_once(lab: Lab, kind: str) -> int:
    """Read the sent file and store what it proposes; returns the id of the import. Content that the same person sent
    for the lab within a day, as by a second click, leads to its first import instead.

    Raises:
        RefusedImport: It cannot be read, or is not about one lab.
    """
    session, person, now = db.session(), actor(), datetime.now(UTC)
    data, filename = sent_file("file", "text")
    digest = sha256(f"{kind} {person.id} ".encode() + data).hexdigest()
    first = (
        select(LabImport.id, LabImport.filename)
        .where(LabImport.lab_id == lab.id, LabImport.digest == digest, LabImport.created_at > now - SAME_WITHIN)
        .order_by(LabImport.id)
    )
    imported = None
    for _ in range(TRIES):
        known = session.execute(first).first()
        if known is not None:
            text = f"You imported the same content as {known.filename} within the last day. This is that import; "
            flash_message(f"{text}nothing was added.", "info")
            return int(known.id)
        imported = imported or read_file(data, filename, cast("ImportKind | None", kind or None))
        plans = planned(session, lab, imported).fresh
        try:
            return propose(session, lab, imported, plans, actor=person, now=now, digest=digest).id
        except IntegrityError:  # the second of two clicks, or somebody else imports the same
            session.rollback()
    raise RefusedImport(str(BusyError()))


def questions() -> str:
    """All open questions: proposed changes by lab and file, and works that may not belong to their lab."""
    session = db.session()
    return render_template(
        "admin/questions.html",
        page=open_changes(session, page_number(request.args.get("page"))),
        works=doubted_page(session, page_number(request.args.get("works"))),
    )


def one_import(slug: str, import_id: int | None = None) -> str:
    """What one file proposes beside today's values, and the entries that were left out with the reason; or what pages
    and tables of labs propose.
    """
    lab = lab_or_404(slug)
    return _changes_page(lab, _import(lab, import_id))


def _changes_page(lab: Lab, lab_import: LabImport | None, refusal: str = "") -> str:
    """The page; after a refusal, what was ticked and typed is still in it."""
    session, import_id = db.session(), lab_import.id if lab_import else None
    page_is_at(url_for("admin.one_import", slug=lab.slug, import_id=import_id))
    found = _waiting(lab, lab_import)
    shown, page, total = cut_to_page(session, found, page_number(request.values.get("page")))
    rows = list(_rows(profile_of(session, lab), session.scalars(shown).all()))
    of_import = (LabProposal.lab_id == lab.id, LabProposal.import_id == import_id)
    states = select(LabProposal.state, func.count()).where(*of_import).group_by(LabProposal.state)
    new_works = session.scalar(select(func.count()).select_from(found.where(NEW).subquery())) or 0
    return render_template(
        "admin/import.html",
        lab=lab,
        lab_import=lab_import,
        kind=KIND_NAMES.get(lab_import.kind, lab_import.kind) if lab_import else "",
        page=Page(rows, page, total),
        sections=["Texts", *(section.title for section in SECTIONS.values())],
        same=[entry["said"] for entry in lab_import.left_out if entry["outcome"] == "same"] if lab_import else [],
        new_works=new_works,
        decided=dict(session.execute(states).all()),
        elsewhere=count_proposals(session, lab) - total,
        reason=request.form.get("reason", f"Imported from {lab_import.filename}" if lab_import else ""),
        ticked=request.form.getlist("proposal"),
        refusal=refusal,
    )


def decide(slug: str, import_id: int | None = None) -> ResponseReturnValue:
    """Accept or refuse the ticked proposals, or accept all open ones."""
    lab, session, now = lab_or_404(slug), db.session(), datetime.now(UTC)
    lab_import = _import(lab, import_id)
    page_url = url_for("admin.one_import", slug=slug, import_id=import_id)
    decision, reason = request.form.get("decision", ""), running_text(request.form.get("reason", "")).strip()
    if not reason or len(reason) > LONGEST_REASON:
        refusal = f"Give a reason of up to {LONGEST_REASON} characters; it stands in the lab’s history."
        return _changes_page(lab, lab_import, refusal), INVALID
    waiting = _waiting(lab, lab_import)
    if decision != "accept all":
        ticked = LabProposal.id.in_(whole_numbers(request.form.getlist("proposal")))
        waiting = waiting.where(ticked | NEW if "all_new" in request.form else ticked)
    proposals = session.scalars(waiting).all()
    if not proposals or decision not in {"accept", "refuse", "accept all"}:
        flash_message("Select changes that are still open, to accept or refuse.", "info")
        return redirect(page_url)
    if decision != "refuse" and whole_number(request.form.get("base", "")) not in {None, lab.revision_number}:
        refusal = "The profile was saved since you opened this page. Look again at what it says now, then decide."
        return _changes_page(lab, lab_import, refusal), INVALID
    try:
        if decision == "refuse":
            refuse_many(session, lab, proposals, author=actor(), reason=reason, now=now)
            flash_message(f"{len(proposals):,} refused; they are not asked again.")
            return redirect(page_url)
        done, revision = accept_fitting(session, lab, proposals, author=actor(), reason=reason, now=now)
    except (DecidedProposal, StaleEdit):
        session.rollback()
        flash_message("Somebody decided or saved in the same moment. Look again at what is open.", "warn")
        return redirect(page_url)
    left = len(proposals) - done
    text = f"{counted(done, 'change is', 'changes are')} accepted."
    if left:
        text += f" {left:,} no longer {'fits' if left == 1 else 'fit'} the profile; refuse what is of no use."
    if revision is None:
        flash_message(f"{text} The profile says the same as before.", "warn" if left else "good")
    else:
        link = url_for("admin.revision", slug=slug, number=revision.number)
        flash_with_link(f"{text} This is revision {revision.number}.", link, "See what changed")
    return redirect(page_url)


def _import(lab: Lab, import_id: int | None) -> LabImport | None:
    if import_id is None:
        return None
    lab_import = or_404(db.session().get(LabImport, import_id))
    return or_404(lab_import if lab_import.lab_id == lab.id else None)


def _form_page(lab: Lab, refusal: str, text: str, kind: str = "") -> str:
    session = db.session()
    of_lab = select(LabImport).where(LabImport.lab_id == lab.id).order_by(LabImport.id.desc())
    shown, page, total = cut_to_page(session, of_lab, page_number(request.args.get("page")))
    return render_template(
        "admin/imports.html",
        lab=lab,
        page=Page(session.scalars(shown).all(), page, total),
        waiting=waiting_by_import(session, lab),
        kinds=KINDS,
        refusal=refusal,
        text=text,
        kind=kind,
    )
