"""A choice that gives its place up at the very moment in which the ranking is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.applications.moves.service import perform
from portal.db import db
from portal.models import Choice, Lab, User
from portal.reviews.board import ranked_ids, save_order, seen_order
from tests.admission import add_admission
from tests.databases import application_over
from tests.meanwhile import meanwhile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.admission import Admission


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def admission(request: pytest.FixtureRequest, settings: dict[str, str]) -> Iterator[Admission]:
    """One lab, over each database."""
    with application_over(request, settings) as app:
        made = add_admission(app)
        made.add_lab("Systems")
        yield made


def test_what_is_declined_while_the_ranking_is_saved_keeps_no_place(admission: Admission) -> None:
    choices = [admission.eligible(admission.add_applicant(), "Systems").choices[0] for _ in range(3)]
    for choice in choices:
        admission.move(choice, "start_review", "shortlist", "rank", as_="leader")
    numbers, leader_id, now = [choice.id for choice in choices], admission.leaders["Systems"].id, admission.now
    last = numbers[-1]

    def decline() -> None:
        choice, actor = db.session.get_one(Choice, last), db.session.get_one(User, leader_id)
        perform(db.session(), "decline", choice, actor=actor, capacity="leader", now=now)

    session, leader = admission.session, admission.user(admission.leaders["Systems"])
    lab = session.get_one(Lab, admission.labs["Systems"])
    seen = seen_order(ranked_ids(session, lab, admission.cycle, leader))
    wanted = [last, *numbers[:-1]]
    session.rollback()
    with meanwhile(admission.app, "UPDATE choice SET preference", decline):
        save_order(session, lab, admission.cycle, leader, wanted, seen=seen, now=now)
        session.commit()
    session.expire_all()
    stored = {choice.id: (choice.state, choice.preference) for choice in map(session.get_one, [Choice] * 3, numbers)}
    assert stored == {numbers[0]: ("ranked", 2), numbers[1]: ("ranked", 3), last: ("declined", None)}
