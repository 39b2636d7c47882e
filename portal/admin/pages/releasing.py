"""Decisions that wait for their release: put together by one administrator, released by another."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin.cycles.queries import StagedRow, release_rows, releases_of, staged_rows
from portal.admin.cycles.values import in_zone
from portal.admin.pages.saving import INVALID
from portal.admin.people.queries import acting_admins
from portal.admin.releases import service as release_service
from portal.admin.releases.rules import why_not_approve, why_not_discard, why_not_hold
from portal.admin.rules import NotAllowed
from portal.applications.cycles import cycle_by_slug
from portal.db import db
from portal.models import Release
from portal.moments import zone_label
from portal.web.access import actor, found, refusing
from portal.web.job_pages import LOOK_AGAIN
from portal.web.messages import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Cycle, Lab

KINDS = {
    "offer": ("offer", "offers"),
    "waitlist": ("waitlist place", "waitlist places"),
    "decline": ("decline", "declines"),
}
MOMENT = "%Y-%m-%dT%H:%M"


def releases(slug: str) -> ResponseReturnValue:
    """Every decision that waits, by lab, to be ticked; and the releases of the cycle. Nothing is sent by looking."""
    return _releases_page(found(cycle_by_slug(db.session(), slug)))


def _releases_page(cycle: Cycle, refusal: str = "", due_error: str = "") -> ResponseReturnValue:
    """The page; after a refusal with what was ticked and typed still in it."""
    session = db.session()
    rows = staged_rows(session, cycle)
    page = render_template(
        "admin/releases.html",
        cycle=cycle,
        rows=rows,
        by_lab=_by_lab(rows),
        counts=_counts(rows),
        kinds=KINDS,
        releases=releases_of(session, cycle),
        zone=zone_label(cycle.zone, datetime.now(UTC)),
        ticked=set(request.form.getlist("decision")),
        due_at=request.form.get("due_at", ""),
        refusal=refusal,
        due_error=due_error,
    )
    return page, INVALID if refusal or due_error else 200


def prepare(slug: str) -> ResponseReturnValue:
    """Put the ticked decisions together for a release."""
    session, now = db.session(), datetime.now(UTC)
    cycle = found(cycle_by_slug(session, slug))
    ticked = set(request.form.getlist("decision"))
    wanted = [row.decision for row in staged_rows(session, cycle) if str(row.decision.id) in ticked]
    text = request.form.get("due_at", "").strip()
    try:
        due_at = in_zone(datetime.strptime(text, MOMENT), cycle.zone) if text else None  # noqa: DTZ007  (in the cycle's zone)
        release = release_service.prepare_release(session, cycle, wanted, actor=actor(), now=now, due_at=due_at)
    except NotAllowed as refusal:
        return _releases_page(cycle, refusal=str(refusal))
    except (ValueError, OverflowError):
        return _releases_page(cycle, due_error="Give a day and a time as in 2027-02-01T12:00, or leave it empty.")
    return redirect(url_for("admin.release", number=release.id))


def release(number: int) -> ResponseReturnValue:
    """The dry run: every recipient, decision and message of a release; then how far it is.

    While decisions go out it asks again by itself.
    """
    session = db.session()
    one = _release(number)
    rows = release_rows(session, one)
    items = {item.decision_id: item for item in one.items}
    going_out = one.state == "approved" and (one.due_at is None or one.due_at <= datetime.now(UTC))
    page = render_template(
        "admin/release.html",
        release=one,
        cycle=one.cycle,
        by_lab=_by_lab(rows),
        counts=_counts(rows),
        kinds=KINDS,
        items=items,
        going_out=going_out,
        out=sum(item.released_at is not None for item in one.items),
        why_not_approve=why_not_approve(one, actor(), acting_admins(session)),
        why_not_hold=why_not_hold(one),
        why_not_discard=why_not_discard(one),
    )
    return page, 200, {"Refresh": str(LOOK_AGAIN)} if going_out else {}


def approve(number: int) -> ResponseReturnValue:
    """Release it: at once, or at its time."""
    one, now = _release(number), datetime.now(UTC)
    with refusing(NotAllowed):
        release_service.approve_release(db.session(), one, actor=actor(), now=now)
    say("The decisions are being released." if one.due_at is None or one.due_at <= now else "It goes out at its time.")
    return redirect(url_for("admin.release", number=number))


def hold(number: int) -> ResponseReturnValue:
    """Stop it before its next decision."""
    with refusing(NotAllowed):
        release_service.hold_release(db.session(), _release(number), actor=actor(), now=datetime.now(UTC))
    say("The release is held. Nothing more goes out until another administrator releases it.")
    return redirect(url_for("admin.release", number=number))


def discard(number: int) -> ResponseReturnValue:
    """Take it apart; its decisions wait again."""
    one = _release(number)
    with refusing(NotAllowed):
        release_service.discard_release(db.session(), one, actor=actor(), now=datetime.now(UTC))
    say("The release is taken apart; its decisions wait for another one.")
    return redirect(url_for("admin.releases", slug=one.cycle.slug))


def _release(number: int) -> Release:
    return found(db.session().get(Release, number))


def _by_lab(rows: Sequence[StagedRow]) -> list[tuple[Lab, list[StagedRow]]]:
    return [(lab, list(group)) for lab, group in groupby(rows, key=lambda row: row.lab)]


def _counts(rows: Sequence[StagedRow]) -> dict[str, int]:
    return {kind: sum(row.decision.kind == kind for row in rows) for kind in KINDS}
