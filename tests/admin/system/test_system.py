"""State of the house: what it says is true, no secret is on it, and the index is rebuilt as a job."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, text

from portal.admin.system import queries as house_queries
from portal.admin.system import service as index_work
from portal.admin.system.queries import (
    ADDRESSES,
    HIDDEN,
    PLAIN,
    SECRET,
    masked_address,
    shown_settings,
)
from portal.config import Settings
from portal.db import db
from portal.jobs.progress import CancelledError
from portal.labs.live_index import live
from portal.labs.live_index.live import live_index
from portal.labs.live_index.thread import Caretaker
from portal.models import AuditEntry, ClockMark, Job
from tests.people import submit

if TYPE_CHECKING:
    from tests.admin.desk import Desk

PAGE = "/admin/operations"


def test_every_setting_is_either_shown_or_declared_secret() -> None:
    assert {setting.name for setting in fields(Settings)} == PLAIN | ADDRESSES | SECRET
    assert not PLAIN & ADDRESSES
    assert not (PLAIN | ADDRESSES) & SECRET
    assert {"secret_key", "demo_password"} <= SECRET


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (
            "postgresql+psycopg://joe:hunter2@db.example:5432/portal",
            f"postgresql+psycopg://{HIDDEN}@db.example:5432/portal",
        ),
        ("redis://:hunter2@cache:6379/1", f"redis://{HIDDEN}@cache:6379/1"),
        ("redis://hunter2@cache", f"redis://{HIDDEN}@cache"),
        ("postgresql://db/portal?password=hunter2&sslmode=on", f"postgresql://db/portal?{HIDDEN}"),
        ("smtp://a:hunter2@b@mail:25", f"smtp://{HIDDEN}@mail:25"),
        ("smtp://a:hun/ter2@mail:25", HIDDEN),
        ("smtp://a:hunter2#x@mail", HIDDEN),
        ("redis://[hunter2", HIDDEN),
        ("hunter2", HIDDEN),
        ("smtp://a:hunter2?x@mail", HIDDEN),
        ("redis://[::1]:6379/0", "redis://[::1]:6379/0"),
        ("sqlite:////srv/portal.sqlite", "sqlite:////srv/portal.sqlite"),
        ("memory://", "memory://"),
        ("console:", "console:"),
    ],
)
def test_addresses_are_shown_without_what_may_be_secret(address: str, shown: str) -> None:
    assert masked_address(address) == shown


def test_no_secret_of_any_setting_is_on_the_page(desk: Desk) -> None:
    settings: Settings = desk.app.config["PORTAL"]
    marked = replace(
        settings,
        secret_key="zz-marker-key",
        demo_password="zz-marker-demo",
        database_url="postgresql+psycopg://zz-marker-a:zz-marker-b@db/x?password=zz-marker-c",
        mail_url="smtp://zz-marker-d:zz-marker-e@mail:25",
        limits_url="redis://:zz-marker-f@cache",
        jobs_url="redis://zz-marker-g@cache",
    )
    said = repr(shown_settings(marked))
    assert "zz-marker" not in said
    assert all(spec.metadata["variable"] in said for spec in fields(Settings))
    page = desk.client.get(PAGE).text
    assert settings.secret_key not in page
    assert "PORTAL_SECRET_KEY" in page


def test_it_says_how_things_stand(desk: Desk) -> None:
    page = desk.client.get(PAGE).text
    assert "Not running." in page
    assert "Up to date (" in page
    now = datetime.now(UTC)
    with desk.app.app_context():
        db.session.add(ClockMark(name="deliver mail", begun_at=now - timedelta(seconds=90), done_at=None))
        db.session.commit()
        db.session.execute(text("UPDATE alembic_version SET version_num = 'imports'"))
        db.session.commit()
    page = desk.client.get(PAGE).text
    assert "Running; it last started something" in page
    assert "the database has imports, this version wants" in page
    with desk.app.app_context():
        assert not house_queries.clock(db.session(), now + timedelta(minutes=1)).goes


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


def test_it_says_how_far_the_index_of_this_process_is(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "DRIFT", 2.0)

    def ask() -> None:
        with desk.app.app_context():
            live_index(desk.app).current(db.session())

    assert "None yet: it is read with the first search." in desk.client.get(PAGE).text
    ask()
    assert "Save no. 1, the newest; 1 lab, 2 works" in desk.client.get(PAGE).text
    desk.saves(interests="Other things altogether.")
    assert "Save no. 1 (the newest is no. 2; the index follows with the next search);" in desk.client.get(PAGE).text
    ask()
    page = desk.client.get(PAGE).text
    assert "Save no. 2, the newest;" in page
    assert "drift 100.0 % of the works (1 lab edited since)" in page
    with live_index(desk.app).saved.claim():
        assert "A process is rebuilding it." in desk.client.get(PAGE).text


def test_an_index_that_could_not_be_built_waits_on_the_overview(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk.app.app_context():
        live_index(desk.app).current(db.session())
    says = "could not be built"
    assert says not in desk.client.get("/admin/").text
    monkeypatch.setattr(Caretaker, "failure", "the disk is full")
    assert says in desk.client.get("/admin/").text
    assert "the disk is full" in desk.client.get(PAGE).text


def test_the_index_is_rebuilt_as_a_job_as_often_as_one_likes(desk: Desk) -> None:
    for _again in range(2):
        job = submit(desk.client, "/admin/operations/rebuild-index", {}, page=PAGE)
        assert "is saved" in desk.client.get(job.location).text
    assert "Fitted" in desk.client.get(PAGE).text
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
