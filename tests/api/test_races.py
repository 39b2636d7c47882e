"""Programs that send the same at once: each thing is done once, and nothing is overwritten unseen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.db import db
from portal.models import Application, Submission
from tests.admission import add_admission
from tests.api.conftest import bearer
from tests.databases import over

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


def at_once(app: Flask, send: Callable[[FlaskClient, int], TestResponse]) -> list[TestResponse]:
    """The responses to requests that begin in the same moment."""
    answers: list[TestResponse] = []
    start = threading.Barrier(AT_ONCE)

    def run(number: int) -> None:
        client = app.test_client()
        start.wait()
        answers.append(send(client, number))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


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

    begun = at_once(app, lambda client, number: client.put(url, json=form(number), headers=me))
    assert statuses(begun) == [200, *[428] * (AT_ONCE - 1)]
    seen = {**me, "If-Match": app.test_client().get(url, headers=me).headers["ETag"]}
    edited = at_once(app, lambda client, number: client.put(url, json=form(number + 10), headers=seen))
    assert statuses(edited) == [200, *[412] * (AT_ONCE - 1)]
    (kept,) = [answer.get_json()["choices"] for answer in edited if answer.status_code == 200]
    assert app.test_client().get(url, headers=me).get_json()["choices"] == kept

    def submit(client: FlaskClient, number: int) -> TestResponse:
        key = {"Idempotency-Key": "same" if number % 2 else f"key {number}"}
        return client.post(f"{url}/moves", json={"move": "submit"}, headers={**me, **key})

    # What takes seconds must not be waited for by all who write.
    locked: list[bool] = []

    def indexed() -> None:
        driver: Any = db.session.connection().connection.dbapi_connection
        locked.append(db.engine.dialect.name == "sqlite" and driver.in_transaction)

    monkeypatch.setattr("portal.api.applications._indexed", indexed)
    sent = at_once(app, submit)
    # Whoever waited hears that it is done, and the same key brings the same answer.
    assert set(statuses(sent)) == {200, 409}
    assert statuses(sent).count(200) in {1, AT_ONCE // 2}
    assert locked == [False] * AT_ONCE
    with app.app_context():
        assert (db.session.query(Application).one().submissions, db.session.query(Submission).count()) == (1, 1)
        db.session.remove()
