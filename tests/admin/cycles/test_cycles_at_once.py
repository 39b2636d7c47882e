"""Cycles that several people save, close or submit to in one moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.admin.cycles.forms import values_of
from portal.admin.cycles.service import StaleCycle, close_cycle, save_cycle
from portal.admin.rules import NotAllowed
from portal.applications.application.submission import submit
from portal.applications.drafts import save_draft
from portal.applications.locks import Refusal
from portal.applications.submissions import Draft, draft_of
from portal.db import db
from portal.models import Application, AuditEntry, Cycle, User
from tests.admission import add_admission
from tests.databases import application_over
from tests.meanwhile import meanwhile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from portal.admin.cycles.forms import CycleValues
    from tests.admission import Admission


NOW = datetime.now(UTC).replace(microsecond=0)
LOCKING = "UPDATE cycle SET"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def admission(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Admission]:
    """One lab and a cycle with a question, over each database."""
    with application_over(request, settings) as app:
        made = add_admission(app, now=NOW)
        made.add_lab("Systems")
        made.cycle.questions = [{"key": "why", "text": "Why?", "required": False}]
        made.session.commit()
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
        pytest.raises(Refusal, match="is closed"),
        meanwhile(admission.app, "UPDATE user_account SET", close),
    ):
        submit(admission.session, None, application, actor=application.applicant, now=admission.now)
    admission.session.rollback()
    assert admission.session.get_one(Application, application.id).state == "draft"


def save(admission: Admission, change: Callable[[CycleValues], CycleValues]) -> None:
    """Save the cycle as one that the form shows, with a change."""
    cycle, actor = admission.cycle, admission.user(admission.admin)
    save_cycle(admission.session, cycle, change(values_of(cycle)), base=cycle.version, actor=actor, now=NOW)
    admission.session.commit()


def test_a_cycle_that_was_closed_a_moment_ago_is_not_changed(admission: Admission) -> None:
    cycle, admin, name = admission.cycle_id, admission.admin.id, admission.cycle.name

    def close() -> None:
        one, actor = db.session.get_one(Cycle, cycle), db.session.get_one(User, admin)
        close_cycle(db.session(), one, actor=actor, now=NOW)

    with pytest.raises(NotAllowed, match="is closed"), meanwhile(admission.app, LOCKING, close):
        save(admission, lambda values: replace(values, name="Changed"))
    admission.session.rollback()
    assert (admission.cycle.name, admission.cycle.closed_at) == (name, NOW)


def test_a_question_that_is_being_answered_stays(admission: Admission) -> None:
    application = admission.draft(admission.add_applicant(), "Systems").id
    empty = admission.session.get_one(Application, application)
    save_draft(admission.session, empty, Draft(draft_of(empty).labs), base=empty.version, now=admission.now)
    admission.session.commit()

    def answer() -> None:
        mine = db.session.get_one(Application, application)
        answered = Draft(draft_of(mine).labs, {"why": "Because."})
        save_draft(db.session(), mine, answered, base=mine.version, now=admission.now)

    with pytest.raises(NotAllowed, match="have answered “Why\\?” already"), meanwhile(admission.app, LOCKING, answer):
        save(admission, lambda values: replace(values, questions=()))
    admission.session.rollback()
    assert [question["key"] for question in admission.cycle.questions] == ["why"]


def test_of_two_administrators_at_once_the_second_overwrites_nothing(admission: Admission) -> None:
    cycle, admin = admission.cycle_id, admission.admin.id

    def rename() -> None:
        one, actor = db.session.get_one(Cycle, cycle), db.session.get_one(User, admin)
        values = replace(values_of(one), name="First")
        save_cycle(db.session(), one, values, base=one.version, actor=actor, now=NOW)

    with pytest.raises(StaleCycle), meanwhile(admission.app, LOCKING, rename):
        save(admission, lambda values: replace(values, name="Second"))
    admission.session.rollback()
    with meanwhile(admission.app, LOCKING, rename):  # both send the same
        save(admission, lambda values: replace(values, name="First"))
    assert (admission.cycle.name, admission.cycle.version) == ("First", 2)
    changes = admission.session.scalars(select(AuditEntry).where(AuditEntry.act == "cycle.change")).all()
    assert len(changes) == 1
