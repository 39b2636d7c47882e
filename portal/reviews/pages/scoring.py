"""What Discover shows while a job scores the people whom a lab may find: how far it is, and then the list by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, jsonify, make_response, redirect, render_template, request, url_for

from portal.db import db
from portal.labs.live_index.live import live_index
from portal.reviews.discover.queries import ranked_applicants
from portal.reviews.discover.saved_scores import scored_with
from portal.reviews.discover.score_work import ENDED_EARLY, is_under_way, newest_scoring, start_scoring
from portal.reviews.discover.scoreboard import ManyToScoreError, scoreboard
from portal.reviews.pages.access import lab_that_finds
from portal.web.access import actor
from portal.web.impersonation.requests import impersonating
from portal.web.job_pages import REFRESH_AFTER, STATES, why_not_see_job

if TYPE_CHECKING:
    from flask import Response
    from flask.typing import ResponseReturnValue

    from portal.labs.live_index.live import IndexedLabs
    from portal.models import Job, Lab
    from portal.reviews.discover.queries import Candidate

SCORED_IN_A_REQUEST = 100  # people: two seconds at most, for a long resume takes some 20 ms
NOT_READY = 202


def ranked_or_progress(lab: Lab, indexed: IndexedLabs) -> list[Candidate] | Response:
    """The lab's applicants, best match first; or, if scoring them takes long, the page that shows the progress.

    Side effect: starts the job, unless it is under way for this lab and fit. Where no job can help (the index is not
    saved, none begins, or this process does not find what one has saved), people are scored in the request.
    """
    session, board = db.session(), scoreboard(current_app)
    try:
        return ranked_applicants(session, lab, indexed, actor(), board, at_most=SCORED_IN_A_REQUEST)
    except ManyToScoreError:
        scoring = _scoring(lab, indexed)
    if scoring is None:
        return ranked_applicants(session, lab, indexed, actor(), board)
    return _progress_page(lab, scoring)


def scoring_progress(slug: str) -> Response:
    """How far the lab's job is, for the script of the page. Whatever ended counts as done: the page then looks anew."""
    lab, now = lab_that_finds(slug), datetime.now(UTC)
    scoring = newest_scoring(db.session(), lab, now=now)
    if scoring is None or not is_under_way(db.session(), scoring, now):
        return jsonify(state="done")
    return jsonify(state=scoring.state, done=scoring.done, total=scoring.total, doing=scoring.now_doing)


def score_again(slug: str) -> ResponseReturnValue:
    """Start the job once more after it ended early, and return to the list."""
    lab = lab_that_finds(slug)
    indexed = live_index(current_app).current(db.session())
    with_what = scored_with(indexed, slug)
    if with_what:
        start_scoring(db.session(), lab, with_what, by=actor(), now=datetime.now(UTC))
    return redirect(url_for("reviews.discover", slug=slug))


def _scoring(lab: Lab, indexed: IndexedLabs) -> Job | None:
    """The job to show: under way, ended early, or started here; None if people must be scored without one."""
    session, now, with_what = db.session(), datetime.now(UTC), scored_with(indexed, lab.slug)
    if not with_what:
        return None
    scoring = newest_scoring(session, lab, now=now, scored_with=with_what)
    if scoring is not None:
        return scoring if is_under_way(session, scoring, now) or scoring.state in ENDED_EARLY else None
    if impersonating() is not None:  # what such a request writes is rolled back
        return None
    return start_scoring(session, lab, with_what, by=actor(), now=now)


def _progress_page(lab: Lab, scoring: Job) -> Response:
    is_open = is_under_way(db.session(), scoring, datetime.now(UTC))
    page = make_response(
        render_template(
            "reviews/scoring.html",
            lab=lab,
            scoring=scoring,
            state=STATES[scoring.state],
            is_open=is_open,
            ended=scoring.error or ENDED_EARLY.get(scoring.state, ""),
            is_mine=why_not_see_job(actor(), scoring) is None,
        ),
        NOT_READY,
    )
    # A script has said that it polls by itself.
    if is_open and "live" not in request.args:
        page.headers["Refresh"] = str(REFRESH_AFTER)
    page.headers["Cache-Control"] = "no-store"
    return page
