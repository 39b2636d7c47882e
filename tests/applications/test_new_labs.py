"""Whom a lab fits that was made public is told, once and as they chose."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, select, update

from portal.applications.clock import tell_of_new_labs
from portal.applications.interests.service import asks_for_something
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.labs.service import archive, create_lab, list_again, publish
from portal.mail.outbox import prefer
from portal.models import Interests, Lab, Notification, OutboxMail, User
from portal.seeding.records import LabRecord
from tests.applications.labs import FEDERATED, NOW, add_labs
from tests.applications.test_matches import state
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from portal.matching import Query
    from tests.people import Person

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def reader(app: Flask, me: FlaskClient, applicant: Person) -> Iterator[User]:
    """An applicant of before the labs, interested in federated learning; within an application context."""
    state(me, "federated learning")
    with app.app_context():
        user = db.session.get_one(User, applicant.id)
        user.created_at = NOW - timedelta(days=1)
        db.session.commit()
        yield user


def tell() -> int:
    told = tell_of_new_labs(db.session(), LATER)
    db.session.commit()
    return told


def news() -> list[tuple[str, str]]:
    rows = db.session.scalars(select(Notification).where(Notification.kind == "new_lab").order_by(Notification.id))
    return [(row.text, row.path) for row in rows]


TOLD = [("A new lab fits your interests: Federated Lab.", "/me/matches/federated-lab")]


def federated() -> Lab:
    lab = lab_by_slug(db.session(), "federated-lab")
    assert lab is not None
    return lab


def test_whom_a_seeded_lab_fits_is_told_once(app: Flask, reader: User) -> None:
    add_labs(app)
    assert (tell(), news()) == (1, TOLD)
    db.session.execute(update(Lab).values(untold_since=LATER))  # as after a run that was killed before its end
    assert tell() == 1
    assert (tell(), news()) == (0, TOLD)
    assert db.session.scalars(select(Lab.untold_since)).all() == [None] * 3
    assert reader.active


def test_of_a_draft_and_an_archived_lab_nobody_is_told_until_it_is_public(reader: User) -> None:
    lab = create_lab(db.session(), FEDERATED, author=None, reason="for a test", now=NOW, is_draft=True)
    db.session.commit()
    assert (tell(), news()) == (0, [])
    publish(db.session(), lab, author=reader, now=NOW)
    archive(db.session(), lab, reason="moved", author=reader, now=NOW)
    db.session.commit()
    assert (tell(), news()) == (0, [])
    list_again(db.session(), federated(), author=reader, now=NOW)
    db.session.commit()
    assert (tell(), news()) == (1, TOLD)


def test_nobody_gets_a_mail_they_do_not_want(app: Flask, reader: User) -> None:
    prefer(db.session(), reader, {"new_lab": "never"})
    db.session.commit()
    add_labs(app)
    tell()
    mails = select(OutboxMail.id).where(OutboxMail.kind == "new_lab")
    assert (news(), db.session.scalars(mails).all()) == (TOLD, [])


def test_to_a_newer_account_and_without_interests_no_lab_is_new(app: Flask, reader: User) -> None:
    add_labs(app)
    reader.created_at = LATER
    db.session.commit()
    assert (tell(), news()) == (0, [])
    reader.created_at = NOW
    interests = db.session.scalars(select(Interests)).one()
    interests.topics.clear()
    db.session.execute(update(Lab).values(untold_since=LATER))
    db.session.commit()
    assert (tell(), news()) == (0, [])


@pytest.mark.usefixtures("reader")
def test_more_new_labs_take_no_more_statements_for_those_they_do_not_fit(app: Flask) -> None:
    def statements(*records: LabRecord) -> int:
        add_labs(app, *records)
        tell()  # the index takes the new labs over
        db.session.execute(update(Lab).values(untold_since=LATER))
        db.session.commit()
        with statements_sent(app) as sent:
            tell()
        return len(sent)

    others = [LabRecord(f"lab-{number}", f"Lab {number}", topics=("enzymes",)) for number in range(6)]
    one = statements(others[0])
    assert statements(*others[1:]) == one


def test_who_deletes_their_account_meanwhile_keeps_nobody_else_from_being_told(
    app: Flask, person: Callable[..., Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [person("applicant") for _ in range(3)]
    for one in people:
        state(one.sign_in(), "federated learning")

    def while_the_first_is_told(query: Query) -> bool:
        db.session.execute(delete(User).where(User.id == people[1].id))
        return asks_for_something(query)

    monkeypatch.setattr("portal.applications.clock.asks_for_something", while_the_first_is_told)
    add_labs(app)
    with app.app_context():
        db.session.execute(update(User).values(created_at=None))
        db.session.commit()
        assert tell() == 2
        told = select(Notification.user_id).where(Notification.kind == "new_lab").order_by(Notification.user_id)
        assert db.session.scalars(told).all() == [people[0].id, people[2].id]
