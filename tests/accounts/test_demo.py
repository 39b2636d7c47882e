from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal import instance
from portal.accounts.demo import DemoError, demo_people, ensure_demo_people
from portal.accounts.service import create_person
from portal.db import db
from portal.models import AuditEntry, Lab, LabProfessor, User
from tests.accounts.mailbox import is_signed_in, sign_in

if TYPE_CHECKING:
    from flask import Flask
    from sqlalchemy.orm import Session

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PASSWORD = "demo"  # the demo takes what it is given


@pytest.fixture
def labs(app: Flask) -> None:
    with app.app_context():
        relaxed = Lab(slug="relaxed-system-lab", name="Relaxed System Lab", leader="Binhang Yuan", changed_at=NOW)
        other = Lab(slug="danyang-zhuo", name="Danyang Zhuo's group", leader="Danyang Zhuo", changed_at=NOW)
        db.session.add_all([relaxed, other])
        db.session.commit()


def make_people(app: Flask, password: str = PASSWORD) -> None:
    with app.app_context():
        ensure_demo_people(db.session(), password, NOW)
        db.session.commit()


@pytest.mark.usefixtures("labs")
def test_the_people_of_the_demo_sign_in(app: Flask) -> None:
    make_people(app)
    for person in demo_people():
        assert sign_in(app.test_client(), person["email"], PASSWORD).status_code == 302
    with app.app_context():
        people = {user.email: [role.name for role in user.roles] for user in db.session.scalars(select(User))}
        readers = select(User.email, Lab.slug).join(LabProfessor, LabProfessor.user_id == User.id).join(Lab)
        labs = {row.email: row.slug for row in db.session.execute(readers)}
        assert instance.is_demo(db.session())
    assert people == {
        **{f"applicant{number}@demo.example": ["applicant"] for number in ("", *range(2, 9))},
        "professor@demo.example": ["professor"],
        "professor2@demo.example": ["professor"],
        "admin@demo.example": ["admin"],
        "admin2@demo.example": ["admin"],
    }
    assert labs == {"professor@demo.example": "relaxed-system-lab", "professor2@demo.example": "danyang-zhuo"}


@pytest.mark.usefixtures("labs")
def test_running_it_again_changes_nothing(app: Flask) -> None:
    def entries() -> int:
        with app.app_context():
            return db.session.query(AuditEntry).count()

    make_people(app)
    before = entries()
    client = app.test_client()
    sign_in(client, "admin@demo.example", PASSWORD)
    make_people(app)
    assert entries() == before
    assert is_signed_in(client)


@pytest.mark.usefixtures("labs")
def test_another_password_replaces_the_present_one(app: Flask) -> None:
    make_people(app)
    make_people(app, "caf\u00e9")
    assert sign_in(app.test_client(), "admin@demo.example", PASSWORD).status_code == 200
    assert sign_in(app.test_client(), "admin@demo.example", "caf\u00e9").status_code == 302


def test_a_missing_lab_is_named_with_those_that_are_known(session: Session) -> None:
    session.add(Lab(slug="relaxed-system-lab", name="Relaxed System Lab", changed_at=NOW))
    session.flush()
    with pytest.raises(DemoError, match=r"no lab with leader 'Danyang Zhuo'.* Known labs: relaxed-system-lab\."):
        ensure_demo_people(session, PASSWORD, NOW)


@pytest.mark.usefixtures("labs")
def test_real_people_are_left_alone(session: Session) -> None:
    real = create_person(session, "real@example.edu", "a long password", ["admin"], confirmed=True, now=NOW)
    before = real.password
    ensure_demo_people(session, PASSWORD, NOW)
    assert real.password == before


def test_the_people_are_clearly_made_up_and_two_have_chinese_names() -> None:
    people = demo_people()
    assert all(person["email"].endswith("@demo.example") and person["name"].endswith("(demo)") for person in people)
    assert sum(any("\u4e00" <= sign <= "\u9fff" for sign in person["name"]) for person in people) == 2
