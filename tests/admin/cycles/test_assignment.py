"""Assignment rounds on a cycle's own lists: computed, proved, compared, staged, never shown before a release."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from portal import audit
from portal.admin.cycles.assignment.service import draft_round, stage_offers
from portal.assignment import read_round
from portal.assignment.verify import check
from portal.models import (
    Application,
    AssignmentRound,
    AuditEntry,
    Choice,
    Conflict,
    Decision,
    Lab,
    LabIntake,
    MoveRecord,
    User,
)
from portal.web.paging import page_of
from tests.admission import Admission, add_admission
from tests.people import add_person, submit
from tests.reviews.crowd import add_crowd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from flask import Flask
    from flask.testing import FlaskClient

RANK = ("start_review", "shortlist", "rank")


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        now = datetime.now(UTC).replace(second=0, microsecond=0)
        one = add_admission(app, now=now - timedelta(days=40), deadline_in=timedelta(days=30))
        for name, topic in (("Systems", "GPUs"), ("Vision", "Pictures"), ("Theory", "Proofs")):
            lab = one.add_lab(name, topic)
            one.session.add(LabIntake(lab_id=lab.id, cycle_id=one.cycle_id, seats=1))
        one.session.commit()
        yield one


@pytest.fixture
def ranked(admission: Admission) -> tuple[Application, Application]:
    """Both want Systems first and Vision second; Systems prefers the second applicant, Vision only ranked the first."""
    first = admission.eligible(admission.add_applicant("First Person"), "Systems", "Vision", "Theory")
    second = admission.eligible(admission.add_applicant("Second Person"), "Systems", "Vision")
    admission.move(admission.choice(second, "Systems"), *RANK, as_="leader")
    admission.move(admission.choice(first, "Systems"), *RANK, as_="leader")
    admission.move(admission.choice(first, "Vision"), *RANK, as_="leader")
    return first, second


def _draft(admission: Admission, client: FlaskClient, seed: str = "draw of 1 March") -> str:
    base = f"/admin/cycles/{admission.cycle.slug}/assignment"
    return submit(client, f"{base}/draft", {"seed": seed}, page=base).location or ""


def _states(admission: Admission) -> list[str]:
    admission.session.expire_all()
    return [choice.state for choice in admission.session.scalars(select(Choice).order_by(Choice.id))]


def test_a_draft_is_stable_proved_and_changes_nothing(
    admission: Admission, ranked: tuple[Application, Application]
) -> None:
    before = _states(admission)
    client = admission.admin.sign_in()
    page = client.get(_draft(admission, client)).text
    held = admission.session.scalars(select(AssignmentRound)).one()
    first, second = ranked
    assert read_round(held.certificate).lab_of == {first.receipt: "vision", second.receipt: "systems"}
    assert check(held.certificate.encode()).violations == ()
    assert "Proved by the independent checker" in page
    assert "First Person" in page
    assert f"<h1>Round 1 of {admission.cycle.name}</h1>" in page
    assert _states(admission) == before
    download = client.get(f"/admin/cycles/{admission.cycle.slug}/assignment/1/certificate")
    assert download.text == held.certificate


def test_each_reason_is_told_and_what_other_seats_would_do(
    admission: Admission, ranked: tuple[Application, Application]
) -> None:
    assert len(ranked) == 2
    client = admission.admin.sign_in()
    address = _draft(admission, client)
    page = client.get(f"{address}?lab=systems&seats=2").text
    assert "First Person: Vision → Systems" in page
    assert "higher on their list" in page
    for typed in ("two", "10001"):
        wrong = client.get(f"{address}?lab=systems&seats={typed}").text
        assert "Give a whole number from 0 to 10,000." in wrong
        assert f'name="seats" value="{typed}" aria-invalid="true"' in wrong
    reasons = client.get(address).text
    assert 'Theory: <span class="quiet">Got choice 2 instead' in reasons
    assert 'Systems: <span class="quiet">Full: last seat to place 1, this is place 2' in reasons


def test_a_second_round_says_what_changed(admission: Admission, ranked: tuple[Application, Application]) -> None:
    client = admission.admin.sign_in()
    _draft(admission, client)
    assert "Same lists, same phrase, same result." in client.get(_draft(admission, client)).text
    admission.move(admission.choice(ranked[0], "Theory"), *RANK, as_="leader")
    page = client.get(_draft(admission, client)).text
    assert "Same lists" not in page
    assert "2 → 2 applicants placed. Nobody moves." in page


def test_offers_are_staged_from_a_current_round_once_and_wait_for_their_release(
    admission: Admission, ranked: tuple[Application, Application]
) -> None:
    client = admission.admin.sign_in()
    address = _draft(admission, client)
    stage = {"reply_days": "10"}
    assert submit(client, f"{address}/stage", stage, page=address).location.endswith("/releases")
    admission.session.expire_all()
    first, second = ranked
    assert admission.choice(first, "Vision").state == admission.choice(second, "Systems").state == "offered"
    assert {choice.shown_state for choice in (*first.choices, *second.choices)} == {"pending", "in_review"}
    assert [decision.reply_days for decision in admission.session.scalars(select(Decision))] == [10, 10]
    submit(client, f"{address}/stage", stage, page=f"/admin/cycles/{admission.cycle.slug}/assignment")
    assert len(admission.session.scalars(select(Decision)).all()) == 2


def test_a_round_of_which_no_offer_can_be_staged_stays_a_draft_and_says_why(
    admission: Admission, ranked: tuple[Application, Application]
) -> None:
    client = admission.admin.sign_in()
    address = _draft(admission, client)
    conflicts = [
        Conflict(
            reviewer_id=admission.admin.id, applicant_id=each.applicant_id, state="declared", changed_at=admission.now
        )
        for each in ranked
    ]
    admission.session.add_all(conflicts)
    admission.session.commit()
    assert submit(client, f"{address}/stage", {"reply_days": "10"}, page=address).location == address
    page = client.get(address).text
    assert "No offer of this round could be staged, so the round is as it was." in page
    assert page.count("You have a conflict of interest with this applicant.") == 2
    held = admission.session.scalars(select(AssignmentRound)).one()
    staged = select(AuditEntry.id).where(AuditEntry.act == "assignment.stage")
    assert (held.staged_at, admission.session.scalars(staged).all()) == (None, [])
    other = add_person(admission.app, "admin").sign_in()
    assert submit(other, f"{address}/stage", {"reply_days": "10"}, page=address).location.endswith("/releases")
    admission.session.expire_all()
    assert held.staged_at is not None
    assert len(admission.session.scalars(select(Decision)).all()) == 2


@pytest.mark.usefixtures("ranked")
def test_a_round_in_which_nobody_got_a_lab_stays_a_draft(admission: Admission) -> None:
    admission.session.execute(update(LabIntake).values(seats=0))
    admission.session.commit()
    client = admission.admin.sign_in()
    address, rounds = _draft(admission, client), f"/admin/cycles/{admission.cycle.slug}/assignment"
    assert submit(client, f"{address}/stage", {"reply_days": "10"}, page=rounds).location == address
    assert "No offer of this round could be staged, so the round is as it was." in client.get(address).text
    assert admission.session.scalars(select(AssignmentRound.staged_at)).all() == [None]


def test_a_round_on_old_lists_is_not_staged(admission: Admission, ranked: tuple[Application, Application]) -> None:
    client = admission.admin.sign_in()
    address = _draft(admission, client)
    admission.move(admission.choice(ranked[0], "Theory"), *RANK, as_="leader")
    assert "The lists have changed since." in client.get(address).text
    base = f"/admin/cycles/{admission.cycle.slug}/assignment"
    submit(client, f"{address}/stage", {"reply_days": "10"}, page=base)
    assert admission.session.scalars(select(Decision)).all() == []


def test_without_rankings_or_words_there_is_no_round(admission: Admission) -> None:
    client, base = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/assignment"
    assert "Nobody to assign yet" in client.get(base).text
    admission.eligible(admission.add_applicant(), "Systems")
    for seed, reason in (("", "Give the public phrase"), ("words", "No lab has ranked anybody yet.")):
        refused = submit(client, f"{base}/draft", {"seed": seed}, page=base)
        assert (refused.status_code, reason in refused.text) == (422, True)


@pytest.fixture
def crowded(admission: Admission) -> Admission:
    """Sixty applicants who chose Systems, all of them ranked by it."""
    lab = admission.session.get_one(Lab, admission.labs["Systems"])
    add_crowd(admission.session, admission.cycle, [lab], 60, now=admission.now, name="Person {:02}")
    for place, application in enumerate(admission.session.scalars(select(Application)), start=1):
        application.receipt = f"R-{application.id:03}"
        application.choices[0].state, application.choices[0].preference = "ranked", place
    admission.session.commit()
    return admission


def test_a_round_of_many_is_read_in_pages_and_by_name(crowded: Admission) -> None:
    client = crowded.admin.sign_in()
    address = _draft(crowded, client)
    first = client.get(address).text
    assert (first.count("Full: last seat to place"), "1–25 of 60 applicants" in first) == (24, True)
    assert "Person 00" in first
    assert "Person 59" in client.get(f"{address}?page=3").text
    assert "51–60 of 60 applicants" in client.get(f"{address}?page=99").text
    found = client.get(f"{address}?q=person+37&got=none").text
    assert ("1 applicant" in found, "Person 37" in found, "Person 38" in found) == (True, True, False)
    assert "No applicant fits" in client.get(f"{address}?q=person+37&got=place").text


def test_a_round_of_many_sends_as_many_statements_as_one_of_few(
    crowded: Admission, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    client = crowded.admin.sign_in()
    address = _draft(crowded, client)
    numbers = []
    for page in (1, 3):  # of 25 rows and of 10
        client.get(f"{address}?page={page}")
        with count_queries() as statements:
            client.get(f"{address}?page={page}")
        numbers.append(len(statements))
    assert numbers[0] == numbers[1]


def test_the_labs_of_a_cycle_are_read_in_pages(
    admission: Admission, ranked: tuple[Application, Application], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(ranked) == 2
    monkeypatch.setattr("portal.admin.cycles.assignment.pages.page_of", partial(page_of, per_page=2))
    rounds = admission.admin.sign_in().get(f"/admin/cycles/{admission.cycle.slug}/assignment?page=2").text
    assert ("3–3 of 3 labs" in rounds, ">Vision<" in rounds, ">Theory<" in rounds) == (True, True, False)


def test_offers_of_many_take_few_statements_and_who_cannot_get_one_is_named(
    crowded: Admission, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    session = crowded.session
    admin = session.scalars(select(User).where(User.email == crowded.admin.email)).one()
    intake = session.scalars(select(LabIntake).where(LabIntake.lab_id == crowded.labs["Systems"])).one()
    friend = session.scalars(select(Application).order_by(Application.id)).first()
    assert friend is not None
    session.add(
        Conflict(
            reviewer_id=admin.id,
            applicant_id=friend.applicant_id,
            state="declared",
            reason="Family.",
            changed_at=crowded.now,
        )
    )
    statements, found = [], []
    for seats in (10, 30):
        intake.seats = (intake.seats or 0) - 1 + seats
        session.commit()
        held = draft_round(session, crowded.cycle, seed="x", actor=admin, now=crowded.now)
        session.commit()
        with count_queries() as sent:
            found.append(stage_offers(session, held, reply_days=9, actor=admin, now=crowded.now))
        session.commit()
        statements.append(len(sent))
    refusal = f"{friend.receipt}, systems: You have a conflict of interest with this applicant."
    assert found == [[refusal], [refusal]]
    assert (statements[1] - statements[0]) / 20 <= 3
    offers = session.scalars(select(Choice).where(Choice.state == "offered")).all()
    assert {(choice.state_since, choice.shown_state) for choice in offers} == {(crowded.now, "pending")}
    assert len(offers) == len(session.scalars(select(Decision)).all()) == 38
    moves = select(MoveRecord.from_state, MoveRecord.to_state, MoveRecord.actor_role).where(MoveRecord.move == "offer")
    assert session.execute(moves).all() == [("ranked", "offered", "admin")] * 38
    assert audit.verify(session).holds
