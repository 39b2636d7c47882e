"""The forms to add, edit and remove one item of a profile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flask import abort, render_template, url_for

from portal.admin.labs.forms import RecordForm, SavingForm, record_form
from portal.admin.labs.saving import INVALID, PendingEdit, is_valid, lab_or_404, save, started_from
from portal.admin.labs.sections import (
    Section,
    item_name,
    item_of,
    new_item,
    section_named,
    with_item,
    without_item,
)
from portal.web.access import or_404

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.admin.labs.saving import Start
    from portal.admin.labs.sections import Item
    from portal.models import Lab
    from portal.seeding.records import LabRecord


def add_item(slug: str, collection: str) -> ResponseReturnValue:
    """Add a person, a work, a system, an activity or an opening."""
    lab, section = lab_or_404(slug), or_404(section_named(collection))
    start = started_from(lab)
    form = record_form(section.fields, start.record)(obj=section.blank, adds=True)
    if is_valid(form, start):
        item = new_item(start.record, section, form.values())
        edited = with_item(start.record, section.name, item)
        return _save(lab, section, start, edited, form, f"{item_name(item)} is added.")
    return _page(lab, section, start, form, None)


def edit_item(slug: str, collection: str, key: str) -> ResponseReturnValue:
    """Edit one item."""
    lab, section = lab_or_404(slug), or_404(section_named(collection))
    start = started_from(lab)
    item = _item(start.record, section, key)
    form = record_form(section.fields, start.record)(obj=item)
    if is_valid(form, start):
        changed = replace(item, **form.values())
        edited = with_item(start.record, section.name, changed)
        return _save(lab, section, start, edited, form, f"{item_name(changed)} is saved.")
    return _page(lab, section, start, form, item)


def remove_item(slug: str, collection: str, key: str) -> ResponseReturnValue:
    """Take one item out of the profile."""
    lab, section = lab_or_404(slug), or_404(section_named(collection))
    start = started_from(lab, "remove-base")
    item = _item(start.record, section, key)
    form = SavingForm(prefix="remove-")
    if is_valid(form, start):
        edited = without_item(start.record, section.name, key)
        return _save(lab, section, start, edited, form, f"{item_name(item)} is removed.", removes=True)
    edit_form = record_form(section.fields, start.record)(formdata=None, obj=item)
    edit_form.base.data = str(start.number)
    return _page(lab, section, start, edit_form, item, form)


def _item(record: LabRecord, section: Section, key: str) -> Item:
    found = item_of(record, section.name, key)
    if found is None:
        abort(404)
    return found


def _save(
    lab: Lab,
    section: Section,
    start: Start,
    edited: LabRecord,
    form: SavingForm,
    message: str,
    *,
    removes: bool = False,
) -> ResponseReturnValue:
    next_url = url_for(".items", slug=lab.slug, collection=section.name)
    edit = PendingEdit(lab.slug, start.number, edited, message, next_url, removes=removes)
    return save(lab, edit, form.reason.data)


def _page(
    lab: Lab,
    section: Section,
    start: Start,
    form: RecordForm,
    item: Item | None,
    removal: SavingForm | None = None,
) -> ResponseReturnValue:
    if removal is None:
        removal = SavingForm(formdata=None, prefix="remove-")
        removal.base.data = str(start.number)
    page = render_template(
        "admin/item.html",
        lab=lab,
        section=section,
        form=form,
        item=item,
        name=item_name(item) if item else "",
        removal=removal,
    )
    return page, INVALID if form.errors or removal.errors else 200
