"""Who reads for two labs learns from no number, news or mail which of them an applicant chose first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.models import Choice, LabProfessor, MoveRecord, Notification
from tests.admission import Admission, add_admission
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.models import Application
    from tests.people import Person

NOW = datetime.now(UTC).replace(microsecond=0)
LABS = ("Systems", "Vision")


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        made = add_admission(app, now=NOW - timedelta(days=40), deadline_in=timedelta(days=30))
        for lab in LABS:
            made.add_lab(lab)
        yield made


@pytest.fixture
def rita(admission: Admission) -> Person:
    """She reads for both labs."""
    rita = add_person(admission.app, "professor", name="Rita Reader")
    seats = [LabProfessor(lab_id=admission.labs[lab], user_id=rita.id, position="reviewer") for lab in LABS]
    admission.session.add_all(seats)
    admission.session.commit()
    return rita


def left_behind(admission: Admission, application: Application, rita: Person) -> list[list[str]]:
    """The labs in the order of the numbers of choices, of the news, and of the moves that followed from a move."""
    session, names = admission.session, {number: name for name, number in admission.labs.items()}
    rows = session.scalars(select(Choice).where(Choice.application_id == application.id).order_by(Choice.id)).all()
    of_choice = {choice.id: names[choice.lab_id] for choice in rows}
    news = select(Notification.path).where(Notification.user_id == rita.id).order_by(Notification.id)
    told = [int(path.rpartition("/")[2]) for path in session.scalars(news)]
    closed = select(MoveRecord.choice_id).where(MoveRecord.move == "close").order_by(MoveRecord.id)
    ended = [number for number in session.scalars(closed) if number in of_choice]
    return [
        list(of_choice.values()),
        [of_choice[number] for number in told if number in of_choice],
        [of_choice[number] for number in ended if number],
    ]


def test_what_labs_see_of_an_application_does_not_depend_on_its_order(admission: Admission, rita: Person) -> None:
    found = []
    for order in (LABS, LABS[::-1]):
        application = admission.eligible(admission.add_applicant(), *order)
        assert [choice.lab_id for choice in application.choices] == [admission.labs[lab] for lab in order]
        admission.one_move(application, "withdraw", "applicant")
        found.append(left_behind(admission, application, rita))
    assert found[0] == found[1] == [list(LABS)] * 3
