"""What is taken back leads to the state before, as the history tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete

from portal.applications.moves.service import AlreadyMoved, MoveRefused
from portal.applications.states import move_named
from portal.models import MoveRecord
from tests.applications.trying_moves import WAY, everybody, tries

if TYPE_CHECKING:
    from tests.admission import Admission

# What takes back each of these, and from where each can be made.
TAKEN_BACK = {
    "rank": ("take_off_ranking", ("shortlisted", "interviewed")),
    "waitlist": ("take_back_waitlist", ("shortlisted", "interviewed", "ranked")),
    "decline": ("take_back_decline", ("in_review", "shortlisted", "interview", "interviewed", "ranked", "waitlisted")),
    "offer": ("take_back_offer", ("ranked", "waitlisted")),
}


@pytest.mark.parametrize(("name", "before"), [(name, one) for name, (_, all_) in TAKEN_BACK.items() for one in all_])
def test_what_is_taken_back_leads_to_the_state_before_and_only_the_leader_does_it(
    admission: Admission, name: str, before: str
) -> None:
    person = admission.add_applicant()
    choice = admission.choice(admission.eligible(person, "Systems", "Vision"), "Systems")
    admission.move(choice, *WAY[before], as_="leader")
    if before == "waitlisted":  # only what was released lets another decision follow
        admission.one_move(choice, "release", "admin")
    seen = (choice.state, choice.shown_state)
    admission.one_move(choice, name, "leader")
    back = TAKEN_BACK[name][0]
    for who, actor, capacities in everybody(admission, person):
        for capacity in ("applicant", "reviewer", "leader", "admin", "clock", "system"):
            made = tries(admission, move_named("choice", back), choice, actor, capacity, admission.now)
            assert made == (capacity == "leader" and "leader" in capacities), f"{who} as {capacity}"
    admission.one_move(choice, back, "leader")
    assert (choice.state, choice.shown_state) == seen
    assert (choice.preference is not None) == (choice.state == "ranked")
    with pytest.raises(AlreadyMoved):
        admission.one_move(choice, back, "leader")


def test_taking_back_leads_to_where_it_was_before_the_last_time(admission: Admission) -> None:
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems")
    admission.move(choice, "start_review", "decline", "take_back_decline", as_="leader")
    assert choice.state == "in_review"
    admission.move(choice, "shortlist", "rank", "decline", "take_back_decline", as_="leader")
    assert choice.state == "ranked"
    admission.one_move(choice, "take_off_ranking", "leader")
    assert choice.state == "shortlisted"
    with pytest.raises(MoveRefused, match="is not possible now") as refused:
        admission.one_move(choice, "take_back_decline", "leader")
    assert not isinstance(refused.value, AlreadyMoved)


def test_what_the_history_does_not_know_is_not_taken_back(admission: Admission) -> None:
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems")
    admission.move(choice, *WAY["ranked"], as_="leader")
    admission.session.execute(delete(MoveRecord).where(MoveRecord.choice_id == choice.id))
    admission.session.commit()
    with pytest.raises(MoveRefused, match="The history does not say where this was before"):
        admission.one_move(choice, "take_off_ranking", "leader")
    assert choice.state == "ranked"


def test_who_is_ranked_again_after_a_decline_comes_last(admission: Admission) -> None:
    first, second = (
        admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems") for _ in range(2)
    )
    for choice in (first, second):
        admission.move(choice, *WAY["ranked"], as_="leader")
    admission.move(first, "decline", "take_back_decline", as_="leader")
    assert [second.preference, first.preference] == [2, 3]
