"""One lab: its profile at a glance, the form for its texts, the lists and forms of its parts, confirming it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import abort, redirect, render_template, request, url_for

from portal.admin.labs import queries
from portal.admin.labs.forms import RecordForm, SavingForm, record_form
from portal.admin.labs.saving import INVALID, PendingEdit, is_valid, lab_or_404, save, started_from
from portal.admin.labs.sections import (
    PROFILE_FIELDS,
    SECTIONS,
    item_detail,
    item_name,
    item_of,
    items_of,
    new_item,
    section_named,
    text_at,
    with_item,
    without_item,
)
from portal.admin.searching import search_text
from portal.db import db
from portal.labs.freshness import SavedMeanwhile, confirm, current_freshness
from portal.labs.queries import profile_of
from portal.labs.texts import folded_text, folded_words
from portal.seeding.records import ActivityRecord, WorkRecord
from portal.web.access import actor, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message
from portal.web.paging import page_number, page_of
from portal.web.templating import calendar_day

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.admin.labs.saving import Start
    from portal.admin.labs.sections import Item, Section
    from portal.models import Lab
    from portal.seeding.records import LabRecord


def lab(slug: str) -> str:
    """A lab's profile at a glance, with everything that can be edited and decided about it."""
    session = db.session()
    lab = lab_or_404(slug)
    record = profile_of(session, lab)
    professors = queries.professors_of(session, lab)
    return render_template(
        "admin/lab.html",
        lab=lab,
        freshness=current_freshness(lab),
        texts=[(spec.label, text_at(record, spec.name)) for spec in PROFILE_FIELDS],
        sections=[(section, len(items_of(record, section.name))) for section in SECTIONS.values()],
        proposals=queries.count_proposals(session, lab),
        doubted=queries.count_doubted(session, lab),
        professors=professors,
        is_unread=not any(seat.user.active for seat in professors),
    )


def edit_texts(slug: str) -> ResponseReturnValue:
    """Edit the fields of a profile that are no lists of items: names, place, texts, topics, hardware, figures."""
    lab = lab_or_404(slug)
    start = started_from(lab)
    form = record_form(PROFILE_FIELDS, start.record)(obj=start.record)
    if is_valid(form, start):
        edited_record = replace(start.record, **form.values())
        message = "The texts are saved."
        edit = PendingEdit(lab.slug, start.number, edited_record, message, url_for(".lab", slug=lab.slug))
        return save(lab, edit, form.reason.data)
    page = render_template("admin/edit_texts.html", lab=lab, form=form)
    return page, INVALID if form.is_submitted() else 200


def items(slug: str, collection: str) -> str:
    """The people, works, systems, activities or openings of a lab: searched, in pages."""
    lab = lab_or_404(slug)
    section = or_404(section_named(collection))
    record = profile_of(db.session(), lab)
    search = search_text(request.args.get("q"))
    words = folded_words(search)
    all_items = items_of(record, section.name)
    matching = [item for item in _in_order(all_items) if _holds(item, words)]
    page = page_of(matching, page_number(request.args.get("page")))
    return render_template(
        "admin/items.html",
        lab=lab,
        section=section,
        sections=SECTIONS.values(),
        page=page,
        item_name=item_name,
        item_detail=item_detail,
        total=len(all_items),
        search=search,
    )


def _in_order(items: tuple[Item, ...]) -> list[Item]:
    """Works and activities newest first, those without a year last; the rest as the profile has them."""
    return sorted(items, key=lambda item: -(item.year or 0) if isinstance(item, WorkRecord | ActivityRecord) else 0)


def _holds(item: Item, words: tuple[str, ...]) -> bool:
    """Whether an item has all these words in its name, its details, or, of a work, among its authors."""
    authors = item.authors if isinstance(item, WorkRecord) else ()
    searched = folded_text(" ".join([item.key, item_name(item), item_detail(item), *authors]))
    return all(word in searched for word in words)


def add_item(slug: str, collection: str) -> ResponseReturnValue:
    """Add a person, a work, a system, an activity or an opening."""
    lab, section = lab_or_404(slug), or_404(section_named(collection))
    start = started_from(lab)
    form = record_form(section.fields, start.record)(obj=section.blank, adds=True)
    if is_valid(form, start):
        item = new_item(start.record, section, form.values())
        edited = with_item(start.record, section.name, item)
        return _save_item(lab, section, start, edited, form, f"{item_name(item)} is added.")
    return _item_page(lab, section, start, form, None)


def edit_item(slug: str, collection: str, key: str) -> ResponseReturnValue:
    """Edit one item."""
    lab, section = lab_or_404(slug), or_404(section_named(collection))
    start = started_from(lab)
    item = _item(start.record, section, key)
    form = record_form(section.fields, start.record)(obj=item)
    if is_valid(form, start):
        changed = replace(item, **form.values())
        edited = with_item(start.record, section.name, changed)
        return _save_item(lab, section, start, edited, form, f"{item_name(changed)} is saved.")
    return _item_page(lab, section, start, form, item)


def remove_item(slug: str, collection: str, key: str) -> ResponseReturnValue:
    """Take one item out of the profile."""
    lab, section = lab_or_404(slug), or_404(section_named(collection))
    start = started_from(lab, "remove-base")
    item = _item(start.record, section, key)
    form = SavingForm(prefix="remove-")
    if is_valid(form, start):
        edited = without_item(start.record, section.name, key)
        return _save_item(lab, section, start, edited, form, f"{item_name(item)} is removed.", removes=True)
    edit_form = record_form(section.fields, start.record)(formdata=None, obj=item)
    edit_form.base.data = str(start.number)
    return _item_page(lab, section, start, edit_form, item, form)


def _item(record: LabRecord, section: Section, key: str) -> Item:
    found = item_of(record, section.name, key)
    if found is None:
        abort(404)
    return found


def _save_item(
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


def _item_page(
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


def confirm_profile(slug: str) -> ResponseReturnValue:
    """Confirm the revision of the profile that the person saw."""
    lab = lab_or_404(slug)
    seen = whole_number(request.form.get("base", "")) or 0
    try:
        confirm(db.session(), lab, revision_number=seen, author=actor(), now=datetime.now(UTC))
    except SavedMeanwhile:
        flash_message(
            "The profile was saved since you opened this page. Look it over once more, then confirm it.", "warn"
        )
    else:
        until = current_freshness(lab).until
        flash_message(f"Confirmed: the profile of {lab.name} is marked as true until {calendar_day(until)}.")
    return redirect(url_for(".lab", slug=slug))
