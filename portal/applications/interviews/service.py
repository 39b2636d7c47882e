"""The times that applicants pick for their interviews, and who is told of them. Nobody is booked twice.

A time is taken by one statement that also checks that it is free, and an index allows a choice only one time. The
caller commits, or rolls back after a refusal. The applicant and the interviewers get separate mails, whose calendars
(RFC 5545, RFC 5546) do not name the applicant.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from icalendar import Calendar, Event, vCalAddress
from sqlalchemy import select, true, update

from portal import audit, mail
from portal.applications.cycles import why_closed
from portal.applications.interviews.queries import free_slots, interviewers_of, slot_of
from portal.applications.locks import Refusal, lock_person, locked_application, refuse_if
from portal.db import lock_row
from portal.mail import Attachment
from portal.models import InterviewSlot
from portal.moments import told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Choice, User


GONE = "This time is no longer available. Pick another one below."


def why_not_choose_time(choice: Choice) -> str | None:
    """Against picking or changing a time for this choice. Depends only on what the applicant was shown: a
    refusal must not reveal that a decision waits for its release.
    """
    if reason := why_closed(choice.application.cycle):
        return reason
    if choice.application.state != "eligible":
        return "Your application is not open any more."
    if choice.shown_state != "interview":
        return "There is no open invitation to an interview here."
    return None


def pick_slot(
    session: Session, choice: Choice, slot_id: int, *, actor: User, now: datetime, shown: int | None = None
) -> InterviewSlot:
    """Take a free time for the interview, in place of one that was picked before. The same again changes nothing.

    With `shown`, the sequence number that the applicant's page had, only if nobody has changed the time since.

    Side effects: takes the locks of the person and of the application, frees the time before, tells both sides. Raises
    `Refusal`: the time cannot be had any more, or the applicant cannot pick one now.
    """
    previous = _locked(session, choice, actor, now)
    if previous is not None and previous.id == slot_id:
        return previous
    slot = _held(session, choice, slot_id, now, shown)
    if slot.id not in {free.id for free in free_slots(session, choice, now)}:  # as during another interview
        raise Refusal(GONE)
    if previous is not None:
        free_time(session, previous, choice, now=now)
    slot.choice_id, slot.picked_at = choice.id, now
    slot.sequence += 1
    session.flush()
    session.expire(slot, ["choice"])
    tell_fixed(session, "interview_picked", slot, choice, now=now)
    after = {"choice": choice.id, "starts_at": slot.starts_at.isoformat()}
    audit.record(session, actor, "interview.pick", "interview", str(slot.id), now, after=after)
    return slot


def _held(session: Session, choice: Choice, slot_id: int, now: datetime, shown: int | None) -> InterviewSlot:
    """A time that is free for the choice. Side effect: holds its row, so that nobody else finds it free. Raises
    `Refusal`: it cannot be had any more.
    """
    free = (
        update(InterviewSlot)
        .where(
            InterviewSlot.id == slot_id,
            InterviewSlot.lab_id == choice.lab_id,
            InterviewSlot.cycle_id == choice.application.cycle_id,
            InterviewSlot.choice_id.is_(None),
            InterviewSlot.cancelled_at.is_(None),
            InterviewSlot.starts_at > now,
            true() if shown is None else InterviewSlot.sequence == shown,
        )
        .values(minutes=InterviewSlot.minutes)
        .returning(InterviewSlot.id)
    )
    if session.execute(free, execution_options={"synchronize_session": False}).one_or_none() is None:
        raise Refusal(GONE)
    return session.scalars(
        select(InterviewSlot).where(InterviewSlot.id == slot_id).execution_options(populate_existing=True)
    ).one()


def _locked(session: Session, choice: Choice, actor: User, now: datetime) -> InterviewSlot | None:
    """The picked time, read under the locks of the person and the application, once nothing is against changing it."""
    lock_person(session, actor)
    application = locked_application(session, choice)
    if application.applicant_id != actor.id:
        raise Refusal("This is somebody else’s application.")
    refuse_if(why_not_choose_time(choice))
    slot = slot_of(session, choice)
    if slot is None:
        return None
    hold(session, slot)
    if slot.choice_id != choice.id:
        return None
    if slot.starts_at <= now:
        raise Refusal(f"Your interview was on {told(slot.starts_at, slot.zone)}. Ask the lab for another one.")
    return slot


def free_time(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """Take the interview on `choice` off its time, and tell both sides. The caller holds the lock of the slot."""
    tell_cancelled(session, slot, choice, now=now)
    slot.choice_id, slot.picked_at = None, None
    slot.sequence += 1
    session.flush()


def free_time_ahead(session: Session, choice: Choice, *, now: datetime) -> bool:
    """Free the time of an interview that will not take place any more; False where none lies ahead."""
    slot = slot_of(session, choice)
    if slot is None or slot.starts_at <= now:
        return False
    hold(session, slot)
    if slot.choice_id != choice.id:
        return False
    free_time(session, slot, choice, now=now)
    return True


def hold(session: Session, slot: InterviewSlot) -> None:
    """Lock a slot until this transaction ends, and read it again."""
    lock_row(session, InterviewSlot.minutes, slot.id)
    session.refresh(slot)


Method = Literal["REQUEST", "CANCEL"]


def tell_offered(session: Session, choices: Sequence[Choice], first: InterviewSlot, *, now: datetime) -> None:
    """A lab offers times, `first` among them, to applicants who waited for one."""
    for choice in choices:
        dedupe = f"interview-times:{choice.id}:{first.id}"
        _tell(session, choice.application.applicant, "interview_times", first, choice, {}, dedupe, now)


def tell_fixed(session: Session, kind: str, slot: InterviewSlot, choice: Choice, *, now: datetime) -> None:
    """An applicant picked a free time, or the lab gave an interview another time or place, as the kind of mail says."""
    details = {"starts_at": slot.starts_at.isoformat(), "minutes": slot.minutes, "where": slot.where}
    details["zone"] = slot.zone
    dedupe = f"interview:{slot.id}:{slot.sequence}"
    for person in (choice.application.applicant, *interviewers_of(session, slot)):
        event = _event(slot, person, slot.sequence, now)
        _tell(session, person, kind, slot, choice, details, dedupe, now, _attached("REQUEST", event))


def tell_cancelled(session: Session, slot: InterviewSlot, choice: Choice, *, now: datetime, reason: str = "") -> None:
    """An interview will not take place, why its applicant is told. Must be called before the slot changes."""
    sequence = slot.sequence + 1
    for person in (choice.application.applicant, *interviewers_of(session, slot)):
        why = reason if person.id == choice.application.applicant_id else ""
        event = _event(slot, person, sequence, now, cancelled=True)
        if why:
            event.add("comment", _plain(why))
        details = {"zone": slot.zone, "starts_at": slot.starts_at.isoformat(), "reason": why}
        dedupe = f"interview:{slot.id}:{sequence}:cancelled"
        _tell(session, person, "interview_cancelled", slot, choice, details, dedupe, now, _attached("CANCEL", event))


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
    of_applicant = f"/me/application/{choice.application.cycle.slug}/interview?lab={slot.lab.slug}"
    path = of_applicant if person.id == choice.application.applicant_id else f"/reviews/{slot.lab.slug}/interviews"
    context = {"cycle": slot.cycle.name, "lab": slot.lab.name, **details}
    mail.tell(session, person, kind, context, now=now, path=path, dedupe=dedupe, attachments=files)


def _attached(method: Method, event: Event) -> Attachment:
    """An event as the file of a mail."""
    filename = "interview.ics" if method == "REQUEST" else "cancelled.ics"
    ical = calendar_file(event, "Interviews", method=method, calscale="GREGORIAN")
    return Attachment(filename, f"text/calendar; charset=utf-8; method={method}", ical.decode("utf-8"))


def calendar_file(event: Event, product: str, **properties: str) -> bytes:
    """A calendar that holds this event."""
    calendar = Calendar()
    for name, value in {"prodid": f"-//Ph.D. Portal//{product}//EN", "version": "2.0", **properties}.items():
        calendar.add(name, value)
    calendar.add_component(event)
    ical: bytes = calendar.to_ical()
    return ical


def _event(slot: InterviewSlot, person: User, sequence: int, now: datetime, *, cancelled: bool = False) -> Event:
    """An interview in the calendar of `person`, with points in time in UTC."""
    event = Event()
    event.add("uid", slot.uid)
    event.add("dtstamp", now)
    event.add("dtstart", slot.starts_at)
    event.add("dtend", slot.starts_at + timedelta(minutes=slot.minutes))
    event.add("sequence", sequence)
    event.add("summary", _plain(f"Interview, {slot.lab.name} ({slot.cycle.name})"))
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
