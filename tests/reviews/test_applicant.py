"""One applicant of a lab: the page, what it tells to whom, and the moves."""

from __future__ import annotations

import html
import re
import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.app import create_app
from portal.applications.files import file_store
from portal.db import db
from portal.models import (
    Choice,
    Conflict,
    Decision,
    Interests,
    LabReviewing,
    MatchRecord,
    MoveRecord,
    Referee,
    Scorecard,
    Submission,
)
from portal.reviews.blinding import pseudonym
from tests.admission import add_admission
from tests.people import csrf_token, submit
from tests.reviews.crowd import add_crowd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

    from tests.admission import Admission

NOW = datetime.now(UTC).replace(microsecond=0)
FULL = {"fit": 4, "potential": 4, "preparation": 3, "writing": 3, "confidence": 2}
NAME = "Zoë Quetzalcoatl"
PERSONAL = ("Quetzal", "zoe.q@", "Massachusetts Institute", "Grace Hopper", "navy.mil", "She ")
SECRET_ELSEWHERE = ("Other-reason", "Other-decision", "Other-step", "Drafted-answer", "Typed-since", "Withdrawn-words")
"""What only the other lab, or only the applicant, may know."""


@pytest.fixture(scope="module")
def admission(tmp_path_factory: pytest.TempPathFactory, migrated_database: Path) -> Iterator[Admission]:
    """Zoë chose the labs Mine, Blind and Other; so did two more. What nobody here may know bears a mark."""
    instance = tmp_path_factory.mktemp("applicant")
    shutil.copy(migrated_database, instance / "portal.sqlite")
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"})
    with app.app_context():
        questions = [{"key": "why", "text": "Why a Ph.D.?", "help": "", "required": True, "limit": 900}]
        made = add_admission(
            app, deadline_in=timedelta(days=1), now=NOW - timedelta(days=9), questions=questions, referees=1
        )
        made.now = NOW
        labs = [made.add_lab(name) for name in ("Mine", "Blind", "Other")]
        add_crowd(made.session, made.cycle, labs, 3, now=NOW - timedelta(days=2), name="Person {}")
        db.session.add(LabReviewing(lab_id=labs[1].id, blind_first=True, changed_at=NOW))
        zoe = choice_of(made, "Mine")
        application = zoe.application
        application.applicant.name, application.applicant.email = NAME, "zoe.q@example.edu"
        submission = db.session.query(Submission).filter_by(application_id=application.id).one()
        text = f"{NAME}\nMassachusetts Institute of Technology\nSchedulers for annealers. Her <b>caches</b>."
        file_store(app).put("zoe.pdf", b"%PDF the file")
        file_store(app).put("letter.pdf", b"%PDF the letter")
        submission.answers, submission.resume_text = {"why": f"Because {NAME} likes serving."}, text
        submission.interests = {**submission.interests, "statement": "I, Zoë Quetzalcoatl, want annealers."}
        submission.resume_kind, submission.storage_key = "pdf", "zoe.pdf"
        submission.resume_hidden_text = "hidden by Quetzalcoatl"
        application.answers = {"why": "Drafted-answer"}
        for record in db.session.query(MatchRecord).filter_by(submission_id=submission.id):
            said = {"mine": "Quetzalcoatl built schedulers.", "mine_spans": [[13, 18]]}
            record.found = {**record.found, "evidence": [{**record.found["evidence"][0], **said}]}
        choice_of(made, "Other").reason = "Other-reason"
        other = choice_of(made, "Other")
        other.state = "declined"
        db.session.add(Decision(choice_id=other.id, kind="decline", message="Other-decision", staged_at=NOW))
        db.session.add(
            MoveRecord(
                application_id=application.id,
                choice_id=other.id,
                move="decline",
                from_state="in_review",
                to_state="declined",
                at=NOW,
                actor_role="leader",
                message="Other-step",
            )
        )
        db.session.add(Interests(user_id=application.applicant_id, statement="Typed-since", changed_at=NOW))
        letter = f"{NAME} is quick. She thinks.\n\nGrace Hopper, grace@navy.mil"
        common = {"application_id": application.id, "created_at": NOW}
        db.session.add_all(
            [
                Referee(
                    **common,
                    name="Grace Hopper",
                    email="grace@navy.mil",
                    relation="adviser",
                    received_at=NOW,
                    letter=letter,
                    letter_kind="pdf",
                    storage_key="letter.pdf",
                ),
                Referee(**common, name="Not-answered", email="x@example.edu"),
            ]
        )
        gone = choice_of(made, "Mine", 2)
        gone.application.state = "withdrawn"
        gone.reason = "Withdrawn-words"
        db.session.commit()
    yield made
    with app.app_context():
        db.engine.dispose()


def choice_of(admission: Admission, lab: str, at: int = 0) -> Choice:
    """The choice of a lab by Zoë, or by who came after her."""
    found = db.session.query(Choice).filter_by(lab_id=admission.labs[lab]).order_by(Choice.id)
    return list(found)[at]


def address(admission: Admission, lab: str, at: int = 0) -> str:
    with admission.app.app_context():
        return f"/reviews/{lab.lower()}/choices/{choice_of(admission, lab, at).id}"


@pytest.fixture(scope="module")
def leader(admission: Admission) -> FlaskClient:
    return admission.leaders["Mine"].sign_in()


def test_the_page_shows_what_was_submitted_with_the_stored_match(admission: Admission, leader: FlaskClient) -> None:
    page = html.unescape(leader.get(address(admission, "Mine")).text)
    for shown in (
        "1st of 3 applicants of this lab, and the lab is",
        "3rd of 40 labs",
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


def test_a_blind_reviewer_learns_nobodys_name_anywhere_until_the_own_card_is_locked(admission: Admission) -> None:
    client = admission.leaders["Blind"].sign_in()
    one = address(admission, "Blind")
    with admission.app.app_context():
        label = pseudonym(choice_of(admission, "Blind"))
    pages = ("/reviews/blind/", "/reviews/blind/applicants.csv", one, f"{one}?q=schedulers", f"{one}?replay=yes")
    for page in pages:
        text = client.get(page).text
        assert label in text
        assert [word for word in PERSONAL if word in text] == []
    found = {text: label in client.get(f"/reviews/blind/?q={text}").text for text in ("Quetz", "zoe.q", "annealers")}
    assert found == {"Quetz": False, "zoe.q": False, "annealers": True}
    with admission.app.app_context():
        me, choice = admission.leaders["Blind"].id, choice_of(admission, "Blind")
        card = Scorecard(choice_id=choice.id, reviewer_id=me, changed_at=NOW, locked_at=NOW, **FULL)
        db.session.add(card)
        db.session.commit()
        number = card.id
    assert "Quetzalcoatl" in client.get(one).text
    assert client.get(f"{one}/resume").status_code == 200
    assert "Quetzalcoatl" in client.get("/reviews/blind/?q=Quetz").text
    with admission.app.app_context():
        db.session.delete(db.session.get_one(Scorecard, number))
        db.session.commit()


def test_no_address_tells_anybody_what_they_may_not_know(admission: Admission) -> None:
    """Every address of the reviews for every role: what is refused tells nothing, and nothing of other labs shows."""
    app = admission.app
    with app.app_context():
        mine = choice_of(admission, "Mine")
        numbers = {"number": mine.id, "applicant_id": mine.application.applicant_id, "referee": 1}
        conflicted = admission.reviewers["Mine"]
        zoe = mine.application.applicant_id
        db.session.add(Conflict(reviewer_id=conflicted.id, applicant_id=zoe, state="declared", changed_at=NOW))
        db.session.commit()
        applicant = admission.add_applicant("Nosy")
    rules = [
        rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("reviews.") and "GET" in (rule.methods or set())
    ]
    adapter = app.url_map.bind("localhost")
    people = {
        "leader": admission.leaders["Mine"].sign_in(),
        "conflicted reviewer": conflicted.sign_in(),
        "professor of another lab": admission.leaders["Other"].sign_in(),
        "applicant": applicant.sign_in(),
        "visitor": app.test_client(),
    }
    seen: dict[str, set[int]] = {who: set() for who in people}
    leaks: list[tuple[str, str, str]] = []
    for rule in rules:
        values = {name: numbers.get(name, "mine" if name == "slug" else 1) for name in rule.arguments}
        path = adapter.build(rule.endpoint, values)
        about_zoe = "choices/<" in rule.rule and "/conflict" not in path
        for who, client in people.items():
            response = client.get(path)
            seen[who].add(response.status_code)
            secret = list(SECRET_ELSEWHERE)
            if who != "leader" and "/conflict" not in path:
                secret += [*PERSONAL, "annealers"]
                if about_zoe:
                    assert response.status_code in {302, 403, 404}, (who, path)
            leaks += [(who, path, word) for word in secret if word in response.text]
    assert leaks == []
    assert seen["professor of another lab"] <= {200, 302, 403}
    assert seen["applicant"] == {403}
    assert seen["visitor"] == {302}


def test_no_address_acts_for_anybody_but_the_labs_own(admission: Admission) -> None:
    app = admission.app
    with app.app_context():
        mine = choice_of(admission, "Mine")
        numbers = {"number": mine.id, "applicant_id": mine.application.applicant_id}
        applicant = admission.add_applicant("Forward")
    people = {
        "professor of another lab": (admission.leaders["Other"].sign_in(), "/reviews/other/"),
        "applicant": (applicant.sign_in(), "/me/interests"),
        "visitor": (app.test_client(), "/accounts/login"),
    }
    adapter = app.url_map.bind("localhost")
    acts = [
        rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("reviews.") and "POST" in (rule.methods or set())
    ]
    answered: dict[str, set[int]] = {who: set() for who in people}
    for who, (client, page) in people.items():
        token = csrf_token(client, page)
        for rule in acts:
            values = {name: numbers.get(name, "mine" if name == "slug" else 1) for name in rule.arguments}
            path = adapter.build(rule.endpoint, values, method="POST")
            answered[who].add(client.post(path, data={"csrf_token": token, "name": "start_review"}).status_code)
    assert answered == {who: {403} for who in people}
    with app.app_context():
        assert {choice_of(admission, "Mine", at).state for at in (0, 1)} == {"pending"}


def test_what_no_lab_may_read_is_as_if_it_were_not_there(admission: Admission, leader: FlaskClient) -> None:
    page = leader.get("/reviews/mine/").text
    assert "All (2)" in page
    withdrawn, other = address(admission, "Mine", 2), address(admission, "Other").rpartition("/")[2]
    for path in (withdrawn, f"/reviews/mine/choices/{other}", "/reviews/mine/choices/99999"):
        for part in ("", "/resume", "/letters/1", "/scorecard"):
            response = leader.get(path + part)
            assert (response.status_code, [word for word in SECRET_ELSEWHERE if word in response.text]) == (404, [])
        assert submit(leader, f"{path}/move", {"name": "start_review"}, page="/reviews/mine/").status_code == 404


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
        response = submit(client, f"{one}/move", {"name": name, **data}, page=one)
        with admission.app.app_context():
            return response.status_code, choice_of(admission, "Mine").state

    assert moved(leader, "rank") == (409, "pending")
    assert moved(leader, "start_review") == (302, "in_review")
    assert moved(leader, "start_review") == (302, "in_review")  # clicked twice
    assert moved(reviewer, "shortlist") == (302, "shortlisted")
    page = reviewer.get(one).text
    assert 'name="name" value="take_off_shortlist"' in page
    assert "Undo" in page
    assert "The lab’s leader can also:" in html.unescape(page)
    assert moved(reviewer, "rank") == (409, "shortlisted")
    assert moved(leader, "rank") == (302, "ranked")
    for days in ("0", "366", "soon", "²"):
        refused = submit(leader, f"{one}/move", {"name": "offer", "days": days, "message": "Kept words."}, page=one)
        assert (refused.status_code, "Say in days, from 1 to 365" in refused.text) == (409, True)
        assert "Kept words." in refused.text
    assert moved(leader, "offer", days="21", message="Come to us.") == (302, "offered")
    with admission.app.app_context():
        decision = db.session.query(Decision).filter_by(choice_id=choice_of(admission, "Mine").id).one()
        assert (decision.kind, decision.reply_days, decision.message) == ("offer", 21, "Come to us.")
    assert moved(leader, "take_back_offer") == (302, "ranked")
    for name in ("release", "accept", "close", "withdraw", "no-such-move", ""):
        assert moved(leader, name) == (404, "ranked")
    assert "Come to us." in leader.get(one).text  # the way so far
