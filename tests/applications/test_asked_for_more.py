"""Applications that are asked for what is missing, or have ended: what counts of what is changed or sent meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.models import LabIntake
from tests.admission import add_admission
from tests.applications.admission_pages import LABS, pages_of, past_admission, with_labs

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


def test_what_is_checked_again_is_what_was_submitted_and_not_what_was_changed_since(app: Flask) -> None:
    with app.app_context():
        admission = with_labs(add_admission(app))
        person = admission.add_applicant()
        application = admission.submitted(person, "Systems")
        kept = admission.choice(application, "Systems").id
        admission.one_move(application, "ask_for_more", "admin")
        admission.draft(person, "Vision", "Systems", reason="Never submitted.")
        admission.after_deadline()
        admission.move(application, "mark_ineligible", "reconsider", "mark_eligible", as_="admin")
        admission.session.expire_all()
        read = [(choice.id, choice.reason, choice.state) for choice in application.choices]
        assert read == [(kept, "Your work is what I want to do.", "pending")]


def test_what_was_withdrawn_in_another_tab_is_not_said_to_be_submitted(app: Flask) -> None:
    with app.app_context():
        admission = with_labs(add_admission(app))
        for submitted in (False, True):
            person = admission.add_applicant()
            application = (admission.submitted if submitted else admission.draft)(person, "Systems")
            me = pages_of(person, admission)
            admission.one_move(application, "withdraw", "applicant")
            answer = me.send("submit", version=str(application.version), after=str(application.submissions))
            assert answer.headers["Location"] == me.page
            text = me.read()
            said = "“Submit” is not possible now: the application is “Withdrawn”."
            assert (said in text, "submitted already" in text) == (True, False)
