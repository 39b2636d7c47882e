"""The calendar under a secret address: what is in it, what never is, and that it can be closed."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

import pytest
from icalendar import Calendar
from sqlalchemy import select

from portal.applications.interviews.queries import Plan
from portal.applications.interviews.service import pick_slot
from portal.db import db
from portal.models import AuditEntry, CalendarFeed, Conflict, InterviewSlot, Lab, LabReviewing, User
from portal.reviews.interviews.service import Place, offer_slots
from tests.admission import Admission, admission_of
from tests.people import Person, submit
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

NOW = datetime.now(UTC).replace(microsecond=0)
DAY: date = NOW.date() + timedelta(days=20)
PAGE = "/accounts/calendar/"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """Two labs; the deadline has passed."""
    with admission_of(app, "Ada Lab", "Bit Lab", now=NOW - timedelta(days=31)) as made:
        yield made


def subscribed(person: Person) -> str:
    """The path of somebody's new feed."""
    page = submit(person.sign_in(), f"{PAGE}renew", {}, page=PAGE).text
    found = re.search(r'value="http://localhost:8000(/calendar/[\w-]+\.ics)"', page)
    assert found is not None, page
    return found[1]


def summaries(client: FlaskClient, url: str) -> list[str]:
    """What is in the calendar, parsed back."""
    response = client.get(url)
    assert response.status_code == 200
    return sorted(str(event["SUMMARY"]) for event in Calendar.from_ical(response.text).walk("VEVENT"))


def test_what_is_in_the_calendars_of_both_sides(client: FlaskClient, admission: Admission) -> None:
    person = admission.add_applicant("Li Wei")
    application = admission.eligible(person, "Ada Lab", "Bit Lab")
    invited, decided = (admission.choice(application, lab) for lab in ("Ada Lab", "Bit Lab"))
    admission.move(invited, "start_review", "shortlist", "invite_to_interview", as_="leader")
    admission.move(decided, "start_review", "shortlist", "rank", "offer", as_="leader")
    leader = admission.user(admission.leaders["Ada Lab"])
    (slot,) = offer_slots(
        db.session(),
        db.session.get_one(Lab, admission.labs["Ada Lab"]),
        admission.cycle,
        Plan(DAY, DAY, frozenset(), (time(10),), 30, "UTC"),
        Place(leader, "Room 1"),
        actor=leader,
        organizer="portal@example.edu",
        now=NOW,
    )
    pick_slot(db.session(), invited, slot.id, actor=application.applicant, now=NOW)
    db.session.commit()
    feeds = {
        who: subscribed(one)
        for who, one in (
            ("applicant", person),
            ("ada", admission.leaders["Ada Lab"]),
            ("reviewer", admission.reviewers["Ada Lab"]),
            ("bit", admission.leaders["Bit Lab"]),
        )
    }
    cycle = admission.cycle.name
    assert summaries(client, feeds["applicant"]) == [f"Interview, Ada Lab ({cycle})"]
    assert summaries(client, feeds["ada"]) == [f"Interview with Li Wei, Ada Lab ({cycle})"]
    assert summaries(client, feeds["reviewer"]) == []
    assert summaries(client, feeds["bit"]) == []
    admission.move(decided, "release", as_="admin")
    assert summaries(client, feeds["applicant"]) == [f"Interview, Ada Lab ({cycle})"]
    assert "offer" not in client.get(feeds["applicant"]).text.casefold()
    db.session.add(LabReviewing(lab_id=slot.lab_id, blind_first=True, changed_at=NOW))
    db.session.commit()
    assert summaries(client, feeds["ada"]) == [f"Interview, Ada Lab ({cycle})"]
    assert person.email not in client.get(feeds["ada"]).text
    db.session.add(Conflict(reviewer_id=leader.id, applicant_id=person.id, state="declared", changed_at=NOW))
    db.session.commit()
    assert summaries(client, feeds["ada"]) == []


def test_an_address_is_answered_without_cookies_and_only_when_something_changed(
    client: FlaskClient, admission: Admission
) -> None:
    url = subscribed(admission.add_applicant())
    first = client.get(url)
    assert ("Set-Cookie" in first.headers, first.headers["Cache-Control"]) == (False, "private, no-cache")
    assert first.headers["Content-Type"] == "text/calendar; charset=utf-8"
    again = client.get(url, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_an_address_that_was_renewed_closed_or_guessed_opens_nothing(client: FlaskClient, admission: Admission) -> None:
    person = admission.add_applicant()
    first, second = subscribed(person), subscribed(person)
    assert [client.get(url).status_code for url in (first, second)] == [404, 200]
    stored = [str(vars(row)) for table in (CalendarFeed, AuditEntry) for row in db.session.scalars(select(table))]
    token = second.removeprefix("/calendar/").removesuffix(".ics")
    assert [row for row in stored if token in row] == []
    assert token not in person.sign_in().get(PAGE).text
    db.session.get_one(User, person.id).active = False
    db.session.commit()
    assert client.get(second).status_code == 404
    db.session.get_one(User, person.id).active = True
    db.session.commit()
    submit(person.sign_in(), f"{PAGE}revoke", {}, page=PAGE)
    assert client.get(second).status_code == 404
    assert {client.get(f"/calendar/guess{number}.ics").status_code for number in range(40)} == {404, 429}


def test_more_interviews_take_no_more_statements(client: FlaskClient, admission: Admission) -> None:
    leader = admission.leaders["Ada Lab"]
    feed, counts = subscribed(leader), []
    for people in (1, 3):
        for _ in range(people):
            choice = admission.choice(admission.eligible(admission.add_applicant(), "Ada Lab"), "Ada Lab")
            admission.move(choice, "start_review", "shortlist", "invite_to_interview", as_="leader")
            starts_at = NOW + timedelta(days=20, hours=choice.id)
            values = {"zone": "UTC", "starts_at": starts_at, "picked_at": NOW, "created_at": NOW}
            of_choice = {"lab_id": choice.lab_id, "cycle_id": admission.cycle_id, "choice_id": choice.id}
            db.session.add(InterviewSlot(uid=f"slot{choice.id}@x", **of_choice, **values))
        db.session.commit()
        client.get(feed)  # notes that it was used
        db.session.expire_all()
        with statements_sent(admission.app) as statements:
            found = summaries(client, feed)
        counts.append((sum("with Applicant" in line for line in found), len(statements)))
    assert [number for number, _ in counts] == [1, 4]
    assert counts[0][1] == counts[1][1]
