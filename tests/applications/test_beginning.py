"""What one wrote in another cycle begins an empty application: labs, reasons, answers to the same questions."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

import pytest

from portal.applications.content.choosing import Draft, draft_of
from portal.applications.cycles import application_of
from portal.applications.drafting.beginning import begin_with, in_words, others_to_begin_with, taken_from
from portal.applications.drafting.service import save_draft, start_application
from portal.applications.moves.service import MoveRefused
from portal.models import LabIntake
from tests.admission import Admission, add_admission
from tests.applications.admission_pages import Applying

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.models import Application
    from tests.people import Person

LABS = ("Systems", "Vision", "Speech")


def question(key: str, text: str, most: int | None = None) -> dict[str, object]:
    return {"key": key, "text": text, "required": False, **({"most": most} if most else {})}


@pytest.fixture
def wrong(app: Flask) -> Iterator[Admission]:
    """A cycle with three labs and three questions."""
    with app.app_context():
        asked = [question("a", "Why now?"), question("b", "Where from?"), question("c", "Anything else?")]
        made = add_admission(app, name="Spring", questions=asked)
        for lab in LABS:
            made.add_lab(lab)
        yield made


@pytest.fixture
def right(wrong: Admission) -> Admission:
    """The cycle that was meant: two choices at most, two of the questions, one of them under another key."""
    asked = [question("x", "why  NOW?"), question("b", "Where from?", most=3)]
    return add_admission(wrong.app, name="Fall", questions=asked, most_choices=2)


def stored(admission: Admission, person: Person) -> Draft | None:
    admission.session.expire_all()
    application = application_of(admission.session, admission.user(person), admission.cycle)
    return draft_of(application) if application else None


def application_in(admission: Admission, person: Person) -> Application:
    application = application_of(admission.session, admission.user(person), admission.cycle)
    assert application is not None
    return application


def test_what_fits_is_taken_and_the_rest_is_said(wrong: Admission, right: Admission) -> None:
    person = wrong.add_applicant()
    written = draft_of(wrong.draft(person, *LABS, reason="Because."))
    wrong.session.add(LabIntake(lab_id=wrong.labs["Systems"], cycle_id=right.cycle_id, open=False))
    wrong.session.commit()
    me = Applying(person.sign_in(), right.cycle.slug)
    assert "Begin with what you wrote in Spring" in me.read()
    for _click in range(2):
        assert me.send("begin", other=wrong.cycle.slug).status_code == 302
        said = unescape(me.read())
        assert (
            "Begun with 2 labs and 1 answer. Left out: Systems takes no applications in Fall; the answer to “Where "
            "from?” is longer than Fall allows; “Anything else?” is not asked in Fall."
        ) in said
    taken = stored(right, person)
    assert taken is not None
    assert [(lab.lab_id, lab.reason) for lab in taken.labs] == [
        (wrong.labs["Vision"], "Because."),
        (wrong.labs["Speech"], "Because."),
    ]
    assert taken.answers == {"x": "An answer."}
    assert stored(wrong, person) == written
    assert "Begin with what you wrote" not in me.read()


def test_what_is_written_already_is_not_overwritten(wrong: Admission, right: Admission) -> None:
    person = wrong.add_applicant()
    wrong.draft(person, "Vision")
    me = Applying(person.sign_in(), right.cycle.slug)
    me.send(**me.form(), add="speech")
    before = stored(right, person)
    assert me.send("begin", other=wrong.cycle.slug).status_code == 302
    assert "Nothing was taken from Spring." in unescape(me.read())
    assert before is not None
    assert stored(right, person) == before
    assert [lab.lab_id for lab in before.labs] == [wrong.labs["Speech"]]


def test_only_other_cycles_in_which_something_is_written_are_offered(wrong: Admission, right: Admission) -> None:
    person = wrong.add_applicant()
    user, session = wrong.user(person), wrong.session
    wrong.draft(person)  # with answers, without a lab
    mine = start_application(session, user, right.cycle, now=right.while_open())
    assert [one.cycle.slug for one in others_to_begin_with(session, user, right.cycle)] == [wrong.cycle.slug]
    assert others_to_begin_with(session, user, wrong.cycle) == []
    save_draft(session, mine, Draft(answers={"x": "Mine."}), base=mine.version, now=right.while_open())
    assert [one.cycle.slug for one in others_to_begin_with(session, user, wrong.cycle)] == [right.cycle.slug]
    with pytest.raises(MoveRefused, match="holds something already"):
        begin_with(session, user, application_in(wrong, person), right.cycle, now=right.while_open())


def test_where_nothing_fits_that_is_said(wrong: Admission) -> None:
    person = wrong.add_applicant()
    written = wrong.draft(person)
    elsewhere = add_admission(wrong.app, name="Winter", questions=[question("z", "Who else?")])
    taken = taken_from(wrong.session, written, elsewhere.cycle)
    said = in_words(taken, [])
    assert taken.draft == Draft()
    assert said.startswith("Begun with nothing. Left out: “Why now?” is not asked in Winter; ")


def test_nobody_begins_with_what_somebody_else_wrote_or_in_a_closed_cycle(wrong: Admission, right: Admission) -> None:
    person, other = wrong.add_applicant(), wrong.add_applicant()
    wrong.draft(person, "Vision")
    me = Applying(other.sign_in(), right.cycle.slug)
    assert "Begin with what you wrote" not in me.read()
    assert me.send("begin", other=wrong.cycle.slug).status_code == 404
    assert me.send("begin", other="none").status_code == 404
    right.cycle.deadline_at = right.now
    right.session.commit()
    mine = Applying(person.sign_in(), right.cycle.slug)
    assert mine.send("begin", other=wrong.cycle.slug).status_code == 302
    assert stored(right, person) is None
