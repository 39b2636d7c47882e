"""Forms about an interview time that somebody else changed while their page was open."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.models import AuditEntry
from tests.admission import Admission, admission_of
from tests.people import csrf_token, submit
from tests.reviews.interview_times import DAY, LAB, NOW, OFFER, invited, offer, slots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """Two labs in a cycle whose deadline has passed."""
    with admission_of(app, "Ada Lab", "Bit Lab", now=NOW - timedelta(days=40)) as made:
        yield made


def test_a_time_that_the_lab_moved_while_the_page_was_open_is_not_taken(admission: Admission) -> None:
    leader = admission.leaders["Ada Lab"].sign_in()
    submit(leader, OFFER, offer(admission))
    first = slots()[0]
    person = admission.add_applicant()
    choice = invited(admission, person, "Ada Lab")
    mine = f"/me/application/{admission.cycle.slug}/interview"
    client = person.sign_in()

    def values() -> list[str]:
        return re.findall(r'name="slot"[^>]*? value="([^"]+)"', client.get(mine).text)

    as_read, unmoved = values()
    for begins, minutes in (("T16:00", first.minutes), ("T10:00", first.minutes + 15)):
        moved = {"begins": f"{DAY}{begins}", "minutes": minutes, "where": "elsewhere"}
        assert submit(leader, f"{LAB}/{first.id}", moved).status_code == 302
        refused = submit(client, mine, {"slot": as_read, "lab": "ada-lab"})
        assert (refused.status_code, "no longer available" in refused.text) == (409, True)
    for value, status in ((f"{first.id}/soon/30", 422), (f"x/{as_read}", 422), (f"{as_read}/5", 422)):
        assert submit(client, mine, {"slot": value, "lab": "ada-lab"}).status_code == status
    assert [slot.choice_id for slot in slots()] == [None, None]
    (longer,) = set(values()) - {unmoved}
    assert submit(client, mine, {"slot": longer, "lab": "ada-lab"}).status_code == 302
    assert [slot.choice_id for slot in slots()] == [choice.id, None]


def test_a_form_about_a_time_that_changed_meanwhile_points_it_out_before_it_counts(admission: Admission) -> None:
    leader, reviewer = (people["Ada Lab"].sign_in() for people in (admission.leaders, admission.reviewers))
    submit(leader, OFFER, offer(admission))
    first = slots()[0]
    page, cancel = f"{LAB}/{first.id}", f"{LAB}/{first.id}/cancel"

    def seen() -> str:
        return str(re.findall(r'name="seen"[^>]*value="(\d+)"', reviewer.get(page).text)[0])

    old = seen()
    assert submit(leader, page, {"begins": f"{DAY}T16:00", "minutes": "30", "where": "Room 1"}).status_code == 302
    only_the_room = {"begins": f"{DAY}T10:00", "minutes": "30", "where": "Room 2", "seen": old}
    assert submit(reviewer, page, {**only_the_room, "minutes": ""}).text.count(f'value="{old}"') == 1
    refused = submit(reviewer, page, only_the_room)
    assert refused.status_code == 422
    assert f"Now it is {DAY.day} {DAY:%b %Y}, 16:00 (Berlin" in refused.text
    assert all(part in refused.text for part in ("at “Room 1”, and nobody picked it", 'value="Room 2"'))
    assert slots()[0].where == "Room 1"
    new = seen()
    assert f'value="{new}"' in refused.text
    person = admission.add_applicant()
    invited(admission, person, "Ada Lab")
    mine = f"/me/application/{admission.cycle.slug}/interview"
    assert submit(person.sign_in(), mine, {"slot": first.id, "lab": "ada-lab"}).status_code == 302
    for reason in ("For the lab alone", ""):
        refused = submit(reviewer, cancel, {"reason": reason, "seen": new}, page=page)
        assert (refused.status_code, "and somebody picked it" in refused.text) == (422, True)
    assert slots()[0].cancelled_at is None
    assert submit(reviewer, cancel, {"reason": "We are ill", "seen": seen()}, page=page).status_code == 302
    (said,) = db.session.scalars(select(AuditEntry.after).where(AuditEntry.act == "interview.cancel"))
    assert said == {"choice": slots()[0].cancelled_choice_id, "characters_of_reason": 10}


def test_the_link_of_an_older_mail_leads_to_the_application_once_there_is_no_interview(admission: Admission) -> None:
    person = admission.add_applicant()
    choice = invited(admission, person, "Ada Lab")
    client, mine = person.sign_in(), f"/me/application/{admission.cycle.slug}/interview"
    assert client.get(f"{mine}?lab=ada-lab").status_code == 200
    admission.one_move(choice.application, "withdraw", "applicant")
    led = client.get(f"{mine}?lab=ada-lab")
    assert led.location == f"/me/application/{admission.cycle.slug}/"
    assert "There is no interview with Ada Lab now." in client.get(led.location).text
    assert client.get(f"{mine}?lab=bit-lab").status_code == 404


def test_a_form_without_what_its_page_showed_overwrites_no_change(admission: Admission) -> None:
    leader = admission.leaders["Ada Lab"].sign_in()
    submit(leader, OFFER, offer(admission))
    page, cancel = (f"{LAB}/{slots()[0].id}{rest}" for rest in ("", "/cancel"))
    values = {"begins": f"{DAY}T16:00", "minutes": "30", "csrf_token": csrf_token(leader, page)}

    def sent(address: str, **more: str) -> int:
        return leader.post(address, data=values | more).status_code

    assert (sent(page, where="Room 1"), sent(page, where="Room 2"), sent(cancel)) == (302, 422, 422)
    assert (slots()[0].where, slots()[0].cancelled_at) == ("Room 1", None)
    assert sent(page, where="Room 2", seen="1") == 302


def test_where_an_interview_takes_place_turns_no_words_around_it(admission: Admission) -> None:
    leader = admission.leaders["Ada Lab"].sign_in()
    refused = submit(leader, OFFER, offer(admission, where="Room \u202e12"))
    assert (refused.status_code, "change the direction of writing" in refused.text, slots()) == (422, True, [])
    assert submit(leader, OFFER, offer(admission, where="חדר 12")).status_code == 302


def test_no_time_is_offered_moved_or_cancelled_once_the_cycle_is_closed(admission: Admission) -> None:
    leader = admission.leaders["Ada Lab"].sign_in()
    submit(leader, OFFER, offer(admission))
    first = slots()[0]
    before = [(slot.starts_at, slot.cancelled_at) for slot in slots()]
    page = f"{LAB}/{first.id}"
    token = {"csrf_token": csrf_token(leader, page)}
    admission.cycle.closed_at = NOW
    db.session.commit()
    moved = {"begins": f"{DAY}T16:00", "minutes": "30", "where": "elsewhere", "seen": str(first.sequence)}
    answers = [
        leader.post(OFFER, data={**token, **offer(admission, first=(DAY + timedelta(days=1)).isoformat())}),
        leader.post(page, data=token | moved),
        leader.post(f"{page}/cancel", data=token | {"reason": "Ill."}),
    ]
    assert [answer.status_code for answer in answers] == [422, 403, 403]
    assert all("is closed; nothing in it can be changed any more." in answer.text for answer in answers[1:])
    assert [(slot.starts_at, slot.cancelled_at) for slot in slots()] == before
