"""The times of a series of interviews: days, times of day and a zone in, points in time out. No clock, no database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from portal.moments import is_zone, point_of, why_not_year, why_skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_SLOTS = 200
LONGEST_SERIES = timedelta(days=366)
FEWEST_MINUTES, MOST_MINUTES = 5, 480


@dataclass(frozen=True, slots=True)
class Plan:
    """From `first` to `last`, on `weekdays` (0 is Monday), at `times` of `zone`; each interview takes `minutes`.

    No weekdays means every day.
    """

    first: date
    last: date
    weekdays: frozenset[int]
    times: tuple[time, ...]
    minutes: int
    zone: str


def why_not_plan(plan: Plan) -> str | None:
    """The first reason against a plan."""
    return _why_not_shape(plan) or _why_not_starts(plan, starts_of(plan))


def why_not_days(first: date, last: date) -> str | None:
    """The first reason against the days of a plan."""
    if last < first:
        return "The last day is before the first one."
    if last - first > LONGEST_SERIES:
        return "A series spans a year at most. Offer the rest later."
    return None


def _why_not_shape(plan: Plan) -> str | None:
    reasons = (
        (not is_zone(plan.zone), f"There is no time zone “{plan.zone}”. Choose one from the list."),
        (
            not FEWEST_MINUTES <= plan.minutes <= MOST_MINUTES,
            f"An interview takes {FEWEST_MINUTES} to {MOST_MINUTES} minutes.",
        ),
        (not plan.times, "Give at least one time of day, such as 14:00."),
    )
    reason = next((reason for against, reason in reasons if against), None)
    return reason or why_not_days(plan.first, plan.last) or why_not_year(plan.first) or why_not_year(plan.last)


def _why_not_starts(plan: Plan, starts: Sequence[datetime]) -> str | None:
    if not starts:
        return _why_no_start(plan)
    if len(starts) > MOST_SLOTS:
        return f"These are {len(starts):,} times; offer at most {MOST_SLOTS} at once."
    if any(later - sooner < timedelta(minutes=plan.minutes) for sooner, later in pairwise(starts)):
        return f"Two of the times are less than {plan.minutes} minutes apart. Give each interview its own time."
    return None


def starts_of(plan: Plan) -> list[datetime]:
    """When the interviews of a plan begin, in UTC and in order.

    A time that clocks skip on a day, as when summer time begins, is left out on that day; one that they show twice is
    meant the first time.
    """
    zone = ZoneInfo(plan.zone)
    starts: set[datetime] = set()
    for offset in range((plan.last - plan.first).days + 1):
        day = plan.first + timedelta(days=offset)
        if plan.weekdays and day.weekday() not in plan.weekdays:
            continue
        for of_day in plan.times:
            start = point_of(datetime.combine(day, of_day), zone)
            if start is not None:
                starts.add(start)
    return sorted(starts)


def overlaps(starts_at: datetime, minutes: int, other_starts_at: datetime, other_minutes: int) -> bool:
    """Whether two interviews have a minute in common; one may begin when the other ends."""
    return starts_at < other_starts_at + timedelta(minutes=other_minutes) and other_starts_at < starts_at + timedelta(
        minutes=minutes
    )


def _why_no_start(plan: Plan) -> str:
    days = (plan.first + timedelta(days=offset) for offset in range((plan.last - plan.first).days + 1))
    if any(not plan.weekdays or day.weekday() in plan.weekdays for day in days):
        return why_skipped(plan.zone)
    return "None of the chosen weekdays falls between the first and the last day."
