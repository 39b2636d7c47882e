"""An application that is submitted at the very moment in which its cycle is closed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.admin.cycles.service import close_cycle
from portal.admin.rules import NotAllowed
from portal.applications.application.service import submit
from portal.applications.locks import MoveRefused
from portal.db import db
from portal.models import Application, Cycle, User
from tests.admission import add_admission
from tests.databases import application_over
from tests.meanwhile import meanwhile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.admission import Admission

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def admission(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Admission]:
    """One lab, over each database."""
    with application_over(request, settings) as app:
        made = add_admission(app, now=NOW)
        made.add_lab("Systems")
        yield made


def test_a_cycle_is_not_closed_over_what_is_being_submitted(admission: Admission) -> None:
    application = admission.draft(admission.add_applicant(), "Systems")
    cycle, admin, said = admission.cycle_id, admission.admin.id, []

    def close() -> None:
        try:
            one, actor = db.session.get_one(Cycle, cycle), db.session.get_one(User, admin)
            close_cycle(db.session(), one, actor=actor, now=NOW)
        except NotAllowed as refusal:
            said.append(str(refusal))

    with meanwhile(admission.app, "INSERT INTO submission", close):
        submit(admission.session, None, application, actor=application.applicant, now=admission.now)
        admission.session.commit()
    admission.session.expire_all()
    assert (application.state, admission.cycle.closed_at) == ("submitted", None)
    assert said == ["1 submitted application is not checked yet. Mark it as eligible or not first."]


def test_nothing_is_submitted_to_a_cycle_that_was_closed_a_moment_ago(admission: Admission) -> None:
    application = admission.draft(admission.add_applicant(), "Systems")
    cycle, admin = admission.cycle_id, admission.admin.id

    def close() -> None:
        one, actor = db.session.get_one(Cycle, cycle), db.session.get_one(User, admin)
        close_cycle(db.session(), one, actor=actor, now=NOW)

    assert admission.cycle.closed_at is None  # read before it is closed
    with (
        pytest.raises(MoveRefused, match="is closed"),
        meanwhile(admission.app, "UPDATE user_account SET", close),
    ):
        submit(admission.session, None, application, actor=application.applicant, now=admission.now)
    admission.session.rollback()
    assert admission.session.get_one(Application, application.id).state == "draft"
