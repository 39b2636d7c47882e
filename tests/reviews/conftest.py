"""An admission that all tests of a file share, and what most of them use of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import LabReviewing
from tests.reviews.cards import shared_admission
from tests.reviews.desk import Desk, new_desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from portal.models import Choice
    from tests.admission import Admission


@pytest.fixture(scope="module")
def admission(migrated_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Admission]:
    """An admission with Lab A and Lab B, in an application of its own."""
    with shared_admission(migrated_database, tmp_path_factory.mktemp("admission"), "Lab A", "Lab B") as made:
        yield made


@pytest.fixture
def desk(admission: Admission) -> Desk:
    """A lab of the test's own."""
    return new_desk(admission)


@pytest.fixture
def choice(admission: Admission) -> Iterator[Choice]:
    """A choice of Lab A by somebody new, who chose Lab B before it."""
    application = admission.eligible(admission.add_applicant("Wanjiru Kamau"), "Lab B", "Lab A")
    yield admission.choice(application, "Lab A")
    db.session.rollback()
    db.session.query(LabReviewing).delete()
    admission.cycle.rubric = {}
    db.session.commit()
