"""Whatever people do in whatever order: labs read what was submitted; states, decisions and places agree."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.applications import clock
from portal.applications.application.submission import submit
from portal.applications.cycles import last_submission, staged_decision
from portal.applications.drafts import save_draft
from portal.applications.locks import Refusal
from portal.applications.moves.service import perform
from portal.applications.states import MOVES, OPEN_CHOICE, READ_BY_LABS, STAGING, SUBMITTING
from portal.applications.status import ENDED, standing_of
from portal.applications.submissions import ChosenLab, Draft
from portal.models import Application, Choice, LabIntake
from tests.admission import admission_of

if TYPE_CHECKING:
    from flask import Flask

    from portal.applications.states import Capacity, Move
    from portal.models import User
    from tests.admission import Admission

LABS = ("Systems", "Vision", "Robots")
STEPS = 110  # of which a third before the deadline
# How often a move is made that ends much, compared with others.
RARE = {"withdraw": 0.02, "decline": 0.3, "accept": 0.3, "decline_offer": 0.3}
STAGED = {name: move.target for move in MOVES if (name := move.name) in STAGING}


def who(admission: Admission, subject: Application | Choice, capacity: Capacity) -> User | None:
    application = subject.application if isinstance(subject, Choice) else subject
    if isinstance(subject, Choice) and capacity in {"leader", "reviewer"}:
        people = admission.leaders if capacity == "leader" else admission.reviewers
        return admission.user(people[subject.lab.name])
    return {"applicant": application.applicant, "admin": admission.user(admission.admin)}.get(capacity)


def some_labs(admission: Admission, chance: random.Random) -> Draft:
    labs = chance.sample(LABS, chance.randint(1, len(LABS)))
    return Draft(tuple(ChosenLab(admission.labs[lab], f"Reason {chance.random()}") for lab in labs))


def something(admission: Admission, application: Application, chance: random.Random) -> None:
    """One thing that somebody tries with the application or one of its choices."""
    session, now = admission.session, admission.now
    if chance.random() < 0.1:
        clock.restore_drafts(session, now)
        clock.expire_offers(session, now)
        return
    if application.state in {"draft", "incomplete"} and chance.random() < 0.5:
        save_draft(session, application, some_labs(admission, chance), base=application.version, now=now)
        return
    read = application.state in READ_BY_LABS and application.choices and chance.random() < 0.93
    subject: Application | Choice = chance.choice(application.choices) if read else application
    kind = "choice" if read else "application"
    moves: list[Move] = [
        move
        for move in MOVES
        if move.subject == kind and subject.state in move.sources and not {"clock", "system"} >= set(move.actors)
    ]
    if not moves:
        return
    move = chance.choices(moves, [RARE.get(move.name, 1.0) for move in moves])[0]
    capacity = chance.choice([actor for actor in move.actors if actor != "clock"])
    if move.name in SUBMITTING:
        submit(session, None, application, actor=application.applicant, now=now)
    else:
        actor = who(admission, subject, capacity)
        perform(session, move.name, subject, actor=actor, capacity=capacity, now=now, message="Because.")


def check(admission: Admission) -> None:
    session = admission.session
    for application in session.scalars(select(Application)):
        assert standing_of(session, application, admission.now).label
        sent, readable = last_submission(session, application), application.state in READ_BY_LABS
        if readable or application.state == "submitted":
            assert sent is not None
            chosen = {one["lab_id"]: (one["position"], one["reason"]) for one in sent.choices}
            assert chosen == {choice.lab_id: (choice.position, choice.reason) for choice in application.choices}
        for choice in application.choices:
            decision = staged_decision(session, choice)
            assert (choice.listed_in_id is not None) == readable
            if decision is not None:
                assert (choice.state, choice.shown_state != choice.state) == (STAGED[decision.kind], True)
            elif choice.state in STAGED.values():
                assert choice.shown_state == choice.state
            if application.state in ENDED:
                assert (choice.state in OPEN_CHOICE, decision) == (False, None)
            assert choice.state != "ranked" or choice.preference
            assert choice.state not in {"closed", "declined"} or choice.preference is None
    for lab in admission.labs.values():
        with_place = select(Choice.preference).where(Choice.lab_id == lab, Choice.preference.is_not(None))
        places = session.scalars(with_place).all()
        assert len(places) == len(set(places))
    offers = Choice.lab_id == admission.labs["Systems"], Choice.state.in_(("offered", "accepted"))
    assert len(session.scalars(select(Choice.id).where(*offers)).all()) <= 1  # its only seat


@pytest.mark.parametrize(
    # In the history of 17, all that is checked comes to pass: decisions that are released, answers, places, closing.
    "seed",
    [17, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in (*range(6), 12))],
    ids=lambda seed: f"{seed}",
)
def test_what_is_stored_agrees_after_every_step(app: Flask, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  (a history that can be repeated)
    with admission_of(app, *LABS, deadline_in=timedelta(days=2)) as admission:
        session = admission.session
        session.add(LabIntake(lab_id=admission.labs["Systems"], cycle_id=admission.cycle_id, seats=1))
        session.commit()
        numbers = [admission.draft(admission.add_applicant(), *LABS[: chance.randint(1, 3)]).id for _ in range(3)]
        made = 0
        for step in range(STEPS):
            if step == STEPS // 3:
                admission.after_deadline()
            admission.later(hours=chance.choice((0, 0, 1, 2)) if step < STEPS // 3 else chance.choice((0, 0, 0, 24)))
            try:
                something(admission, session.get_one(Application, chance.choice(numbers)), chance)
                session.commit()
                made += 1
            except Refusal:
                session.rollback()
            session.expire_all()
            check(admission)
        assert made > STEPS // 4  # it is not all refusals
