"""Times in plain words and from calendars are read as they are meant, or refused with what is wrong."""

from __future__ import annotations

from datetime import date

import pytest

from portal.applications.locks import Refusal
from portal.reviews.interviews.times import starts_in

TODAY = date(2026, 11, 29)  # a Sunday
EVENT = "BEGIN:VEVENT\r\n{}\r\nEND:VEVENT\r\n"


@pytest.mark.parametrize(
    ("text", "zone", "starts"),
    [
        ("Wed 2 Dec 14:00–15:30, Thu 10:00", "UTC", ["02T14:00", "02T14:30", "02T15:00", "03T10:00"]),
        ("2026-12-02 10:00 11:00", "Asia/Shanghai", ["02T02:00", "02T03:00"]),
        ("Dec 3rd, 2pm and 3:30 pm\n4. December 9.15", "UTC", ["03T14:00", "03T15:30", "04T09:15"]),
        ("Tuesday 9:00; Tue 9:00", "UTC", ["01T09:00", "08T09:00"]),
        ("Sun from 9:00 to 10:00", "UTC", ["29T09:00", "29T09:30"]),
        ("5 Jan 12am", "UTC", ["05T00:00"]),
        ("28 Mar 2027 10:00, 27 Mar 2027 10:00", "Europe/Berlin", ["27T09:00", "28T08:00"]),
        ("31 Oct 2027 02:30", "Europe/Berlin", ["31T00:30"]),
        (EVENT.format("DTSTART;TZID=Europe/Berlin:20261202T140000\r\nDTEND;TZID=Europe/Berlin:20261202T150000"), "UTC",
         ["02T13:00", "02T13:30"]),
        (EVENT.format("DTSTART:20261202T140000Z") + EVENT.format("DTSTART:20261203T140000"), "Asia/Shanghai",
         ["02T14:00", "03T06:00"]),
        (EVENT.format("DTSTART;VALUE=DATE-TIME;TZID=Europe/Berlin:20261202T140000"), "UTC", ["02T13:00"]),
    ],
)  # fmt: skip
def test_what_is_written_is_what_is_offered(text: str, zone: str, starts: list[str]) -> None:
    assert [f"{start:%dT%H:%M}" for start in starts_in(text, 30, zone, TODAY)] == starts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Give a day and a time"),
        ("Wed 2 Dec", "Give a day and a time"),
        ("10:00", "Give the day of 10:00 before it"),
        ("Tue 2 Dec 10:00", "2 Dec is a Wednesday."),
        ("31 Feb 10:00", "“31 Feb” is no day of the calendar."),
        ("2 Dec 25:00", "“25:00” is not a time of day."),
        ("2 Dec 13pm", "“13pm” is not a time of day."),
        ("2 Dec 15:00-14:00", "“15:00-14:00” ends before it begins."),
        ("2 Dec 15:00-15:10", "15:00 leaves less than 30 minutes."),
        ("next week 10:00", "“next” is neither a day nor a time."),
        ("9999-12-31 23:50", "Give a year from 2000 to 2199."),
        ("28 Mar 2027 02:30", "Clocks in Europe/Berlin skip this time"),
        (EVENT.format("DTSTART;VALUE=DATE:20261202"), "An event of the calendar has no time of day."),
        (EVENT.format("DTSTART;TZID=Mars/Base:20261202T140000"), "The calendar names a time zone “Mars/Base”"),
        (EVENT.format("DTSTART:20261399T140000"), "“20261399T140000” is no time of the calendar."),
        (EVENT.format("DTSTART:99991231T235959Z"), "Give a year from 2000 to 2199."),
        ("mon " * 500_000, "Give a year from 2000 to 2199."),
        ("2 Dec 2026 10:00-23:30, 3 Dec 10:00-23:30, " * 5 + "Mon 10:00 " * 300, "These are more than 200 times"),
        # Read once, however many events begin and none ends.
        ("BEGIN:VEVENT\n" + "DTSTART;TZID=\n" * 140_000, "An event of the calendar has no time of day."),
        ("BEGIN:VEVENT\n" * 150_000, "An event of the calendar has no time of day."),
    ],
)
def test_what_cannot_be_read_is_quoted(text: str, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        starts_in(text, 30, "Europe/Berlin", TODAY)
    assert str(refused.value).startswith(reason)
