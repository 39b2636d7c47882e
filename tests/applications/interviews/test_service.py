"""Interviews: offered, picked by one, moved and cancelled, with calendars that follow."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from icalendar import Calendar

from portal.applications.interviews.pages import interview_page
from portal.applications.interviews.queries import free_slots
from portal.applications.interviews.service import pick_slot
from portal.applications.locks import Refusal
from portal.models import Choice, Conflict, InterviewSlot, Lab, LabProfessor
from portal.reviews.interviews.service import (
    Place,
    Plan,
    cancel_slot,
    move_slot,
    offer_slots,
    why_not_plan,
)
from portal.reviews.interviews.times import starts_in
from tests.admission import Admission, admission_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
WINTER = date(2027, 1, 11)  # a Monday


def plan(day: date, times: str = "10:00", minutes: int = 30, zone: str = "UTC") -> Plan:
    return Plan(starts_in(f"{day} {times}", minutes, zone, day), minutes, zone)


@pytest.fixture
def round_(app: Flask) -> Iterator[Admission]:
    """Two labs, and an applicant whom both invite to an interview."""
    with admission_of(app, "Ada Lab", "Bit Lab", now=NOW) as admission:
        yield admission


def invited(admission: Admission, *labs: str, name: str = "") -> Choice:
    """The choice of the first lab of a new applicant, whom all labs invite."""
    application = admission.eligible(admission.add_applicant(name), *labs)
    for lab in labs:
        moves = ("start_review", "shortlist", "invite_to_interview")
        admission.move(admission.choice(application, lab), *moves, as_="leader")
    return admission.choice(application, labs[0])


def offered(admission: Admission, lab: str, wanted: Plan, interviewer: str = "") -> list[InterviewSlot]:
    """Offer times; the interviewer is the leader of `interviewer`."""
    leader = admission.user(admission.leaders[lab])
    who = admission.user(admission.leaders[interviewer]) if interviewer else None
    return list(
        offer_slots(
            admission.session,
            admission.session.get_one(Lab, admission.labs[lab]),
            admission.cycle,
            wanted,
            Place(who, "https://video.example.edu/room"),
            actor=leader,
            organizer="portal@example.edu",
            now=admission.now,
        )
    )


def files(admission: Admission, address: str) -> list[tuple[str, Calendar]]:
    """What was attached to the mails to somebody: its type, and the calendar parsed back."""
    sent = [mail for mail in admission.app.extensions["mailman"].outbox if mail.to == [address]]
    return [
        (str(part["Content-Type"]), Calendar.from_ical(part.get_payload(decode=True)))
        for mail in sent
        for part in mail.attachments
    ]


def calendars(admission: Admission, address: str) -> list[tuple[str, str, int]]:
    """What the calendar of somebody was told by mail, as (method, UID, sequence)."""
    return [
        (str(calendar["METHOD"]), str(event["UID"]), int(str(event["SEQUENCE"])))
        for _kind, calendar in files(admission, address)
        for event in calendar.walk("VEVENT")
    ]


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (plan(WINTER, minutes=4), "An interview takes 5 to 480 minutes."),
        (plan(WINTER, times="10:00 10:20"), "Two of the times are less than 30 minutes apart"),
        (Plan(tuple(NOW + timedelta(minutes=5 * at) for at in range(201)), 5, "UTC"), "These are 201 times"),
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(wanted: Plan, reason: str) -> None:
    assert (why_not_plan(wanted) or "").startswith(reason)


def test_picking_and_changing_tell_both_sides_and_their_calendars(round_: Admission) -> None:
    choice = invited(round_, "Ada Lab")
    first, second = offered(round_, "Ada Lab", plan(WINTER, times="10:00 11:00"), "Ada Lab")
    applicant, leader = choice.application.applicant, round_.leaders["Ada Lab"]
    for slot in (first, second, second):
        pick_slot(round_.session, choice, slot.id, actor=applicant, now=round_.now)
    assert (first.choice_id, second.choice_id) == (None, choice.id)
    round_.session.commit()
    told = [
        ("REQUEST", first.uid, 1),
        ("CANCEL", first.uid, 2),
        ("REQUEST", second.uid, 1),
    ]
    assert calendars(round_, applicant.email) == told
    assert calendars(round_, leader.email) == told
    assert calendars(round_, round_.reviewers["Ada Lab"].email) == []
    assert [slot.id for slot in free_slots(round_.session, choice, round_.now)] == [first.id]


def test_the_file_of_an_interview_says_when_where_and_who_and_nothing_of_decisions(round_: Admission) -> None:
    choice = invited(round_, "Ada Lab", name="Li Wei 李伟;\r\nATTENDEE:x")
    (slot,) = offered(round_, "Ada Lab", plan(WINTER, zone="America/New_York"), "Ada Lab")
    pick_slot(round_.session, choice, slot.id, actor=choice.application.applicant, now=round_.now)
    round_.session.commit()
    address = round_.leaders["Ada Lab"].email
    ((kind, calendar),) = files(round_, address)
    (event,) = calendar.walk("VEVENT")
    assert (event["DTSTART"].to_ical(), event["DTEND"].to_ical()) == (b"20270111T150000Z", b"20270111T153000Z")
    assert str(event["ORGANIZER"]) == "mailto:portal@example.edu"
    assert str(event["ATTENDEE"]) == f"mailto:{address}"
    assert str(event["LOCATION"]) == "https://video.example.edu/room"
    assert str(event["SUMMARY"]) == f"Interview, Ada Lab ({choice.application.cycle.name})"
    assert [part.strip() for part in kind.replace('"', "").split(";")] == [
        "text/calendar",
        "charset=utf-8",
        "method=REQUEST",
    ]


def test_calendars_of_a_lab_name_nobody(round_: Admission) -> None:
    choice = invited(round_, "Ada Lab", name="Hidden Name")
    leader = round_.user(round_.leaders["Ada Lab"])
    first, second = offered(round_, "Ada Lab", plan(WINTER, times="10:00 11:00"), "Ada Lab")
    for slot in (first, second):
        pick_slot(round_.session, choice, slot.id, actor=choice.application.applicant, now=round_.now)
    round_.session.commit()
    sent = [mail for mail in round_.app.extensions["mailman"].outbox if mail.to == [leader.email]]
    told = "".join(mail.message().as_string() for mail in sent)
    told += "".join(calendar.to_ical().decode() for _kind, calendar in files(round_, leader.email))
    assert [word for word in ("Hidden Name", choice.application.applicant.email) if word in told] == []
    entries = [("REQUEST", first.uid, 1), ("CANCEL", first.uid, 2), ("REQUEST", second.uid, 1)]
    assert calendars(round_, leader.email) == calendars(round_, choice.application.applicant.email) == entries


def test_a_lab_moves_and_cancels_and_both_sides_are_told(round_: Admission) -> None:
    choice = invited(round_, "Ada Lab")
    (slot,) = offered(round_, "Ada Lab", plan(WINTER, zone="Europe/Berlin"))
    applicant, leader = choice.application.applicant, round_.user(round_.leaders["Ada Lab"])
    pick_slot(round_.session, choice, slot.id, actor=applicant, now=round_.now)
    local = datetime.fromisoformat("2027-07-05T09:00")
    for _ in range(2):  # a double click
        move_slot(round_.session, slot, local, 45, "Room 2", actor=leader, now=round_.now)
    assert slot.starts_at == datetime(2027, 7, 5, 7, tzinfo=UTC)
    with pytest.raises(Refusal, match="says why"):
        cancel_slot(round_.session, slot, " ", actor=leader, now=round_.now)
    for _ in range(2):
        cancel_slot(round_.session, slot, "A colleague is ill.", actor=leader, now=round_.now)
    round_.session.commit()
    told = [("REQUEST", slot.uid, 1), ("REQUEST", slot.uid, 2), ("CANCEL", slot.uid, 3)]
    assert slot.cancel_reason == "A colleague is ill."
    _kind, entry = files(round_, applicant.email)[-1]
    assert [str(event["COMMENT"]) for event in entry.walk("VEVENT")] == ["A colleague is ill."]
    mailed = [mail.body for mail in round_.app.extensions["mailman"].outbox if mail.to == [applicant.email]]
    shown = interview_page(round_.session, choice, round_.now)["cancelled"]
    assert (mailed[-1].count("A colleague is ill."), shown and shown.cancel_reason) == (1, "A colleague is ill.")
    # Nobody is named as the interviewer: all who read for the lab are told.
    people = (applicant, round_.leaders["Ada Lab"], round_.reviewers["Ada Lab"])
    assert [calendars(round_, person.email) for person in people] == [told] * 3
    with pytest.raises(Refusal):
        pick_slot(round_.session, choice, slot.id, actor=applicant, now=round_.now)


def test_one_interviewer_is_not_at_two_interviews_at_once(round_: Admission) -> None:
    both = round_.user(round_.leaders["Ada Lab"])
    round_.session.add(LabProfessor(lab_id=round_.labs["Bit Lab"], user_id=both.id, position="reviewer"))
    round_.session.commit()
    (slot,) = offered(round_, "Ada Lab", plan(WINTER, minutes=60), "Ada Lab")
    with pytest.raises(Refusal, match="Leader Ada Lab has an interview time at another lab at 11 Jan 2027, 10:00"):
        offered(round_, "Bit Lab", plan(WINTER, times="10:59"), "Ada Lab")
    (next_one,) = offered(round_, "Bit Lab", plan(WINTER, times="11:00"), "Ada Lab")
    offered(round_, "Bit Lab", plan(WINTER, times="10:00"), "Bit Lab")
    with pytest.raises(Refusal, match="at another lab"):
        move_slot(
            round_.session, next_one, datetime.fromisoformat("2027-01-11T10:30"), 30, "", actor=both, now=round_.now
        )
    cancel_slot(round_.session, slot, "", actor=both, now=round_.now)
    assert move_slot(
        round_.session, next_one, datetime.fromisoformat("2027-01-11T10:30"), 30, "", actor=both, now=round_.now
    )
    with pytest.raises(Refusal, match="does not read for Ada Lab"):
        offered(round_, "Ada Lab", plan(WINTER, times="18:00"), "Bit Lab")


def test_times_that_cannot_be_had_are_neither_offered_nor_given(round_: Admission) -> None:
    choice = invited(round_, "Ada Lab", "Bit Lab")
    session, application, applicant = round_.session, choice.application, choice.application.applicant
    (elsewhere,) = offered(round_, "Bit Lab", plan(WINTER, minutes=60))
    early, late = offered(round_, "Ada Lab", plan(WINTER, times="10:30 11:00"))
    (others,) = offered(round_, "Ada Lab", plan(WINTER, times="15:00"), "Ada Lab")
    pick_slot(session, round_.choice(application, "Bit Lab"), elsewhere.id, actor=applicant, now=round_.now)
    with pytest.raises(Refusal, match="no longer available"):
        pick_slot(session, choice, early.id, actor=applicant, now=round_.now)
    session.add(
        Conflict(reviewer_id=round_.leaders["Ada Lab"].id, applicant_id=applicant.id, state="declared", changed_at=NOW)
    )
    session.flush()
    assert [slot.id for slot in free_slots(session, choice, round_.now)] == [late.id]
    for wrong in (others, elsewhere):
        with pytest.raises(Refusal):
            pick_slot(session, choice, wrong.id, actor=applicant, now=round_.now)
    with pytest.raises(Refusal):
        pick_slot(session, choice, late.id, actor=applicant, now=late.starts_at)
    with pytest.raises(Refusal, match="somebody else’s"):
        pick_slot(session, choice, late.id, actor=round_.user(round_.admin), now=round_.now)
    pick_slot(session, choice, late.id, actor=applicant, now=round_.now)
    with pytest.raises(Refusal, match="Your interview was on"):
        pick_slot(session, choice, others.id, actor=applicant, now=late.starts_at)


def test_an_interview_that_has_begun_is_not_changed_and_one_ahead_keeps_the_choice(round_: Admission) -> None:
    choice = invited(round_, "Ada Lab")
    (slot,) = offered(round_, "Ada Lab", plan(WINTER))
    pick_slot(round_.session, choice, slot.id, actor=choice.application.applicant, now=round_.now)
    round_.session.commit()
    with pytest.raises(Refusal, match="An interview is scheduled for 11 Jan 2027, 10:00"):
        round_.one_move(choice, "mark_interviewed", "leader")
    round_.session.rollback()
    leader = round_.user(round_.leaders["Ada Lab"])
    round_.now = slot.starts_at
    for act in (
        lambda: cancel_slot(round_.session, slot, "x", actor=leader, now=round_.now),
        lambda: move_slot(
            round_.session, slot, datetime.fromisoformat("2027-02-01T09:00"), 30, "", actor=leader, now=round_.now
        ),
    ):
        with pytest.raises(Refusal, match="it stays as it was"):
            act()
    round_.one_move(choice, "mark_interviewed", "leader")
    assert choice.state == "interviewed"


def test_a_staged_decision_shows_in_no_refusal(round_: Admission) -> None:
    choice = invited(round_, "Ada Lab")
    (slot,) = offered(round_, "Ada Lab", plan(WINTER))
    round_.move(choice, "decline", as_="leader")
    assert pick_slot(round_.session, choice, slot.id, actor=choice.application.applicant, now=round_.now) is slot


def test_who_withdraws_frees_the_time_and_the_interviewer_is_told(round_: Admission) -> None:
    choice = invited(round_, "Ada Lab")
    (slot,) = offered(round_, "Ada Lab", plan(WINTER), "Ada Lab")
    pick_slot(round_.session, choice, slot.id, actor=choice.application.applicant, now=round_.now)
    round_.one_move(choice.application, "withdraw", "applicant")
    told = [("REQUEST", slot.uid, 1), ("CANCEL", slot.uid, 2)]
    assert calendars(round_, round_.leaders["Ada Lab"].email) == told
    assert slot.choice_id is None
