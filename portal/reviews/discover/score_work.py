"""Scoring everyone whom a lab may find, outside of requests: ahead of them, or while a page shows how far it is."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from flask import current_app
from sqlalchemy import and_, or_, select

from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.jobs.running import HEARTBEAT_TIMEOUT
from portal.jobs.starting import start_once
from portal.labs.live_index.live import IndexPreparing, live_index
from portal.matching import UnknownLab
from portal.models import Job, Lab
from portal.models.job import OPEN_JOB_STATES
from portal.reviews.discover.queries import stated_queries, stated_to
from portal.reviews.discover.scoreboard import scoreboard

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.labs.live_index.live import IndexedLabs
    from portal.matching import Query
    from portal.models import User

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
