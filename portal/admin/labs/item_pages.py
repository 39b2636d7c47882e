"""The forms to add, edit and remove one item of a profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import abort, render_template, request, url_for

from portal.admin.labs.forms import BLANKS, ITEM_FORMS, RecordForm, SavingForm, SystemForm
from portal.admin.labs.profile_pages import asks_for_preview, preview_of
from portal.admin.labs.saving import INVALID, PendingEdit, is_valid, lab_or_404, save, started_from
from portal.admin.labs.sections import (
    Section,
    changed_item,
    item_name,
    item_of,
    new_item,
    section_named,
    with_item,
    without_item,
)
from portal.admin.searching import search_text
from portal.db import db
from portal.labs.queries import profile_of
from portal.labs.texts import folded_text, folded_words
from portal.seeding.records import work_label
from portal.web.access import or_404

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.typing import ResponseReturnValue

    from portal.admin.labs.saving import Start
    from portal.admin.labs.sections import Item
    from portal.models import Lab
    from portal.seeding.records import LabRecord


MOST_WORKS_OFFERED = 25
FEW_WORKS = 10


@dataclass(frozen=True, slots=True)
class WorkChoice:
    """A work that can be chosen for a system; `place` is its number among the chosen ones."""

    key: str
    name: str
    detail: str
    is_chosen: bool
    place: str


def add_item(slug: str, collection: str) -> ResponseReturnValue:
    """Add a person, a work, a system, an activity or an opening."""
    lab, section = _place(slug, collection)
    start = started_from(lab)
    form = ITEM_FORMS[section.name](obj=BLANKS[section.name], adds=True)
    ready = _is_ready(form, start)
    if asks_for_preview():
        return _page(lab, section, start, form, None, edited=lambda: _with_new(start.record, section, form))
    if ready:
        item = new_item(start.record, section.name, form.values())
        return _save(
            lab, section, start, with_item(start.record, section.name, item), form, f"{item_name(item)} is added."
        )
    return _page(lab, section, start, form, None)


def edit_item(slug: str, collection: str, key: str) -> ResponseReturnValue:
    """Edit one item."""
    lab, section = _place(slug, collection)
    start = started_from(lab)
    item = _item(start.record, section, key)
    form = ITEM_FORMS[section.name](obj=item)
    ready = _is_ready(form, start)
    if asks_for_preview():

        def edited() -> LabRecord:
            return with_item(start.record, section.name, changed_item(item, form.values()))

        return _page(lab, section, start, form, item, edited=edited)
    if ready:
        changed = changed_item(item, form.values())
        edited_record = with_item(start.record, section.name, changed)
        return _save(lab, section, start, edited_record, form, f"{item_name(changed)} is saved.")
    return _page(lab, section, start, form, item)


def remove_item(slug: str, collection: str, key: str) -> ResponseReturnValue:
    """Take one item out of the profile."""
    lab, section = _place(slug, collection)
    start = started_from(lab, "remove-base")
    item = _item(start.record, section, key)
    form = SavingForm(prefix="remove-")
    if is_valid(form, start):
        edited_record = without_item(start.record, section.name, key)
        return _save(lab, section, start, edited_record, form, f"{item_name(item)} is removed.", removes=True)
    edit_form = ITEM_FORMS[section.name](formdata=None, obj=item)
    edit_form.base.data = str(start.number)
    return _page(lab, section, start, edit_form, item, form)


def _with_new(record: LabRecord, section: Section, form: RecordForm) -> LabRecord:
    return with_item(record, section.name, new_item(record, section.name, form.values()))


def _place(slug: str, collection: str) -> tuple[Lab, Section]:
    return lab_or_404(slug), or_404(section_named(collection))


def _item(record: LabRecord, section: Section, key: str) -> Item:
    item = item_of(record, section.name, key)
    if item is None:
        abort(404)
    return item


def _is_ready(form: RecordForm, start: Start) -> bool:
    """Whether the form can be saved; the form of a system is also sent to search for works, which saves nothing."""
    if isinstance(form, SystemForm):
        form.works.offer({work.key: work_label(work) for work in start.record.works})
        if "look" in request.form:
            form.base.data = str(start.number)
            return False
    return is_valid(form, start)


def _save(
    lab: Lab,
    section: Section,
    start: Start,
    edited_record: LabRecord,
    form: SavingForm,
    message: str,
    *,
    removes: bool = False,
) -> ResponseReturnValue:
    next_url = url_for(".items", slug=lab.slug, collection=section.name)
    edit = PendingEdit(lab.slug, start.number, edited_record, message, next_url, removes=removes)
    return save(lab, edit, form.reason.data)


def _page(
    lab: Lab,
    section: Section,
    start: Start,
    form: RecordForm,
    item: Item | None,
    removal: SavingForm | None = None,
    edited: Callable[[], LabRecord] | None = None,
) -> ResponseReturnValue:
    ranks = preview_of(lab, form, start, edited) if edited else None
    if removal is None:
        removal = SavingForm(formdata=None, prefix="remove-")
        removal.base.data = str(start.number)
    choices = _work_choices(form, profile_of(db.session(), lab)) if isinstance(form, SystemForm) else []
    page = render_template(
        "admin/item.html",
        lab=lab,
        section=section,
        ranks=ranks,
        form=form,
        item=item,
        name=item_name(item) if item else "",
        removal=removal,
        works=choices,
        most_works=MOST_WORKS_OFFERED,
        nothing_found=isinstance(form, SystemForm) and bool(form.find.data) and all(work.is_chosen for work in choices),
    )
    return page, INVALID if form.errors or removal.errors else 200


def _work_choices(form: SystemForm, record: LabRecord) -> list[WorkChoice]:
    """The chosen works in their order, then the works that contain the searched words, newest first.

    If the lab has few works, all of them are offered without a search.
    """
    words = folded_words(search_text(form.find.data))
    works = {work.key: work for work in record.works}
    chosen = [key for key in form.works.data if key in works]
    found_works = sorted(
        (
            work
            for work in record.works
            if work.key not in chosen
            and (words or len(works) <= FEW_WORKS)
            and all(word in folded_text(f"{work_label(work)} {' '.join(work.authors)} {work.year}") for word in words)
        ),
        key=lambda work: -(work.year or 0),
    )
    return [
        WorkChoice(
            key,
            work_label(works[key]),
            ", ".join(str(part) for part in (works[key].venue, works[key].year) if part),
            key in chosen,
            form.works.place_text(key),
        )
        for key in (*chosen, *(work.key for work in found_works[:MOST_WORKS_OFFERED]))
    ]
