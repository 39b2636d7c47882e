"""The page of a job: for whoever started it and for administrators, with a way to cancel."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from portal.db import db
from portal.models import Job
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from flask import Flask

    from tests.people import Person

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def job_of(app: Flask, person: Person, **values: Any) -> int:  # noqa: ANN401  (columns of the table)
    with app.app_context():
        row = Job(kind="test", title="Import <12> works", created_at=NOW, created_by_id=person.id, **values)
        db.session.add(row)
        db.session.commit()
        return row.id


def test_a_running_job_shows_a_bar_asks_again_by_itself_and_can_be_cancelled(app: Flask, applicant: Person) -> None:
    number = job_of(app, applicant, state="running", started_at=NOW, done=3, total=12, now_doing="Reading A Loom")
    client = applicant.sign_in()
    page = client.get(f"/jobs/{number}")
    assert ('max="12" value="3"' in page.text, "Reading A Loom" in page.text) == (True, True)
    assert (page.headers["Refresh"], "Refresh" in client.get(f"/jobs/{number}?live=1").headers) == ("4", False)
    told = client.get(f"/jobs/{number}", headers={"Accept": "application/json"})
    assert told.json == {"state": "running", "done": 3, "total": 12, "doing": "Reading A Loom"}
    for answer in (page, told):  # neither is shown in place of the other when one goes back
        assert (answer.headers["Cache-Control"], "Accept" in answer.vary) == ("no-store", True)
    submit(client, f"/jobs/{number}/cancel", {}, page=f"/jobs/{number}")
    page = client.get(f"/jobs/{number}")
    assert ("it stops at its next step" in page.text, "Cancel this job" in page.text) == (True, False)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"state": "waiting"}, "Waiting for its turn"),
        ({"state": "done", "outcome": {"text": "12 works.", "path": "/labs/", "label": "See"}}, 'href="/labs/">See'),
        ({"state": "refused", "error": "No <works>."}, "Refused:</span> No &lt;works&gt;."),
        ({"state": "refused", "outcome": {"path": "/labs/", "label": "See"}}, 'href="/labs/">See'),
        ({"state": "refused", "outcome": {"path": "/labs/"}}, 'href="/labs/">Back to what it was about'),
        ({"state": "failed", "error": "No <works>."}, "No &lt;works&gt;."),
        ({"state": "failed", "error": "No.", "done": 1300, "total": 2000}, "Before that, 1,300 of 2,000 steps"),
        ({"state": "cancelled", "outcome": {"path": "/labs/"}}, 'href="/labs/">Back to what it was about'),
        ({"state": "cancelled", "done": 3, "total": 12}, "It was cancelled after 3 of 12 steps"),
    ],
)
def test_every_state_says_what_happened(app: Flask, applicant: Person, values: dict[str, Any], said: str) -> None:
    number = job_of(app, applicant, **values)
    page = applicant.sign_in().get(f"/jobs/{number}")
    assert said in page.text
    assert ("Refresh" in page.headers) == (values["state"] == "waiting")


def test_only_its_starter_and_administrators_see_or_cancel_a_job(
    app: Flask, applicant: Person, professor: Person, admin: Person
) -> None:
    number = job_of(app, applicant, state="waiting")
    stranger = professor.sign_in()
    refused = stranger.get(f"/jobs/{number}")
    assert (refused.status_code, "Import" in refused.text) == (403, False)
    token = csrf_token(stranger, "/accounts/")
    assert stranger.post(f"/jobs/{number}/cancel", data={"csrf_token": token}).status_code == 403
    assert app.test_client().get(f"/jobs/{number}").status_code == 302
    keeper = admin.sign_in()
    listed = keeper.get("/admin/jobs").text
    assert (f'href="/jobs/{number}"' in listed, "Waiting for its turn" in listed) == (True, True)
    submit(keeper, f"/jobs/{number}/cancel", {}, page=f"/jobs/{number}")
    assert "It was cancelled." in keeper.get(f"/jobs/{number}").text
