"""What is submitted is what the page showed: interests and resume that change in another tab are looked at first."""

from __future__ import annotations

from datetime import UTC, datetime
from html import unescape
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.models import LabIntake, OutboxMail
from tests.admission import add_admission
from tests.applications.admission_pages import LABS, pages_of, past_admission, with_labs
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.admission import Admission


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle that is open for thirty days."""
    with app.app_context():
        yield with_labs(add_admission(app))


@pytest.fixture
def past(app: Flask) -> Iterator[Admission]:
    """A cycle whose deadline has passed."""
    with app.app_context():
        yield past_admission(app)


def test_what_is_missing_is_added_although_a_chosen_lab_takes_no_applications_any_more(past: Admission) -> None:
    person = past.add_applicant()
    application = past.submitted(person, *LABS)
    past.now = datetime.now(UTC)
    past.one_move(application, "ask_for_more", "admin", message="Say more.")
    past.session.add(LabIntake(lab_id=past.labs["Vision"], cycle_id=past.cycle_id, open=False))
    past.session.commit()
    me = pages_of(person, past)
    assert me.send(**me.form() | {"answers-0-text": "Much more."}).status_code == 302
    assert me.send("submit", **me.to_submit()).headers["Location"] == f"{me.page}receipt"
    past.session.expire_all()
    assert (application.state, application.answers, len(application.choices)) == ("submitted", {"why": "Much more."}, 2)


def test_what_is_checked_again_is_what_was_submitted_and_not_what_was_changed_since(app: Flask) -> None:
    with app.app_context():
        admission = with_labs(add_admission(app))
        person = admission.add_applicant()
        application = admission.submitted(person, "Systems")
        kept = admission.choice(application, "Systems").id
        admission.one_move(application, "ask_for_more", "admin")
        admission.draft(person, "Vision", "Systems", reason="Never submitted.")
        admission.after_deadline()
        admission.move(application, "mark_ineligible", "reconsider", "mark_eligible", as_="admin")
        admission.session.expire_all()
        read = [(choice.id, choice.reason, choice.state) for choice in application.choices]
        assert read == [(kept, "Your work is what I want to do.", "pending")]


def test_what_was_asked_for_is_taken_back_with_a_reason_and_what_was_submitted_counts(past: Admission) -> None:
    person = past.add_applicant()
    application = past.submitted(person, "Systems")
    past.now = datetime.now(UTC)
    past.one_move(application, "ask_for_more", "admin", message="The transcript.")
    me = pages_of(person, past)
    me.send(**me.form() | {"answers-0-text": "Never submitted."})
    client, page = past.admin.sign_in(), f"/admin/cycles/{past.cycle.slug}/applications/{application.id}"
    assert ">Take back the request</button>" in client.get(page).text
    asked = {"move": "take_back_request", "message": " "}
    assert "Write a sentence that says why" in submit(client, f"{page}/move", asked, page=page).text
    asked["message"] = "It came by mail."
    assert submit(client, f"{page}/move", asked, page=page).status_code == 302
    past.session.expire_all()
    submitted = application.answers.get("why")
    assert (application.state, application.state_reason) == ("submitted", "It came by mail.")
    assert (submitted == "Never submitted.", application.submissions) == (False, 1)
    kinds = past.session.scalars(select(OutboxMail.kind).where(OutboxMail.user_id == person.id)).all()
    assert kinds.count("application_request_taken_back") == 1
    shown = unescape(me.read())
    assert "What was asked for is not needed any more. Your last submission counts." in shown
    assert "It came by mail." in shown
    past.move(application, "mark_eligible", as_="admin")
    assert application.state == "eligible"


def test_whoever_answers_before_the_request_is_taken_back_has_answered(past: Admission) -> None:
    person = past.add_applicant()
    application = past.submitted(person, "Systems")
    past.now = datetime.now(UTC)
    past.one_move(application, "ask_for_more", "admin", message="Say more.")
    client, page = past.admin.sign_in(), f"/admin/cycles/{past.cycle.slug}/applications/{application.id}"
    token = csrf_token(client, page)
    me = pages_of(person, past)
    me.send(**me.form() | {"answers-0-text": "Much more."})
    me.send("submit", **me.to_submit())
    sent = {"csrf_token": token, "move": "take_back_request", "message": "Not needed."}
    late = client.post(f"{page}/move", data=sent)
    assert (late.status_code, "What you wrote did not go with it" in late.text) == (409, True)
    past.session.expire_all()
    assert (application.state, application.answers) == ("submitted", {"why": "Much more."})


@pytest.mark.parametrize("is_checked", [False, True])
def test_whoever_answers_after_the_request_is_taken_back_reads_that_nothing_was_submitted(
    past: Admission, *, is_checked: bool
) -> None:
    person = past.add_applicant()
    application = past.submitted(person, "Systems")
    past.now = datetime.now(UTC)
    past.one_move(application, "ask_for_more", "admin", message="Say more.")
    me = pages_of(person, past)
    me.send(**me.form() | {"answers-0-text": "Much more."})
    opened = me.to_submit()
    past.move(application, "take_back_request", *["mark_eligible"] * is_checked, as_="admin")
    assert me.send("submit", **opened).headers["Location"] == f"{me.page}receipt"
    shown = unescape(me.read("receipt"))
    assert ("Nothing was submitted from this page" in shown, "submitted already" in shown) == (True, False)
    past.session.expire_all()
    assert (application.submissions, application.answers == {"why": "Much more."}) == (1, False)


def test_what_was_withdrawn_in_another_tab_is_not_said_to_be_submitted(app: Flask) -> None:
    with app.app_context():
        admission = with_labs(add_admission(app))
        for submitted in (False, True):
            person = admission.add_applicant()
            application = (admission.submitted if submitted else admission.draft)(person, "Systems")
            me = pages_of(person, admission)
            admission.one_move(application, "withdraw", "applicant")
            answer = me.send("submit", version=str(application.version), after=str(application.submissions))
            assert answer.headers["Location"] == me.page
            text = me.read()
            said = "“Submit” is not possible now: the application is “Withdrawn”."
            assert (said in text, "submitted already" in text) == (True, False)
