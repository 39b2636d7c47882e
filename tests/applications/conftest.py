"""An applicant, and labs to match with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.web.limits import limiter
from tests.applications.labs import add_labs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from sqlalchemy.orm import Session

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
def session(app: Flask) -> Iterator[Session]:
    with app.app_context():
        yield db.session()
