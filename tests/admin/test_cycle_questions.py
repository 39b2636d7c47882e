"""The questions of a cycle's form: which stay once they were answered, and how they can be put into better words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.cycles.forms import questions_from_text
from tests.admin.test_cycles import FORM
from tests.people import submit

if TYPE_CHECKING:
    from tests.admission import Admission

BOX = 'name="are_reworded"'


def texts(questions: tuple[dict[str, object], ...]) -> dict[str, object]:
    return {str(question["key"]): question["text"] for question in questions}


def test_a_question_that_was_answered_can_be_put_into_better_words_and_keeps_its_answers(admission: Admission) -> None:
    client = admission.admin.sign_in()
    before = questions_from_text("Wich projects? *\nAnything else?")
    application = admission.submitted(admission.add_applicant(), "Systems")
    application.answers = {str(before[0]["key"]): "A store."}
    cycle = admission.cycle
    cycle.questions = list(before)
    admission.session.commit()
    dates = {"opens_at": "2026-01-01T09:00", "deadline_at": "2031-12-15T23:59", "reply_by_at": "2032-03-01T12:00"}
    address = f"/admin/cycles/{cycle.slug}"
    form = FORM | dates | {"version": "1", "questions": "Which projects? *\nAnything else?"}
    assert BOX not in client.get(address).text
    refused = submit(client, address, form)
    assert (refused.status_code, BOX in refused.text) == (422, True)
    assert "Applicants have answered “Wich projects?” already." in refused.text
    assert submit(client, address, form | {"are_reworded": "y"}).status_code == 302
    admission.session.expire_all()
    assert [(question["key"], question["text"]) for question in admission.cycle.questions] == [
        (before[0]["key"], "Which projects?"),
        (before[1]["key"], "Anything else?"),
    ]


def test_only_as_many_new_questions_as_are_missing_take_their_keys() -> None:
    before = questions_from_text("One?\nTwo?\nThree?")
    first, _, third = (question["key"] for question in before)
    reworded = questions_from_text("First?\nTwo?\nThird?", before, are_reworded=True)
    assert {first: "First?", third: "Third?"}.items() <= texts(reworded).items()
    more = questions_from_text("First?\nTwo?\nThird?\nFourth?", before, are_reworded=True)
    assert {first, third}.isdisjoint(texts(more))


def test_the_old_words_of_a_question_make_another_one_beside_it() -> None:
    before = questions_from_text("Why?")
    reworded = questions_from_text("Why a Ph.D.?", before, are_reworded=True)
    both = questions_from_text("Why a Ph.D.?\nWhy?", reworded)
    assert [question["text"] for question in both] == ["Why a Ph.D.?", "Why?"]
    assert (both[0]["key"] == before[0]["key"], both[1]["key"] == before[0]["key"]) == (True, False)
