"""An application that is submitted to a lab at the very moment in which the lab is archived."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.applications.application.submission import submit as submit_application
from portal.applications.locks import Refusal
from portal.db import db
from portal.models import Application, Lab
from tests.admission import add_admission
from tests.databases import application_over
from tests.meanwhile import meanwhile
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.admission import Admission

ARCHIVE, WHY = "/admin/labs/systems/archive", {"reason": "The leader has moved to another university."}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def admission(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Admission]:
    """One lab, over each database."""
    with application_over(request, settings) as app:
        made = add_admission(app)
        made.add_lab("Systems")
        yield made


def outcome(admission: Admission, application: Application) -> tuple[str, bool]:
    """The state of the application, and whether its lab is archived."""
    admission.session.rollback()
    admission.session.expire_all()
    lab = admission.session.get_one(Lab, admission.labs["Systems"])
    return admission.session.get_one(Application, application.id).state, lab.archived_at is not None


def test_nothing_is_submitted_to_a_lab_that_is_being_archived(admission: Admission) -> None:
    application = admission.draft(admission.add_applicant(), "Systems")
    number, said = application.id, []

    def apply() -> None:
        mine = db.session.get_one(Application, number)
        try:
            submit_application(db.session(), None, mine, actor=mine.applicant, now=admission.now)
        except Refusal as refusal:
            said.append(str(refusal))
            db.session.rollback()

    desk = admission.admin.sign_in()
    admission.session.rollback()
    with meanwhile(admission.app, "UPDATE lab SET archived_at", apply):
        assert submit(desk, ARCHIVE, WHY).location == "/admin/labs/systems"
    assert outcome(admission, application) == ("draft", True)
    assert said == ["No applications are taken in this cycle by: Systems. Remove it from your choices."]


def test_a_lab_is_not_archived_over_what_is_being_submitted(admission: Admission) -> None:
    application = admission.draft(admission.add_applicant(), "Systems")
    desk, answers = admission.admin.sign_in(), []

    def archive() -> None:
        answers.append(submit(desk, ARCHIVE, WHY).status_code)

    with meanwhile(admission.app, "INSERT INTO submission", archive):
        submit_application(admission.session, None, application, actor=application.applicant, now=admission.now)
        admission.session.commit()
    assert outcome(admission, application) == ("submitted", False)
    assert answers == [422]


def test_who_edits_what_was_submitted_still_waits_for_the_lab(admission: Admission) -> None:
    application = admission.submitted(admission.add_applicant(), "Systems")
    admission.one_move(application, "edit", "applicant")
    admission.session.delete(application.choices[0])  # in the draft, which may never be submitted
    admission.session.commit()
    refused = submit(admission.admin.sign_in(), ARCHIVE, WHY, page="/admin/labs/systems")
    assert (refused.status_code, "1 applicant waits for Systems." in refused.text) == (422, True)
