"""Points in time as people read them: day, time and time zone."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, available_timezones

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

ANYWHERE_ON_EARTH = "Etc/GMT+12"
FIRST_YEAR, LAST_YEAR = 2000, 2199  # in which people may set dates: every time zone can represent their days
SKEW = timedelta(minutes=5)
"""How far the clocks of hosts may differ. A time further ahead was written by a wrong clock, and is not waited for."""
END_OF_DAY = time(23, 59)  # of a deadline
NAMES = {ANYWHERE_ON_EARTH: "Anywhere on Earth", "UTC": "UTC", "Etc/UTC": "UTC"}


def is_zone(name: str) -> bool:
    """Whether `name` is a known time zone."""
    return name in known_zones()


@cache
def known_zones() -> frozenset[str]:
    """The names of the time zone database, which are files in folders; read once per process."""
    return frozenset(available_timezones())


def why_not_year(day: date) -> str | None:
    """Why a day is not accepted: its year is outside the range that anybody means."""
    if FIRST_YEAR <= day.year <= LAST_YEAR:
        return None
    return f"Give a year from {FIRST_YEAR} to {LAST_YEAR}."


def point_of(local: datetime, zone: ZoneInfo) -> datetime | None:
    """The point in time, in UTC, at which clocks in `zone` show `local`, for the first time if twice; None if never."""
    try:
        moment = local.replace(tzinfo=zone).astimezone(UTC)
        shown = moment.astimezone(zone).replace(tzinfo=None)
    except OverflowError:
        return None
    return moment if shown == local else None


def end_of_day(moment: datetime, zone: str, *, days_later: int) -> datetime:
    """The point in time, in UTC, at which the day in `zone` that comes so many days after `moment` ends: 23:59."""
    clock = ZoneInfo(zone)
    day = moment.astimezone(clock).date() + timedelta(days=days_later)
    return datetime.combine(day, END_OF_DAY.replace(fold=1), clock).astimezone(UTC)


def why_skipped(zone: str) -> str:
    """Why a time without `point_of` in a zone is not accepted."""
    return f"Clocks in {zone} skip this time on that day, since summer time begins. Choose another time."


def zone_label(name: str, moment: datetime) -> str:
    """A zone as printed after a time: "Anywhere on Earth", or the place with its UTC offset at that moment."""
    if name in NAMES:
        return NAMES[name]
    offset = moment.astimezone(ZoneInfo(name)).strftime("%z")
    return f"{name.rpartition('/')[2].replace('_', ' ')}, UTC{offset[:3]}:{offset[3:]}"


def format_in_zone(moment: datetime, zone: str) -> str:
    """A moment in a zone, such as "15 Dec 2026, 23:59 (Anywhere on Earth)"."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{local.day} {local:%b %Y, %H:%M} ({zone_label(zone, moment)})"


READERS_ZONE: ContextVar[str] = ContextVar("readers_zone", default="")
"""The zone of whoever reads what is being written, as their browser told; empty where it is not known."""


@contextmanager
def as_read_in(zone: str) -> Iterator[None]:
    """Within the block, word times for a reader in this zone; empty if it is not known."""
    before = READERS_ZONE.set(zone)
    try:
        yield
    finally:
        READERS_ZONE.reset(before)


def readers_zone(usual: str) -> str:
    """The zone of the reader, or else this one."""
    return READERS_ZONE.get() or usual


def told(moment: datetime, zone: str) -> str:
    """A moment in the reader's zone, or else in `zone`, as `format_in_zone` writes it."""
    return format_in_zone(moment, readers_zone(zone))


def told_deadline(moment: datetime, zone: str) -> str:
    """The same and `zone` beside it: "16 Dec 2026, 12:59 (Berlin, UTC+01:00; 15 Dec 2026, 23:59 Anywhere on Earth)"."""
    text, given = told(moment, zone), format_in_zone(moment, zone)
    return text if text == given else f"{text.removesuffix(')')}; {given.replace(' (', ' ')}"
