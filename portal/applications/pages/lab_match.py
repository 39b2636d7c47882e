"""/me/matches/<slug>: how one lab matches what the applicant stated, whatever its place in the list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import abort, current_app, render_template, request

from portal.applications.compare import columns
from portal.db import db
from portal.labs.catalogue import last_open_day, open_degrees
from portal.labs.live_index.live import live_index
from portal.labs.matches.heat import heat_of
from portal.web.access import actor

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def lab_match(slug: str) -> ResponseReturnValue:
    """The match with all its evidence, and a button that shares with the lab."""
    session, now = db.session(), datetime.now(UTC)
    labs = live_index(current_app).current(session)
    compared = columns(session, labs, actor(), [slug], now=now)
    if not compared:
        abort(404)
    lab, match = compared[0].lab, compared[0].match
    profile = labs.profiles.get(slug)
    return render_template(
        "applications/lab_match.html",
        lab=lab,
        match=match,
        heat=heat_of(labs, match) if match else None,
        openings=open_degrees(profile, last_open_day(now)) if profile else [],
        shared=compared[0].shared,
        here=request.script_root + request.path,
    )
