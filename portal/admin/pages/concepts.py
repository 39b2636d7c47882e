"""Concepts: the list, and the history of an entry, from which earlier revisions can be restored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for
from werkzeug.exceptions import ServiceUnavailable

from portal.admin.concepts.forms import BackForm
from portal.admin.concepts.merging import changes
from portal.admin.concepts.rows import SORTS, STATES, concept_page, shipped_page
from portal.admin.pages.saving import INVALID
from portal.admin.searching import search_text
from portal.db import db
from portal.labs.concepts import queries, service
from portal.labs.concepts.in_use import concept_in, shipped_concepts, snapshot_of
from portal.labs.concepts.usage import term_usage
from portal.labs.live_index.live import live_index
from portal.web.access import actor, or_404
from portal.web.messages import flash_message
from portal.web.paging import page_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.labs.concepts.usage import Usage
    from portal.models import ConceptEntry

BACK = "back-"


def concepts() -> str:
    """The active or the retired entries: searched, sorted, in pages."""
    entries = queries.all_entries(db.session())
    search = search_text(request.args.get("q"))
    state = request.args.get("state", "")
    state = state if state in STATES else "active"
    sort = request.args.get("sort", "")
    sort = sort if sort in SORTS else "number"
    direction = "descending" if request.args.get("order") == "descending" else "ascending"
    number = page_number(request.args.get("page"))
    page = concept_page(
        entries,
        search=search,
        state=state,
        sort=sort,
        descending=direction == "descending",
        number=number,
        usage=_usage,
    )
    shipped = () if entries else shipped_concepts()
    return render_template(
        "admin/concepts.html",
        page=page,
        search=search,
        state=state,
        sort=sort,
        direction=direction,
        retired=sum(entry.state == "retired" for entry in entries),
        total=len(entries),
        shipped=shipped,
        shipped_page=shipped_page(shipped, search=search, number=number),
    )


def load_concepts() -> ResponseReturnValue:
    """Store the entries of the shipped file, so that they can be edited."""
    count = service.load_shipped(db.session(), author=actor(), now=datetime.now(UTC))
    flash_message(
        f"{count} concepts are here to edit." if count else "The concepts are here already.",
        "good" if count else "info",
    )
    return redirect(url_for("admin.concepts"))


def concept_history(concept_id: int) -> str:
    """Every save of an entry: who, when, why and what."""
    session = db.session()
    entry = or_404(queries.entry_by_id(session, concept_id))
    revisions = queries.revisions_of(session, entry)
    snapshots = {revision.number: revision.snapshot for revision in revisions}
    rows = [(revision, changes(snapshots.get(revision.number - 1), revision.snapshot)) for revision in revisions]
    return render_template("admin/concept_history.html", entry=entry, rows=rows)


def concept_revision(concept_id: int, revision: int) -> ResponseReturnValue:
    """An entry at an earlier revision, with a form that restores it."""
    session = db.session()
    entry = or_404(queries.entry_by_id(session, concept_id))
    snapshot = or_404(queries.snapshot_at(session, entry, revision))
    form = BackForm(prefix=BACK)
    valid = form.validate_on_submit()
    if valid and form.base_number == entry.revision_number:
        response = _go_back(entry, revision, form.reason.data)
        if response is not None:
            return response
    elif valid:
        flash_message(
            f"Revision {entry.revision_number} was saved since you opened this page. Look at what it says.", "warn"
        )
    form.base.data = str(entry.revision_number)
    page = render_template(
        "admin/concept_revision.html",
        entry=entry,
        revision=revision,
        said=[(label, text) for label, _, text in changes(None, snapshot)],
        # Restoring a revision changes the words, never whether the entry is retired.
        differences=changes(snapshot_of(entry), {**snapshot, "state": entry.state}),
        form=form,
    )
    return page, INVALID if form.errors else 200


def _go_back(entry: ConceptEntry, revision: int, reason: str) -> ResponseReturnValue | None:
    """Restore an earlier revision and go to the history; None if somebody saved at the same moment."""
    session = db.session()
    snapshot = or_404(queries.snapshot_at(session, entry, revision))
    try:
        saved = service.save_concept(
            session,
            entry,
            concept_in(snapshot),
            base=entry.revision_number,
            author=actor(),
            reason=reason,
            now=datetime.now(UTC),
        )
    except service.StaleConcept:
        flash_message(f"Revision {entry.revision_number} was saved in the same moment. Look at what it says.", "warn")
        return None
    except service.RefusedConcept as refusal:
        flash_message(str(refusal), "warn")
    else:
        if saved is None:
            flash_message("Nothing changed: the entry says this already.", "info")
        else:
            flash_message(f"The entry says again what revision {revision} said. This is revision {saved.number}.")
    return redirect(url_for("admin.concept_history", concept_id=entry.id))


def _usage(entries: Sequence[Sequence[str]]) -> Sequence[Usage] | None:
    """How many labs use the terms of each entry; None while the index is being built."""
    try:
        labs = live_index(current_app).current(db.session())
        return term_usage(current_app).of_each(labs, entries)
    except ServiceUnavailable:
        return None
