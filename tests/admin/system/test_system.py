"""State of the house: what it says is true, and no secret is on it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from portal.db import db
from portal.labs.live_index.live import live_index
from portal.models import ClockMark

if TYPE_CHECKING:
    import pytest

    from portal.config import Settings
    from tests.admin.desk import Desk

PAGE = "/admin/operations"


def test_no_secret_of_a_setting_is_on_the_page(desk: Desk) -> None:
    settings: Settings = desk.app.config["PORTAL"]
    assert settings.secret_key not in desk.client.get(PAGE).text


def test_it_says_how_things_stand(desk: Desk) -> None:
    page = desk.client.get(PAGE).text
    assert "Not running</strong>" in page
    now = datetime.now(UTC)
    with desk.app.app_context():
        db.session.add(ClockMark(name="deliver mail", begun_at=now - timedelta(seconds=90), done_at=None))
        db.session.commit()
    page = desk.client.get(PAGE).text
    assert "Running; last work <time" in page


def test_work_that_is_not_done_shows_on_the_first_page_and_to_what_watches_the_portal(desk: Desk) -> None:
    now = datetime.now(UTC)

    def said() -> tuple[bool, int, str]:
        answer = desk.app.test_client().get("/workz")
        page = desk.client.get("/admin/").text
        return "“portal work” does not run" in page, answer.status_code, answer.get_json().get("reason", "")

    def begin(name: str, at: datetime) -> None:
        with desk.app.app_context():
            db.session.add(ClockMark(name=name, begun_at=at, done_at=None))
            db.session.commit()

    assert said() == (True, 503, "portal work has begun nothing yet")
    # A clock that was ahead, and has been set back since, wrote this mark.
    begin("daily digest", now + timedelta(days=300))
    assert said() == (True, 503, "portal work has begun nothing yet")
    begin("due releases", now - timedelta(minutes=10))
    assert said() == (
        True,
        503,
        f"portal work has begun nothing since {now - timedelta(minutes=10):%Y-%m-%d %H:%M} UTC",
    )
    begin("deliver mail", now)
    assert said() == (False, 200, "")


def test_it_says_how_far_the_saved_index_is(desk: Desk) -> None:
    assert "Not yet; built with the first search" in desk.client.get(PAGE).text
    assert desk.app.test_cli_runner().invoke(args=["reindex"]).exit_code == 0
    assert "1 lab, 2 works" in desk.client.get(PAGE).text
    desk.saves(interests="Other things altogether.")
    assert "1 lab changed since" in desk.client.get(PAGE).text
    with live_index(desk.app).saved.claim():
        assert "Being rebuilt" in desk.client.get(PAGE).text


def test_an_index_that_could_not_be_built_waits_on_the_overview(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk.app.app_context():
        live_index(desk.app).current(db.session())
    says = "could not be built"
    assert says not in desk.client.get("/admin/").text
    monkeypatch.setattr(live_index(desk.app).caretaker, "failure", "the disk is full")
    assert says in desk.client.get("/admin/").text
    assert "the disk is full" in desk.client.get(PAGE).text
