"""What tests of administrators ask for: a lab and a desk to edit it at, an admission."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.service import create_lab
from portal.seeding.records import LabRecord
from tests.admin.cycles.releases import past_deadline
from tests.admin.desk import PROFILE, Desk, store
from tests.admin.labs.import_runs import ADMIN, MANY, WORKS
from tests.people import add_person
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from flask import Flask

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


@pytest.fixture
def accepting(app: Flask, tmp_path: Path) -> list[str]:
    """Arguments to accept two works for a lab."""
    add_person(app, "admin", email=ADMIN)
    with app.app_context():
        record = LabRecord(key="systems", name="Systems")
        create_lab(db.session(), record, author=None, reason="for a test", now=datetime.now(UTC))
        db.session.commit()
    file = tmp_path / "refs.bib"
    file.write_text(WORKS, encoding="utf-8")
    return [str(file), "--lab", "systems", "--accept", "--as", ADMIN]


@pytest.fixture
def table_of_labs(tmp_path: Path) -> Path:
    """A file of many new labs."""
    file = tmp_path / "labs.csv"
    rows = "".join(f"Laboratory {number},Person Nr{number}\n" for number in range(MANY))
    file.write_text(f"name,leader\n{rows}", encoding="utf-8")
    return file
