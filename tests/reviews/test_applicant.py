"""One applicant of a lab: the page, what it tells to whom, and the moves."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import (
    Conflict,
    Decision,
    Submission,
)
from portal.reviews.applicant.queries import education_in
from tests.people import submit
from tests.reviews.zoe import NAME, address, admission_of_zoe, choice_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

    from tests.admission import Admission


@pytest.fixture(scope="module")
def admission(tmp_path_factory: pytest.TempPathFactory, migrated_database: Path) -> Iterator[Admission]:
    made = admission_of_zoe(tmp_path_factory.mktemp("zoe"), migrated_database)
    yield made
    with made.app.app_context():
        db.engine.dispose()


@pytest.fixture(scope="module")
def leader(admission: Admission) -> FlaskClient:
    return admission.leaders["Mine"].sign_in()


def test_the_page_shows_what_was_submitted_with_the_stored_match(admission: Admission, leader: FlaskClient) -> None:
    page = " ".join(html.unescape(leader.get(address(admission, "Mine")).text).split())
    for shown in (
        "1st of 3 applicants by then;",
        "the lab is 3rd of 40 labs for them.",
        "Quetzalcoatl <mark>built</mark> schedulers.",
        "Mine published",
        "Why a Ph.D.?",
        f"Because {NAME} likes serving.",
        "Their work.",
        "hidden by Quetzalcoatl",
        "Grace Hopper",
        "adviser",
        "<mark>Schedulers</mark>",
        "<b><mark>caches</mark></b>",
    ):
        assert shown in page
    assert "<b>" not in leader.get(address(admission, "Mine")).text.partition('class="resume-text"')[2][:500]
    assert "Not-answered" not in page


@pytest.mark.parametrize(
    ("resume", "education"),
    [
        (
            "Ada\nEDUCATION:\n\n• M.Sc. Oxford, 2024\n– B.Sc. Bath\nWork\nX\n",
            ["M.Sc. Oxford, 2024", "B.Sc. Bath", "Work"],
        ),
        ("教育背景\n清华大学\n", ["清华大学"]),
        ("My education\nwas long.\n", []),
        ("Education\n" + "x" * 500 + "\n", []),
    ],
)
def test_the_education_is_read_below_its_heading(resume: str, education: list[str]) -> None:
    assert list(education_in(resume)) == education


def test_what_the_applicant_states_of_education_comes_first_and_not_while_blind(
    admission: Admission, leader: FlaskClient
) -> None:
    with admission.app.app_context():
        choice = choice_of(admission, "Mine")
        stored = db.session.query(Submission).filter_by(application_id=choice.application_id).one()
        stored.interests = {**stored.interests, "education": "M.Sc. of Tartu, now at ETH"}
        db.session.commit()
    told = "M.Sc. of Tartu, now at ETH"
    assert told in leader.get(address(admission, "Mine")).text
    assert told not in admission.leaders["Blind"].sign_in().get(address(admission, "Blind")).text


def test_the_person_stands_before_the_match(admission: Admission, leader: FlaskClient) -> None:
    page = leader.get(address(admission, "Mine")).text
    headings = re.findall(r'<h2 id="([a-z-]+)"', page)
    assert [name for name in headings if name in {"wrote", "resume", "letters", "match", "way"}] == [
        *("wrote", "resume", "letters", "match", "way"),
    ]
    assert page.index('id="wrote"') < page.index("Why this lab") < page.index('id="resume"')


@pytest.mark.parametrize(("path", "data"), [("/resume", b"%PDF the file"), ("/letters/1", b"%PDF the letter")])
def test_files_come_as_downloads_without_rights_and_not_while_blind(
    admission: Admission, leader: FlaskClient, path: str, data: bytes
) -> None:
    response = leader.get(address(admission, "Mine") + path)
    assert response.data == data
    assert response.headers["Content-Disposition"].startswith("attachment; filename=")
    assert "Quetzalcoatl" not in response.headers["Content-Disposition"]
    assert response.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response.headers["Cache-Control"] == "private, no-store"
    blind = admission.leaders["Blind"].sign_in().get(address(admission, "Blind") + path)
    assert blind.status_code == 403
    assert "once your scorecard on this applicant is locked" in html.unescape(blind.text)
    assert leader.get(address(admission, "Mine", 1) + path).status_code == 404


def test_next_and_previous_stay_within_the_filter(admission: Admission, leader: FlaskClient) -> None:
    first, second = address(admission, "Mine"), address(admission, "Mine", 1)
    page = leader.get(f"{first}?sort=newest").text
    assert f'rel="next" data-key="j" href="{second}?' in page
    assert "sort=newest" in re.findall(rf'rel="next" data-key="j" href="{second}([^"]*)"', page)[0]
    alone = leader.get(f"{second}?state=shortlisted").text  # not kept by its own filter: the way goes on from there
    assert "1 of 1" in alone


def test_moves_are_made_undone_and_refused_with_the_reason(admission: Admission, leader: FlaskClient) -> None:
    one, lab = address(admission, "Mine"), "/reviews/mine/board"
    number = int(one.rpartition("/")[2])
    reviewer = admission.reviewers["Mine"].sign_in()
    with admission.app.app_context():
        db.session.query(Conflict).delete()
        db.session.commit()
    with admission.app.app_context():
        cycle = admission.cycle.slug
    here = {"cycle": cycle, "applicant": str(number), "queue": "sort=newest"}

    def state() -> str:
        with admission.app.app_context():
            return choice_of(admission, "Mine").state

    def moved(client: FlaskClient, name: str) -> tuple[int, str]:
        """Press a button of the page, or one that is not on it."""
        ticket = re.findall(rf'name="one" value="[a-z_]+:({number}[.0-9]*)"', client.get(one).text)[0]
        response = submit(client, f"{lab}/move", {**here, "one": f"{name}:{ticket}"}, page=one)
        assert response.status_code != 302 or response.location == f"{one}?sort=newest&part=card"
        return response.status_code, state()

    assert moved(leader, "rank") == (302, "in_review")  # for reading the page has begun the review
    assert "was not moved." in leader.get(one).text
    assert moved(reviewer, "shortlist") == (302, "shortlisted")
    page = reviewer.get(one).text
    assert f'name="one" value="take_off_shortlist:{number}.' in page
    assert "Undo" in page
    assert moved(reviewer, "rank") == (302, "shortlisted")
    assert "was not moved." in reviewer.get(one).text
    assert moved(leader, "rank") == (302, "ranked")
    assert moved(leader, "offer") == (200, "ranked")  # previewed, with a message and a time to answer
    preview = submit(leader, f"{lab}/move", {**here, "one": f"offer:{number}"}, page=one).text
    assert ("Back to the applicant" in preview, 'name="applicant" value=' in preview) == (True, True)
    (ticket,) = re.findall(rf'name="choice" value="({number}\.[0-9]+)"', preview)
    offer = {**here, "move": "offer", "choice": ticket, "message": "Kept words."}
    for days in ("0", "366", "soon", "²"):
        refused = submit(leader, f"{lab}/do", {**offer, "days": days}, page=one)
        assert (refused.status_code, "Say in days, from 1 to 365" in refused.text) == (422, True)
        assert "Kept words." in refused.text
    for _ in range(2):  # clicked twice
        done = submit(leader, f"{lab}/do", {**offer, "days": "21", "message": "Come to us."}, page=one)
        assert (done.location, state()) == (f"{one}?sort=newest&part=card", "offered")
    with admission.app.app_context():
        decision = db.session.query(Decision).filter_by(choice_id=choice_of(admission, "Mine").id).one()
        assert (decision.kind, decision.reply_days, decision.message) == ("offer", 21, "Come to us.")
    unsent = submit(leader, f"{lab}/do", {**offer, "message": "Other words."}, page=one)
    assert (unsent.status_code, "your message was not sent" in unsent.text) == (422, True)
    assert re.search(r"<textarea[^>]*readonly>\nOther words\.", unsent.text)
    assert moved(leader, "take_back_offer") == (302, "ranked")
    for name in ("release", "accept", "close", "withdraw", "no-such-move", ""):
        assert moved(leader, name) == (404, "ranked")
    assert "Come to us." in leader.get(one).text  # the way so far
