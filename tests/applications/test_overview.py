from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.applications.interests.service import interests_of, resume_of
from portal.applications.sharing import shares_of
from portal.models import User
from portal.moments import format_in_zone
from portal.web.templating import calendar_day
from tests.admission import add_admission
from tests.applications.admission_pages import main_text
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from sqlalchemy.orm import Session

    from tests.people import Person

pytestmark = pytest.mark.usefixtures("labs")


def state_everything(me: FlaskClient) -> None:
    sent = {
        "topics-0-text": "大模型推理",
        "topics-0-weight": "2",
        "statement": "I like queues.",
        "place-values": "Berlin",
    }
    submit(me, "/me/interests", sent)
    submit(me, "/me/resume", {"resume": (io.BytesIO(b"I wrote a scheduler."), "cv.txt")})
    submit(me, "/me/labs/serving-lab", {"act": "share"}, page="/me/interests")


def test_the_overview_begins_with_the_interests(me: FlaskClient) -> None:
    page = me.get("/me/").text
    assert "First, say what you want to work on." in page
    assert 'href="/me/interests">Say what you want to work on</a>' in page
    assert "Nothing is stated yet." in page


def test_the_overview_says_until_when_one_can_apply_and_leads_to_the_form(app: Flask, me: FlaskClient) -> None:
    assert "No cycle is open, and none is announced yet." in me.get("/me/").text
    with app.app_context():
        cycle = add_admission(app).cycle
        page = me.get("/me/").text
        assert f"Deadline {format_in_zone(cycle.deadline_at, cycle.zone)} 29 days left" in main_text(page)
        assert f'href="/me/application/{cycle.slug}/">Start your application' in page


def test_the_overview_says_what_there_is_so_far(me: FlaskClient) -> None:
    assert "Resume to do None yet. Matching works without one" in main_text(me.get("/me/").text)
    state_everything(me)
    page = me.get("/me/").text
    assert "You stated 1 topic and a statement of 14 characters." in page
    assert "First, say" not in page
    assert 'href="/me/resume/text">Check the text of your resume</a>' in page
    assert "Shortlist done 1 lab may read your interests and your confirmed resume." in main_text(page)


def test_labs_that_one_shares_with_are_listed_with_a_way_to_stop(me: FlaskClient) -> None:
    assert "No lab is saved yet" in me.get("/me/labs").text
    submit(me, "/me/labs/protein-lab", {"act": "share"}, page="/me/interests")
    page = me.get("/me/labs").text
    assert "蛋白质实验室" in page
    assert 'action="/me/labs/protein-lab"' in page
    told = " ".join(main_text(page).split())
    since = f"Since {calendar_day(datetime.now(UTC).date())} its professors can read your interests and your confirmed"
    assert f"{since} resume, until you stop sharing. It is not an application." in told
    assert "Stop sharing with 蛋白质实验室" in told
    answer = submit(me, "/me/labs/protein-lab", {"act": "stop"}, page="/me/labs")
    assert answer.headers["Location"] == "/me/labs"
    assert "No lab is saved yet" in me.get("/me/labs").text


@pytest.mark.parametrize("may_be_found", [True, False])
def test_stopping_says_whether_the_lab_can_still_find_one(me: FlaskClient, may_be_found: bool) -> None:  # noqa: FBT001
    submit(me, "/me/interests", {"statement": "Queues."} | ({"discoverable": "y"} if may_be_found else {}))
    submit(me, "/me/labs/serving-lab", {"act": "share"}, page="/me/interests")
    submit(me, "/me/labs/serving-lab", {"act": "stop"}, page="/me/interests")
    page = me.get("/me/labs").text
    assert "You stopped sharing with Serving Lab." in page
    assert ("Its professors can still find you" in page) == may_be_found


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/a\nb",
        "",
        "me/matches",
        "/" + "x" * 9_000,
    ],
)
def test_nobody_is_sent_to_another_site(me: FlaskClient, address: str) -> None:
    answer = submit(me, "/me/labs/serving-lab", {"act": "share", "next": address}, page="/me/interests")
    assert answer.headers["Location"] == "/me/labs"


def test_an_unknown_lab_or_act_is_refused(me: FlaskClient) -> None:
    assert submit(me, "/me/labs/no-such-lab", {"act": "share"}, page="/me/interests").status_code == 404
    assert submit(me, "/me/labs/serving-lab", {"act": "buy"}, page="/me/interests").status_code == 400


def test_the_labs_to_share_with_are_limited_with_a_reason(me: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.applications.sharing.MOST_SHARES", 0)
    submit(me, "/me/labs/serving-lab", {"act": "share"}, page="/me/interests")
    page = me.get("/me/labs").text
    assert "the most there can be. Stop sharing with one of them first." in page
    assert "No lab is saved yet" in page


def test_the_export_holds_everything_one_stated(me: FlaskClient, applicant: Person) -> None:
    state_everything(me)
    answer = me.get("/me/export")
    assert answer.mimetype == "application/json"
    assert answer.headers["Content-Disposition"] == "attachment; filename=my-portal-data.json"
    bundle = json.loads(answer.text)
    assert bundle["account"]["email"] == applicant.email
    assert [each["device"] for each in bundle["signed_in"]] == ["A program"]
    assert bundle["interests"]["topics"] == [{"text": "大模型推理", "weight": 2.0}]
    assert bundle["interests"]["statement"] == "I like queues."
    assert bundle["interests"]["wanted"] == {"place": ["Berlin"]}
    assert [share["lab"] for share in bundle["shared_with"]] == ["serving-lab"]
    assert bundle["resume"]["text"] == "I wrote a scheduler."
    assert bundle["resume"]["confirmed_at"] is None


def test_the_export_of_who_stated_nothing_is_honest(me: FlaskClient) -> None:
    bundle = json.loads(me.get("/me/export").text)
    assert (bundle["interests"]["topics"], bundle["shared_with"], bundle["resume"]) == ([], [], None)


def test_only_what_there_is_is_listed_before_erasing(me: FlaskClient) -> None:
    def listed() -> list[str]:
        return re.findall(r"<li>(\w[^:<]*):", me.get("/me/erase").text.partition("What is deleted")[2])

    assert (listed(), "Nothing is stated yet." in me.get("/me/erase").text) == ([], True)
    submit(me, "/me/resume", {"resume": (io.BytesIO(b"I wrote a scheduler."), "cv.txt")})
    assert listed() == ["Resume"]
    state_everything(me)
    assert listed() == ["Interests", "Resume", "Shortlist"]


def test_erasing_needs_a_tick(me: FlaskClient, session: Session, applicant: Person) -> None:
    state_everything(me)
    answer = submit(me, "/me/erase", {})
    assert answer.status_code == 422
    assert "Tick the box to confirm that you want this" in answer.text
    assert interests_of(session, session.get_one(User, applicant.id)) is not None


def test_erasing_leaves_nothing_but_the_account(
    app: Flask, me: FlaskClient, session: Session, applicant: Person
) -> None:
    state_everything(me)
    assert "You stated 1 topic" in me.get("/me/erase").text
    assert submit(me, "/me/erase", {"sure": "yes"}).headers["Location"] == "/me/erased"
    assert "interests, shortlist, the list of labs you shared with" in me.get("/me/erased").text
    user = session.get_one(User, applicant.id)
    assert (interests_of(session, user), list(shares_of(session, user)), resume_of(session, user)) == (
        None,
        [],
        None,
    )
    uploads = app.config["PORTAL"].instance / "uploads"
    assert [path for path in uploads.rglob("*") if path.is_file()] == []
    assert "Nothing is stated yet." in me.get("/me/").text


def test_the_receipt_of_an_erasure_is_not_shown_to_who_signs_in_next_in_the_same_browser(
    me: FlaskClient, person: Callable[..., Person]
) -> None:
    state_everything(me)
    submit(me, "/me/erase", {"sure": "yes"})
    submit(me, "/accounts/logout", {}, page="/me/erased")
    other = person("applicant")
    submit(me, "/accounts/login", {"email": other.email, "password": other.password})
    assert other.email in me.get("/accounts/").text
    assert me.get("/me/erased").location == "/me/"
