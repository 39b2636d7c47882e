"""Who is told of an interview that was fixed, changed or cancelled, with the file that tells their calendar.

The applicant and the interviewers get separate mails. No mail names the applicant; a calendar of the lab does, unless
the lab reviews blind first. Calendars are written as RFC 5545 says, the files of mails as RFC 5546 says.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from icalendar import Calendar, Event, vCalAddress
from sqlalchemy import select

from portal import mail
from portal.applications.interviews.queries import interviewers_of, names_in_calendars
from portal.mail import Attachment
from portal.models import Cycle, InterviewSlot, Lab, OutboxMail

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Choice, User

Method = Literal["REQUEST", "CANCEL"]
PRODUCT = "-//Ph.D. Portal//Interviews//EN"
FILENAMES: dict[Method, str] = {"REQUEST": "interview.ics", "CANCEL": "cancelled.ics"}
INTERVIEW_PATH = "/me/application/{cycle}/interview?lab={lab}"
LAB_PATH = "/reviews/{lab}/interviews"


def tell_offered(session: Session, choices: Sequence[Choice], first: InterviewSlot, *, now: datetime) -> None:
    """A lab offers times, `first` among them, to applicants who waited for one."""
    for choice in choices:
        dedupe = f"interview-times:{choice.id}:{first.id}"
        _tell(session, choice.application.applicant, "interview_times", first, choice, {}, dedupe, now)


def tell_picked(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """An applicant picked a free time."""
    _tell_fixed(session, "interview_picked", slot, choice, now)


def tell_moved(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """The lab gave an interview another time, or another place."""
    _tell_fixed(session, "interview_changed", slot, choice, now)


def _tell_fixed(session: Session, kind: str, slot: InterviewSlot, choice: Choice, now: datetime) -> None:
    details = {"starts_at": slot.starts_at.isoformat(), "minutes": slot.minutes, "where": slot.where}
    details["zone"] = slot.zone
    is_named = names_in_calendars(session, slot.lab_id)
    for person in (choice.application.applicant, *interviewers_of(session, slot)):
        with_whom = ""
        if is_named and person.id != choice.application.applicant_id:
            with_whom = f" with {choice.application.applicant.display_name}"
        event = _event(slot, person, slot.sequence, now, _summary(slot.lab, slot.cycle.name, with_whom))
        dedupe = f"interview:{slot.id}:{slot.sequence}"
        _tell(session, person, kind, slot, choice, details, dedupe, now, _attached("REQUEST", event))


def tell_cancelled(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime, reason: str = "") -> None:
    """An interview will not take place. Must be called before the slot changes.

    A lab that reviews blind first is not told the reason: whoever wrote it may have known the name.
    """
    sequence, is_named = slot.sequence + 1, names_in_calendars(session, slot.lab_id)
    for person in (choice.application.applicant, *interviewers_of(session, slot)):
        told = reason if is_named or person.id == choice.application.applicant_id else ""
        event = _event(slot, person, sequence, now, _summary(slot.lab, slot.cycle.name), cancelled=True)
        if told:
            event.add("comment", _plain(told))
        details = {"zone": slot.zone, "starts_at": slot.starts_at.isoformat(), "reason": told}
        dedupe = f"interview:{slot.id}:{sequence}:cancelled"
        _tell(session, person, "interview_cancelled", slot, choice, details, dedupe, now, _attached("CANCEL", event))


def leave_names_out(session: Session, lab: Lab) -> None:
    """Take the names of applicants out of the calendars of mails that have not left, and reasons out of those to the
    lab, as it reviews blind first from now on.
    """
    slots = select(InterviewSlot.id, Cycle.name).join(Cycle, Cycle.id == InterviewSlot.cycle_id)
    cycles = {row.id: row.name for row in session.execute(slots.where(InterviewSlot.lab_id == lab.id))}
    unsent = OutboxMail.state.in_(("waiting", "sending", "dead"))
    for outbox_mail in session.scalars(
        select(OutboxMail).where(unsent, OutboxMail.dedupe_key.startswith("interview:"))
    ):
        cycle = cycles.get(int(str(outbox_mail.dedupe_key).split(":")[1]))
        if cycle is None:
            continue
        is_to_lab = outbox_mail.context["path"] == LAB_PATH.format(lab=lab.slug)
        outbox_mail.attachments = [
            {**file, "text": _with_summary(file["text"], _summary(lab, cycle), comment=not is_to_lab)}
            for file in outbox_mail.attachments
        ]
        if is_to_lab and "reason" in outbox_mail.context:
            outbox_mail.context = {**outbox_mail.context, "reason": ""}


def _tell(
    session: Session,
    person: User,
    kind: str,
    slot: InterviewSlot,
    choice: Choice,
    details: Mapping[str, object],
    dedupe: str,
    now: datetime,
    *files: Attachment,
) -> None:
    of_applicant = INTERVIEW_PATH.format(cycle=choice.application.cycle.slug, lab=slot.lab.slug)
    path = of_applicant if person.id == choice.application.applicant_id else LAB_PATH.format(lab=slot.lab.slug)
    context = {"cycle": slot.cycle.name, "lab": slot.lab.name, **details}
    mail.tell(session, person, kind, context, now=now, path=path, dedupe=dedupe, attachments=files)


def _summary(lab: Lab, cycle: str, with_whom: str = "") -> str:
    return f"Interview{with_whom}, {lab.name} ({cycle})"


def _with_summary(text: str, summary: str, *, comment: bool) -> str:
    """The calendar of an entry, as `attached` wrote it, with another summary; with its comment or without it."""
    calendar = Calendar.from_ical(text)
    for event in calendar.walk("VEVENT"):
        del event["summary"]
        event.add("summary", _plain(summary))
        if not comment:
            event.pop("comment", None)
    ical: bytes = calendar.to_ical()
    return ical.decode("utf-8")


def _attached(method: Method, event: Event) -> Attachment:
    """An event as the file of a mail."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", method)
    calendar.add_component(event)
    ical: bytes = calendar.to_ical()
    return Attachment(FILENAMES[method], f"text/calendar; charset=utf-8; method={method}", ical.decode("utf-8"))


def _event(
    slot: InterviewSlot, person: User, sequence: int, now: datetime, summary: str, *, cancelled: bool = False
) -> Event:
    """An interview in the calendar of `person`, with points in time in UTC."""
    event = Event()
    event.add("uid", slot.uid)
    event.add("dtstamp", now)
    event.add("dtstart", slot.starts_at)
    event.add("dtend", slot.starts_at + timedelta(minutes=slot.minutes))
    event.add("sequence", sequence)
    event.add("summary", _plain(summary))
    event.add("status", "CANCELLED" if cancelled else "CONFIRMED")
    event.add("transp", "OPAQUE")
    event.add("class", "PRIVATE")
    if slot.where:
        event.add("location", _plain(slot.where))
    if slot.organizer:
        event.add("organizer", _address(slot.lab.name, slot.organizer))
    attendee = _address(person.display_name, person.email)
    attendee.params["ROLE"] = "REQ-PARTICIPANT"
    attendee.params["PARTSTAT"] = "ACCEPTED"
    event.add("attendee", attendee)
    return event


def _address(name: str, email: str) -> vCalAddress:
    address = vCalAddress(f"mailto:{email}")
    address.params["CN"] = _plain(name).replace('"', "’").replace("\n", " ")
    return address


def _plain(text: str) -> str:
    """The text without characters that are forbidden in calendars (RFC 5545, 3.1)."""
    return "".join(
        character
        for character in text.replace("\r\n", "\n")
        if character in "\n\t" or (character >= " " and character != "\x7f")
    ).strip()
