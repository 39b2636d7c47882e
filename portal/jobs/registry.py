"""The kinds of long work. Rooms add theirs when they are imported; `portal.app` imports them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime, time, timedelta

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Outcome, Progress

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
