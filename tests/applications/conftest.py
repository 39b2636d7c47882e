"""An applicant, and labs to match with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.models import User
from portal.web.limits import limiter
from tests.admission import Admission, add_admission
from tests.applications.labs import add_labs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from sqlalchemy.orm import Session

    from portal.applications.interests.service import Stated
    from portal.models import Resume
    from tests.people import Person


@pytest.fixture
def labs(app: Flask) -> None:
    add_labs(app)


@pytest.fixture
def me(applicant: Person) -> FlaskClient:
    """Signed in as `applicant`."""
    client = applicant.sign_in()
    limiter.reset()
    return client


@pytest.fixture
def stored(session: Session, applicant: Person) -> Callable[[], Stated]:
    """Reads what the applicant has stated now."""

    def read() -> Stated:
        session.rollback()
        session.expire_all()
        return stated_in(interests_of(session, session.get_one(User, applicant.id)))

    return read


@pytest.fixture
def stored_resume(session: Session, applicant: Person) -> Callable[[], Resume | None]:
    """Reads the applicant's resume as it is now."""

    def read() -> Resume | None:
        session.rollback()
        session.expire_all()
        return resume_of(session, session.get_one(User, applicant.id))

    return read


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle with two labs, open for thirty days."""
    with app.app_context():
        one = add_admission(app)
        one.add_lab("Systems")
        one.add_lab("Vision", "Recognising pictures")
        yield one
