"""One's own application through the JSON interface: the same moves and refusals as on the pages, and no more to see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import time_machine
from sqlalchemy import func, select

from portal.api.idempotency import forget_answers
from portal.applications.application.documents import keep_document
from portal.applications.files import file_store
from portal.db import db
from portal.models import Announcement, AnnouncementRecipient, ApiAnswer, Application, Choice, Submission
from tests.admission import Admission, add_admission
from tests.api.conftest import bearer

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.people import Person

V1 = "/api/v1"
MARKER = "MARKER-NOT-RELEASED"


@pytest.fixture(scope="module")
def fall(served: Flask) -> Admission:
    """A cycle that takes applications, with three labs."""
    with served.app_context():
        question = {"key": "why", "text": "Why now?", "required": True, "most": 50}
        admission = add_admission(served, questions=[question], most_choices=2)
        for name in ("Alpha Lab", "Beta Lab", "Gamma Lab"):
            admission.add_lab(name)
    return admission


@pytest.fixture(scope="module")
def decided(served: Flask, fall: Admission) -> Admission:
    """A cycle whose deadline has passed, with the same labs."""
    with served.app_context():
        admission = add_admission(served, deadline_in=timedelta(days=-1), opens_at=fall.now - timedelta(days=60))
    admission.labs, admission.leaders, admission.reviewers = fall.labs, fall.leaders, fall.reviewers
    return admission


def somebody(admission: Admission) -> Person:
    with admission.app.app_context():
        return admission.add_applicant()


def address(admission: Admission) -> str:
    with admission.app.app_context():
        return f"{V1}/application/{admission.cycle.slug}"


def form(*labs: str, why: str = "Because.") -> dict[str, Any]:
    return {"choices": [{"lab": lab, "reason": "Their work."} for lab in labs], "answers": {"why": why}}


def test_a_draft_is_made_edited_and_never_overwritten_unseen(fall: Admission, api: FlaskClient) -> None:
    me, url = bearer(somebody(fall)), address(fall)
    assert api.get(url, headers=me).status_code == 404
    made = api.put(url, json=form("beta-lab"), headers=me)
    assert (made.status_code, made.get_json()["state"]) == (200, "draft")
    assert api.put(url, json=form("alpha-lab"), headers=me).status_code == 428
    seen = {**me, "If-Match": api.get(url, headers=me).headers["ETag"]}
    saved = api.put(url, json=form("alpha-lab", "beta-lab"), headers=seen)
    assert [choice["lab"] for choice in saved.get_json()["choices"]] == ["alpha-lab", "beta-lab"]
    stale = api.put(url, json=form("gamma-lab"), headers=seen)
    assert (stale.status_code, stale.get_json()["detail"][:28]) == (412, "It was changed since you rea")
    again = {**me, "If-Match": saved.headers["ETag"]}
    assert api.put(url, json=form("gamma-lab"), headers=again).status_code == 200


def test_of_a_form_and_a_program_that_begin_at_once_neither_overwrites_the_other(
    fall: Admission, api: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    me, url = bearer(somebody(fall)), address(fall)
    first = api.put(url, json=form("beta-lab"), headers=me)
    with monkeypatch.context() as patch:
        # The program looked before the form was saved.
        patch.setattr("portal.api.applications.application_of", lambda *_: None)
        assert api.put(url, json=form("beta-lab"), headers=me).status_code == 200  # the same again
        assert api.put(url, json=form("alpha-lab"), headers=me).status_code == 412
    assert api.get(url, headers=me).headers["ETag"] == first.headers["ETag"]


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/choices"]),
        (form("alpha-lab", "nobody"), ["/choices/1/lab"]),
        (form("alpha-lab", "alpha-lab"), ["/choices"]),
        (form("alpha-lab", "beta-lab", "gamma-lab"), ["/choices"]),
        (form("alpha-lab", why="x" * 51), ["/answers/why"]),
        ({"choices": [], "answers": {"a/b": "x"}}, ["/answers/a~1b"]),
        ({"choices": [{"lab": "alpha-lab", "reason": "x" * 2001}]}, ["/choices/0/reason"]),
        ({"choices": [{"lab": "a\x00"}]}, ["/choices/0/lab"]),
    ],
)
def test_what_is_wrong_with_a_form_is_pointed_at(
    fall: Admission, api: FlaskClient, body: dict[str, Any], pointers: list[str]
) -> None:
    refused = api.put(address(fall), json=body, headers=bearer(somebody(fall)))
    assert (refused.status_code, [one["pointer"] for one in refused.get_json()["errors"]]) == (422, pointers)


def test_a_submission_that_is_sent_again_is_done_once(served: Flask, fall: Admission, api: FlaskClient) -> None:
    person, url = somebody(fall), address(fall)
    me = bearer(person)
    api.put(url, json={"choices": []}, headers=me)
    key = {**me, "Idempotency-Key": "first-try"}
    refused = api.post(f"{url}/moves", json={"move": "submit"}, headers=key)
    assert refused.status_code == 409
    assert refused.get_json()["detail"].startswith("Not complete yet. ")
    api.put(url, json=form("alpha-lab"), headers={**me, "If-Match": "*"})
    first = api.post(f"{url}/moves", json={"move": "submit"}, headers=key)
    second = api.post(f"{url}/moves", json={"move": "submit"}, headers=key)
    assert first.get_json()["receipt"]
    assert (second.get_json(), second.headers["Idempotency-Replayed"]) == (first.get_json(), "true")
    other = api.post(f"{url}/moves", json={"move": "withdraw"}, headers=key)
    assert (other.status_code, other.get_json()["errors"][0]["pointer"]) == (422, "Idempotency-Key")
    unkeyed = api.post(f"{url}/moves", json={"move": "submit"}, headers=me)
    assert (unkeyed.status_code, unkeyed.get_json()["detail"][:26]) == (409, "This was done already: the")
    strangers = api.post(
        f"{url}/moves", json={"move": "submit"}, headers={**bearer(somebody(fall)), "Idempotency-Key": "first-try"}
    )
    assert strangers.status_code == 404
    with served.app_context():
        mine = db.session.query(Application).filter_by(applicant_id=person.id).one()
        assert db.session.query(Submission).filter_by(application_id=mine.id).count() == 1


def test_a_key_is_forgotten_after_a_day(served: Flask, fall: Admission, api: FlaskClient) -> None:
    me, url = {**bearer(somebody(fall), days=9), "Idempotency-Key": "one"}, address(fall)
    api.put(url, json=form("alpha-lab"), headers=me)
    first = api.post(f"{url}/moves", json={"move": "submit"}, headers=me)
    assert first.status_code == 200
    with served.app_context():
        kept = select(func.count()).select_from(ApiAnswer)
        forget_answers(db.session(), datetime.now(UTC) + timedelta(hours=23))
        assert db.session.scalar(kept) != 0
        forget_answers(db.session(), datetime.now(UTC) + timedelta(hours=25))
        assert db.session.scalar(kept) == 0
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=25)):
        assert api.post(f"{url}/moves", json={"move": "submit"}, headers=me).status_code == 409


def test_a_submitted_application_is_edited_restored_and_withdrawn(fall: Admission, api: FlaskClient) -> None:
    me, url = bearer(somebody(fall)), address(fall)
    api.put(url, json=form("alpha-lab"), headers=me)
    moves = ("submit", "edit", "restore", "withdraw")
    states = [api.post(f"{url}/moves", json={"move": move}, headers=me).get_json()["state"] for move in moves]
    assert states == ["submitted", "draft", "submitted", "withdrawn"]
    stale = {**me, "If-Match": '"1-0"'}
    assert api.post(f"{url}/moves", json={"move": "submit"}, headers=stale).status_code == 412
    assert api.post(f"{url}/moves", json={"move": "mark_eligible"}, headers=me).status_code == 422


def test_nobody_learns_a_decision_before_its_release(served: Flask, decided: Admission, api: FlaskClient) -> None:
    person = somebody(decided)
    me, url = bearer(person), address(decided)
    with served.app_context():
        mine = decided.eligible(person, "Alpha Lab", "Beta Lab")
        alpha = decided.choice(mine, "Alpha Lab")
        decided.move(alpha, "start_review", "shortlist", "rank", as_="leader")
        before = api.get(url, headers=me).get_json()
        decided.one_move(alpha, "offer", "leader", message=MARKER)
        number = alpha.id
    during = api.get(url, headers=me)
    assert during.get_json() == before
    accept = f"{url}/choices/alpha-lab/moves"
    refused = api.post(accept, json={"move": "accept"}, headers=me)
    assert (refused.status_code, refused.get_json()["detail"]) == (409, "There is no offer to answer.")
    assert MARKER not in during.text + refused.text
    with served.app_context():
        decided.one_move(db.session.get_one(Choice, number), "release", "admin")
    offered = api.get(url, headers=me).get_json()["choices"][0]
    assert (offered["state"], offered["message"], offered["why_not_answer"]) == ("offered", MARKER, None)
    key = {**me, "Idempotency-Key": "yes"}
    accepted = api.post(accept, json={"move": "accept"}, headers=key).get_json()
    assert [choice["state"] for choice in accepted["choices"]] == ["accepted", "closed"]
    assert api.post(accept, json={"move": "accept"}, headers=key).get_json() == accepted
    late = api.post(accept, json={"move": "decline_offer"}, headers=me)
    assert (late.status_code, late.get_json()["detail"][:27]) == (409, "You accepted this offer on ")


def test_the_shortlist_is_listed_added_to_and_taken_from_as_on_the_pages(
    fall: Admission, api: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    me, stranger, url = bearer(somebody(fall)), bearer(somebody(fall)), f"{V1}/shortlist"

    def slugs(response: TestResponse) -> list[str]:
        assert response.status_code == 200
        return [lab["slug"] for lab in response.get_json()["items"]]

    assert slugs(api.get(url, headers=me)) == []
    for _ in range(2):
        assert slugs(api.put(f"{url}/beta-lab", headers=me)) == ["beta-lab"]
    assert slugs(api.put(f"{url}/alpha-lab", headers=me)) == ["beta-lab", "alpha-lab"]
    assert slugs(api.get(url, headers=stranger)) == []
    assert slugs(api.delete(f"{url}/beta-lab", headers=stranger)) == []
    assert slugs(api.delete(f"{url}/beta-lab", headers=me)) == ["alpha-lab"]
    monkeypatch.setattr("portal.applications.sharing.MOST_SAVED", 1)
    full = api.put(f"{url}/beta-lab", headers=me)
    assert (full.status_code, full.get_json()["detail"][:18]) == (409, "You saved 1 labs, ")


def test_of_a_lab_that_is_not_listed_any_more_a_saved_one_stays_and_can_be_removed(
    fall: Admission, api: FlaskClient
) -> None:
    me, url = bearer(somebody(fall)), f"{V1}/shortlist/old-lab"
    with fall.app.app_context():
        lab = fall.add_lab("Old Lab")
        lab.is_draft = True
        db.session.commit()
        assert api.put(url, headers=me).status_code == 404
        lab.is_draft = False
        db.session.commit()
        assert api.put(url, headers=me).get_json()["items"][0]["is_listed"] is True
        lab.archived_at = fall.now
        db.session.commit()
    assert api.get(f"{V1}/shortlist", headers=me).get_json()["items"][0]["is_listed"] is False
    again = api.put(url, headers=bearer(somebody(fall)))
    assert (again.status_code, again.get_json()["detail"]) == (409, "Old Lab is not listed any more.")
    assert api.delete(url, headers=me).get_json()["items"] == []


def test_lists_hold_ones_own_and_the_cycles_that_are_open(fall: Admission, api: FlaskClient) -> None:
    mine, other = bearer(somebody(fall)), bearer(somebody(fall))
    api.put(address(fall), json=form("alpha-lab"), headers=mine)
    slug = address(fall).rpartition("/")[2]
    listed = api.get(f"{V1}/application", headers=mine).get_json()
    assert [one["cycle"]["slug"] for one in listed["items"]] == [slug]
    assert slug not in [cycle["slug"] for cycle in listed["open_cycles"]]
    others = api.get(f"{V1}/application", headers=other).get_json()
    assert (others["items"], [cycle["slug"] for cycle in others["open_cycles"]]) == ([], [slug])


def test_what_was_announced_is_read_by_those_to_whom_it_was_written_until_it_is_taken_back(
    fall: Admission, api: FlaskClient
) -> None:
    told, stranger = somebody(fall), somebody(fall)
    url = address(fall)
    for person in (told, stranger):
        assert api.put(url, json=form("beta-lab"), headers=bearer(person)).status_code == 200
    with fall.app.app_context():
        application = db.session.scalars(select(Application).where(Application.applicant_id == told.id)).one()
        values = {"text_key": "k" * 32, "announced_to": "everybody", "recipients": 1, "written_at": fall.now}
        written = Announcement(cycle_id=application.cycle_id, about="A question hour", message="At noon.", **values)
        db.session.add(written)
        db.session.flush()
        db.session.add(AnnouncementRecipient(announcement_id=written.id, application_id=application.id))
        db.session.commit()
    read = [api.get(url, headers=bearer(person)).get_json()["announcements"] for person in (told, stranger)]
    assert [[(one["about"], one["message"]) for one in each] for each in read] == [
        [("A question hour", "At noon.")],
        [],
    ]


def test_the_documents_asked_for_are_listed_with_those_that_are_there(served: Flask, api: FlaskClient) -> None:
    with served.app_context():
        asked = [
            {"key": "transcript", "text": "Transcript", "required": True},
            {"key": "certificate", "text": "Certificate"},
        ]
        admission = add_admission(served, documents=asked)
        admission.add_lab("Delta Lab")
        person = admission.add_applicant()
        application = admission.draft(person, "Delta Lab")
        keep_document(
            admission.session, file_store(served), application, "transcript", ("txt", b"A", "a.txt"), now=admission.now
        )
        admission.session.commit()
    listed = api.get(address(admission), headers=bearer(person)).get_json()["documents"]
    assert [(one["key"], one["required"], one["filename"], bool(one["uploaded_at"])) for one in listed] == [
        ("transcript", True, "a.txt", True),
        ("certificate", False, None, False),
    ]
