"""What moves write, tell and entail; which of them are possible is in test_table.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.admin.cycles.rules import why_not_close
from portal.applications.locks import Refusal
from portal.applications.moves.service import AlreadyMoved
from portal.applications.states import STAGING
from portal.models import AuditEntry, Decision, MoveRecord, Notification, OutboxMail
from tests.applications.admission_pages import RANKED

if TYPE_CHECKING:
    from portal.models import Application
    from tests.admission import Admission
    from tests.people import Person


def test_a_move_is_recorded_audited_and_told(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.submitted(person, "Systems")
    record = admission.session.scalars(select(MoveRecord).where(MoveRecord.application_id == application.id)).one()
    assert (record.move, record.from_state, record.to_state, record.actor_id) == (
        "submit",
        "draft",
        "submitted",
        person.id,
    )
    entry = admission.session.scalars(select(AuditEntry).where(AuditEntry.act == "application.submit")).one()
    assert entry.actor_label == person.email
    mail = admission.session.scalars(select(OutboxMail).where(OutboxMail.user_id == person.id)).one()
    assert (mail.kind, mail.address) == ("application_submitted", person.email)
    assert _news_of(admission, person) == ["application_submitted"]


def test_a_second_submit_is_answered_as_done_and_writes_nothing(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.submitted(person, "Systems")
    with pytest.raises(AlreadyMoved):
        admission.one_move(application, "submit", "applicant")
    assert application.submissions == 1


def test_no_decision_shows_before_its_release(admission: Admission) -> None:
    for decision in sorted(STAGING):
        person = admission.add_applicant()
        application = admission.eligible(person, "Systems")
        choice = admission.choice(application, "Systems")
        admission.move(choice, *RANKED, as_="leader")
        news = _news_of(admission, person)
        shown = (choice.shown_state, choice.shown_since)
        admission.later(hours=1)
        admission.one_move(choice, decision, "leader", message="Nobody may read this yet.")
        assert (choice.shown_state, choice.shown_since) == shown
        assert _news_of(admission, person) == news
        assert _shown(admission, application) == ["submit", "mark_eligible", "start_review"]
        released_at = admission.later(hours=1)
        admission.one_move(choice, "release", "admin")
        assert (choice.shown_state, choice.shown_since) == (choice.state, released_at)
        assert _shown(admission, application) == ["submit", "mark_eligible", "start_review", decision]
        assert _news_of(admission, person) == [*news, "decision_released"]


def _news_of(admission: Admission, person: Person) -> list[str]:
    found = select(Notification.kind).where(Notification.user_id == person.id).order_by(Notification.id)
    return list(admission.session.scalars(found))


def _shown(admission: Admission, application: Application) -> list[str]:
    found = select(MoveRecord.move).where(MoveRecord.application_id == application.id, MoveRecord.shown_at.is_not(None))
    return list(admission.session.scalars(found.order_by(MoveRecord.shown_at, MoveRecord.id)))


@pytest.mark.parametrize("decision", sorted(STAGING))
def test_accepting_one_offer_closes_the_other_choices_and_takes_back_what_was_staged(
    admission: Admission, decision: str
) -> None:
    person = admission.add_applicant()
    application = admission.eligible(person, "Systems", "Vision")
    systems, vision = admission.choice(application, "Systems"), admission.choice(application, "Vision")
    for choice in (systems, vision):
        admission.move(choice, *RANKED, as_="leader")
    admission.one_move(systems, "offer", "leader")
    admission.one_move(vision, decision, "leader")
    admission.one_move(systems, "release", "admin")
    admission.one_move(systems, "accept", "applicant")
    assert (application.state, systems.state, vision.state) == ("closed", "accepted", "closed")
    staged = admission.session.scalars(select(Decision).where(Decision.choice_id == vision.id)).one()
    assert (staged.released_at, staged.taken_back_at) == (None, admission.now)
    assert why_not_close(admission.session, admission.cycle) is None


def test_a_released_decline_stays_one_when_the_application_is_withdrawn(admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant(), "Systems", "Vision")
    systems, vision = admission.choice(application, "Systems"), admission.choice(application, "Vision")
    for choice in (systems, vision):
        admission.move(choice, "start_review", "decline", as_="leader")
    admission.one_move(systems, "release", "admin")
    admission.one_move(application, "withdraw", "applicant")
    assert [(one.state, one.shown_state) for one in (systems, vision)] == [
        ("declined", "declined"),
        ("closed", "closed"),
    ]
    assert why_not_close(admission.session, admission.cycle) is None


def test_seats_limit_the_offers(admission: Admission) -> None:
    from portal.models import LabIntake

    admission.session.add(LabIntake(lab_id=admission.labs["Systems"], cycle_id=admission.cycle_id, seats=1))
    choices = []
    for _ in range(2):
        application = admission.eligible(admission.add_applicant(), "Systems")
        choices.append(admission.choice(application, "Systems"))
        admission.move(choices[-1], *RANKED, as_="leader")
    admission.one_move(choices[0], "offer", "leader")
    with pytest.raises(Refusal, match="All 1 seats"):
        admission.one_move(choices[1], "offer", "leader")
    admission.one_move(choices[0], "take_back_offer", "leader")
    admission.one_move(choices[1], "offer", "leader")
    assert [choice.state for choice in choices] == ["ranked", "offered"]
