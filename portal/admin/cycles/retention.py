"""When the applications of a cycle are erased, which these are, and holding the cycle back for a reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin.cycles.applications.queries import applications_page, labs_by_name
from portal.admin.labs import fields
from portal.applications import erasure as keeping
from portal.applications.cycles import cycle_by_slug
from portal.applications.forms import running_text
from portal.applications.states import APPLICATION_LABELS, CHOICE_LABELS
from portal.db import db
from portal.web.access import actor, ensure, or_404
from portal.web.messages import flash_message
from portal.web.paging import page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Cycle


def why_not_hold(cycle: Cycle) -> str | None:
    """Erased applications cannot be held, and a held cycle cannot be held again."""
    if cycle.erased_at is not None:
        return f"The applications of {cycle.name} are erased already."
    return f"{cycle.name} is held already: {cycle.hold_reason}" if cycle.hold_reason else None


def why_not_end_hold(cycle: Cycle) -> str | None:
    """Only a hold can be ended."""
    return None if cycle.hold_reason else f"{cycle.name} is not held."


def retention(slug: str) -> str:
    """The applications to be erased, and when: a dry run, which changes nothing."""
    return _page(or_404(cycle_by_slug(db.session(), slug)), "", "")


def hold_cycle(slug: str) -> ResponseReturnValue:
    """Keep the applications of a cycle until further notice."""
    cycle = or_404(cycle_by_slug(db.session(), slug))
    reason = running_text(request.form.get("reason", "")).strip()
    if reason and cycle.hold_reason == reason:  # a second click
        flash_message(f"{cycle.name} is held already: nothing of it is erased until you end the hold.", "info")
        return redirect(url_for("admin.retention", slug=slug))
    ensure(why_not_hold(cycle))
    if (refusal := _why_not_reason(reason)) is not None:
        return _page(cycle, refusal, reason), 422
    keeping.hold_cycle(db.session(), cycle, reason=reason, actor=actor(), now=datetime.now(UTC))
    flash_message(f"{cycle.name} is held: nothing of it is erased until you end the hold.")
    return redirect(url_for("admin.retention", slug=slug))


def end_hold(slug: str) -> ResponseReturnValue:
    """End the hold, so that the retention period counts again."""
    cycle = or_404(cycle_by_slug(db.session(), slug))
    if (why_not := why_not_end_hold(cycle)) is not None:
        flash_message(why_not, "info")
        return redirect(url_for("admin.retention", slug=slug))
    reason = running_text(request.form.get("reason", "")).strip()
    if (refusal := _why_not_reason(reason)) is not None:
        return _page(cycle, refusal, reason), 422
    keeping.end_hold_of_cycle(db.session(), cycle, reason=reason, actor=actor(), now=datetime.now(UTC))
    flash_message(f"The hold of {cycle.name} is ended.")
    return redirect(url_for("admin.retention", slug=slug))


def _why_not_reason(reason: str) -> str | None:
    if reason and len(reason) <= fields.REASON:
        return None
    return f"Give a reason of up to {fields.REASON} characters; it stands in the audit log."


def _page(cycle: Cycle, refusal: str, typed: str) -> str:
    session, now = db.session(), datetime.now(UTC)
    return render_template(
        "admin/retention.html",
        cycle=cycle,
        due=keeping.due_at(cycle),
        is_due=keeping.is_due(cycle, now),
        page=applications_page(session, cycle, {}, number=page_number(request.args.get("page"))),
        labels=APPLICATION_LABELS,
        labs_by_name=labs_by_name,
        choice_labels=CHOICE_LABELS,
        refusal=refusal,
        typed=typed,
        longest=fields.REASON,
    )
