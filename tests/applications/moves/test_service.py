"""Every state × move × role: what the table allows happens, what it does not is refused with a reason."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.admin.cycles.rules import why_not_close
from portal.applications.locks import MoveRefused
from portal.applications.moves.service import AlreadyMoved
from portal.applications.states import APPLICATION_LABELS, CHOICE_LABELS, MOVES, STAGING, Move
from portal.models import Application, AuditEntry, Decision, MoveRecord, Notification, OutboxMail
from portal.models.admission import APPLICATION_STATES, CHOICE_STATES
from tests.applications.trying_moves import WAY, everybody, tries

if TYPE_CHECKING:
    from tests.admission import Admission
    from tests.people import Person


def test_every_state_has_a_label_and_every_move_leads_from_states_to_a_state() -> None:
    assert tuple(APPLICATION_LABELS) == APPLICATION_STATES
    assert tuple(CHOICE_LABELS) == CHOICE_STATES
    for move in MOVES:
        known = set(APPLICATION_STATES if move.subject == "application" else CHOICE_STATES)
        assert move.sources <= known
        assert move.target is None or move.target in known
    assert len({(move.subject, move.name) for move in MOVES}) == len(MOVES)


def test_every_state_but_the_first_is_reached_by_a_move() -> None:
    for subject, states, first in (("application", APPLICATION_STATES, "draft"), ("choice", CHOICE_STATES, "pending")):
        assert {move.target for move in MOVES if move.subject == subject and move.target} | {first} == set(states)


def test_every_choice_state_by_move_by_role(admission: Admission) -> None:
    for name, way, released, answer in _choice_cases():
        person = admission.add_applicant()
        application = admission.eligible(person, "Systems", "Vision")
        choice = admission.choice(application, "Systems")
        admission.move(choice, *way, as_="leader")
        if released:
            admission.one_move(choice, "release", "admin")
        if answer:
            admission.one_move(choice, answer, "clock" if answer == "expire" else "applicant")
        when = admission.now
        state, shown = choice.state, choice.shown_state
        for who, actor, capacities in everybody(admission, person):
            for one in (move for move in MOVES if move.subject == "choice"):
                for capacity in one.actors:
                    may = capacity in capacities or (actor is None and capacity in {"clock", "system"})
                    seen = shown if capacity == "applicant" else state
                    allowed = may and seen in one.sources and _guards_agree(one, released=released, state=state)
                    made = tries(admission, one, choice, actor, capacity, when)
                    assert made == allowed, f"{name}: {who} as {capacity}: {one.name}"


def _choice_cases() -> list[tuple[str, tuple[str, ...], bool, str]]:
    """Name, way of the lab, whether the decision is released, what the applicant or the clock did then."""
    plain = [(state, way, False, "") for state, way in WAY.items()]
    released = [(f"{state}, released", WAY[state], True, "") for state in ("declined", "waitlisted", "offered")]
    answered = [(answer, WAY["offered"], True, answer) for answer in ("accept", "decline_offer")]
    return plain + released + answered


def _guards_agree(one: Move, *, released: bool, state: str) -> bool:
    """What the guards of the table say of these cases: before the reply date, no interview fixed, seats not said."""
    waiting = state in {"declined", "waitlisted", "offered"} and not released
    answers = {
        "staged": waiting,
        "nothing_staged": not waiting,
        "released": state == "offered" and released,
        "reply_too_late": False,
        "eligible_application": state != "accepted",
    }
    return all(answers.get(guard, True) for guard in one.guards)


def test_every_application_state_by_move_by_role(admission: Admission) -> None:
    ways: dict[str, tuple[tuple[str, str], ...]] = {
        "draft": (),
        "submitted": (("submit", "applicant"),),
        "incomplete": (("submit", "applicant"), ("ask_for_more", "admin")),
        "eligible": (("submit", "applicant"), ("mark_eligible", "admin")),
        "ineligible": (("submit", "applicant"), ("mark_ineligible", "admin")),
        "withdrawn": (("submit", "applicant"), ("withdraw", "applicant")),
        "closed": (("submit", "applicant"), ("mark_eligible", "admin"), ("close", "clock")),
    }
    for state, way in ways.items():
        person = admission.add_applicant()
        before_deadline = admission.now
        application = admission.draft(person, "Systems")
        for name, capacity in way:
            if name.startswith("mark_"):
                admission.now = admission.cycle.deadline_at + timedelta(minutes=1)
            admission.one_move(application, name, capacity)
        assert application.state == state
        admission.now = before_deadline
        for who, actor, capacities in everybody(admission, person):
            for one in (move for move in MOVES if move.subject == "application"):
                when = admission.cycle.deadline_at if "deadline_passed" in one.guards else before_deadline
                for capacity in one.actors:
                    may = capacity in capacities or (actor is None and capacity in {"clock", "system"})
                    never_submitted = "submitted_before" in one.guards and application.submissions == 0
                    allowed = may and state in one.sources and not never_submitted
                    made = tries(admission, one, application, actor, capacity, when)
                    assert made == allowed, f"{state}: {who} as {capacity}: {one.name}"


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
        admission.move(choice, *WAY["ranked"], as_="leader")
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
        admission.move(choice, *WAY["ranked"], as_="leader")
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
        admission.move(choices[-1], *WAY["ranked"], as_="leader")
    admission.one_move(choices[0], "offer", "leader")
    with pytest.raises(MoveRefused, match="All 1 seats"):
        admission.one_move(choices[1], "offer", "leader")
    admission.one_move(choices[0], "take_back_offer", "leader")
    admission.one_move(choices[1], "offer", "leader")
    assert [choice.state for choice in choices] == ["ranked", "offered"]
