"""Interviews and dates as calendars read them (RFC 5545), and the files that go with mails (RFC 5546).

Points in time are written in UTC. A calendar contains nothing that its reader may not see after signing in.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from icalendar import Calendar, Event, vCalAddress

from portal.mail import Attachment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Method = Literal["REQUEST", "CANCEL", "PUBLISH"]
PRODUCT = "-//Ph.D. Portal//Interviews//EN"
FILENAMES: dict[Method, str] = {"REQUEST": "interview.ics", "CANCEL": "cancelled.ics", "PUBLISH": "calendar.ics"}


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody who takes part, by name and mail address."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a calendar. Without `minutes` it is a point in time, such as a date by which to answer."""

    uid: str
    summary: str
    starts_at: datetime
    stamped_at: datetime
    minutes: int = 0
    sequence: int = 0
    where: str = ""
    description: str = ""
    comment: str = ""
    url: str = ""
    organizer: Party | None = None
    attendee: Party | None = None
    cancelled: bool = False


def calendar_text(entries: Iterable[Entry], *, method: Method = "PUBLISH", name: str = "") -> str:
    """A calendar with these entries; `name` is what calendar programs call it."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", method)
    if name:
        calendar.add("x-wr-calname", name)
        calendar.add("refresh-interval", timedelta(hours=1), parameters={"VALUE": "DURATION"})
    for entry in entries:
        calendar.add_component(_event(entry))
    ical: bytes = calendar.to_ical()
    return ical.decode("utf-8")


def attached(entry: Entry, method: Method) -> Attachment:
    """An entry as the file of a mail."""
    text = calendar_text([entry], method=method)
    return Attachment(FILENAMES[method], f"text/calendar; charset=utf-8; method={method}", text)


def with_summary(text: str, summary: str, *, comment: bool = True) -> str:
    """The calendar of an entry, as `attached` wrote it, with another summary; with its comment or without it."""
    calendar = Calendar.from_ical(text)
    for event in calendar.walk("VEVENT"):
        del event["summary"]
        event.add("summary", _plain(summary))
        if not comment:
            event.pop("comment", None)
    ical: bytes = calendar.to_ical()
    return ical.decode("utf-8")


def _event(entry: Entry) -> Event:
    event = Event()
    event.add("uid", entry.uid)
    event.add("dtstamp", entry.stamped_at)
    event.add("dtstart", entry.starts_at)
    if entry.minutes:
        event.add("dtend", entry.starts_at + timedelta(minutes=entry.minutes))
    event.add("sequence", entry.sequence)
    event.add("summary", _plain(entry.summary))
    event.add("status", "CANCELLED" if entry.cancelled else "CONFIRMED")
    event.add("transp", "OPAQUE" if entry.minutes else "TRANSPARENT")
    event.add("class", "PRIVATE")
    for key, value in (
        ("location", entry.where),
        ("description", entry.description),
        ("comment", entry.comment),
        ("url", entry.url),
    ):
        if value:
            event.add(key, _plain(value))
    if entry.organizer is not None and entry.organizer.email:
        event.add("organizer", _address(entry.organizer))
    if entry.attendee is not None:
        person = _address(entry.attendee)
        person.params["ROLE"] = "REQ-PARTICIPANT"
        person.params["PARTSTAT"] = "ACCEPTED"
        event.add("attendee", person)
    return event


def _address(party: Party) -> vCalAddress:
    address = vCalAddress(f"mailto:{party.email}")
    address.params["CN"] = _plain(party.name).replace('"', "’").replace("\n", " ")
    return address


def _plain(text: str) -> str:
    """The text without characters that are forbidden in calendars (RFC 5545, 3.1)."""
    allowed = "".join(
        character
        for character in text.replace("\r\n", "\n")
        if character in "\n\t" or (character >= " " and character != "\x7f")
    )
    return allowed.strip()
