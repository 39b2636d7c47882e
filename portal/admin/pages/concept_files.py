"""Concepts as a file: the download, and the review of a pasted or uploaded file before it is saved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, redirect, render_template, request, url_for

from portal.admin.concepts.forms import ImportForm
from portal.admin.concepts.review import ADD, LEAVE, review
from portal.admin.pages.saving import INVALID, STALE
from portal.admin.profiles.readings import plain_line_ends
from portal.db import db
from portal.labs.concepts import queries, service
from portal.labs.concepts.file import MOST_CHARACTERS, read_entries, write_concepts
from portal.labs.concepts.in_use import current_concepts
from portal.matching import ConceptError
from portal.web.access import actor
from portal.web.downloads import download
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.admin.concepts.review import ReviewRow

NOT_UTF8 = "The file is not UTF-8 text (byte {}). Save it as UTF-8, or paste its text."
TOO_LONG = "The file is {:,} characters long; at most {:,} fit."
NOTHING_CHOSEN = "Nothing was chosen, so nothing was saved."
LOOK_AGAIN = "Some entries are not as they were when you chose. Look at them again; your other choices are kept."


def download_concepts() -> Response:
    """The concepts in use, as a concept file."""
    text = write_concepts(current_concepts(db.session()))
    return download(text, "concepts.toml", "application/toml; charset=utf-8")


def import_concepts() -> ResponseReturnValue:
    """Review a concept file, choose entry by entry, and save the choices: all of them, or none."""
    form = ImportForm()
    if not form.is_submitted():
        return _page(form, [])
    rows = _rows(form)
    if rows is None:
        return _page(form, [], status=INVALID)
    if "save" not in request.form or form.file.data:
        return _page(form, rows)
    return _save_chosen(form, rows)


def _save_chosen(form: ImportForm, rows: Sequence[ReviewRow]) -> ResponseReturnValue:
    """Save the choices and go to the list; or show the page again with the reason why that is not possible."""
    valid = form.validate_on_submit()
    if any(row.options and request.form.get(row.name) not in dict(row.options) for row in rows):
        flash_message(LOOK_AGAIN, "warn")
        return _page(form, rows, status=STALE)
    if not valid:
        return _page(form, rows, status=INVALID)
    refusal = _save_rows(rows, form.reason.data)
    if refusal is not None:
        form.text.errors = [refusal]
        return _page(form, _rows(form) or [], status=STALE)
    return redirect(url_for("admin.concepts"))


def _rows(form: ImportForm) -> list[ReviewRow] | None:
    """The options for each entry of the file; None, with an error in the form, if the file cannot be read.

    Side effects: puts the text of an uploaded file into the form; stores the shipped entries if there are none yet.
    """
    text = form.text.data or ""
    if form.file.data:
        try:
            text = form.file.data.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            form.file.errors = [NOT_UTF8.format(error.start)]
            return None
        if len(text) > MOST_CHARACTERS:  # more than the text field could send back
            form.file.errors = [TOO_LONG.format(len(text), MOST_CHARACTERS)]
            return None
        form.text.data = text
    try:
        entries = read_entries(plain_line_ends(text))
    except ConceptError as error:
        form.text.errors = [str(error)]
        return None
    session = db.session()
    service.load_shipped(session, author=actor(), now=datetime.now(UTC))
    return review(entries, queries.all_entries(session), request.form)


def _save_rows(rows: Sequence[ReviewRow], reason: str) -> str | None:
    """Save the choices; or save nothing, and return the reason why that is not possible."""
    session, now = db.session(), datetime.now(UTC)
    entries = list(queries.all_entries(session))
    added = changed = 0
    for row in rows:
        if row.chosen == LEAVE or row.concept is None:
            continue
        try:
            if row.chosen == ADD:
                entries.append(
                    service.add_concept(session, row.concept, author=actor(), reason=reason, now=now, among=entries)
                )
                added += 1
            elif row.near is not None:
                base = row.near.revision_number
                service.save_concept(session, row.near, row.concept, base=base, author=actor(), reason=reason, now=now)
                changed += 1
        except service.RefusedConcept as refusal:
            session.rollback()
            return f"{row.entry.place}: {refusal} Nothing was saved yet."
        except service.StaleConcept:
            session.rollback()
            return f"{row.entry.place}: somebody saved the stored entry in the same moment. Nothing was saved yet."
    if added or changed:
        flash_message(
            f"{_counted(added, 'added')}{' and ' if added and changed else ''}{_counted(changed, 'changed')}."
        )
    else:
        flash_message(NOTHING_CHOSEN, "info")
    return None


def _counted(count: int, verb: str) -> str:
    return f"{count} {'concept' if count == 1 else 'concepts'} {verb}" if count else ""


def _page(form: ImportForm, rows: Sequence[ReviewRow], *, status: int = 200) -> ResponseReturnValue:
    return render_template("admin/concept_import.html", form=form, rows=rows), status
