"""Reviewing through the JSON interface: one's own labs only, nothing of other choices, blind as long as the pages."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.models import Application, Choice, LabReviewing, Scorecard, User
from tests.admission import Admission, add_admission
from tests.api.conftest import bearer

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

V1 = "/api/v1"
NAME = "Wilhelmina Markerfield"
REASON_ELSEWHERE = "MARKER-REASON-FOR-THE-OTHER-LAB"


@pytest.fixture(scope="module")
def world(served: Flask) -> Admission:
    """Three applicants that two labs may read, and one that is not eligible."""
    with served.app_context():
        opened = datetime.now(UTC) - timedelta(days=60)
        admission = add_admission(served, deadline_in=timedelta(days=-1), opens_at=opened)
        admission.add_lab("Alpha Lab")
        admission.add_lab("Beta Lab")
        for name in (NAME, "Second Person", "Third Person"):
            mine = admission.eligible(admission.add_applicant(name), "Beta Lab", "Alpha Lab")
            admission.choice(mine, "Beta Lab").reason = REASON_ELSEWHERE
            db.session.commit()
        admission.submitted(admission.add_applicant("Not Eligible"), "Alpha Lab")
    return admission


def choices(api: FlaskClient, headers: dict[str, str], lab: str = "alpha-lab", **query: str | int) -> list[int]:
    listed = api.get(f"{V1}/reviews/{lab}/choices", query_string=query, headers=headers).get_json()
    return [row["id"] for row in listed["items"]]


def test_a_queue_comes_in_parts_to_those_who_read_for_the_lab(world: Admission, api: FlaskClient) -> None:
    leader = bearer(world.leaders["Alpha Lab"])
    whole = choices(api, leader)
    assert len(whole) == 3
    first = api.get(f"{V1}/reviews/alpha-lab/choices?limit=2", headers=leader).get_json()
    assert [row["id"] for row in first["items"]] + choices(api, leader, cursor=first["next"]) == whole
    labs = api.get(f"{V1}/reviews/labs", headers=leader).get_json()["items"]
    assert [(lab["slug"], lab["position"]) for lab in labs] == [("alpha-lab", "leader")]


def test_a_token_sees_exactly_what_the_page_shows_its_owner(world: Admission, api: FlaskClient) -> None:
    for person in (world.leaders["Alpha Lab"], world.reviewers["Alpha Lab"]):
        page = person.sign_in().get("/reviews/alpha-lab/").text
        listed = api.get(f"{V1}/reviews/alpha-lab/choices", headers=bearer(person)).get_json()["items"]
        linked = dict.fromkeys(map(int, re.findall(r"/reviews/alpha-lab/choices/(\d+)", page)))
        assert [row["id"] for row in listed] == list(linked)
        assert [row["applicant"]["label"] in page for row in listed] == [True, True, True]


def test_a_lab_learns_nothing_of_other_labs_and_strangers_nothing_at_all(world: Admission, api: FlaskClient) -> None:
    leader, stranger = bearer(world.leaders["Alpha Lab"]), bearer(world.leaders["Beta Lab"])
    number = choices(api, leader)[0]
    told = api.get(f"{V1}/reviews/alpha-lab/choices/{number}", headers=leader).text
    told += api.get(f"{V1}/reviews/alpha-lab/choices", headers=leader).text
    for marker in ("beta-lab", "Beta Lab", REASON_ELSEWHERE, 'position":2', "Not Eligible"):
        assert marker not in told
    for path in ("choices", f"choices/{number}"):
        refused = api.get(f"{V1}/reviews/alpha-lab/{path}", headers=stranger)
        assert (refused.status_code, refused.get_json()["detail"][:31]) == (403, "You do not read for Alpha Lab. ")
    assert api.get(f"{V1}/reviews/beta-lab/choices/{number}", headers=stranger).status_code == 404


def test_a_lab_that_reviews_blind_reads_no_name_before_the_own_card_is_locked(
    served: Flask, world: Admission, api: FlaskClient
) -> None:
    reviewer = bearer(world.reviewers["Beta Lab"])
    with served.app_context():
        lab = lab_by_slug(db.session(), "beta-lab")
        assert lab is not None
        db.session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=world.now))
        who = db.session.query(User).filter_by(name=NAME).one()
        email, applicant_id = who.email, who.id
        db.session.commit()
    told = api.get(f"{V1}/reviews/beta-lab/choices", headers=reviewer).text
    numbers = choices(api, reviewer, "beta-lab")
    told += "".join(api.get(f"{V1}/reviews/beta-lab/choices/{number}", headers=reviewer).text for number in numbers)
    assert (NAME in told, email in told, "Applicant " in told) == (False, False, True)
    assert choices(api, reviewer, "beta-lab", q="Markerfield") == []
    with served.app_context():
        mine = db.session.query(Application).filter_by(applicant_id=applicant_id).one()
        choice = world.choice(mine, "Beta Lab")
        card = Scorecard(choice_id=choice.id, reviewer_id=world.reviewers["Beta Lab"].id, comment="Good.")
        card.fit = card.potential = card.preparation = card.writing = card.confidence = 3
        card.locked_at = card.changed_at = world.now
        db.session.add(card)
        db.session.commit()
        number = choice.id
    shown = api.get(f"{V1}/reviews/beta-lab/choices/{number}", headers=reviewer).get_json()["applicant"]
    assert shown == {"label": NAME, "email": email, "hidden": False}


def test_moves_are_those_of_the_page_with_its_refusals(served: Flask, world: Admission, api: FlaskClient) -> None:
    leader, reviewer = bearer(world.leaders["Alpha Lab"]), bearer(world.reviewers["Alpha Lab"])
    url = f"{V1}/reviews/alpha-lab/choices/{choices(api, leader)[-1]}"
    read = api.get(url, headers=reviewer)
    key = {**reviewer, "If-Match": read.headers["ETag"], "Idempotency-Key": "begin"}
    begun = api.post(f"{url}/moves", json={"move": "start_review"}, headers=key)
    assert begun.get_json()["state"] == "in_review"
    assert (
        api.post(f"{url}/moves", json={"move": "start_review"}, headers=key).headers["Idempotency-Replayed"] == "true"
    )
    stale = {**reviewer, "If-Match": read.headers["ETag"]}
    assert api.post(f"{url}/moves", json={"move": "shortlist"}, headers=stale).status_code == 412
    assert api.post(f"{url}/moves", json={"move": "shortlist"}, headers=reviewer).get_json()["state"] == "shortlisted"
    offer = {"move": "offer", "message": "Come to us.", "reply_days": 7}
    refused = api.post(f"{url}/moves", json=offer, headers=reviewer)
    assert (refused.status_code, refused.get_json()["detail"].partition("”")[2]) == (
        409,
        " is done by the lab’s leader or an administrator.",
    )
    assert api.post(f"{url}/moves", json={"move": "accept"}, headers=leader).status_code == 422
    api.post(f"{url}/moves", json={"move": "rank"}, headers=leader)
    staged = api.post(f"{url}/moves", json=offer, headers=leader).get_json()
    assert (staged["state"], staged["staged"]["reply_days"], staged["staged"]["message"]) == (
        "offered",
        7,
        "Come to us.",
    )
    with served.app_context():
        choice = db.session.get_one(Choice, staged["id"])
        assert choice.shown_state == "in_review"
