"""One lab: its profile at a glance, the form for its texts, the lists of its parts, and one-click acts on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin.labs import queries
from portal.admin.labs.forms import record_form
from portal.admin.labs.saving import INVALID, PendingEdit, is_valid, lab_or_404, save, started_from
from portal.admin.labs.sections import (
    ACTIVITY_KIND_LABELS,
    MEMBER_ROLE_LABELS,
    PROFILE_FIELDS,
    SECTIONS,
    item_detail,
    item_name,
    items_of,
    section_named,
    text_at,
)
from portal.admin.searching import search_text
from portal.db import db
from portal.labs.freshness import SavedMeanwhile, confirm, current_freshness
from portal.labs.queries import profile_of
from portal.labs.texts import folded_text, folded_words
from portal.seeding.records import ActivityRecord, MemberRecord, SystemRecord, WorkRecord
from portal.web.access import actor, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message
from portal.web.paging import page_number, page_of
from portal.web.templating import calendar_day

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.admin.labs.sections import Item


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item in the list of its section; `question` is the open question about a work."""

    key: str
    name: str
    detail: str
    question: str


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
        page=page.with_items([_row(item) for item in page.items]),
        total=len(all_items),
        search=search,
    )


def _in_order(items: tuple[Item, ...]) -> list[Item]:
    """Works and activities newest first, those without a year last; the rest as the profile has them."""
    return sorted(items, key=lambda item: -(item.year or 0) if isinstance(item, WorkRecord | ActivityRecord) else 0)


def _holds(item: Item, words: tuple[str, ...]) -> bool:
    if not words:
        return True
    searched = folded_text(" ".join([item.key, item_name(item), *_searched(item)]))
    return all(word in searched for word in words)


def _searched(item: Item) -> tuple[str, ...]:
    """The texts by which an item is found, besides its name."""
    if isinstance(item, WorkRecord):
        return (*item.authors, item.venue, item.venue_full, str(item.year or ""))
    if isinstance(item, MemberRecord):
        return (MEMBER_ROLE_LABELS[item.role], item.term, *item.degrees)
    if isinstance(item, ActivityRecord):
        return (ACTIVITY_KIND_LABELS[item.kind], item.person, item.organisation, item.when)
    return (item.description,) if isinstance(item, SystemRecord) else (item.text, item.funding)


def _row(item: Item) -> ItemRow:
    return ItemRow(item.key, item_name(item), item_detail(item), item.question if isinstance(item, WorkRecord) else "")


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
