"""What somebody else takes away or does at the very moment of a click is answered kindly, and nothing is lost."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.accounts.api_tokens import make_token, scopes_for
from portal.accounts.service import token_digest
from portal.app import create_app
from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.moves.service import perform
from portal.applications.resume import delete_resume
from portal.db import db
from portal.labs.service import attach_professor
from portal.models import Choice, Conflict, Interests, Lab, LabProfessor, Referee, Resume, User
from portal.reviews.discover import ranked_applicants
from tests.admission import Admission, add_admission
from tests.meanwhile import meanwhile
from tests.people import add_person, csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from portal.models import Application
    from portal.reviews.discover import Candidate
    from tests.people import Person

NOW = datetime.now(UTC).replace(microsecond=0)
LOCK = "UPDATE application SET"
LOCK_LAB = "UPDATE lab SET"
FROM_OUR_PAGE = {"Sec-Fetch-Site": "same-origin"}
GONE = "This application was erased in the meantime"


def admission_over(app: Flask) -> Admission:
    made = add_admission(app, now=NOW - timedelta(days=40), deadline_in=timedelta(days=30))
    made.add_lab("Systems")
    return made


def erase_all(app: Flask, person: int) -> object:
    return erase_everything(db.session(), file_store(app), db.session.get_one(User, person), now=NOW)


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        yield admission_over(app)


@pytest.fixture
def ada(admission: Admission) -> Person:
    return admission.add_applicant("Ada")


@pytest.fixture
def application(admission: Admission, ada: Person) -> Application:
    application = admission.eligible(ada, "Systems")
    admission.move(admission.choice(application, "Systems"), "start_review", as_="leader")
    return application


@pytest.fixture
def erase(app: Flask, application: Application) -> Callable[[], object]:
    """The applicant erases everything."""
    person = application.applicant_id
    return lambda: erase_all(app, person)


@pytest.fixture
def leader(admission: Admission) -> FlaskClient:
    return admission.leaders["Systems"].sign_in()


def token(client: FlaskClient) -> dict[str, str]:
    return {"csrf_token": csrf_token(client, "/accounts/")}


def test_a_move_of_what_is_being_erased_says_so_and_gives_what_was_written_back(
    admission: Admission, application: Application, erase: Callable[[], object], leader: FlaskClient
) -> None:
    choice = admission.choice(application, "Systems").id
    sent = {**token(leader), "move": "decline", "choice": str(choice), "message": "zz words of the leader"}
    with meanwhile(admission.app, LOCK_LAB, erase):
        answer = leader.post("/reviews/systems/board/do", data=sent, headers=FROM_OUR_PAGE)
    said = ["Nobody was moved, so your message was not sent.", "zz words of the leader"]
    assert (answer.status_code, [one in answer.text for one in said]) == (422, [True, True])


@pytest.mark.postgres
def test_a_program_is_told_the_same(settings: dict[str, str], postgres_url: str) -> None:
    """On SQLite the request writes down that the token was used, and so comes first."""
    app = create_app({**settings, "PORTAL_DATABASE_URL": postgres_url})
    with app.app_context():
        admission = admission_over(app)
        ada = admission.add_applicant("Ada")
        choice = admission.choice(admission.eligible(ada, "Systems"), "Systems").id
        user = admission.user(admission.leaders["Systems"])
        scopes = [scope.name for scope in scopes_for(user)]
        _, key = make_token(admission.session, user, name="erased", scopes=scopes, days=1, now=NOW)
        admission.session.commit()
        with meanwhile(app, LOCK, lambda: erase_all(app, ada.id)):
            answer = app.test_client().post(
                f"/api/v1/reviews/systems/choices/{choice}/moves",
                json={"move": "start_review"},
                headers={"Authorization": f"Bearer {key}"},
            )
        assert (answer.status_code, GONE in answer.get_json()["detail"]) == (404, True)
        db.session.remove()
        db.engine.dispose()


def test_the_others_of_a_bulk_move_are_moved(
    admission: Admission, application: Application, erase: Callable[[], object], leader: FlaskClient
) -> None:
    other = admission.choice(admission.eligible(admission.add_applicant("Bob"), "Systems"), "Systems")
    admission.move(other, "start_review", as_="leader")
    both = [str(other.id), str(admission.choice(application, "Systems").id)]
    sent = {**token(leader), "move": "shortlist", "choice": both}
    with meanwhile(admission.app, "UPDATE lab SET", erase):
        assert leader.post("/reviews/systems/board/do", data=sent).status_code == 302
    admission.session.expire_all()
    assert [choice.state for choice in admission.session.scalars(select(Choice))] == ["shortlisted"]


def test_a_draft_that_is_erased_in_another_tab_is_not_made_anew(
    admission: Admission, ada: Person, application: Application, erase: Callable[[], object]
) -> None:
    application.state = "draft"
    admission.cycle.deadline_at = NOW + timedelta(days=9)
    admission.session.commit()
    client, mine = ada.sign_in(), f"/me/application/{admission.cycle.slug}/"
    row = {"choices-0-lab": "systems", "choices-0-reason": "zz new reason"}
    sent = {**token(client), "version": str(application.version), **row}
    with meanwhile(admission.app, LOCK, erase):
        answer = client.post(mine, data=sent, headers=FROM_OUR_PAGE)
    assert (answer.status_code, GONE in answer.text, "zz new reason" in answer.text) == (404, True, True)


def test_a_letter_for_what_is_being_erased_comes_back_to_be_copied(
    admission: Admission, erase: Callable[[], object], application: Application
) -> None:
    times = {"invited_at": NOW, "created_at": NOW, "expires_at": NOW + timedelta(days=9)}
    asked = Referee(
        application_id=application.id, name="Ruth", email="r@example.org", token_hash=token_digest("tok"), **times
    )
    admission.session.add(asked)
    admission.session.commit()
    client = admission.app.test_client()
    sent = {"csrf_token": csrf_token(client, "/letters/tok"), "letter": "zz a long letter"}
    with meanwhile(admission.app, LOCK, erase):
        answer = client.post("/letters/tok", data=sent)
    assert (answer.status_code < 500, "zz a long letter" in answer.text) == (True, True)


def _shortlisting(admission: Admission, application: Application, leader: FlaskClient) -> tuple[str, dict[str, str]]:
    """The address and the fields of a move that is on its way."""
    choice = admission.choice(application, "Systems")
    return "/reviews/systems/board/move", {**token(leader), "one": f"shortlist:{choice.id}"}


def test_who_turns_out_a_friend_is_closed_to_a_move_that_is_on_its_way(
    admission: Admission, application: Application, leader: FlaskClient
) -> None:
    address, sent = _shortlisting(admission, application, leader)
    two = {"reviewer_id": admission.leaders["Systems"].id, "applicant_id": application.applicant_id}

    def declare() -> None:
        db.session.add(Conflict(**two, state="declared", reason="We are friends.", changed_at=NOW))

    with meanwhile(admission.app, LOCK_LAB, declare):
        answer = leader.post(address, data=sent, follow_redirects=True)
    assert "You have a conflict of interest" in answer.text
    admission.session.expire_all()
    assert admission.choice(application, "Systems").state == "in_review"


def test_who_withdraws_is_closed_to_a_move_that_is_on_its_way(
    admission: Admission, application: Application, leader: FlaskClient
) -> None:
    address, sent = _shortlisting(admission, application, leader)
    number = application.id

    def withdraw() -> None:
        mine = db.session.get_one(type(application), number)
        perform(db.session(), "withdraw", mine, actor=mine.applicant, capacity="applicant", now=NOW)

    with meanwhile(admission.app, LOCK_LAB, withdraw):
        answer = leader.post(address, data=sent, follow_redirects=True)
    assert "not moved" in answer.text
    admission.session.expire_all()
    assert application.state == "withdrawn"


def test_a_scorecard_on_who_has_withdrawn_is_given_back(
    admission: Admission, application: Application, leader: FlaskClient
) -> None:
    card = f"/reviews/systems/choices/{admission.choice(application, 'Systems').id}/scorecard"
    admission.move(application, "withdraw", as_="applicant")
    sent = {**token(leader), "version": "0", "fit": "4", "comment": "zz words of the leader"}
    answer = leader.post(card, data=sent, headers=FROM_OUR_PAGE)
    said = ["This is not there any more", "Nothing was saved.", "zz words of the leader", "Search the labs"]
    assert (answer.status_code, [one in answer.text for one in said]) == (404, [True, True, True, False])
    assert leader.post(card, data=sent, headers={"Accept": "application/json"}).status_code == 404


def test_who_stops_sharing_while_their_page_is_made_is_not_found(
    admission: Admission, leader: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = admission.add_applicant("Eve")
    interests = admission.session.scalars(select(Interests).where(Interests.user_id == found.id)).one()
    interests.discoverable = True
    admission.session.commit()

    def ranked(*several: object, first: int) -> tuple[list[Candidate], int]:
        interests.discoverable = False
        admission.session.commit()
        return ranked_applicants(*several, first=first)  # type: ignore[arg-type]  # what the page passes

    monkeypatch.setattr("portal.reviews.discover.ranked_applicants", ranked)
    assert leader.get(f"/reviews/systems/discover/{found.id}").status_code == 404


def test_a_resume_that_is_deleted_in_another_tab_is_not_confirmed(admission: Admission) -> None:
    person = admission.add_applicant("Dan")
    resume = admission.session.scalars(select(Resume).where(Resume.user_id == person.id)).one()
    resume.confirmed_at, digest = None, resume.sha256
    admission.session.commit()
    client = person.sign_in()
    sent = {**token(client), "sha256": digest}

    def delete() -> None:
        session = db.session()
        delete_resume(session, file_store(admission.app), session.get_one(User, person.id))

    with meanwhile(admission.app, "UPDATE resume SET", delete):
        assert client.post("/me/resume/text", data=sent).status_code == 302
    assert admission.session.scalars(select(Resume).where(Resume.user_id == person.id)).all() == []


def test_who_is_attached_to_a_lab_by_two_clicks_reads_for_it_once(admission: Admission) -> None:
    person = add_person(admission.app, "professor")
    client, lab = admission.admin.sign_in(), admission.labs["Systems"]
    sent = {**token(client), "lab": "systems", "position": "reviewer"}

    def attach() -> None:
        session = db.session()
        attach_professor(
            session, session.get_one(Lab, lab), session.get_one(User, person.id), "reviewer", author=None, now=NOW
        )

    with meanwhile(admission.app, "INSERT INTO lab_professor", attach):
        assert client.post(f"/admin/people/{person.id}/attach", data=sent).status_code == 302
    seats = select(func.count()).select_from(LabProfessor).where(LabProfessor.user_id == person.id)
    assert admission.session.scalar(seats) == 1


def test_a_step_of_a_page_that_is_out_of_date_is_refused_and_its_message_kept(
    admission: Admission, application: Application, leader: FlaskClient
) -> None:
    choice = admission.choice(application, "Systems")
    admission.move(choice, "shortlist", as_="leader")
    one, board = f"/reviews/systems/choices/{choice.id}", "/reviews/systems/board"
    (ticket,) = re.findall(r'name="one" value="decline:([0-9.]+)"', leader.get(one).text)
    admission.move(choice, "invite_to_interview", "mark_interviewed", as_="leader")
    seen = {**token(leader), "applicant": str(choice.id)}
    declined = {**seen, "move": "decline", "choice": ticket, "message": "Kept words."}
    refused = leader.post(f"{board}/do", data=declined)
    assert (refused.status_code, "now “Interviewed”" in refused.text) == (422, True)
    assert "Kept words." in refused.text
    late = leader.post(f"{board}/move", data={**seen, "one": f"take_off_shortlist:{ticket}"}, follow_redirects=True)
    assert "is “Interviewed” now" in late.text
    (ticket,) = re.findall(r'name="one" value="rank:([0-9.]+)"', leader.get(one).text)
    for _ in range(2):  # a double click is no refusal
        twice = leader.post(f"{board}/move", data={**seen, "one": f"rank:{ticket}"}, follow_redirects=True)
        assert "was not moved" not in twice.text
    admission.session.expire_all()
    assert choice.state == "ranked"
