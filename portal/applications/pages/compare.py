"""/me/compare: two to four labs side by side."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, render_template, request

from portal.applications.compare import MOST, columns, why_not_compare
from portal.applications.queries import labs_shared_with
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.web.access import actor

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def compare() -> ResponseReturnValue:
    """The labs that the address names, side by side; with too few or too many, what to choose from."""
    session, user = db.session(), actor()
    slugs = list(dict.fromkeys(slug for slug in request.args.getlist("lab") if slug))
    problem = why_not_compare(slugs)
    labs = live_index(current_app).current(session)
    compared = columns(session, labs, user, slugs[:MOST], now=datetime.now(UTC))
    if problem is None:
        problem = why_not_compare([column.lab.slug for column in compared])
    return render_template(
        "applications/compare.html",
        columns=[] if problem else compared,
        problem=problem if slugs else "",
        offered=[lab for lab in labs_shared_with(session, user) if lab.archived_at is None],
        asked=slugs,
        best=max((column.match.score for column in compared if column.match), default=0.0),
    )
