"""Interviews of many take as many statements as those of few."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from tests.admission import Admission, admission_of
from tests.people import submit
from tests.reviews.interview_times import LAB, NOW, OFFER, invited, offer, slots
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A lab in a cycle whose deadline has passed."""
    with admission_of(app, "Ada Lab", now=NOW - timedelta(days=40)) as made:
        yield made


def test_more_who_picked_a_time_take_no_more_statements(admission: Admission) -> None:
    client = admission.leaders["Ada Lab"].sign_in()
    submit(client, OFFER, offer(admission, times="10:00, 11:00, 12:00, 13:00, 14:00"))
    numbers = []
    for here in (slots()[:1], slots()[1:4]):
        for slot in here:
            slot.choice_id = invited(admission, admission.add_applicant(), "Ada Lab").id
        invited(admission, admission.add_applicant(), "Ada Lab")
        db.session.commit()
        db.session.expire_all()
        with statements_sent(admission.app) as statements:
            assert client.get(LAB).status_code == 200
        numbers.append(len(statements))
    assert numbers[0] == numbers[1]


def test_more_times_and_more_who_wait_for_one_take_no_more_statements(admission: Admission) -> None:
    """SQLite adds rows one by one where their ids are asked for, so that adding them is left out of the count."""
    client = admission.leaders["Ada Lab"].sign_in()
    submit(client, OFFER, offer(admission, times="9:00"))
    numbers = []
    for people, times in ((1, "10:00"), (4, "11:00, 12:00, 13:00, 14:00")):
        for _ in range(people):
            invited(admission, admission.add_applicant(), "Ada Lab")
        db.session.commit()
        db.session.expire_all()
        with statements_sent(admission.app) as statements:
            assert submit(client, OFFER, offer(admission, times=times)).status_code == 302
        numbers.append(sum(not statement.startswith("INSERT") for statement in statements))
    assert numbers[0] == numbers[1]
