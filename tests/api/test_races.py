"""Programs that send the same at once: each thing is done once, and nothing is overwritten unseen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from portal.applications.moves.service import perform
from portal.db import db
from portal.labs.live_index.live import LiveIndex
from portal.models import Application, AuditEntry, Choice, Submission
from tests.admission import add_admission
from tests.api.conftest import bearer
from tests.at_once import at_once
from tests.databases import over
from tests.meanwhile import meanwhile
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.conftest import Settings
    from tests.people import Person

LABS = ("Alpha Lab", "Beta Lab", "Gamma Lab")
AT_ONCE = 6


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def portal_app(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Flask]:
    application = over(request, settings)
    application.config["PROPAGATE_EXCEPTIONS"] = False
    yield application
    with application.app_context():
        db.session.remove()
        db.engine.dispose()


def sent_at_once(app: Flask, send: Callable[[FlaskClient, int], TestResponse]) -> list[TestResponse]:
    """The responses to requests that begin in the same moment."""
    return at_once(lambda number: send(app.test_client(), number), AT_ONCE)


def statuses(answers: list[TestResponse]) -> list[int]:
    return sorted(answer.status_code for answer in answers)


def test_of_requests_sent_at_once_one_counts_and_the_others_hear_why(
    portal_app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = portal_app
    with app.app_context():
        fall = add_admission(app, most_choices=2)
        for name in LABS:
            fall.add_lab(name)
        person: Person = fall.add_applicant()
        url, me = f"/api/v1/application/{fall.cycle.slug}", bearer(person)
        db.session.remove()

    def form(number: int) -> dict[str, Any]:
        return {"choices": [{"lab": "alpha-lab", "reason": f"Reason {number}."}], "answers": {}}

    begun = sent_at_once(app, lambda client, number: client.put(url, json=form(number), headers=me))
    assert statuses(begun) == [200, *[428] * (AT_ONCE - 1)]
    seen = {**me, "If-Match": app.test_client().get(url, headers=me).headers["ETag"]}
    edited = sent_at_once(app, lambda client, number: client.put(url, json=form(number + 10), headers=seen))
    assert statuses(edited) == [200, *[412] * (AT_ONCE - 1)]
    (kept,) = [answer.get_json()["choices"] for answer in edited if answer.status_code == 200]
    assert app.test_client().get(url, headers=me).get_json()["choices"] == kept

    def submit(client: FlaskClient, number: int) -> TestResponse:
        key = {"Idempotency-Key": "same" if number % 2 else f"key {number}"}
        return client.post(f"{url}/moves", json={"move": "submit"}, headers={**me, **key})

    # What takes seconds must not be waited for by all who write.
    locked: list[bool] = []

    def current_if_ready(*_: object) -> None:
        driver: Any = db.session.connection().connection.dbapi_connection
        locked.append(db.engine.dialect.name == "sqlite" and driver.in_transaction)

    monkeypatch.setattr(LiveIndex, "current_if_ready", current_if_ready)
    sent = sent_at_once(app, submit)
    # Whoever waited hears that it is done, and the same key brings the same answer.
    assert set(statuses(sent)) == {200, 409}
    assert statuses(sent).count(200) in {1, AT_ONCE // 2}
    assert locked == [False] * AT_ONCE
    with app.app_context():
        assert (db.session.query(Application).one().submissions, db.session.query(Submission).count()) == (1, 1)
        db.session.remove()


def test_of_moves_by_forms_and_programs_at_once_one_counts_and_is_noted_once(portal_app: Flask) -> None:
    app = portal_app
    with app.app_context():
        opened = datetime.now(UTC) - timedelta(days=60)
        admission = add_admission(app, deadline_in=timedelta(days=-1), opens_at=opened)
        for name in LABS[:2]:
            admission.add_lab(name)
        person: Person = admission.add_applicant()
        application = admission.eligible(person, *LABS[:2])
        number, leader = admission.choice(application, LABS[0]).id, admission.leaders[LABS[0]]
        slug = admission.cycle.slug
        db.session.remove()
    keys, page = bearer(leader), f"/reviews/alpha-lab/choices/{number}"
    at_desk = signed_in(leader, page)

    def review(client: FlaskClient, turn: int) -> TestResponse:
        if turn % 2:
            return client.post(f"/api/v1{page}/moves", json={"move": "start_review"}, headers=keys)
        return at_desk[turn // 2]("/reviews/alpha-lab/board/move", one=f"start_review:{number}")

    # Forms that come second lead to what was done, as a second click does.
    begun = sent_at_once(app, review)
    assert set(statuses(begun)) <= {200, 302, 409}
    assert [answer.status_code for answer in begun].count(200) <= 1
    assert noted(app, "choice.start_review") == 1

    with app.app_context():
        for choice in admission.session.query(Choice).order_by(Choice.id):
            left = ("start_review", "shortlist", "rank", "offer")[choice.id == number :]
            admission.move(choice, *left, as_="leader")
            admission.one_move(choice, "release", "admin")
        db.session.remove()
    me, mine = bearer(person), f"/me/application/{slug}/labs/beta-lab/accept"
    at_home = signed_in(person, mine)

    def accept(client: FlaskClient, turn: int) -> TestResponse:
        if turn % 2:
            address = f"/api/v1/application/{slug}/choices/alpha-lab/moves"
            return client.post(address, json={"move": "accept"}, headers=me)
        return at_home[turn // 2](mine)

    answers = sent_at_once(app, accept)
    assert set(statuses(answers)) <= {200, 302, 409, 422}
    assert noted(app, "choice.accept") == 1
    with app.app_context():
        states = sorted(choice.state for choice in db.session.query(Choice))
        db.session.remove()
    assert states == ["accepted", "closed"]


@pytest.mark.parametrize("portal_app", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_a_program_and_a_form_that_rank_the_same_applicant_do_not_wait_for_each_other(portal_app: Flask) -> None:
    with portal_app.app_context():
        opened = datetime.now(UTC) - timedelta(days=60)
        admission = add_admission(portal_app, deadline_in=timedelta(days=-1), opens_at=opened)
        admission.add_lab("Alpha Lab")
        choice = admission.choice(admission.eligible(admission.add_applicant(), "Alpha Lab"), "Alpha Lab")
        admission.move(choice, "start_review", "shortlist", as_="leader")
        number, leader = choice.id, admission.leaders["Alpha Lab"]

        def rank() -> None:
            ranked, actor = db.session.get_one(Choice, number), admission.user(leader)
            perform(db.session(), "rank", ranked, actor=actor, capacity="leader", now=datetime.now(UTC))

        address, keys = f"/api/v1/reviews/alpha-lab/choices/{number}/moves", bearer(leader)
        with meanwhile(portal_app, "UPDATE lab SET", rank):
            answer = portal_app.test_client().post(address, json={"move": "rank"}, headers=keys)
        assert answer.status_code == 409


def signed_in(person: Person, page: str) -> list[Callable[..., TestResponse]]:
    """Browsers in which a person is signed in, each with a form of the page open: what sends it."""
    browsers: list[Callable[..., TestResponse]] = []
    for _ in range(AT_ONCE // 2):
        client = person.sign_in()
        token = csrf_token(client, page)
        browsers.append(lambda url, *, _c=client, _t=token, **data: _c.post(url, data={"csrf_token": _t, **data}))
    return browsers


def noted(app: Flask, act: str) -> int:
    """How many entries of the audit log are about this act."""
    with app.app_context():
        count = db.session.query(AuditEntry).filter_by(act=act).count()
        db.session.remove()
    return count
