"""Decisions that wait for their release: a dry run of who is told what, then the release."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin.cycle_queries import staged_rows
from portal.applications.cycles import cycle_by_slug
from portal.applications.moves import MoveRefused, perform
from portal.db import db
from portal.web.access import actor, found
from portal.web.messages import say

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

KINDS = {
    "offer": ("offer", "offers"),
    "waitlist": ("waitlist place", "waitlist places"),
    "decline": ("decline", "declines"),
}


def releases(slug: str) -> str:
    """Every decision that waits, by lab: for whom, which, with what message. Nothing is sent by looking."""
    cycle = found(cycle_by_slug(db.session(), slug))
    rows = staged_rows(db.session(), cycle)
    by_lab = [(lab, list(group)) for lab, group in groupby(rows, key=lambda row: row.lab)]
    counts = {kind: sum(row.decision.kind == kind for row in rows) for kind in KINDS}
    return render_template("admin/releases.html", cycle=cycle, by_lab=by_lab, counts=counts, kinds=KINDS, rows=rows)


def release(slug: str) -> ResponseReturnValue:
    """Release the ticked decisions; applicants see them and are told at once. A second time nothing happens."""
    session, now = db.session(), datetime.now(UTC)
    cycle = found(cycle_by_slug(session, slug))
    ticked = set(request.form.getlist("decision"))
    wanted = [row for row in staged_rows(session, cycle) if str(row.decision.id) in ticked]
    released = 0
    for row in wanted:
        try:
            perform(session, "release", row.choice, actor=actor(), capacity="admin", now=now)
            released += 1
        except MoveRefused as refusal:
            say(f"{row.applicant.display_name}, {row.lab.name}: {refusal}", "warn")
    if released:
        say(f"{released} {'decision is' if released == 1 else 'decisions are'} released.")
    elif not wanted:
        say("Nothing waits any more among what was ticked.", "info")
    return redirect(url_for("admin.releases", slug=slug))
