"""The table of labs, and a new lab."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for
from sqlalchemy import and_
from sqlalchemy.exc import IntegrityError

from portal.admin import queries
from portal.admin.forms import NewLabForm
from portal.admin.lab_choice import labs_near
from portal.admin.pages.saving import INVALID
from portal.admin.profiles.table_file import labs_csv
from portal.admin.searching import search_text
from portal.config import settings_of
from portal.db import db
from portal.labs import service
from portal.labs.freshness import is_stale
from portal.labs.queries import IS_LISTED, lab_by_slug, profile_of
from portal.seeding.names import slug as slug_of
from portal.seeding.records import LabRecord
from portal.web.access import actor
from portal.web.downloads import CSV, download
from portal.web.messages import flash_message
from portal.web.paging import page_number

if TYPE_CHECKING:
    from flask import Response
    from flask.typing import ResponseReturnValue
    from sqlalchemy import ColumnElement

SORTS = ("name", "leader", "works", "questions", "readers", "changed", "confirmed")
_ONLY = "no"  # in the address, for those without a confirmation or without readers, or that are not listed
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)


def labs() -> str:
    """All labs: searched, sorted, in pages."""
    search = search_text(request.args.get("q"))
    sort = request.args.get("sort", "name")
    sort = sort if sort in SORTS else "name"
    direction = "descending" if request.args.get("order") == "descending" else "ascending"
    only = _only()
    page = queries.lab_page(
        db.session(),
        search=search,
        sort=sort,
        descending=direction == "descending",
        number=page_number(request.args.get("page")),
        stale=_stale(),
        only=only.values(),
    )
    return render_template(
        "admin/labs.html",
        page=page,
        near=() if page.items or only else labs_near(db.session(), search),
        search=search,
        sort=sort,
        direction=direction,
        only=dict.fromkeys(only, _ONLY),
    )


def labs_file() -> Response:
    """The labs that the list shows, on all of its pages, as a table that can be imported again."""
    conditions = [*queries.labs_that_hold(search_text(request.args.get("q"))), *_only().values()]
    return download(labs_csv(db.session(), conditions), "labs.csv", CSV)


def _stale() -> ColumnElement[bool]:
    return is_stale(settings_of(current_app).confirm_days, datetime.now(UTC).date())


def _only() -> dict[str, ColumnElement[bool]]:
    """The conditions that the address asks for, by their names there."""
    conditions = {
        "confirmed": and_(_stale(), IS_LISTED),
        "readers": and_(queries.NOBODY_READS, IS_LISTED),
        "listed": ~IS_LISTED,
    }
    return {name: condition for name, condition in conditions.items() if request.args.get(name) == _ONLY}


def new_lab() -> ResponseReturnValue:
    """Make a lab; the rest of its profile is filled in on its own page."""
    form = NewLabForm(reason="A new lab")
    if form.validate_on_submit():
        slug = form.slug.data or slug_of(form.name.data)
        record = _record_in(form, slug)
        refusal = _why_not_slug(slug) or _why_not_made(record, form.reason.data)
        if refusal is None or _is_made(record):
            flash_message(f"{record.name} is made{' already' if refusal else ''}. Fill in its profile here.")
            return redirect(url_for("admin.lab", slug=slug))
        form.slug.errors = [refusal]
    return render_template("admin/new_lab.html", form=form), INVALID if form.is_submitted() else 200


def _record_in(form: NewLabForm, slug: str) -> LabRecord:
    return LabRecord(
        key=slug,
        name=form.name.data,
        leader=form.leader.data or "",
        institution=form.institution.data or "",
        place=form.place.data or "",
        homepage=form.homepage.data or "",
    )


def _is_made(record: LabRecord) -> bool:
    """Whether the lab exists exactly as in this form, so that the first of two clicks made it."""
    session = db.session()
    lab = lab_by_slug(session, record.key)
    return lab is not None and lab.revision_number == 1 and profile_of(session, lab) == record


def _why_not_made(record: LabRecord, reason: str) -> str | None:
    """Make the lab; returns the reason if somebody else took its slug at the same moment."""
    session = db.session()
    try:
        service.create_lab(session, record, author=actor(), reason=reason, now=datetime.now(UTC))
    except IntegrityError:
        session.rollback()
        return _slug_is_taken(record.key)
    return None


def _why_not_slug(slug: str) -> str | None:
    if not _SLUG.fullmatch(slug):
        return "Use small letters, digits and single hyphens between them, such as relaxed-system-lab."
    if lab_by_slug(db.session(), slug) is not None:
        return _slug_is_taken(slug)
    return None


def _slug_is_taken(slug: str) -> str:
    return f"There is a lab at /labs/{slug} already. Edit that one, or choose another word."
