"""A database that was not upgraded to this version: both kinds are answered alike, and the log says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from portal.db import db
from tests.databases import application_over_each
from tests.people import add_person, csrf_token

if TYPE_CHECKING:
    from flask import Flask

app = application_over_each(requests_anew=True)
TO_DO = "The database does not have the tables of this version: run portal db upgrade"


@pytest.mark.parametrize(
    "as_before",
    [
        "ALTER TABLE interests RENAME TO interests_of_later",
        "ALTER TABLE interests RENAME COLUMN statement TO statement_of_later",
    ],
)
def test_what_is_not_there_yet_is_said_to_be_upgraded(
    app: Flask, caplog: pytest.LogCaptureFixture, as_before: str
) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    client = add_person(app, "applicant").sign_in()
    token = csrf_token(client, "/accounts/name")
    db.session.execute(text(as_before))
    db.session.commit()
    db.engine.dispose()
    read = client.get("/me/interests")
    assert (read.status_code, read.headers["Retry-After"]) == (503, "30")
    assert "cannot get at its data just now" in read.text
    assert "Nothing was changed." in read.text
    assert TO_DO in caplog.messages
    sent = client.post("/me/interests", data={"csrf_token": token, "statement": "Serving models"})
    assert (sent.status_code, "The last action was not saved" in sent.text) == (503, True)
    assert client.get("/labs/").status_code == 200


def test_the_api_says_so_as_well(app: Flask) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    db.session.execute(text("ALTER TABLE cycle RENAME TO cycle_of_later"))
    db.session.commit()
    db.engine.dispose()
    answer = app.test_client().get("/api/v1/cycles")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["detail"].startswith("The portal is being upgraded")
