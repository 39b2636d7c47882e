"""Forty submits of one application, forty answers to two offers, or several ranked at the same moment."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.applications.application.submission import submit
from portal.applications.locks import Refusal
from portal.applications.moves.service import AlreadyMoved, perform
from portal.applications.status import answer_offer
from portal.db import db
from portal.models import Application, Choice, MoveRecord, OutboxMail, Submission
from tests.admission import add_admission
from tests.at_once import at_once
from tests.databases import application_over_each

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
AT_ONCE = 40
OFFERED = ("start_review", "shortlist", "rank", "offer")
app = application_over_each()


def outcomes(app: Flask, act: Callable[[int], str], times: int = AT_ONCE) -> list[str]:
    """What `act` says when it runs in so many requests at the same moment, sorted."""

    def run(number: int) -> str:
        try:
            said = act(number)
            db.session.commit()
        except Refusal as refusal:
            db.session.rollback()
            return "done already" if isinstance(refusal, AlreadyMoved) else str(refusal)
        return said

    return sorted(at_once(run, times, app=app))


def test_of_forty_submits_one_is_written_and_of_forty_answers_to_two_offers_one_counts(app: Flask) -> None:
    admission = add_admission(app, now=NOW)
    for lab in ("Ada Lab", "Bee Lab"):
        admission.add_lab(lab)
    draft = admission.draft(admission.add_applicant(), "Ada Lab", "Bee Lab").id

    def submit_one(_number: int) -> str:
        application = db.session.get_one(Application, draft)
        submit(db.session(), None, application, actor=application.applicant, now=NOW)
        return "submitted"

    assert outcomes(app, submit_one) == ["done already"] * (AT_ONCE - 1) + ["submitted"]
    db.session.expire_all()
    assert db.session.scalar(select(func.count()).select_from(Submission)) == 1
    assert written("application_submitted") == 1

    application = db.session.get_one(Application, draft)
    admission.after_deadline()
    admission.one_move(application, "mark_eligible", "admin")
    for choice in application.choices:
        admission.move(choice, *OFFERED, as_="leader")
        admission.one_move(choice, "release", "admin")
    names = {choice.id: choice.lab.name for choice in application.choices}
    offers = list(names)

    def accept(number: int) -> str:
        choice = db.session.get_one(Choice, offers[number % 2])
        answer_offer(db.session(), choice, "accept", actor=choice.application.applicant, now=admission.now)
        return "accepted"

    said = outcomes(app, accept)
    db.session.expire_all()
    accepted = db.session.scalars(select(Choice).where(Choice.state == "accepted")).one()
    assert said.count("accepted") == 1
    assert said.count("done already") == AT_ONCE // 2 - 1
    other = [one for one in said if one not in {"accepted", "done already"}]
    assert len(other) == AT_ONCE // 2
    assert all(one.startswith(f"You accepted the offer of {names[accepted.id]} on ") for one in other)
    moves = select(func.count()).select_from(MoveRecord).where(MoveRecord.move == "accept")
    assert (db.session.scalar(moves), written("offer_answered")) == (1, 2)  # the lab's leader and its reviewer


def test_applicants_who_are_ranked_at_the_same_moment_get_different_places(app: Flask) -> None:
    admission = add_admission(app, now=NOW)
    admission.add_lab("Ada Lab")
    choices = []
    for person in [admission.add_applicant() for _ in range(4)]:
        choice = admission.choice(admission.eligible(person, "Ada Lab"), "Ada Lab")
        admission.move(choice, "start_review", "shortlist", as_="leader")
        choices.append(choice.id)
    leader = admission.leaders["Ada Lab"]

    def rank(number: int) -> str:
        choice, actor = db.session.get_one(Choice, choices[number]), admission.user(leader)
        perform(db.session(), "rank", choice, actor=actor, capacity="leader", now=admission.now)
        return "ranked"

    assert outcomes(app, rank, len(choices)) == ["ranked"] * len(choices)
    places = db.session.scalars(select(Choice.preference).order_by(Choice.preference))
    assert places.all() == [1, 2, 3, 4]


def written(kind: str) -> int:
    """How many mails of a kind were written."""
    return db.session.scalar(select(func.count()).select_from(OutboxMail).where(OutboxMail.kind == kind)) or 0
