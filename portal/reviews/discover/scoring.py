"""Scoring everyone whom a lab may find, outside of requests: ahead of them, or while a page shows how far it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from flask import current_app, jsonify, make_response, redirect, render_template, request, url_for
from sqlalchemy import and_, or_, select

from portal.db import db
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.jobs.running import HEARTBEAT_TIMEOUT
from portal.jobs.starting import start_once
from portal.labs.live_index.live import IndexPreparing, live_index
from portal.matching import UnknownLab
from portal.models import Job, Lab
from portal.models.job import OPEN_JOB_STATES
from portal.reviews.access import lab_that_finds
from portal.reviews.discover.queries import ranked_applicants, stated_queries, stated_to
from portal.reviews.discover.scoreboard import ManyToScoreError, scoreboard, scored_with
from portal.web.access import actor
from portal.web.impersonation.requests import impersonating
from portal.web.job_pages import REFRESH_AFTER, STATES, why_not_see_job

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from flask import Response
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.labs.live_index.live import IndexedLabs
    from portal.matching import Query
    from portal.models import User
    from portal.reviews.discover.queries import Candidate

SCORE = "score applicants"
PERCENT = "per cent of the applicants"
ENDED_EARLY = {
    "cancelled": "It was cancelled before everybody was scored.",
    "failed": "It failed before everybody was scored.",
    "refused": "It was refused before everybody was scored.",
}
LONGEST_WAIT = timedelta(seconds=20)  # for a job to begin where none runs; then the page scores people itself
JUST_DONE = timedelta(seconds=30)  # since a job was done, in which a page expects to find what it computed
RECENT = timedelta(minutes=5)  # since a job ended early, in which none is started without being asked for


@job(SCORE)
def score_applicants(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Score everyone whom a lab may find and who is not scored yet. What was computed before an interruption stays.

    Labs whose job waits for its turn are scored along: most of the time goes into reading what people state. Begins
    with the last people, for the clock, which may be scoring the same ones at the same time, begins with the first.

    The progress is in per cent: a reviewer may follow it, and must not learn from a number of people whether those are
    among them whom a conflict of interest hides from the reviewer.
    """
    lab = session.get(Lab, int(arguments["lab"]))
    if lab is None:
        raise JobRefused("This lab is not there any more.")
    slug, name = lab.slug, lab.name

    def goes_on(done: int, total: int) -> bool:
        progress.step(100 * done // total, 100, PERCENT)
        return True

    try:
        indexed = live_index(current_app).current(session)
        labs = [lab, *(other for other in labs_waiting(session) if other.id != lab.id and is_indexed(indexed, other))]
        score_labs(session, indexed, labs, goes_on=goes_on, last_first=True)
    except (IndexPreparing, UnknownLab):
        raise JobRefused("Matches with this lab are being prepared. Look again in a minute.") from None
    return Outcome(f"The applicants are ranked for {name}.", f"/reviews/{slug}/discover", "See them")


def score_labs(
    session: Session,
    indexed: IndexedLabs,
    labs: Iterable[Lab],
    *,
    goes_on: Callable[[int, int], bool],
    last_first: bool = False,
) -> None:
    """Score the people whom these labs may find and who are not scored yet. For the rest see `Scoreboard.score_ahead`.
    Side effect: ends the transaction, so that none stays open while scores are computed.
    """
    digests: dict[bytes, bytes] = {}  # one object for all labs: there may be 10,000 people
    stated = {
        lab.slug: {key: digests.setdefault(digest, digest) for key, digest in stated_to(session, lab).items()}
        for lab in labs
    }

    def queries(people: Collection[str]) -> Mapping[str, Query]:
        try:
            return stated_queries(session, people)
        finally:
            session.rollback()

    scoreboard(current_app).score_ahead(indexed, stated, queries, goes_on=goes_on, last_first=last_first)


def labs_waiting(session: Session) -> Sequence[Lab]:
    """The labs whose job waits for its turn."""
    waiting = session.scalars(select(Job.arguments).where(Job.kind == SCORE, Job.state == "waiting"))
    lab_ids = {int(arguments["lab"]) for arguments in waiting}
    return session.scalars(select(Lab).where(Lab.id.in_(lab_ids)).order_by(Lab.id)).all()


def is_indexed(indexed: IndexedLabs, lab: Lab) -> bool:
    """Whether the index has a lab; one that was made just now it may not have yet."""
    try:
        indexed.scored_as(lab.slug)
    except (IndexPreparing, UnknownLab):
        return False
    return True


def start_scoring(session: Session, lab: Lab, scored_with: str, *, by: User, now: datetime) -> Job:
    """Start the job for a lab, unless it is under way; returns it. `scored_with` is that of `saved_scores`."""
    arguments = {"lab": lab.id, "with": scored_with}
    title, about = f"Rank applicants for {lab.name}", f"/reviews/{lab.slug}/discover"
    started, _is_new = start_once(session, SCORE, title, arguments, by=by, now=now, about=about)
    return started


def newest_scoring(session: Session, lab: Lab, *, now: datetime, scored_with: str = "") -> Job | None:
    """The newest job for a lab that is open, just done or ended early lately; only one with `scored_with`, if given."""
    identity = {"lab": lab.id} | ({"with": scored_with} if scored_with else {})
    just_done = and_(Job.state == "done", Job.finished_at > now - JUST_DONE)
    ended_early = and_(Job.state.in_(ENDED_EARLY), Job.finished_at > now - RECENT)
    relevant = or_(Job.state.in_(OPEN_JOB_STATES), just_done, ended_early)
    jobs = session.scalars(select(Job).where(Job.kind == SCORE, relevant).order_by(Job.id.desc()))
    return next((row for row in jobs if identity.items() <= row.arguments.items()), None)


def is_under_way(session: Session, scoring: Job, now: datetime) -> bool:
    """Whether a page should wait for the job: it runs, has just been started, or others run before it."""
    if scoring.state == "waiting" and now - scoring.created_at < LONGEST_WAIT:
        return True
    if scoring.state not in OPEN_JOB_STATES:
        return False
    conditions = [Job.id == scoring.id] if scoring.state == "running" else []
    running = select(Job.id).where(Job.state == "running", Job.beat_at > now - HEARTBEAT_TIMEOUT, *conditions).limit(1)
    return session.scalar(running) is not None


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
