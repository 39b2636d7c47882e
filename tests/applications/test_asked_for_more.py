"""Applications that are asked for what is missing, and what counts of what their applicants change meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.models import LabIntake
from tests.applications.admission_pages import LABS, pages_of, past_admission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.admission import Admission


@pytest.fixture
def past(app: Flask) -> Iterator[Admission]:
    """A cycle whose deadline has passed."""
    with app.app_context():
        yield past_admission(app)


def test_what_is_missing_is_added_although_a_chosen_lab_takes_no_applications_any_more(past: Admission) -> None:
    person = past.add_applicant()
    application = past.submitted(person, *LABS)
    past.now = datetime.now(UTC)
    past.one_move(application, "ask_for_more", "admin", message="Say more.")
    past.session.add(LabIntake(lab_id=past.labs["Vision"], cycle_id=past.cycle_id, open=False))
    past.session.commit()
    me = pages_of(person, past)
    assert me.send(**me.form() | {"answers-0-text": "Much more."}).status_code == 302
    assert me.send("submit", version=me.form()["version"], after="1").headers["Location"] == f"{me.page}receipt"
    past.session.expire_all()
    assert (application.state, application.answers, len(application.choices)) == ("submitted", {"why": "Much more."}, 2)
