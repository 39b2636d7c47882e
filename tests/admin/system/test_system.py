"""State of the house: what it says is true, no secret is on it, and the index is rebuilt as a job."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, text

from portal.admin.system import pages as index_work
from portal.db import db
from portal.jobs.progress import CancelledError
from portal.labs.live_index.live import live_index
from portal.models import AuditEntry, ClockMark, Job
from tests.people import submit

if TYPE_CHECKING:
    from portal.config import Settings
    from tests.admin.desk import Desk

PAGE = "/admin/operations"


def test_no_secret_of_a_setting_is_on_the_page(desk: Desk) -> None:
    settings: Settings = desk.app.config["PORTAL"]
    assert settings.secret_key not in desk.client.get(PAGE).text


def test_it_says_how_things_stand(desk: Desk) -> None:
    page = desk.client.get(PAGE).text
    assert "Not running</strong>" in page
    assert "Up to date" in page
    now = datetime.now(UTC)
    with desk.app.app_context():
        db.session.add(ClockMark(name="deliver mail", begun_at=now - timedelta(seconds=90), done_at=None))
        db.session.commit()
        db.session.execute(text("UPDATE alembic_version SET version_num = 'imports'"))
        db.session.commit()
    page = desk.client.get(PAGE).text
    assert "Running; last work <time" in page
    assert "the database has imports, this version wants" in page


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
    submit(desk.client, "/admin/operations/rebuild-index", {}, page=PAGE)
    assert "1 lab, 2 works" in desk.client.get(PAGE).text
    desk.saves(interests="Other things altogether.")
    assert "1 lab changed since" in desk.client.get(PAGE).text
    with live_index(desk.app).saved.claim():
        assert "Another process is rebuilding it" in desk.client.get(PAGE).text


def test_an_index_that_could_not_be_built_waits_on_the_overview(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk.app.app_context():
        live_index(desk.app).current(db.session())
    says = "could not be built"
    assert says not in desk.client.get("/admin/").text
    monkeypatch.setattr(live_index(desk.app).caretaker, "failure", "the disk is full")
    assert says in desk.client.get("/admin/").text
    assert "the disk is full" in desk.client.get(PAGE).text


def test_the_index_is_rebuilt_as_a_job_as_often_as_one_likes(desk: Desk) -> None:
    for _again in range(2):
        job = submit(desk.client, "/admin/operations/rebuild-index", {}, page=PAGE)
        assert "is saved" in desk.client.get(job.location).text
    assert "1 lab, 2 works" in desk.client.get(PAGE).text
    with desk.app.app_context():
        acts = db.session.scalars(select(AuditEntry.act).where(AuditEntry.act == "index.rebuild")).all()
    assert len(acts) == 2


def test_one_that_is_under_way_is_shown_not_doubled_and_another_process_is_named(desk: Desk) -> None:
    with desk.app.app_context(), live_index(desk.app).saved.claim():
        job = submit(desk.client, "/admin/operations/rebuild-index", {}, page=PAGE)
        assert "Another process is building the index right now." in desk.client.get(job.location).text
    with desk.app.app_context():
        db.session.add(Job(kind=index_work.REBUILD, title="t", arguments={}, created_at=datetime.now(UTC)))
        db.session.commit()
        waiting = db.session.scalars(select(Job.id).where(Job.state == "waiting")).one()
    assert submit(desk.client, "/admin/operations/rebuild-index", {}, page=PAGE).location == f"/jobs/{waiting}"


def test_a_cancelled_rebuild_leaves_the_index_before(desk: Desk) -> None:
    submit(desk.client, "/admin/operations/rebuild-index", {}, page=PAGE)

    class Cancelled:
        def step(self, done: int, total: int | None, doing: str = "") -> None:  # noqa: ARG002  (as the protocol says)
            if doing == "Saving":
                raise CancelledError

    with desk.app.app_context():
        before = live_index(desk.app).saved.mark()
        with pytest.raises(CancelledError):
            index_work.build_index(db.session(), {}, Cancelled())
        assert live_index(desk.app).saved.mark() == before
        assert not live_index(desk.app).saved.is_claimed()
