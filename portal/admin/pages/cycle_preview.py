"""The preview of a cycle as its applicants and professors see it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from flask import make_response, render_template, request, url_for
from sqlalchemy import select

from portal.admin.cycles.preview import (
    WHENS,
    counts_of,
    made_up_draft,
    made_up_queue,
    moment_of,
    without_controls,
)
from portal.admin.pages.loading import cycle_or_404
from portal.applications.content.rules import LONGEST_REASON
from portal.applications.drafting.forms import answer_rows, name_fields, opened_form
from portal.applications.drafting.page import CheckedItem
from portal.applications.moves.rules import why_not_apply
from portal.applications.states import CHOICE_LABELS
from portal.db import db
from portal.labs.queries import IS_LISTED, lab_by_slug
from portal.models import Lab
from portal.moments import zone_label
from portal.reviews.blind_review.blinding import is_blind
from portal.reviews.pages.queue import days_of_replies
from portal.reviews.pages.sections import SECTIONS
from portal.reviews.queue.filter import CARDS, SORTS, QueueFilter
from portal.reviews.queue.page import late
from portal.reviews.queue.saved_views import LONGEST_NAME
from portal.web.paging import Page

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.admin.cycles.preview import When
    from portal.models import Cycle

WHO = {"applicant": "an applicant", "professor": "a professor"}


def preview_cycle(slug: str, who: str, when: When) -> ResponseReturnValue:
    """The real page with made-up people and disabled controls. Nothing is stored."""
    cycle = cycle_or_404(slug)
    page = _applicant(cycle, when) if who == "applicant" else _professor(cycle, when)
    band = render_template("admin/_preview_band.html", cycle=cycle, who=who, when=when, whos=WHO, whens=WHENS)
    response = make_response(without_controls(page, band))
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _applicant(cycle: Cycle, when: When) -> str:
    session, now = db.session(), moment_of(cycle, when)
    closed = cycle.closed_at
    reason = why_not_apply(cycle, now) if closed is None or when == "closed" else None
    if reason is not None:
        return render_template("applications/application_closed.html", cycle=cycle, reason=reason)
    made_up = made_up_draft(session, cycle)
    labs = {lab.slug: lab for lab in made_up.labs}
    form = opened_form(cycle, made_up.draft, {lab.id: lab for lab in made_up.labs}, 0)
    name_fields(form, labs, cycle)
    return render_template(
        "applications/application_form.html",
        form=form,
        cycle=cycle,
        application=made_up.application,
        applicant=None,
        standing=None,
        items=[
            CheckedItem(item.key, item.title, done, item.advice, "#checklist-title") for item, done in made_up.items
        ],
        rows=[(row, labs.get(row.form.lab.data)) for row in form.choices],
        questions=answer_rows(form, cycle),
        offered=made_up.offered,
        full=len(made_up.labs) >= cycle.most_choices,
        fixed=False,
        longest_reason=LONGEST_REASON,
        differing=(),
        unsaved="",
        only_copy=False,
        locked=None,
        moves=[],
    )


def _professor(cycle: Cycle, when: When) -> str:
    """A lab's queue, which is empty until applications are found eligible after the deadline."""
    session = db.session()
    if "lab" in request.args:
        lab = lab_by_slug(session, request.args["lab"])
    else:
        lab = session.scalars(select(Lab).where(IS_LISTED).order_by(Lab.name).limit(1)).first()
    lab = lab or Lab(slug="example-lab", name="Example Lab", leader="")
    sections = [(label, "", endpoint == "reviews.queue") for endpoint, label in SECTIONS]
    if when != "closed":
        return render_template("reviews/queue.html", lab=lab, cycles=[], lab_sections=lambda _lab: sections)
    now = datetime.now(UTC)
    blind = lab.id is not None and is_blind(session, lab)
    rows, chosen = made_up_queue(cycle, blind=blind), QueueFilter()
    overdue = late(rows, cycle.deadline_at + timedelta(days=2))
    return render_template(
        "reviews/queue.html",
        lab=lab,
        places={},
        lab_sections=lambda _lab: sections,
        cycles=[cycle],
        cycle=cycle,
        chosen=chosen,
        asked={},
        applied=[],
        counts=counts_of(rows, late=len(overdue), blind=blind),
        home=url_for("reviews.queue", slug=lab.slug),
        in_address="",
        page=Page(rows, 1, len(rows)),
        best=max(row.score for row in rows),
        means=None,
        since=cycle.deadline_at,
        late=overdue,
        days=days_of_replies(rows, cycle),
        zone=zone_label(cycle.zone, now),
        views=[],
        longest_name=LONGEST_NAME,
        reply_days=None,
        state_labels=CHOICE_LABELS,
        card_labels=CARDS,
        sorts=SORTS,
    )
