"""The draft of an application: labs in order, reasons, questions, two tabs, the deadline."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from icalendar import Calendar
from sqlalchemy import select

from portal.applications.cycles import application_of
from portal.models import Application, Cycle, LabIntake, Referee
from tests.admission import Admission, add_admission
from tests.applications.admission_pages import Applying, fields, main_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.people import Person

QUESTIONS = [{"key": "why", "text": "Why a Ph.D.?", "required": True, "most": 40}]


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        one = add_admission(app, questions=QUESTIONS, most_choices=3)
        for name in ("Systems", "Vision", "Robots", "Proofs"):
            one.add_lab(name)
        yield one


@pytest.fixture
def person(admission: Admission) -> Person:
    return admission.add_applicant("Mei Lin")


@pytest.fixture
def me(admission: Admission, person: Person) -> Applying:
    return Applying(person.sign_in(), admission.cycle.slug)


def stored(admission: Admission, person: Person) -> tuple[list[tuple[str, str]], dict[str, object]]:
    """The labs with the reasons, and the answers, as they are saved now."""
    row = application(admission, person)
    return [(choice.lab.name, choice.reason) for choice in row.choices], dict(row.answers)


def application(admission: Admission, person: Person) -> Application:
    admission.session.rollback()
    admission.session.expire_all()
    found = application_of(admission.session, admission.user(person), admission.cycle)
    assert found is not None
    return found


def test_labs_are_added_ordered_and_taken_off_by_buttons(admission: Admission, person: Person, me: Applying) -> None:
    for slug in ("systems", "vision", "robots"):
        assert me.send(**me.form(), add=slug).status_code == 302
    reasons = {"choices-0-reason": "First.", "choices-1-reason": "Second.", "choices-2-reason": "Third."}
    answer = me.send(**{**me.form(), **reasons}, up="vision")
    assert answer.headers["Location"] == f"{me.page}#lab-vision"
    assert stored(admission, person)[0] == [("Vision", "Second."), ("Systems", "First."), ("Robots", "Third.")]
    for _ in range(2):
        me.send(**me.form(), up="robots")
    assert stored(admission, person)[0] == [("Robots", "Third."), ("Vision", "Second."), ("Systems", "First.")]
    me.send(**me.form(), down="robots")
    me.send(**me.form(), remove="systems")
    assert stored(admission, person)[0] == [("Vision", "Second."), ("Robots", "Third.")]
    page = me.read()
    assert 'name="add" value="systems"' in page
    assert 'name="add" value="vision"' not in page
    assert "In your list: Vision, Robots. 1 more lab can be added." in main_text(page)


def test_labs_come_from_matches_and_from_the_shortlist(me: Applying) -> None:
    assert "Your shortlist No other lab is saved." in main_text(me.read())
    me.client.post("/me/labs/proofs", data={"act": "save", "csrf_token": me.form()["csrf_token"]})
    text = main_text(me.read())
    assert "Your shortlist Proofs" in text
    assert "1st of 4 labs that fit" in text
    assert text.count("Add Proofs") == 1


def test_a_lab_too_many_and_a_closed_lab_are_refused_beside_the_list(admission: Admission, me: Applying) -> None:
    for slug in ("systems", "vision", "robots"):
        me.send(**me.form(), add=slug)
    answer = me.send(**me.form(), add="proofs")
    assert (answer.status_code, "You can choose 3 labs" in answer.text) == (422, True)
    me.send(**me.form(), remove="robots")
    admission.session.add(LabIntake(lab_id=admission.labs["Proofs"], cycle_id=admission.cycle_id, open=False))
    admission.session.commit()
    assert "Takes no applications in this cycle" in me.read()
    answer = me.send(**me.form(), add="proofs")
    assert (answer.status_code, "Proofs takes no applications" in answer.text) == (422, True)


def test_what_is_too_long_comes_back_with_its_error_beside_it(me: Applying) -> None:
    me.send(**me.form(), add="systems")
    sent = {**me.form(), "choices-0-reason": "x" * 2_001, "answers-0-text": "y" * 41}
    answer = me.send(**sent)
    assert answer.status_code == 422
    assert fields(answer.text)["choices-0-reason"] == "x" * 2_001
    errors = answer.text.partition('id="choices-0-reason-error"')[2].partition("</div>")[0]
    assert "A reason may have 2,000 characters; this one has 2,001." in errors
    assert "may have 40 characters; this one has 41" in answer.text
    assert "Why Systems: A reason may have 2,000 characters" in main_text(answer.text)
    refused = me.autosave(sent)
    assert (refused.status_code, set(refused.json["errors"])) == (422, {"choices-0-reason", "answers-0-text"})  # type: ignore[index]


def test_autosave_answers_with_what_the_next_save_needs(admission: Admission, person: Person, me: Applying) -> None:
    me.send(**me.form(), add="systems")
    first = me.autosave({**me.form(), "choices-0-reason": "One"}).json
    second = me.autosave({**me.form(), **first["fields"], "choices-0-reason": "One, two"})  # type: ignore[index]
    assert second.status_code == 200
    assert stored(admission, person)[0] == [("Systems", "One, two")]
    # What is told beside the form follows what is saved.
    before, after = first["parts"], me.autosave({**me.form(), "answers-0-text": "Since"}).json["parts"]  # type: ignore[index]
    assert all(f'id="{place}"' in me.read() for place in after)
    assert [f"{done} of 5 steps done" in part["checklist-count"] for done, part in ((4, before), (5, after))] == [
        True,
        True,
    ]
    assert ("Missing:" in before["checklist"], "Missing:" in after["checklist"]) == (True, False)


def test_two_tabs_lose_nothing_of_each_other(admission: Admission, person: Person, me: Applying) -> None:
    for slug in ("systems", "vision"):
        me.send(**me.form(), add=slug)
    one, other = me.form(), me.form()
    me.send(**{**one, "choices-0-reason": "Typed in one tab."})
    answer = me.send(**{**other, "choices-1-reason": "Typed in the other.", "answers-0-text": "Here."}, down="systems")
    assert answer.status_code == 302
    both = [("Vision", "Typed in the other."), ("Systems", "Typed in one tab.")]
    assert stored(admission, person) == (both, {"why": "Here."})


def test_the_same_part_changed_in_two_tabs_is_shown_in_both_versions(
    admission: Admission, person: Person, me: Applying
) -> None:
    me.send(**me.form(), add="systems")
    one, other = me.form(), me.form()
    me.send(**{**one, "choices-0-reason": "Version one."})
    sent = {**other, "choices-0-reason": "Version two."}
    assert me.autosave(sent).status_code == 409
    answer = me.send(**sent)
    assert answer.status_code == 409
    assert answer.text.count("Version one.") == 1
    assert ("stays-below" in me.read(), "stays-below" in answer.text) == (True, False)
    assert stored(admission, person)[0] == [("Systems", "Version one.")]
    assert fields(answer.text)["choices-0-reason"] == "Version two."
    me.send(**fields(answer.text))
    assert stored(admission, person)[0] == [("Systems", "Version two.")]


def test_a_reason_for_a_lab_that_was_taken_off_elsewhere_is_kept(
    admission: Admission, person: Person, me: Applying
) -> None:
    for slug in ("systems", "vision"):
        me.send(**me.form(), add=slug)
    form = me.form()
    me.send(**me.form(), remove="vision")
    answer = me.send(**{**form, "choices-1-reason": "Long thought about."})
    assert (answer.status_code, "Long thought about." in answer.text) == (409, True)
    me.send(**fields(answer.text))
    assert stored(admission, person)[0] == [("Systems", ""), ("Vision", "Long thought about.")]


def test_the_deadline_passes_while_the_form_is_open(admission: Admission, person: Person, me: Applying) -> None:
    me.send(**me.form(), add="systems")
    form = me.form()
    end(admission.cycle)
    admission.session.commit()
    answer = me.send(**{**form, "choices-0-reason": "The last sentence."}, then="submit")
    assert answer.status_code == 422
    assert "The deadline of" in main_text(answer.text)
    assert fields(answer.text)["choices-0-reason"] == "The last sentence."
    assert "Save the draft" not in answer.text
    assert me.autosave({**form, "choices-0-reason": "The last sentence."}).status_code == 422
    assert stored(admission, person)[0] == [("Systems", "")]
    assert me.send("submit", version=str(application(admission, person).version)).status_code == 422
    assert application(admission, person).state == "draft"


def end(cycle: Cycle) -> None:
    """Let the deadline be a minute ago."""
    cycle.deadline_at = datetime.now(UTC) - timedelta(minutes=1)


def test_a_form_that_is_out_of_date_comes_back_as_it_was_typed(me: Applying) -> None:
    me.send(**me.form(), add="systems")
    answer = me.client.post(me.page, data={**me.form(), "choices-0-reason": "Typed.", "csrf_token": "old"})
    assert (answer.status_code, fields(answer.text)["choices-0-reason"]) == (400, "Typed.")
    assert "Your session expired – your text is safe" in answer.text


def test_an_answer_to_a_question_that_is_taken_off_meanwhile_keeps_nobody_from_saving(
    admission: Admission, person: Person, me: Applying
) -> None:
    admission.cycle.questions = [*QUESTIONS, {"key": "hobby", "text": "Your <b>hobby</b>?", "required": False}]
    admission.session.commit()
    opened = me.form() | {"answers-0-text": "To learn.", "answers-1-text": "Chess & go."}
    admission.cycle.questions = QUESTIONS
    admission.session.commit()
    assert me.autosave(opened).status_code == 200
    assert me.send(**opened).status_code == 302
    assert stored(admission, person)[1] == {"why": "To learn."}


def test_a_lab_that_was_chosen_before_it_closed_keeps_nobody_from_saving_the_rest(
    admission: Admission, person: Person, me: Applying
) -> None:
    me.send(**me.form(), add="systems")
    admission.session.add(LabIntake(lab_id=admission.labs["Systems"], cycle_id=admission.cycle_id, open=False))
    admission.session.commit()
    assert "It takes no applications in this cycle any more. Remove it before you submit." in me.read()
    written = me.form() | {"choices-0-reason": "Your work.", "answers-0-text": "To learn."}
    assert me.autosave(written).status_code == 200
    assert stored(admission, person) == ([("Systems", "Your work.")], {"why": "To learn."})
    closed = "No applications are taken in this cycle by: Systems. Remove it from your choices."
    for page in (me.read(), me.read("submit")):
        assert closed in page[page.index('class="checklist"') :]
    me.send(**me.form(), remove="systems")
    again = me.send(**me.form(), add="systems")
    assert (again.status_code, "Systems takes no applications" in again.text) == (422, True)


def test_referees_whom_the_form_names_are_saved_and_asked_when_it_is_submitted(
    admission: Admission, person: Person, me: Applying
) -> None:
    admission.cycle.referees = 2
    admission.session.commit()
    me.send(**me.form(), add="systems")
    written = {"choices-0-reason": "Your work.", "answers-0-text": "To learn."}
    named = {
        "referees-0-name": "Ada Byron",
        "referees-0-email": "ada@uni.example.edu",
        "referees-1-name": "Grace Hopper",
    }
    saved = me.autosave({**me.form(), **written, **named})
    assert (saved.status_code, "1 field left" in saved.json["parts"]["checklist-count"]) == (200, True)  # type: ignore[index]
    assert fields(me.read())["referees-1-name"] == "Grace Hopper"
    assert admission.session.scalars(select(Referee)).all() == []
    assert "Name 1 more referee, with an e-mail address." in main_text(me.read())
    me.send(**me.form() | {"referees-1-email": "grace@uni.example.edu"})
    assert "Submit to 1 lab" in main_text(me.read("submit"))
    assert me.send("submit", **me.to_submit()).headers["Location"] == f"{me.page}receipt"
    admission.session.expire_all()
    asked = admission.session.scalars(select(Referee.email).order_by(Referee.id)).all()
    assert asked == ["ada@uni.example.edu", "grace@uni.example.edu"]
    assert application(admission, person).named_referees == []


def test_nobody_is_asked_for_a_letter_by_what_cannot_be_submitted(
    admission: Admission, person: Person, me: Applying
) -> None:
    admission.cycle.referees = 1
    admission.session.commit()
    named = {"referees-0-name": "Ada Byron", "referees-0-email": "ada@uni.example.edu"}
    me.send(**me.form() | named)
    row = application(admission, person)
    refused = me.send("submit", version=str(row.version), after="0")
    assert (refused.status_code, "Choose at least one lab." in refused.text) == (422, True)
    assert admission.session.scalars(select(Referee)).all() == []
    assert [one["name"] for one in application(admission, person).named_referees] == ["Ada Byron"]


def test_referees_are_asked_before_it_is_submitted_and_who_cannot_be_asked_stays_on_the_form(
    admission: Admission, person: Person, me: Applying
) -> None:
    admission.cycle.referees = 2
    admission.session.commit()
    named = {"referees-0-name": "Ada Byron", "referees-0-email": "ada@uni.example.edu"}
    assert me.send(**me.form() | named, ask="1").headers["Location"] == f"{me.page}#referees"
    shown = me.read()
    assert "A mail with a link of their own goes to Ada Byron." in shown
    assert "Ada Byron: asked" in main_text(shown)
    me.send(**me.form() | {"referees-0-name": "Myself", "referees-0-email": person.email}, ask="1")
    assert "Myself was not asked. This is your own address." in me.read()
    assert fields(me.read())["referees-0-name"] == "Myself"
    assert len(admission.session.scalars(select(Referee)).all()) == 1
    me.send(**me.form() | {"referees-0-name": "", "referees-0-email": ""}, ask="1")
    assert "Give a name and an e-mail address first." in me.read()


def test_the_deadline_is_a_file_for_a_calendar(admission: Admission, me: Applying) -> None:
    answer = me.client.get(f"{me.page}deadline.ics")
    assert (answer.status_code, answer.mimetype) == (200, "text/calendar")
    (event,) = Calendar.from_ical(answer.text).walk("VEVENT")
    assert (event.decoded("dtstart"), str(event["summary"])) == (
        admission.cycle.deadline_at,
        f"Deadline: {admission.cycle.name}",
    )
    assert "29 days left" in main_text(me.read())
