"""What tests of administrators ask for: a lab and a desk to edit it at, an admission."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.admin.desk import PROFILE, Desk, store
from tests.admin.releases import past_deadline
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from flask import Flask

    from portal.seeding.records import LabRecord
    from tests.admission import Admission
    from tests.people import Person


@pytest.fixture
def lab(app: Flask) -> LabRecord:
    """The stored lab."""
    store(app, PROFILE)
    return PROFILE


@pytest.fixture
def desk(app: Flask, admin: Person, lab: LabRecord) -> Desk:  # noqa: ARG001  (the lab is there)
    """An administrator with a lab to work on."""
    return Desk(app, admin.sign_in(), admin.email)


@pytest.fixture
def count_queries(app: Flask) -> Callable[[], AbstractContextManager[list[str]]]:
    """Collects the statements that are sent to the database inside a `with` block."""

    return partial(statements_sent, app)


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle with two labs, whose deadline has passed."""
    with app.app_context():
        yield past_deadline(app)
