"""Releases while labs and other administrators act, on SQLite and on PostgreSQL: only what was approved goes out."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, text

from portal.admin.cycles.releases.service import approve_release, carry_out, prepare_release
from portal.admin.rules import NotAllowed
from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.moves.service import perform
from portal.db import db
from portal.models import Choice, Decision, Release, ReleaseItem
from tests.admission import Admission, add_admission
from tests.databases import application_over_each
from tests.people import Person, add_person

if TYPE_CHECKING:
    from flask import Flask


RANKED = ("start_review", "shortlist", "rank")
WAITING_FOR_A_LOCK = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = :name")
TRIES = 3_000
PAUSE = threading.Event()  # that nobody sets
app = application_over_each()


@pytest.fixture
def admission(app: Flask) -> Admission:
    made = add_admission(app)
    for lab in ("Ada Lab", "Bee Lab"):
        made.add_lab(lab)
    return made


class Quiet:
    """Progress that nobody looks at, and that commits nothing."""

    def step(self, done: int, total: int | None, doing: str = "") -> None:
        """Nothing."""


class ErasesAnApplication:
    """Progress during which somebody erases the application that is released last."""

    def __init__(self, admission: Admission, person: Person) -> None:
        self.admission, self.person = admission, person

    def step(self, done: int, total: int | None, doing: str = "") -> None:
        """Commits, as a step does."""
        del total, doing
        self.admission.session.commit()
        if done == 0:
            files = file_store(self.admission.app)
            erase_everything(self.admission.session, files, self.admission.user(self.person), now=self.admission.now)
            self.admission.session.commit()


def decided(admission: Admission, kind: str) -> Choice:
    """A choice with a decision that waits for its release."""
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Ada Lab", "Bee Lab"), "Ada Lab")
    admission.move(choice, *RANKED, kind, as_="leader")
    return choice


def staged() -> list[Decision]:
    waits = (Decision.released_at.is_(None), Decision.taken_back_at.is_(None))
    return list(db.session.scalars(select(Decision).where(*waits).order_by(Decision.id.desc())))


def approved(admission: Admission, decisions: list[Decision]) -> Release:
    """A release that was prepared by one and approved by another, and whose time comes later."""
    session, now = admission.session, admission.now
    due_at = admission.later(hours=1)
    second = add_person(admission.app, "admin")
    made = prepare_release(
        session, admission.cycle, decisions, actor=admission.user(admission.admin), now=now, due_at=due_at
    )
    approve_release(session, made, actor=admission.user(second), now=now)
    session.commit()
    return made


def carried_out(admission: Admission, release: Release) -> list[str]:
    """What the release says of each decision that could not go out."""
    carry_out(admission.session, release, now=admission.now, progress=Quiet())
    admission.session.commit()
    return [item.problem for item in release.items]


def test_a_decision_that_takes_the_place_of_a_released_one_does_not_go_out_with_it(admission: Admission) -> None:
    choice = decided(admission, "waitlist")
    first, session = approved(admission, staged()), admission.session
    second = Release(
        cycle_id=admission.cycle_id, state="approved", prepared_at=admission.now, approved_at=admission.now
    )
    second.approved_by_id = first.approved_by_id
    second.items = [ReleaseItem(decision_id=first.items[0].decision_id)]  # as two who prepared at once could
    session.add(second)
    session.commit()
    assert carried_out(admission, first) == [""]
    admission.one_move(choice, "offer", "leader")
    assert carried_out(admission, second) == ["It was released already, with another release."]
    assert (choice.state, choice.shown_state, len(staged())) == ("offered", "waitlisted", 1)


def test_what_two_prepare_is_in_one_release(admission: Admission) -> None:
    decided(admission, "offer")
    decisions = staged()
    approved(admission, decisions)
    with pytest.raises(NotAllowed, match="Select decisions that still wait"):
        approved(admission, decisions)


def test_decisions_go_out_in_the_order_in_which_applications_are_locked(admission: Admission) -> None:
    choices = [decided(admission, kind) for kind in ("offer", "decline", "offer")]
    items = approved(admission, staged()).items
    assert [item.decision.choice_id for item in items] == [choice.id for choice in choices]


def test_a_release_goes_on_where_somebody_erases_their_application_meanwhile(admission: Admission) -> None:
    stays, goes = decided(admission, "offer"), decided(admission, "decline")
    release, person = approved(admission, staged()), goes.application.applicant
    erasing = ErasesAnApplication(admission, Person(admission.app, person.id, person.email))
    assert carry_out(admission.session, release, now=admission.now, progress=erasing) == 1
    assert (stays.shown_state, release.state) == ("offered", "done")


# SQLite knows one writer at a time: there a lab waits until the release has ended.
@pytest.mark.parametrize("app", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_what_a_lab_decides_instead_while_the_release_waits_for_it_does_not_go_out(admission: Admission) -> None:
    choice = decided(admission, "offer")
    release, number = approved(admission, staged()), choice.id
    name, moved, waited = db.engine.url.database, threading.Event(), []

    def decide_otherwise() -> None:
        with admission.app.app_context():
            mine = admission.session.get_one(Choice, number)
            leader = admission.user(admission.leaders["Ada Lab"])
            for act in ("take_back_offer", "decline"):
                perform(admission.session, act, mine, actor=leader, capacity="leader", now=admission.now)
            moved.set()
            with db.engine.connect() as watcher:
                waits = (watcher.scalar(WAITING_FOR_A_LOCK, {"name": name}) or PAUSE.wait(0.01) for _ in range(TRIES))
                waited.append(any(waits))
            admission.session.commit()

    lab = threading.Thread(target=decide_otherwise)
    lab.start()
    assert moved.wait(300)
    assert carried_out(admission, release) == ["The lab took it back before the release."]
    lab.join()
    admission.session.expire_all()
    assert waited == [True]
    assert (choice.state, choice.shown_state, choice.released_at) == ("declined", "in_review", None)
    assert [decision.kind for decision in staged()] == ["decline"]
