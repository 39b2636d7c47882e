"""One concept: adding, editing, trying before saving, retiring and bringing back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for

from portal.admin.concepts.forms import BLANK, BackForm, ConceptForm, RetireForm
from portal.admin.concepts.merging import LABELS, changes, merge_concepts
from portal.admin.pages.concepts import BACK
from portal.admin.pages.saving import INVALID, NO_BASE, STALE
from portal.db import db
from portal.labs.concepts import queries, service
from portal.labs.concepts.in_use import ACTIVE, concept_in, concept_of, current_concepts, snapshot_of
from portal.labs.concepts.rules import why_not_bring_back, why_not_retire
from portal.labs.concepts.trial import try_concepts
from portal.labs.live_index.live import live_index
from portal.web.access import actor, or_404
from portal.web.messages import flash_message, flash_with_link, flash_with_undo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.labs.concepts.trial import Trial
    from portal.matching import Concept
    from portal.models import ConceptEntry

RETIRE = "retire-"
NO_QUERY = "Write what an applicant might ask for."


def new_concept() -> ResponseReturnValue:
    """Add an entry, or try it without saving."""
    form = ConceptForm(adds=True, obj=BLANK)
    added_by = actor().display_name
    if not form.is_submitted():
        return _concept_page(form, None)
    if "try" in request.form:
        return _try_out(form, None, added_by)
    session, now = db.session(), datetime.now(UTC)
    service.load_shipped(session, author=actor(), now=now)
    others = queries.all_entries(session)
    valid = form.validate_on_submit()
    is_entry = form.is_valid_entry(added_by)
    existing = _in_use(form.concept(added_by), others) if is_entry and valid else None
    if existing is not None:  # a second click
        address = url_for("admin.concept", concept_id=existing.id)
        flash_with_link(f"“{existing.plain[0]}” is added already and in use.", address, "Look at it again", "info")
        return redirect(url_for("admin.concepts"))
    if is_entry and form.is_unique_among(form.concept(added_by), others) and valid:
        new_entry = form.concept(added_by)
        try:
            entry = service.add_concept(session, new_entry, author=actor(), reason=form.reason.data, now=now)
        except service.RefusedConcept as refusal:
            form.plain.errors = [str(refusal)]
        else:
            address = url_for("admin.concept", concept_id=entry.id)
            flash_with_link(f"“{new_entry.plain[0]}” is added and in use.", address, "Look at it again")
            return redirect(url_for("admin.concepts"))
    return _concept_page(form, None, status=INVALID)


def concept(concept_id: int) -> ResponseReturnValue:
    """Edit an entry, or try the edit without saving."""
    session = db.session()
    entry = or_404(queries.entry_by_id(session, concept_id))
    base = _base_of(entry)
    form = ConceptForm(obj=base or concept_of(entry))
    if not form.is_submitted():
        form.base.data = str(entry.revision_number)
        return _concept_page(form, entry)
    if "try" in request.form:
        return _try_out(form, entry, entry.added_by)
    valid = form.validate_on_submit()
    if base is None:
        form.base.data, valid = str(entry.revision_number), False
        form.base.errors = [NO_BASE]
    started = base or concept_of(entry)
    others = [other for other in queries.all_entries(session) if other.id != entry.id]
    is_entry = form.is_valid_entry(entry.added_by)
    if is_entry and form.is_unique_among(form.concept(entry.added_by), others, started.phrases) and valid:
        return _save(form, entry, started)
    return _concept_page(form, entry, status=INVALID)


def retire_concept(concept_id: int) -> ResponseReturnValue:
    """Retire an entry; the message on the next page offers to undo it."""
    entry = or_404(queries.entry_by_id(db.session(), concept_id))
    if (reason := why_not_retire(entry)) is not None:
        newest = queries.revisions_of(db.session(), entry)[0]
        if newest.author_id == actor().id and queries.changed_state(db.session(), entry, newest):
            return _flash_retired(entry, newest.reason)  # a second click
        return _flash_already(reason)
    form = RetireForm(prefix=RETIRE)
    if not form.validate_on_submit():
        return _concept_page(_fresh(entry), entry, retire=form, status=INVALID)
    try:
        service.retire(db.session(), entry, author=actor(), reason=form.reason.data, now=datetime.now(UTC))
    except service.StaleConcept:
        if (reason := why_not_retire(entry)) is not None:
            return _flash_already(reason)
        flash_message("Somebody saved this entry in the same moment. Look at it again, then retire it.", "warn")
        return redirect(url_for("admin.concept", concept_id=entry.id))
    return _flash_retired(entry, form.reason.data)


def bring_concept_back(concept_id: int) -> ResponseReturnValue:
    """Use a retired entry again."""
    entry = or_404(queries.entry_by_id(db.session(), concept_id))
    if (reason := why_not_bring_back(entry)) is not None:
        return _flash_already(reason)
    form = BackForm(prefix=BACK)
    if not form.validate_on_submit():
        return _concept_page(_fresh(entry), entry, back=form, status=INVALID)
    try:
        service.bring_back(db.session(), entry, author=actor(), reason=form.reason.data, now=datetime.now(UTC))
    except service.StaleConcept:
        if (reason := why_not_bring_back(entry)) is not None:
            return _flash_already(reason)
        flash_message("Somebody saved this entry in the same moment. Look at what it says now.", "warn")
    except service.RefusedConcept as refusal:
        flash_message(str(refusal), "warn")
    else:
        flash_message(f"“{entry.plain[0]}” is in use again.")
    return redirect(url_for("admin.concept", concept_id=entry.id))


def _in_use(concept: Concept, entries: Sequence[ConceptEntry]) -> ConceptEntry | None:
    """The active entry that equals `concept`, or None."""
    return next((entry for entry in entries if entry.state == ACTIVE and concept_of(entry) == concept), None)


def _flash_retired(entry: ConceptEntry, reason: str) -> ResponseReturnValue:
    limit = BackForm(prefix=BACK, formdata=None).reason.limit
    flash_with_undo(
        f"“{entry.plain[0]}” is retired and no longer in use.",
        url_for("admin.bring_concept_back", concept_id=entry.id),
        {f"{BACK}reason": f"Undo: {reason}"[:limit]},
    )
    return redirect(url_for("admin.concepts"))


def _flash_already(reason: str) -> ResponseReturnValue:
    """Show that an entry already is as requested, as after a second click, and go to the list."""
    flash_message(reason, "info")
    return redirect(url_for("admin.concepts"))


def _save(form: ConceptForm, entry: ConceptEntry, base: Concept) -> ResponseReturnValue:
    """Save the edit and go to the list; or show both edits in one form if somebody saved since it began."""
    session, edited, base_revision = db.session(), form.concept(entry.added_by), form.base_number or 0
    try:
        revision = service.save_concept(
            session, entry, edited, base=base_revision, author=actor(), reason=form.reason.data, now=datetime.now(UTC)
        )
    except service.StaleConcept:
        return _merge_page(form, entry, base, edited)
    except service.RefusedConcept as refusal:
        form.plain.errors = [str(refusal)]
        return _concept_page(form, entry, status=INVALID)
    if revision is None:
        flash_message("Nothing changed: the entry says this already.", "info")
    else:
        history = url_for("admin.concept_history", concept_id=entry.id)
        outcome = f"“{entry.plain[0]}” is saved as revision {revision.number}"
        outcome += " and in use." if entry.state == ACTIVE else ". It stays retired."
        flash_with_link(outcome, history, "See what changed")
    return redirect(url_for("admin.concepts"))


def _merge_page(form: ConceptForm, entry: ConceptEntry, base: Concept, edited: Concept) -> ResponseReturnValue:
    """The form again, with the changes of both; the next save is based on the stored revision."""
    base_number = form.base_number or 0
    merge = merge_concepts(base, edited, concept_of(entry))
    merged_form = ConceptForm(formdata=None, obj=merge.concept)
    merged_form.base.data, merged_form.reason.data = str(entry.revision_number), form.reason.data
    merged_form.accept_clashes.data, merged_form.query.data = form.accept_clashes.data, form.query.data
    session = db.session()
    before, now = (
        queries.snapshot_at(session, entry, revision_number) for revision_number in (base_number, entry.revision_number)
    )
    saved = queries.revisions_of(session, entry)[0]
    stale = {
        "revision": saved,
        "changes": changes(before or {}, now or {}),
        "disputed": [LABELS[name] for name in merge.disputed],
    }
    return _concept_page(merged_form, entry, stale=stale, status=STALE)


def _try_out(form: ConceptForm, entry: ConceptEntry | None, added_by: str) -> ResponseReturnValue:
    """The form as it was sent, with the effect of the entry on the query. Nothing is saved."""
    is_entry = form.is_valid_entry(added_by) and form.query.validate(form)
    if is_entry and not form.query.data:
        form.query.errors, is_entry = [NO_QUERY], False
    if not is_entry:
        return _concept_page(form, entry, status=INVALID)
    session, edited = db.session(), form.concept(added_by)
    before = list(current_concepts(session))
    entry_ids: list[int | None] = [stored.id for stored in queries.all_entries(session) if stored.state == ACTIVE]
    entry_ids = entry_ids or [None] * len(before)
    after, own_index = [*before, edited], len(before)
    if entry is not None and entry.state == ACTIVE:
        own_index = entry_ids.index(entry.id)
        after = [*before[:own_index], edited, *before[own_index + 1 :]]
    trial = try_concepts(live_index(current_app).current(session), form.query.data, before, after)
    other_ids = {index: entry_id for index, entry_id in enumerate(entry_ids) if index != own_index}
    return _concept_page(form, entry, trial=trial, entry_ids=other_ids, own_index=own_index)


def _base_of(entry: ConceptEntry) -> Concept | None:
    """The concept when the sent form was opened; None if the form does not hold its revision."""
    form = BackForm()
    number = form.base_number
    snapshot = queries.snapshot_at(db.session(), entry, number) if form.is_submitted() and number else None
    return concept_in(snapshot) if snapshot else None


def _fresh(entry: ConceptEntry) -> ConceptForm:
    form = ConceptForm(formdata=None, obj=concept_of(entry))
    form.base.data = str(entry.revision_number)
    return form


def _concept_page(
    form: ConceptForm,
    entry: ConceptEntry | None,
    *,
    status: int = 200,
    trial: Trial | None = None,
    **values: object,
) -> ResponseReturnValue:
    page = render_template(
        "admin/concept.html",
        form=form,
        entry=entry,
        trial=trial,
        shipped=changes(snapshot_of(entry), entry.seeded) if entry is not None and entry.seeded else [],
        **{"retire": RetireForm(formdata=None, prefix=RETIRE), "back": BackForm(formdata=None, prefix=BACK), **values},
    )
    return page, status
