"""Releases of decisions: prepared by one administrator, approved by another."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from flask import redirect, render_template, request, url_for

from portal.admin.cycles.forms import in_zone
from portal.admin.cycles.releases import service as release_service
from portal.admin.cycles.releases.queries import (
    job_of,
    newest_release,
    progress_of,
    release_page,
    releases_page,
    waiting_decisions,
    waiting_in,
    waiting_kinds,
    waiting_labs,
    waiting_page,
)
from portal.admin.cycles.releases.service import is_approver_acting, why_not_approve, why_not_discard, why_not_hold
from portal.admin.labs.queries import if_few, shown_text
from portal.admin.labs.saving import INVALID
from portal.admin.people.service import acting_admins
from portal.admin.rules import NotAllowed
from portal.admin.searching import ROWS
from portal.applications.cycles import count_staged, cycle_by_slug
from portal.db import db
from portal.models import Release
from portal.moments import point_of, why_not_year, why_skipped, zone_label
from portal.web.access import actor, or_404, refusing
from portal.web.forms import whole_number, whole_numbers
from portal.web.job_pages import REFRESH_AFTER
from portal.web.messages import flash_message
from portal.web.paging import list_state, page_number
from portal.web.templating import page_is_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.admin.cycles.releases.queries import DecisionRow
    from portal.models import Cycle, Lab


KINDS = {
    "offer": ("offer", "offers"),
    "waitlist": ("waitlist place", "waitlist places"),
    "decline": ("decline", "declines"),
}
MOMENT = "%Y-%m-%dT%H:%M"


def releases(slug: str) -> ResponseReturnValue:
    """The decisions that wait for release, by lab, with checkboxes; and the releases of the cycle."""
    return _releases_page(or_404(cycle_by_slug(db.session(), slug)))


def _releases_page(cycle: Cycle, refusal: str = "", due_error: str = "") -> ResponseReturnValue:
    """The page; after a refusal, the ticked and typed values are still in it."""
    session, asked = db.session(), _asked()
    waiting = waiting_in(session, cycle, **asked)
    labs = waiting_labs(session, cycle)
    page_is_at(url_for("admin.releases", slug=cycle.slug))
    page = waiting_page(session, waiting, **_list_position())
    html = render_template(
        "admin/releases.html",
        cycle=cycle,
        asked=asked,
        page=page,
        by_lab=_by_lab(page.items),
        counts=waiting_kinds(session, waiting),
        open=count_staged(session, cycle) - sum(count for *_, count in labs),
        labs=if_few([(slug, f"{name} ({count:,})") for slug, name, count in labs]),
        is_waiting=bool(labs),
        typed_lab=shown_text(session, asked["lab"]),
        kinds=KINDS,
        releases=releases_page(session, cycle, page_number(request.values.get("releases"))),
        newest=newest_release(session, cycle),
        zone=zone_label(cycle.zone, datetime.now(UTC)),
        ticked=set(request.form.getlist("decision")),
        due_at=request.form.get("due_at", ""),
        refusal=refusal,
        due_error=due_error,
    )
    return html, INVALID if refusal or due_error else 200


def prepare(slug: str) -> ResponseReturnValue:
    """Prepare a release of the ticked decisions, or of all that match the filter."""
    session, now = db.session(), datetime.now(UTC)
    cycle = or_404(cycle_by_slug(db.session(), slug))
    ticked = None if request.form.get("which") == "all" else whole_numbers(request.form.getlist("decision"))
    text = request.form.get("due_at", "").strip()
    try:
        local = datetime.strptime(text, MOMENT) if text else None  # noqa: DTZ007  (in the cycle's zone)
        if local and (why_not := why_not_year(local)):
            return _releases_page(cycle, due_error=why_not)
        due_at = in_zone(local, cycle.zone) if local else None
        if local and not point_of(local, ZoneInfo(cycle.zone)):
            return _releases_page(cycle, due_error=why_skipped(cycle.zone))
        decisions = waiting_decisions(session, waiting_in(session, cycle, **_asked()), ticked)
        release = release_service.prepare_release(session, cycle, decisions, actor=actor(), now=now, due_at=due_at)
    except NotAllowed as refusal:
        existing = _release_of_first_click(cycle, ticked)
        if existing is None:
            return _releases_page(cycle, refusal=str(refusal))
        flash_message("This release is prepared already; this is it.", "info")
        return redirect(url_for("admin.release", release_id=existing.id))
    except (ValueError, OverflowError):
        return _releases_page(cycle, due_error="Give a day and a time as in 2027-02-01T12:00, or leave it empty.")
    return redirect(url_for("admin.release", release_id=release.id))


def _release_of_first_click(cycle: Cycle, ticked: list[int] | None) -> Release | None:
    """The release that the first of two clicks prepared, which is newer than all on the page that was sent; or None."""
    after = whole_number(request.form.get("after", ""))
    if after is None or ticked == []:
        return None
    return release_service.prepared_since(db.session(), cycle, ticked, by=actor(), after=after)


def release(release_id: int) -> ResponseReturnValue:
    """The dry run, with every recipient, decision and message of a release; then its progress.

    While decisions are being released, or will be again after a failure, the page reloads by itself.
    """
    session, row, now = db.session(), _release(release_id), datetime.now(UTC)
    is_due = row.state == "approved" and (row.due_at is None or row.due_at <= now)
    job = job_of(session, row) if is_due else None
    going_out = is_due and (job is None or job.state != "cancelled")
    page = release_page(session, row, **_list_position())
    html = render_template(
        "admin/release.html",
        release=row,
        cycle=row.cycle,
        page=page,
        by_lab=_by_lab(page.items),
        progress=progress_of(session, row),
        kinds=KINDS,
        going_out=going_out,
        stopped_job=job if job is not None and job.state in {"failed", "cancelled"} else None,
        goes_out_at_its_time=row.due_at is not None and (row.due_at > now or row.state not in {"prepared", "held"}),
        approver_acts=is_approver_acting(row),
        why_not_approve=why_not_approve(row, actor(), acting_admins(session)),
        why_not_hold=why_not_hold(row),
        why_not_discard=why_not_discard(row),
    )
    return html, 200, {"Refresh": str(REFRESH_AFTER)} if going_out else {}


def approve(release_id: int) -> ResponseReturnValue:
    """Approve the release, which begins at once or at its time."""
    row, now = _release(release_id), datetime.now(UTC)
    with refusing(NotAllowed):
        is_new = release_service.approve_release(db.session(), row, actor=actor(), now=now)
    if row.state == "done" and not is_new:
        flash_message("The decisions are released already.", "info")
    else:
        at_once = row.due_at is None or row.due_at <= now
        flash_message("The decisions are being released." if at_once else "It goes out at its time.")
    return redirect(url_for("admin.release", release_id=release_id))


def hold(release_id: int) -> ResponseReturnValue:
    """Hold the release: it stops before its next decision."""
    with refusing(NotAllowed):
        release_service.hold_release(db.session(), _release(release_id), actor=actor(), now=datetime.now(UTC))
    flash_message("The release is held. Nothing more goes out until another administrator releases it.")
    return redirect(url_for("admin.release", release_id=release_id))


def discard(release_id: int) -> ResponseReturnValue:
    """Discard the release; its decisions wait again."""
    row = _release(release_id)
    with refusing(NotAllowed):
        release_service.discard_release(db.session(), row, actor=actor(), now=datetime.now(UTC))
    flash_message("The release is discarded; its decisions wait for another one.")
    return redirect(url_for("admin.releases", slug=row.cycle.slug))


def _release(release_id: int) -> Release:
    return or_404(db.session().get(Release, release_id))


def _asked() -> dict[str, str]:
    """The lab and the kind of decisions in the query string or the sent form."""
    asked = {"lab": "", "kind": ""} | list_state(request.values, "lab", "kind")
    return asked if asked["kind"] in KINDS else asked | {"kind": ""}


def _list_position() -> dict[str, int]:
    """The page number in the query string or the sent form, and the rows of a page."""
    return {"number": page_number(request.values.get("page")), "per_page": ROWS}


def _by_lab(rows: Sequence[DecisionRow]) -> list[tuple[Lab, list[DecisionRow]]]:
    return [(lab, list(group)) for lab, group in groupby(rows, key=lambda row: row.lab)]
