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
    from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True, slots=True)
class CancelledInterview:
    """An interview that does not take place: what calendars are told, and who was to interview."""

    entry: Entry
    interviewers: Sequence[User]


def tell_offered(session: Session, lab: Lab, choices: Sequence[Choice], first: InterviewSlot, *, now: datetime) -> None:
    """A lab offers times, `first` among them, to applicants who waited for one."""
    for choice in choices:
        cycle, applicant = choice.application.cycle, choice.application.applicant
        mail.tell(
            session,
            applicant,
            "interview_times",
            {"cycle": cycle.name, "lab": lab.name},
            now=now,
            path=_path(lab, cycle, choice, applicant),
            dedupe=f"interview-times:{choice.id}:{first.id}",
        )


def tell_picked(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """An applicant picked a free time."""
    for person in (choice.application.applicant, *interviewers_of(session, slot)):
        _tell(session, person, "interview_picked", slot, choice, now, ())


def tell_moved(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """The lab gave an interview another time, or another place."""
    for person in (choice.application.applicant, *interviewers_of(session, slot)):
        _tell(session, person, "interview_changed", slot, choice, now, ())


def tell_changed(
    session: Session, slot: InterviewSlot, choice: Choice, former: CancelledInterview, *, now: datetime
) -> None:
    """An applicant took another of the lab's times than that of the `former` interview."""
    applicant = choice.application.applicant
    _tell(session, applicant, "interview_changed", slot, choice, now, (_for_person(former.entry, applicant),))
    interviewers = interviewers_of(session, slot)
    for person in interviewers:
        if person in former.interviewers:
            _tell(session, person, "interview_changed", slot, choice, now, (_for_person(former.entry, person),))
        else:
            _tell(session, person, "interview_picked", slot, choice, now, ())
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
    lab, cycle = slot.lab, slot.cycle
    mail.tell(
        session,
        person,
        "interview_cancelled",
        {
            "cycle": cycle.name,
            "lab": lab.name,
            "zone": slot.zone,
            "starts_at": before.starts_at.isoformat(),
            "reason": before.comment,
        },
        now=now,
        path=_path(lab, cycle, choice, person),
        dedupe=f"interview:{slot.id}:{before.sequence}:cancelled",
        attachments=(_for_person(before, person),),
    )


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
        summary, is_to_lab = _summary(lab, cycle), outbox_mail.context["path"] == LAB_PATH.format(lab=lab.slug)
        outbox_mail.attachments = [
            {**file, "text": with_summary(file["text"], summary, comment=not is_to_lab)}
            for file in outbox_mail.attachments
        ]
        if is_to_lab and "reason" in outbox_mail.context:
            outbox_mail.context = {**outbox_mail.context, "reason": ""}


def cancelled_interview(
    session: Session, slot: InterviewSlot, choice: Choice, now: datetime, reason: str = ""
) -> CancelledInterview:
    """The interview as it is to be cancelled; must be called before the slot changes."""
    entry = _entry(session, slot, choice, None, now, sequence=slot.sequence + 1, cancelled=True)
    return CancelledInterview(replace(entry, comment=reason), interviewers_of(session, slot))


def entry_for(
    session: Session, slot: InterviewSlot, choice: Choice, person: User, now: datetime, *, named: bool | None = None
) -> Entry:
    """An interview as it stands in the calendar of `person`; `named` says whether the lab's calendars name applicants,
    if the caller has read it.
    """
    return _entry(session, slot, choice, person, now, sequence=slot.sequence, named=named)


def _tell(
    session: Session,
    person: User,
    kind: str,
    slot: InterviewSlot,
    choice: Choice,
    now: datetime,
    also: Sequence[Attachment],
) -> None:
    lab, cycle = slot.lab, slot.cycle
    context = {
        "cycle": cycle.name,
        "lab": lab.name,
        "zone": slot.zone,
        "starts_at": slot.starts_at.isoformat(),
        "minutes": slot.minutes,
        "where": slot.where,
    }
    mail.tell(
        session,
        person,
        kind,
        context,
        now=now,
        path=_path(lab, cycle, choice, person),
        dedupe=f"interview:{slot.id}:{slot.sequence}",
        attachments=(attached(entry_for(session, slot, choice, person, now), "REQUEST"), *also),
    )


def _entry(
    session: Session,
    slot: InterviewSlot,
    choice: Choice,
    person: User | None,
    now: datetime,
    *,
    sequence: int,
    cancelled: bool = False,
    named: bool | None = None,
) -> Entry:
    lab, cycle = slot.lab, slot.cycle
    applicant = choice.application.applicant
    with_whom = ""
    if person is not None and person.id != applicant.id:
        named = names_in_calendars(session, lab.id) if named is None else named
    if named and person is not None and person.id != applicant.id:
        with_whom = f" with {applicant.display_name}"
    return Entry(
        uid=slot.uid,
        summary=_summary(lab, cycle.name, with_whom),
        starts_at=slot.starts_at,
        stamped_at=now,
        minutes=slot.minutes,
        sequence=sequence,
        where=slot.where,
        organizer=Party(lab.name, slot.organizer),
        attendee=Party(person.display_name, person.email) if person else None,
        cancelled=cancelled,
    )


def _summary(lab: Lab, cycle: str, with_whom: str = "") -> str:
    return f"Interview{with_whom}, {lab.name} ({cycle})"


def _for_person(before: Entry, person: User) -> Attachment:
    """The cancellation of an entry, addressed to one participant."""
    return attached(replace(before, attendee=Party(person.display_name, person.email)), "CANCEL")


def _path(lab: Lab, cycle: Cycle, choice: Choice, person: User) -> str:
    if person.id == choice.application.applicant_id:
        return INTERVIEW_PATH.format(cycle=cycle.slug, lab=lab.slug)
    return LAB_PATH.format(lab=lab.slug)
