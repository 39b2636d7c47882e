from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from portal.applications.cycles import application_of
from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.sharing import saved_labs
from portal.models import LabIntake
from tests.admission import add_admission
from tests.applications.admission_pages import main_text
from tests.people import submit

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.admission import Admission
    from tests.people import Person


@pytest.fixture
def person(admission: Admission) -> Person:
    return admission.add_applicant()


@pytest.fixture
def me(person: Person) -> FlaskClient:
    return person.sign_in()


def press(me: FlaskClient, act: str, lab: str = "vision", back: str = "") -> TestResponse:
    return submit(me, f"/me/labs/{lab}", {"act": act, "next": back}, page="/me/labs")


def said(me: FlaskClient) -> str:
    return main_text(me.get("/me/labs").text)


def names(admission: Admission, person: Person) -> list[str]:
    admission.session.rollback()
    return [lab.name for lab in saved_labs(admission.session, admission.user(person))]


def chosen(admission: Admission, person: Person) -> list[str]:
    admission.session.rollback()
    admission.session.expire_all()
    application = application_of(admission.session, admission.user(person), admission.cycle)
    return [choice.lab.name for choice in application.choices] if application else []


def test_a_lab_is_saved_once_kept_for_nobody_else_and_removed(
    admission: Admission, person: Person, me: FlaskClient
) -> None:
    assert "No lab is saved yet" in said(me)
    for _ in range(2):
        assert press(me, "save", back="/me/matches").location == "/me/matches"
    press(me, "save", "systems")
    assert names(admission, person) == ["Vision", "Systems"]
    text = said(me)
    assert text.index("Vision") < text.index("Systems")
    leader, name = admission.leaders["Vision"].sign_in(), admission.user(person).display_name
    assert name not in leader.get("/reviews/vision/discover").text
    press(me, "share")
    assert name in leader.get("/reviews/vision/discover").text
    assert json.loads(me.get("/me/export").text)["saved_labs"] == [
        {"lab": "vision", "name": "Vision"},
        {"lab": "systems", "name": "Systems"},
    ]
    press(me, "remove")
    assert names(admission, person) == ["Systems"]


def test_the_shortlist_has_an_end_and_takes_no_archived_lab(
    admission: Admission, person: Person, me: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.applications.sharing.MOST_SAVED", 1)
    press(me, "save")
    press(me, "save", "systems")
    assert "You saved 1 labs, the most there can be. Remove one first." in me.get("/me/labs").text
    assert names(admission, person) == ["Vision"]


def test_a_lab_is_added_to_a_new_draft_and_then_stands_there_once(
    admission: Admission, person: Person, me: FlaskClient
) -> None:
    for lab in ("vision", "vision", "systems"):
        press(me, "add", lab)
    assert chosen(admission, person) == ["Vision", "Systems"]
    press(me, "save")
    assert "On your application" in said(me)
    assert names(admission, person) == ["Vision"]


def test_a_lab_that_cannot_be_added_is_saved_and_why_is_said(
    admission: Admission, person: Person, me: FlaskClient
) -> None:
    admission.session.add(LabIntake(lab_id=admission.labs["Vision"], cycle_id=admission.cycle_id, open=False))
    admission.session.commit()
    press(me, "add")
    name = admission.cycle.name
    assert f"Vision was not added. It takes no applications in {name}. It is saved for later." in me.get("/me/").text
    assert (chosen(admission, person), names(admission, person)) == ([], ["Vision"])


def test_what_is_submitted_is_not_changed_by_a_button(admission: Admission, person: Person, me: FlaskClient) -> None:
    admission.submitted(person, "Systems")
    assert "Add to my application" not in said(me)
    press(me, "add")
    assert "No open cycle takes an application of yours now." in me.get("/me/").text
    assert chosen(admission, person) == ["Systems"]


def test_a_draft_is_meant_before_a_cycle_whose_deadline_is_nearer(
    admission: Admission, person: Person, me: FlaskClient
) -> None:
    admission.draft(person, "Systems")
    add_admission(admission.app, now=admission.now)
    press(me, "add")
    assert chosen(admission, person) == ["Systems", "Vision"]


def test_erasing_empties_the_shortlist(admission: Admission, person: Person, me: FlaskClient) -> None:
    press(me, "save")
    erase_everything(admission.session, file_store(admission.app), admission.user(person), now=admission.now)
    admission.session.commit()
    assert names(admission, person) == []


def test_whoever_is_no_applicant_saves_nothing(admission: Admission) -> None:
    leader = admission.leaders["Vision"].sign_in()
    assert submit(leader, "/me/labs/vision", {"act": "save"}, page="/accounts/").status_code == 403
    assert admission.app.test_client().get("/me/labs").status_code == 302
