"""Scorecards in tests: sent as the page sends them, by whoever is signed in."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from portal.app import create_app
from portal.db import db
from portal.models import Lab, Scorecard, SignIn
from tests.admission import Admission, admission_of
from tests.databases import begin_requests_anew
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from portal.models import Choice
    from tests.people import Person

POINTS = {"fit": "4", "potential": "3", "preparation": "5", "writing": "2", "confidence": "2"}
JSON = {"Accept": "application/json"}


def address(choice: Choice, more: str = "") -> str:
    slug = db.session.get_one(Lab, choice.lab_id).slug
    return f"/reviews/{slug}/choices/{choice.id}/scorecard{more}"


def page_of(choice: Choice, more: str = "") -> str:
    """The applicant's page, which shows the card."""
    return address(choice).removesuffix("/scorecard") + more


def send(client: FlaskClient, url: str, data: dict[str, str], *, headers: dict[str, str] | None = None) -> TestResponse:
    token = csrf_token(client, "/accounts/")
    answer = client.post(url, data={"csrf_token": token, **data}, headers=headers)
    db.session.expire_all()
    return answer


def save(client: FlaskClient, choice: Choice, version: int | str = 0, **values: str) -> TestResponse:
    return send(client, address(choice), {"version": str(version), **values}, headers=JSON)


def lock(client: FlaskClient, choice: Choice) -> TestResponse:
    """Press “Lock” beside the card as it is saved."""
    with client.session_transaction() as session:
        who = db.session.query(SignIn.user_id).filter_by(key=session["_user_id"]).scalar()
    card = db.session.query(Scorecard).filter_by(choice_id=choice.id, reviewer_id=who).one()
    saved = {name: str(getattr(card, name) or "") for name in ("version", *POINTS, "comment", "abstain_reason")}
    return send(client, address(choice), {**saved, "abstained": "yes" if card.abstained else "", "then": "lock"})


def cards(choice: Choice) -> list[Scorecard]:
    return list(db.session.query(Scorecard).filter_by(choice_id=choice.id).order_by(Scorecard.id))


_browsers: dict[str, FlaskClient] = {}


def browser(person: Person) -> FlaskClient:
    """Somebody's signed-in browser, the same in all tests of a module."""
    if person.email not in _browsers:
        _browsers[person.email] = person.sign_in()
    return _browsers[person.email]


@contextmanager
def shared_admission(database: Path, instance: Path, *labs: str) -> Iterator[Admission]:
    """An admission for all tests of a module, in an application of its own over a copy of `database`."""
    shutil.copy(database, instance / "portal.sqlite")
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"})
    begin_requests_anew(app)
    with admission_of(app, *labs) as made:
        yield made
        db.engine.dispose()
