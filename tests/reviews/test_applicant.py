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
)
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
        "1st of the 3 applicants that the lab could read at the time.",
        "The lab is 3rd of 40 labs",
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


def test_the_person_stands_before_the_match_and_links_lead_to_the_rest(
    admission: Admission, leader: FlaskClient
) -> None:
    page = leader.get(address(admission, "Mine")).text
    headings = re.findall(r'<h2 id="([a-z-]+)"', page)
    assert [name for name in headings if name in {"wrote", "resume", "letters", "match", "way"}] == [
        *("wrote", "resume", "letters", "match", "way"),
    ]
    assert page.index('id="wrote"') < page.index("Why this lab") < page.index('id="resume"')
    (links,) = re.findall(r'aria-label="On this page">(.*?)</nav>', page, re.DOTALL)
    assert re.findall(r'href="#([a-z-]+)"', links) == ["resume", "match"]


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
    one = address(admission, "Mine")
    reviewer = admission.reviewers["Mine"].sign_in()
    with admission.app.app_context():
        db.session.query(Conflict).delete()
        db.session.commit()

    def moved(client: FlaskClient, name: str, **data: str) -> tuple[int, str]:
        with admission.app.app_context():
            seen = {"state": choice_of(admission, "Mine").state}
        response = submit(client, f"{one}/move?sort=newest", {"name": name, **seen, **data}, page=one)
        assert response.status_code != 302 or response.location == f"{one}?sort=newest&part=card"
        with admission.app.app_context():
            return response.status_code, choice_of(admission, "Mine").state

    assert moved(leader, "rank") == (409, "in_review")  # for reading the page has begun the review
    assert moved(reviewer, "shortlist") == (302, "shortlisted")
    page = reviewer.get(one).text
    assert 'name="name" value="take_off_shortlist"' in page
    assert "Undo" in page
    assert moved(reviewer, "rank") == (409, "shortlisted")
    assert moved(leader, "rank") == (302, "ranked")
    for days in ("0", "366", "soon", "²"):
        asked = {"name": "offer", "state": "ranked", "days": days, "message": "Kept words."}
        refused = submit(leader, f"{one}/move", asked, page=one)
        assert (refused.status_code, "Say in days, from 1 to 365" in refused.text) == (409, True)
        assert "Kept words." in refused.text
    unseen = {"name": "offer", "days": "21", "message": "Come to us."}  # without the state that its page showed
    for state in ({}, {"state": ""}):
        refused = submit(leader, f"{one}/move", unseen | state, page=one)
        reason = r'<p class="field-error" id="move-offer-refused">The form did not say .* “Ranked” now'
        assert (refused.status_code, bool(re.search(reason, refused.text))) == (422, True)
        assert "data-error-summary>\n  <h2>Nothing was changed</h2>\n  <p>The form did not say" in refused.text
        assert ('name="days" min="1" max="365" value="21"' in refused.text, "Come to us." in refused.text) == (
            True,
            True,
        )
    assert moved(leader, "offer", days="21", message="Come to us.") == (302, "offered")
    with admission.app.app_context():
        decision = db.session.query(Decision).filter_by(choice_id=choice_of(admission, "Mine").id).one()
        assert (decision.kind, decision.reply_days, decision.message) == ("offer", 21, "Come to us.")
    assert moved(leader, "offer", days="21", message="Come to us.") == (302, "offered")  # clicked twice
    unsent = submit(leader, f"{one}/move", {"name": "offer", "state": "offered", "message": "Other words."}, page=one)
    assert (unsent.status_code, "was not sent with it" in unsent.text) == (409, True)
    assert re.search(r"<textarea[^>]*readonly>\nOther words\.", unsent.text)
    shown = re.search(r'href="([^"]*part=card)" aria-current="true"', unsent.text)  # on a phone the moves show
    assert shown is not None
    assert leader.get(html.unescape(shown[1])).status_code == 200
    assert moved(leader, "take_back_offer") == (302, "ranked")
    for name in ("release", "accept", "close", "withdraw", "no-such-move", ""):
        assert moved(leader, name) == (404, "ranked")
    assert "Come to us." in leader.get(one).text  # the way so far
