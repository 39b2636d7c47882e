"""Importing a table of labs: submitting it, seeing what its rows would change, and deciding many rows at once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from flask import redirect, render_template, request, url_for

from portal.admin.forms import ProfileForm
from portal.admin.imports import table_work
from portal.admin.imports.same_content import import_once, submitted_file
from portal.admin.imports.table_queries import (
    Upto,
    change_page,
    new_page,
    newest_proposals,
    open_by_table,
    row_counts,
    selected,
    tables_page,
)
from portal.admin.pages.saving import INVALID
from portal.admin.pages.starting import start_and_follow
from portal.admin.profiles.differences import text_at
from portal.admin.profiles.editing import edited_fields, items_of, with_items, with_values
from portal.admin.profiles.wording import PROFILE_LABELS, SECTIONS, item_name
from portal.applications.forms import running_text
from portal.db import db
from portal.labs.imports.service import LONGEST_REASON, RefusedImport
from portal.labs.imports.tables import NotNew, accept_new, labs_like, record_of, refuse_new
from portal.labs.lab_docs import counts_in_matching
from portal.labs.proposals.service import DecidedProposal
from portal.models import LabImport, NewLabProposal
from portal.seeding.imports.labs_table import known_columns
from portal.seeding.records import LabRecord, OpeningRecord
from portal.web.access import actor, or_404
from portal.web.messages import flash_message, flash_with_link
from portal.web.paging import page_number
from portal.web.templating import counted
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask.typing import ResponseReturnValue

    from portal.admin.imports.table_queries import What
    from portal.admin.profiles.wording import Collection, Item

SHOWN = ("new", "changes", "left-out")
WHAT = ("ticked", "new", "changes", "everything")
MOST_SHOWN = 200  # labs that a preview lists; it says how many more there are


def lab_tables() -> ResponseReturnValue:
    """The form to upload or paste a table of labs, and all earlier tables."""
    if request.method != "POST":
        return _bring_page("", "")
    try:
        submitted = submitted_file(None, table_work.READ, pasted="pasted table")
        title = f"Read the table of labs {submitted.filename}"
        return import_once(submitted, table_work.READ, title, "/admin/imports", now=datetime.now(UTC))
    except RefusedImport as refusal:
        return _bring_page(str(refusal), request.form.get("text", "")), INVALID


def read_lab_table(import_id: int) -> ResponseReturnValue:
    """Resume reading a table whose job was cancelled; or go to the job that reads it already."""
    lab_import = _table(import_id)
    if lab_import.read_at is not None or not lab_import.storage_key:
        flash_message("This table was read already.", "info")
        return redirect(url_for("admin.lab_table", import_id=import_id))
    title = f"Read the table of labs {lab_import.filename}"
    return start_and_follow(table_work.READ, title, {"import": import_id}, about=f"/admin/imports/{import_id}")


def lab_table(import_id: int) -> str:
    """The proposals of a table: new labs, changes of existing labs, and the rows that are in neither."""
    session, lab_import = db.session(), _table(import_id)
    counts = row_counts(session, lab_import)
    default = "new" if counts.new.get("open") else "changes" if counts.changes.get("open") else "left-out"
    shown = request.args.get("show", default)
    shown = shown if shown in SHOWN else default
    number_of_page = page_number(request.args.get("page"))
    return render_template(
        "admin/lab_table.html",
        lab_import=lab_import,
        counts=counts,
        shown=shown,
        new=new_page(session, lab_import, number_of_page) if shown == "new" else None,
        changes=change_page(session, lab_import, number_of_page) if shown == "changes" else None,
        upto=newest_proposals(session, lab_import),
        facts=_facts,
        counts_in_matching=counts_in_matching,
    )


def decide_lab_table(import_id: int) -> ResponseReturnValue:
    """Show what a decision would do; once it is confirmed, start a job that does it."""
    session, lab_import, form = db.session(), _table(import_id), request.form
    table_url = url_for("admin.lab_table", import_id=import_id, show=form.get("show") or None)
    decision, _, what = form.get("decision", "").partition(" ")
    if decision not in {"accept", "refuse"} or what not in WHAT:
        flash_message("Choose what to accept or refuse.", "info")
        return redirect(table_url)
    new, changes = _numbers("new"), _numbers("change")
    upto = Upto(_number("upto_new"), _number("upto_change"))
    chosen = selected(session, lab_import, cast("What", what), new=new, changes=changes, upto=upto)
    if not chosen.new and not chosen.changes:
        flash_message("Nothing that is open was ticked. Tick what to accept or refuse.", "info")
        return redirect(table_url)
    reason = running_text(form.get("reason", f"Imported from {lab_import.filename}")).strip()
    is_reason = bool(reason) and len(reason) <= LONGEST_REASON
    if "confirmed" in form and is_reason:
        arguments = {
            "import": lab_import.id,
            "author": actor().id,
            "decision": decision,
            "what": what,
            "new": new,
            "changes": changes,
            "upto_new": upto.new,
            "upto_change": upto.change,
            "reason": reason,
            "asked_at": datetime.now(UTC).isoformat(),
        }
        return _decide(lab_import, arguments)
    page = render_template(
        "admin/lab_table_preview.html",
        lab_import=lab_import,
        chosen=chosen,
        makes=[row for row in chosen.new if row.like is None],
        decision=decision,
        what=what,
        upto=upto,
        new=new,
        changes=changes,
        most=MOST_SHOWN,
        reason=reason,
        refusal="" if is_reason else f"Give a reason of up to {LONGEST_REASON} characters; it stands in the history.",
        back=table_url,
    )
    return page, 200 if is_reason else INVALID


def _decide(lab_import: LabImport, arguments: Mapping[str, Any]) -> ResponseReturnValue:
    """Start the job that decides, and redirect to it; or to one that is under way for the same decision."""
    title = f"{'Accept' if arguments['decision'] == 'accept' else 'Refuse'} what {lab_import.filename} says"
    about = f"/admin/imports/{lab_import.id}"
    return start_and_follow(
        table_work.DECIDE, title, arguments, about=about, apart_from=("author", "reason", "asked_at")
    )


def new_lab_row(import_id: int, proposal_id: int) -> ResponseReturnValue:
    """One row that would become a lab: all its fields, which can be edited before the row is accepted."""
    session, lab_import = db.session(), _table(import_id)
    proposal = or_404(session.get(NewLabProposal, proposal_id))
    or_404(proposal if proposal.import_id == lab_import.id else None)
    table_url = url_for("admin.lab_table", import_id=import_id, show="new")
    if proposal.state != "open":
        flash_message(f"This row was {proposal.state} already.", "info")
        return redirect(table_url)
    record = record_of(proposal)
    form = ProfileForm(obj=record, adds=True)
    like = labs_like(session, [record]).get(0)
    if form.validate_on_submit():
        refusal = _why_not_decided(proposal, _edited(record, form), form.reason.data)
        if refusal is None:
            return redirect(table_url)
        form.reason.errors = [refusal]
    page = render_template(
        "admin/new_lab_row.html", lab_import=lab_import, proposal=proposal, form=form, like=like, items=_items(record)
    )
    return page, INVALID if form.is_submitted() else 200


def _why_not_decided(proposal: NewLabProposal, record: LabRecord, reason: str) -> str | None:
    """Accept or refuse the row as the sent form says; returns the reason if it was not decided."""
    session, now, decision = db.session(), datetime.now(UTC), request.form.get("decision", "")
    try:
        if decision == "refuse":
            refuse_new(session, proposal, author=actor(), reason=reason, now=now)
            flash_message(f"Refused: no lab is made of {proposal.name}, and this row is not asked again.")
            return None
        if decision != "accept":
            return "Choose “Make the lab” or “Refuse”."
        like = labs_like(session, [record]).get(0)
        lab = accept_new(session, proposal, record, like=like, author=actor(), reason=reason, now=now)
    except NotNew as refusal:
        session.rollback()
        return f"{refusal} Refuse this row, and import the table again to see what it would change there."
    except DecidedProposal:
        session.rollback()
        return "Somebody decided this row in the same moment."
    flash_with_link(f"{lab.name} is made.", url_for("admin.lab", slug=lab.slug), "See its profile")
    return None


def _edited(record: LabRecord, form: ProfileForm) -> LabRecord:
    """The lab of the row with the values in the form, without the people and openings that are not ticked."""
    edited = with_values(record, form.values())
    kept_paths = set(request.form.getlist("keep"))
    for collection in _COLLECTIONS:
        items = tuple(item for item in items_of(edited, collection) if f"{collection}/{item.key}" in kept_paths)
        edited = with_items(edited, collection, items)
    return edited


_COLLECTIONS: tuple[Collection, ...] = ("members", "openings")


def _items(record: LabRecord) -> list[tuple[str, str, bool]]:
    """The people and openings of a row: value and label of their checkboxes, and whether they are ticked."""
    kept_paths = set(request.form.getlist("keep")) if request.method == "POST" else None
    return [
        (path, f"{SECTIONS[collection].title}: {_in_words(item)}", kept_paths is None or path in kept_paths)
        for collection in _COLLECTIONS
        for item in items_of(record, collection)
        for path in [f"{collection}/{item.key}"]
    ]


def _in_words(item: Item) -> str:
    """A person or an opening in words, with everything that a row can hold about it."""
    if not isinstance(item, OpeningRecord):
        return item_name(item)
    parts = [item_name(item), counted(item.seats, "seat", "seats") if item.seats is not None else "", item.text]
    return ", ".join(part for part in parts if part)


def _facts(record: LabRecord) -> list[tuple[str, str]]:
    """Label and text of all values in a row, for the page."""
    texts = [(PROFILE_LABELS[name], text_at(record, name)) for name in edited_fields(LabRecord) if name != "name"]
    items = [
        (SECTIONS[collection].title, "\n".join(map(_in_words, items_of(record, collection))))
        for collection in _COLLECTIONS
    ]
    return [(label, text) for label, text in [*texts, *items] if text]


def _table(import_id: int) -> LabImport:
    lab_import = or_404(db.session().get(LabImport, import_id))
    return or_404(lab_import if lab_import.lab_id is None else None)


def _numbers(name: str) -> list[int]:
    return sorted(whole_numbers(request.form.getlist(name)))


def _number(name: str) -> int:
    return next(iter(_numbers(name)), 0)


def _bring_page(refusal: str, text: str) -> str:
    return render_template(
        "admin/lab_tables.html",
        page=tables_page(db.session(), page_number(request.args.get("page"))),
        waiting=open_by_table(db.session()),
        refusal=refusal,
        text=text,
        columns=[name.replace("_", " ") for name in known_columns()],
    )
