"""What pages, files, counts and refusals of the reviews tell to whom, and for whom they act."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import Conflict, Scorecard
from portal.reviews.blind_review import pseudonym
from portal.reviews.clockwork import keep_missing_redactions
from tests.people import csrf_token, submit
from tests.reviews.zoe import FULL, NOW, PERSONAL, SECRET_ELSEWHERE, address, admission_of_zoe, choice_of

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


@pytest.mark.parametrize("kept", [False, True])
def test_a_blind_reviewer_learns_nobodys_name_anywhere_until_the_own_card_is_locked(
    admission: Admission, *, kept: bool
) -> None:
    if kept:
        with admission.app.app_context():
            keep_missing_redactions(db.session(), NOW)
    client = admission.leaders["Blind"].sign_in()
    one = address(admission, "Blind")
    with admission.app.app_context():
        label = pseudonym("choice", choice_of(admission, "Blind").id)
    pages = ("/reviews/blind/", "/reviews/blind/applicants.csv", one, f"{one}?q=schedulers")
    for page in pages:
        text = client.get(page).text
        assert label in text
        assert [word for word in PERSONAL if word in text] == []
    found = {
        text: label in client.get(f"/reviews/blind/?q={text}").text for text in ("Quetz", "zoe.q", "Vogel", "annealers")
    }
    assert found == {"Quetz": False, "zoe.q": False, "Vogel": False, "annealers": kept}
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
        numbers = {"choice_id": mine.id, "applicant_id": mine.application.applicant_id}
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
        numbers = {"choice_id": mine.id, "applicant_id": mine.application.applicant_id}
        applicant = admission.add_applicant("Forward")
        before = [choice_of(admission, "Mine", at).state for at in (0, 1)]
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
            answered[who].add(client.post(path, data={"csrf_token": token, "name": "shortlist"}).status_code)
    assert answered == {who: {403} for who in people}
    with app.app_context():
        assert [choice_of(admission, "Mine", at).state for at in (0, 1)] == before


def test_what_no_lab_may_read_is_as_if_it_were_not_there(admission: Admission, leader: FlaskClient) -> None:
    page = leader.get("/reviews/mine/").text
    assert "All (2)" in page
    withdrawn, other = address(admission, "Mine", 2), address(admission, "Other").rpartition("/")[2]
    for path in (withdrawn, f"/reviews/mine/choices/{other}", "/reviews/mine/choices/99999"):
        for part in ("", "/resume", "/letters/1", "/scorecard"):
            response = leader.get(path + part)
            assert (response.status_code, [word for word in SECRET_ELSEWHERE if word in response.text]) == (404, [])
        sent = {"one": f"start_review:{path.rpartition('/')[2]}"}
        assert submit(leader, "/reviews/mine/board/move", sent, page="/reviews/mine/").status_code == 302
        told = leader.get("/reviews/mine/").text
        assert ("Nobody was moved" in told, [word for word in SECRET_ELSEWHERE if word in told]) == (True, [])
