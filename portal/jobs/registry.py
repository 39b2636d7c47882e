"""The kinds of jobs and of clock work that packages declare; starting and stopping jobs in the caller's transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from sqlalchemy import select, update

from portal.models import Job, Role
from portal.models.job import OPEN_JOB_STATES
from portal.models.user import ADMIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime, time, timedelta

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Outcome, Progress
    from portal.models import User

    JobFunction: TypeAlias = Callable[[Session, Mapping[str, Any], Progress], Outcome]
    ClockFunction: TypeAlias = Callable[[Session, datetime], object]
    F = TypeVar("F", bound=ClockFunction)


class JobError(Exception):
    """A job cannot be done; the message is a sentence for the person who started it."""


class JobRefused(JobError):
    """A job cannot be done as things are, but nothing is wrong with the portal; the message says why and what to do."""


class UnknownWorkError(LookupError):
    """No package declares this work; the message lists the declared ones."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job. `tries` is how often it is begun if the process that runs it is killed repeatedly."""

    name: str
    run: JobFunction
    tries: int


@dataclass(frozen=True, slots=True)
class Clockwork:
    """Work that the clock starts: `every` so often, or each day `at` a time in UTC.

    Work that `waits` for others, such as a mail server that does not answer, has a queue of its own, so that nothing
    waits behind it; so has work that is `long`, because it may compute for many minutes. `irrevocable` work is held for
    some days after a gap of the clock; see `portal.jobs.clock`.
    """

    name: str
    run: ClockFunction
    every: timedelta | None
    at: time | None
    waits: bool = False
    irrevocable: bool = False
    long: bool = False


JOBS: dict[str, JobKind] = {}
CLOCKWORK: dict[str, Clockwork] = {}


def job(name: str, *, tries: int = 3) -> Callable[[JobFunction], JobFunction]:
    """Declare a kind of job: a function of a session, its arguments and a `Progress`, which returns an `Outcome`.

    It may be restarted after any `Progress.step`, which commits, and must then recognise what was done before. With
    `tries=1` it is never restarted; if it is killed, it counts as failed.

    Raises:
        ValueError: The name is taken.
    """

    def declare(function: JobFunction) -> JobFunction:
        if name in JOBS:
            raise ValueError(f"There is a job {name!r} already.")
        JOBS[name] = JobKind(name, function, tries)
        return function

    return declare


def clockwork(
    name: str,
    *,
    every: timedelta | None = None,
    at: time | None = None,
    waits: bool = False,
    irrevocable: bool = False,
    long: bool = False,
) -> Callable[[F], F]:
    """Declare work that the clock starts: a function of a session and the moment, whose changes are committed
    afterwards.

    One of several processes does it each time; if it takes longer than `every`, the next run may begin in the meantime.
    Set `waits` if it may wait long for others, `irrevocable` if nobody can undo it, and `long` if it may compute for
    more than half a minute.

    Raises:
        ValueError: The name is taken, or not exactly one of `every` and `at` is given.
    """
    if (every is None) == (at is None):
        raise ValueError("Clock work is done every so often, or each day at a time.")

    def declare(function: F) -> F:
        if name in CLOCKWORK:
            raise ValueError(f"There is clock work {name!r} already.")
        CLOCKWORK[name] = Clockwork(name, function, every, at, waits, irrevocable, long)
        return function

    return declare


def job_kind(name: str) -> JobKind:
    """The kind of job called `name`.

    Raises:
        UnknownWorkError: There is none.
    """
    if name not in JOBS:
        raise UnknownWorkError(f"There is no job {name!r}. Known are: {', '.join(sorted(JOBS))}.")
    return JOBS[name]


STARTED = "jobs_were_started"  # ids in session.info until the transaction ends
LONGEST_ARGUMENTS = 10_000  # characters of JSON
LONGEST_TITLE = 300


def start(
    session: Session,
    kind: str,
    title: str,
    arguments: Mapping[str, Any],
    *,
    by: User | None,
    now: datetime,
    about: str = "",
) -> Job:
    """Have a job run once the transaction is committed. Its page is /jobs/<id>.

    Args:
        session: The transaction; nothing is started if it is rolled back.
        kind: Name of a kind that a package has declared.
        title: What the page calls it, such as "Import 12 works into Relaxed System Lab".
        arguments: Small JSON values: ids, never files or secrets.
        by: Who started it, and may see and cancel it.
        now: The current time.
        about: Path of the page that the job is about, linked if it fails or is cancelled.

    Raises:
        UnknownWorkError: No package declares this kind.
        ValueError: The arguments are too large.
        TypeError: The arguments are not JSON values.
    """
    job_kind(kind)
    if len(json.dumps(dict(arguments))) > LONGEST_ARGUMENTS:
        raise ValueError(f"The arguments of a job have at most {LONGEST_ARGUMENTS:,} characters; keep ids in them.")
    job = Job(kind=kind, title=title[:LONGEST_TITLE], arguments=dict(arguments), created_by=by, created_at=now)
    job.outcome = {"path": about} if about else {}
    session.add(job)
    session.flush()
    session.info.setdefault(STARTED, []).append(job.id)
    return job


def open_job(session: Session, kind: str) -> Job | None:
    """The oldest waiting or running job of this kind, or None."""
    return session.scalar(select(Job).where(Job.kind == kind, Job.state.in_(OPEN_JOB_STATES)).order_by(Job.id).limit(1))


def start_once(
    session: Session,
    kind: str,
    title: str,
    arguments: Mapping[str, Any],
    *,
    by: User,
    now: datetime,
    about: str = "",
) -> tuple[Job, bool]:
    """Start a job, as `start` does, unless one of this kind and with these arguments waits or runs.

    Until the transaction ends, other callers wait, so that two people who press a button at the same moment start one
    job.

    Returns:
        The job, and whether it is new.
    """
    _lock_starting(session)
    open_jobs = session.scalars(select(Job).where(Job.kind == kind, Job.state.in_(OPEN_JOB_STATES)).order_by(Job.id))
    under_way = next((job for job in open_jobs if job.arguments == dict(arguments)), None)
    if under_way is not None:
        return under_way, False
    return start(session, kind, title, arguments, by=by, now=now, about=about), True


def _lock_starting(session: Session) -> None:
    """Lock a row on which every caller of this function waits until the transaction ends."""
    # Any row that always exists would do.
    no_op = update(Role).where(Role.name == ADMIN).values(name=ADMIN)
    session.execute(no_op.execution_options(synchronize_session=False))


def ask_to_cancel(session: Session, job: Job, *, now: datetime) -> None:
    """Cancel a waiting job; have a running one stop at its next step. Does nothing if the job has ended."""
    cancel_waiting = update(Job).where(Job.id == job.id, Job.state == "waiting")
    session.execute(cancel_waiting.values(state="cancelled", cancel_asked=True, finished_at=now))
    session.execute(update(Job).where(Job.id == job.id, Job.state == "running").values(cancel_asked=True))
    session.refresh(job)
