"""Interview times in plain words ("Tue 14:00–15:30, 2 Dec 10:00") or as pasted from a calendar (.ics).

A day holds for the times that follow it. A day without a year is the next one of that name from today on; a weekday
alone is the next one after the day before it in the text. A span of time is divided into interviews.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from portal.applications.interviews.queries import MOST_SLOTS
from portal.applications.locks import Refusal, refuse_if
from portal.moments import is_zone, point_of, why_not_year, why_skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH, _CLOCK = rf"(?:{'|'.join(MONTHS)})[a-z]*", r"\d{1,2}[:.]\d{2}(?:[ ]?[ap]m)?|\d{1,2}[ ]?[ap]m"
_TOKEN = re.compile(
    rf"""(?ix)
    (?P<iso>\d{{4}}-\d{{1,2}}-\d{{1,2}})
    | (?P<day>\d{{1,2}})(?:\.|st|nd|rd|th)?[ ]+(?P<month>{_MONTH})\.?(?:,?[ ]+(?P<year>\d{{4}}))?(?!\w)
    | (?P<month2>{_MONTH})\.?[ ]+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?:,?[ ]+(?P<year2>\d{{4}}))?(?![\w:.])
    | (?P<weekday>{"|".join(DAYS)})[a-z]*\.?(?!\w)
    | (?P<clock>{_CLOCK})(?:[ ]*(?:[-–—]|to|until)[ ]*(?P<end>{_CLOCK}))?(?![\w:])
    | (?P<gap>[\s,;()&]+|(?:and|at|from|or)(?!\w))
    | (?P<other>\S+)
    """
)
_MOMENT = re.compile(
    r"^DT(?P<what>START|END)(?:;VALUE=DATE-TIME)?(?:;TZID=\"?(?P<zone>[^:\";\n]+)\"?)?(?:;VALUE=DATE-TIME)?"
    r":(?P<at>\d{8}T\d{6})(?P<utc>Z?)",
    re.MULTILINE,
)


def starts_in(text: str, minutes: int, zone: str, today: date) -> tuple[datetime, ...]:
    """When the interviews of a text begin, in UTC and in order; spans are divided into interviews of `minutes`.

    Raises `Refusal` if a part of it cannot be read, names no day or time, or a time that clocks skip.
    """
    starts: set[datetime] = set()
    for begin, end in _of_calendar(text, zone) if "BEGIN:VEVENT" in text else _in_words(text, zone, today):
        length = timedelta(minutes=minutes)
        if end is not None and begin + length > end:
            raise Refusal(f"{begin.astimezone(ZoneInfo(zone)):%H:%M} leaves less than {minutes} minutes.")
        number = 1 if end is None else (end - begin) // length
        starts |= {begin + at * length for at in range(min(number, MOST_SLOTS + 1))}
        if len(starts) > MOST_SLOTS:
            raise Refusal(f"These are more than {MOST_SLOTS} times; offer at most {MOST_SLOTS} at once.")
    if not starts:
        raise Refusal("Give a day and a time, such as Tue 14:00–15:30.")
    return tuple(sorted(starts))


def _of_calendar(text: str, usual_zone: str) -> Iterator[tuple[datetime, datetime | None]]:
    unfolded = text.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "")
    for event in unfolded.split("BEGIN:VEVENT")[1:]:
        found = {}
        for moment in _MOMENT.finditer(event.partition("END:VEVENT")[0]):
            zone = moment["zone"] or ("UTC" if moment["utc"] else usual_zone)
            if not is_zone(zone):
                raise Refusal(f"The calendar names a time zone “{zone[:40]}” that is not known.")
            try:
                local = datetime.strptime(moment["at"], "%Y%m%dT%H%M%S")  # noqa: DTZ007  (in `zone`)
            except ValueError as error:
                raise Refusal(f"“{moment['at']}” is no time of the calendar.") from error
            refuse_if(why_not_year(local))
            found[moment["what"]] = _point(local, zone)
        if "START" not in found:
            raise Refusal("An event of the calendar has no time of day.")
        yield found["START"], found.get("END")


def _in_words(text: str, zone: str, today: date) -> Iterator[tuple[datetime, datetime | None]]:
    day: date | None = None
    named = ""  # a weekday that stands alone so far
    for token in _TOKEN.finditer(text):
        if token["other"]:
            raise Refusal(f"“{token['other'][:20]}” is neither a day nor a time. Write it like Tue 14:00.")
        if token["weekday"]:
            named = token["weekday"].lower()
            ahead = (DAYS.index(named) - (day or today).weekday()) % 7
            day = (day or today) + timedelta(days=ahead or (7 if day else 0))
            refuse_if(why_not_year(day))
        elif token["iso"] or token["day"] or token["day2"]:
            day = _day(token, today)
            if named and DAYS[day.weekday()] != named:
                raise Refusal(f"{token[0]} is a {day:%A}.")
        elif token["clock"]:
            if day is None:
                raise Refusal(f"Give the day of {token['clock']} before it, such as Tue.")
            named = ""
            begin, end = _clock(token["clock"]), _clock(token["end"]) if token["end"] else None
            if end is not None and end <= begin:
                raise Refusal(f"“{token[0]}” ends before it begins.")
            ends_at = _point(datetime.combine(day, end), zone) if end else None
            yield _point(datetime.combine(day, begin), zone), ends_at


def _day(token: re.Match[str], today: date) -> date:
    try:
        if token["iso"]:
            day = date(*map(int, token["iso"].split("-")))
        else:
            month = MONTHS.index((token["month"] or token["month2"])[:3].lower()) + 1
            number, year = int(token["day"] or token["day2"]), token["year"] or token["year2"]
            day = date(int(year or today.year), month, number)
            if not year and day < today:
                day = day.replace(year=today.year + 1)
    except ValueError as error:
        raise Refusal(f"“{token[0]}” is no day of the calendar.") from error
    refuse_if(why_not_year(day))
    return day


def _clock(text: str) -> time:
    match = re.fullmatch(r"(\d{1,2})(?:[:.](\d{2}))? ?([ap]m)?", text, re.IGNORECASE)
    hours, minutes = (int(match[1]), int(match[2] or 0)) if match else (24, 0)
    if match and match[3]:
        hours = hours % 12 + (12 if match[3].lower() == "pm" else 0) if 1 <= hours <= 12 else 24  # noqa: PLR2004
    if hours > 23 or minutes > 59:  # noqa: PLR2004  (hours and minutes)
        raise Refusal(f"“{text}” is not a time of day. Write it like 14:00.")
    return time(hours, minutes)


def _point(local: datetime, zone: str) -> datetime:
    point = point_of(local, ZoneInfo(zone))
    if point is None:
        raise Refusal(why_skipped(zone))
    return point.astimezone(UTC)
