"""Scorecards in tests: sent as the page sends them, by whoever is signed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.db import db
from portal.models import Lab, Scorecard
from tests.people import csrf_token

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from portal.models import Choice

POINTS = {"fit": "4", "potential": "3", "preparation": "5", "writing": "2", "confidence": "2"}
JSON = {"Accept": "application/json"}


def address(choice: Choice, more: str = "") -> str:
    slug = db.session.get_one(Lab, choice.lab_id).slug
    return f"/reviews/{slug}/choices/{choice.id}/scorecard{more}"


def send(client: FlaskClient, url: str, data: dict[str, str], *, headers: dict[str, str] | None = None) -> TestResponse:
    token = csrf_token(client, "/accounts/")
    answer = client.post(url, data={"csrf_token": token, **data}, headers=headers)
    db.session.expire_all()
    return answer


def save(client: FlaskClient, choice: Choice, version: int | str = 0, **values: str) -> TestResponse:
    return send(client, address(choice), {"version": str(version), **values}, headers=JSON)


def lock(client: FlaskClient, choice: Choice, version: int = 1) -> TestResponse:
    return send(client, address(choice, "/lock"), {"version": str(version)})


def cards(choice: Choice) -> list[Scorecard]:
    return list(db.session.query(Scorecard).filter_by(choice_id=choice.id).order_by(Scorecard.id))
