"""Who is told of an interview that was fixed, changed or cancelled, with the file that tells their calendar.

The applicant and the interviewers get separate mails. No mail names the applicant; a calendar of the lab does, unless
the lab reviews blind first. Calendars are written as RFC 5545 says, the files of mails as RFC 5546 says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from icalendar import Calendar, Event, vCalAddress
from sqlalchemy import select

from portal import mail
from portal.applications.interviews.queries import interviewers_of, names_in_calendars
from portal.mail import Attachment
from portal.models import Cycle, InterviewSlot, Lab, OutboxMail

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Choice, User

Method = Literal["REQUEST", "CANCEL", "PUBLISH"]
PRODUCT = "-//Ph.D. Portal//Interviews//EN"
FILENAMES: dict[Method, str] = {"REQUEST": "interview.ics", "CANCEL": "cancelled.ics", "PUBLISH": "calendar.ics"}
INTERVIEW_PATH = "/me/application/{cycle}/interview?lab={lab}"
LAB_PATH = "/reviews/{lab}/interviews"


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody who takes part, by name and mail address."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An interview as a calendar holds it; `comment` is the reason of a cancellation."""

    uid: str
    summary: str
    starts_at: datetime
    minutes: int
    stamped_at: datetime
    sequence: int
    where: str
    organizer: Party
    attendee: Party | None = None
    comment: str = ""
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class CancelledInterview:
    """An interview that does not take place: what calendars are told, and who was to interview."""

    entry: Entry
    interviewers: Sequence[User]


def calendar_text(entries: Iterable[Entry], *, method: Method = "PUBLISH", name: str = "") -> str:
    """A calendar with these entries, with points in time in UTC; `name` is what calendar programs call it."""
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


def entry_for(
    session: Session,
    slot: InterviewSlot,
    choice: Choice,
    person: User | None,
    stamped_at: datetime,
    *,
    named: bool | None = None,
    cancelled: bool = False,
) -> Entry:
    """An interview as it stands in the calendar of `person`; `named` says whether the lab's calendars name applicants,
    if the caller has read it.
    """
    lab, applicant, with_whom = slot.lab, choice.application.applicant, ""
    if person is not None and person.id != applicant.id:
        named = names_in_calendars(session, lab.id) if named is None else named
        with_whom = f" with {applicant.display_name}" if named else ""
    return Entry(
        uid=slot.uid,
        summary=_summary(lab, slot.cycle.name, with_whom),
        starts_at=slot.starts_at,
        minutes=slot.minutes,
        stamped_at=stamped_at,
        sequence=slot.sequence + cancelled,
        where=slot.where,
        organizer=Party(lab.name, slot.organizer),
        attendee=Party(person.display_name, person.email) if person else None,
        cancelled=cancelled,
    )


def tell_offered(session: Session, lab: Lab, choices: Sequence[Choice], first: InterviewSlot, *, now: datetime) -> None:
    """A lab offers times, `first` among them, to applicants who waited for one."""
    for choice in choices:
        context = {"cycle": choice.application.cycle.name, "lab": lab.name}
        dedupe = f"interview-times:{choice.id}:{first.id}"
        _tell(session, choice.application.applicant, "interview_times", first, choice, context, dedupe, now)


def tell_picked(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """An applicant picked a free time."""
    for person in (choice.application.applicant, *interviewers_of(session, slot)):
        _tell_fixed(session, person, "interview_picked", slot, choice, now)


def tell_moved(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """The lab gave an interview another time, or another place."""
    for person in (choice.application.applicant, *interviewers_of(session, slot)):
        _tell_fixed(session, person, "interview_changed", slot, choice, now)


def tell_changed(
    session: Session, slot: InterviewSlot, choice: Choice, former: CancelledInterview, *, now: datetime
) -> None:
    """An applicant took another of the lab's times than that of the `former` interview."""
    interviewers = interviewers_of(session, slot)
    for person in (choice.application.applicant, *interviewers):
        if person in (choice.application.applicant, *former.interviewers):
            _tell_fixed(session, person, "interview_changed", slot, choice, now, former.entry)
        else:
            _tell_fixed(session, person, "interview_picked", slot, choice, now)
    for person in former.interviewers:
        if person not in interviewers:
            tell_cancelled_one(session, person, slot, choice, before=former.entry, now=now)


def tell_cancelled(
    session: Session, slot: InterviewSlot, choice: Choice, cancelled: CancelledInterview, *, now: datetime
) -> None:
    """An interview does not take place; the comment of its entry is the reason.

    A lab that reviews blind first is not told the reason: whoever wrote it may have known the name.
    """
    entry = cancelled.entry
    tell_cancelled_one(session, choice.application.applicant, slot, choice, before=entry, now=now)
    entry_for_lab = entry if names_in_calendars(session, slot.lab_id) else replace(entry, comment="")
    for person in cancelled.interviewers:
        tell_cancelled_one(session, person, slot, choice, before=entry_for_lab, now=now)


def tell_cancelled_one(
    session: Session, person: User, slot: InterviewSlot, choice: Choice, *, before: Entry, now: datetime
) -> None:
    """One person's interview does not take place."""
    context = {
        "cycle": slot.cycle.name,
        "lab": slot.lab.name,
        "zone": slot.zone,
        "starts_at": before.starts_at.isoformat(),
        "reason": before.comment,
    }
    dedupe = f"interview:{slot.id}:{before.sequence}:cancelled"
    _tell(session, person, "interview_cancelled", slot, choice, context, dedupe, now, _cancelling(before, person))


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


def cancelled_interview(
    session: Session, slot: InterviewSlot, choice: Choice, now: datetime, reason: str = ""
) -> CancelledInterview:
    """The interview as it is to be cancelled; must be called before the slot changes."""
    entry = entry_for(session, slot, choice, None, now, cancelled=True)
    return CancelledInterview(replace(entry, comment=reason), interviewers_of(session, slot))


def _tell_fixed(
    session: Session,
    person: User,
    kind: str,
    slot: InterviewSlot,
    choice: Choice,
    now: datetime,
    former: Entry | None = None,
) -> None:
    """Tell of the time of an interview, with its file and, in place of a `former` one, that one's cancellation."""
    context = {
        "cycle": slot.cycle.name,
        "lab": slot.lab.name,
        "zone": slot.zone,
        "starts_at": slot.starts_at.isoformat(),
        "minutes": slot.minutes,
        "where": slot.where,
    }
    files = [attached(entry_for(session, slot, choice, person, now), "REQUEST")]
    files += [_cancelling(former, person)] if former else []
    _tell(session, person, kind, slot, choice, context, f"interview:{slot.id}:{slot.sequence}", now, *files)


def _tell(
    session: Session,
    person: User,
    kind: str,
    slot: InterviewSlot,
    choice: Choice,
    context: Mapping[str, object],
    dedupe: str,
    now: datetime,
    *files: Attachment,
) -> None:
    of_applicant = INTERVIEW_PATH.format(cycle=choice.application.cycle.slug, lab=slot.lab.slug)
    path = of_applicant if person.id == choice.application.applicant_id else LAB_PATH.format(lab=slot.lab.slug)
    mail.tell(session, person, kind, context, now=now, path=path, dedupe=dedupe, attachments=files)


def _cancelling(before: Entry, person: User) -> Attachment:
    """The cancellation of an entry, addressed to one participant."""
    return attached(replace(before, attendee=Party(person.display_name, person.email)), "CANCEL")


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


def _event(entry: Entry) -> Event:
    event = Event()
    event.add("uid", entry.uid)
    event.add("dtstamp", entry.stamped_at)
    event.add("dtstart", entry.starts_at)
    event.add("dtend", entry.starts_at + timedelta(minutes=entry.minutes))
    event.add("sequence", entry.sequence)
    event.add("summary", _plain(entry.summary))
    event.add("status", "CANCELLED" if entry.cancelled else "CONFIRMED")
    event.add("transp", "OPAQUE")
    event.add("class", "PRIVATE")
    for key, value in (("location", entry.where), ("comment", entry.comment)):
        if value:
            event.add(key, _plain(value))
    if entry.organizer.email:
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
    return "".join(
        character
        for character in text.replace("\r\n", "\n")
        if character in "\n\t" or (character >= " " and character != "\x7f")
    ).strip()
