"""Two tabs, double clicks and retries at the same moment, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.applications.files import file_store
from portal.applications.interests.service import StaleInterests, Stated, facet_values, save_interests
from portal.applications.resume import keep_resume
from portal.applications.sharing import applicants_of_lab, share_with_lab
from portal.db import db
from portal.documents.extraction import pasted
from portal.labs.queries import lab_by_slug
from portal.matching import Topic
from portal.models import Interests, LabShare, Resume, User
from tests.applications.labs import add_labs
from tests.at_once import at_once
from tests.databases import application_over
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from flask import Flask
    from sqlalchemy.orm import Session

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
AT_ONCE = 6


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def app(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Flask]:
    """The application over each database, with labs."""
    with application_over(request, settings) as application:
        add_labs(application)
        yield application


@pytest.fixture
def user_id(app: Flask) -> int:
    return add_person(app, "applicant").id


def outcomes(app: Flask, act: Callable[[Session, int], str]) -> list[str]:
    """What `act` says when it runs in several requests at the same moment, sorted; "" where it was refused."""

    def run(number: int) -> str:
        session = db.session()
        try:
            outcome = act(session, number)
            session.commit()
        except StaleInterests:
            session.rollback()
            return ""
        return outcome

    return sorted(at_once(run, AT_ONCE, app=app))


def test_of_several_first_saves_exactly_one_wins(app: Flask, user_id: int) -> None:
    def save(session: Session, number: int) -> str:
        user = session.get_one(User, user_id)
        stated = Stated((Topic(f"topic {number}"), Topic("queues")))
        save_interests(session, user, stated, base=0, now=NOW)
        return "saved"

    assert outcomes(app, save) == [""] * (AT_ONCE - 1) + ["saved"]
    assert [interests.version for interests in db.session.scalars(select(Interests))] == [1]


def test_the_same_form_sent_several_times_saves_once_and_refuses_nobody(app: Flask, user_id: int) -> None:
    def save(session: Session, _number: int) -> str:
        user = session.get_one(User, user_id)
        save_interests(session, user, Stated((Topic("queues"),)), base=0, now=NOW)
        return "saved"

    assert outcomes(app, save) == ["saved"] * AT_ONCE
    assert [interests.version for interests in db.session.scalars(select(Interests))] == [1]


def test_a_lab_shared_with_several_times_is_shared_with_once(app: Flask, user_id: int) -> None:
    def share(session: Session, _number: int) -> str:
        lab = lab_by_slug(session, "serving-lab")
        assert lab is not None
        return "shared" if share_with_lab(session, session.get_one(User, user_id), lab, now=NOW) else "already"

    assert outcomes(app, share) == ["already"] * (AT_ONCE - 1) + ["shared"]
    assert db.session.scalar(select(func.count()).select_from(LabShare)) == 1


def test_of_several_uploads_one_resume_with_its_file_remains(app: Flask, user_id: int) -> None:
    def hand_in(session: Session, number: int) -> str:
        text = f"Resume {number}."
        user = session.get_one(User, user_id)
        keep_resume(session, file_store(app), user, pasted(text), data=text.encode(), filename="cv.txt", now=NOW)
        return "kept"

    assert outcomes(app, hand_in) == ["kept"] * AT_ONCE
    resume = db.session.scalars(select(Resume)).one()
    uploads: Path = app.config["PORTAL"].instance / "uploads"
    left = [path.read_text(encoding="utf-8") for path in uploads.rglob("*") if path.is_file()]
    assert left == [resume.text]
    assert file_store(app).get(resume.storage_key) == resume.text.encode()


@pytest.mark.usefixtures("app")
def test_who_a_lab_sees_is_the_same_on_both_databases(user_id: int) -> None:
    session = db.session()
    user = session.get_one(User, user_id)
    lab = lab_by_slug(session, "serving-lab")
    assert lab is not None
    save_interests(session, user, Stated((Topic("大模型"),), facets={"place": ("Berlin",)}), base=0, now=NOW)
    share_with_lab(session, user, lab, now=NOW)
    session.commit()
    seen = applicants_of_lab(session, lab, [user_id])
    assert [(row.user.id, row.shared_at, row.resume) for row in seen] == [(user_id, NOW, None)]
    assert next(iter(facet_values(session)["hardware"])) == "GPU"
