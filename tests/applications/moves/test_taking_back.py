"""What is taken back leads to the state before, as the history tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete

from portal.applications.locks import Refusal
from portal.applications.moves.service import AlreadyMoved
from portal.models import Lab, MoveRecord
from portal.reviews.board import save_order, seen_order

if TYPE_CHECKING:
    from portal.models import Choice
    from tests.admission import Admission

# How a choice comes into each state by moves of the lab, after its application was found eligible.
WAY = {
    "pending": (),
    "in_review": ("start_review",),
    "shortlisted": ("start_review", "shortlist"),
    "interview": ("start_review", "shortlist", "invite_to_interview"),
    "interviewed": ("start_review", "shortlist", "invite_to_interview", "mark_interviewed"),
    "ranked": ("start_review", "shortlist", "rank"),
    "waitlisted": ("start_review", "shortlist", "waitlist"),
}
# What takes back each of these, and from where each can be made.
TAKEN_BACK = {
    "rank": ("take_off_ranking", ("shortlisted", "interviewed")),
    "waitlist": ("take_back_waitlist", ("shortlisted", "interviewed", "ranked")),
    "decline": (
        "take_back_decline",
        ("pending", "in_review", "shortlisted", "interview", "interviewed", "ranked", "waitlisted"),
    ),
    "offer": ("take_back_offer", ("ranked", "waitlisted")),
}


@pytest.mark.parametrize(("name", "before"), [(name, one) for name, (_, all_) in TAKEN_BACK.items() for one in all_])
def test_what_is_taken_back_leads_to_the_state_before(admission: Admission, name: str, before: str) -> None:
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems", "Vision"), "Systems")
    admission.move(choice, *WAY[before], as_="leader")
    if before == "waitlisted":  # only what was released lets another decision follow
        admission.one_move(choice, "release", "admin")
    seen = (choice.state, choice.shown_state)
    admission.one_move(choice, name, "leader")
    back = TAKEN_BACK[name][0]
    admission.one_move(choice, back, "leader")
    assert (choice.state, choice.shown_state) == seen
    assert (choice.preference is not None) == (choice.state == "ranked")
    with pytest.raises(AlreadyMoved):
        admission.one_move(choice, back, "leader")


@pytest.mark.parametrize(("name", "back"), [("shortlist", "take_off_shortlist"), ("decline", "take_back_decline")])
def test_an_unread_applicant_who_is_taken_back_is_unread_again(admission: Admission, name: str, back: str) -> None:
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems")
    admission.move(choice, name, back, as_="leader")
    assert (choice.state, choice.shown_state) == ("pending", "pending")


def test_taking_back_leads_to_where_it_was_before_the_last_time(admission: Admission) -> None:
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems")
    admission.move(choice, "start_review", "decline", "take_back_decline", as_="leader")
    assert choice.state == "in_review"
    admission.move(choice, "shortlist", "rank", "decline", "take_back_decline", as_="leader")
    assert choice.state == "ranked"
    admission.one_move(choice, "take_off_ranking", "leader")
    assert choice.state == "shortlisted"
    with pytest.raises(Refusal, match="is not possible now") as refused:
        admission.one_move(choice, "take_back_decline", "leader")
    assert not isinstance(refused.value, AlreadyMoved)


def test_what_the_history_does_not_know_is_not_taken_back(admission: Admission) -> None:
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems")
    admission.move(choice, *WAY["ranked"], as_="leader")
    admission.session.execute(delete(MoveRecord).where(MoveRecord.choice_id == choice.id))
    admission.session.commit()
    with pytest.raises(Refusal, match="The history does not say where this was before"):
        admission.one_move(choice, "take_off_ranking", "leader")
    assert choice.state == "ranked"


def ranked_in_systems(admission: Admission, people: int) -> list[Choice]:
    """Choices that Systems ranked, in their order."""
    choices = [
        admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems") for _ in range(people)
    ]
    for choice in choices:
        admission.move(choice, *WAY["ranked"], as_="leader")
    return choices


def test_a_decline_that_is_taken_back_gives_the_place_in_the_order_back(admission: Admission) -> None:
    first, second, third = ranked_in_systems(admission, 3)
    admission.move(second, "waitlist", as_="leader")
    admission.one_move(second, "release", "admin")
    for choice in (first, second):
        admission.move(choice, "decline", as_="leader")
    assert (first.preference, second.preference) == (None, None)
    new = ranked_in_systems(admission, 1)[0]
    for choice in (second, first):
        admission.move(choice, "take_back_decline", as_="leader")
    assert [(each.state, each.preference) for each in (first, second, third, new)] == [
        ("ranked", 1), ("waitlisted", 2), ("ranked", 3), ("ranked", 4),
    ]  # fmt: skip


def test_who_is_ranked_again_after_the_order_was_saved_without_them_comes_last(admission: Admission) -> None:
    first, second, third = ranked_in_systems(admission, 3)
    admission.move(first, "decline", as_="leader")
    session, leader = admission.session, admission.user(admission.leaders["Systems"])
    lab, seen = session.get_one(Lab, admission.labs["Systems"]), seen_order([second.id, third.id])
    save_order(session, lab, admission.cycle, leader, [third.id, second.id], seen=seen, now=admission.now)
    admission.move(first, "take_back_decline", as_="leader")
    assert [each.preference for each in (third, second, first)] == [1, 2, 3]
