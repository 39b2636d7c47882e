"""A portal full of data, made once, and empty ones to restore into."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from flask import Flask

from portal.admin.cycles.announcements import ensure_demo_announcements
from portal.app import create_app
from portal.applications.demo import ensure_demo_admission
from portal.config import RESOURCES
from portal.db import db
from portal.demo import prepare
from portal.labs.live_index.live import live_index
from portal.models import Application, Cycle, Job, OutboxMail, Release, Resume, Submission, User
from tests.databases import begin_requests_anew

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 11, 24, 3, 0, 0, 123456, tzinfo=UTC)
ODD = "naïve\u2028 “quotes” \\ \x01\x7f 𝔘 \t\r\n '); DROP TABLE lab; --"
RESUME = "resumes/2/a-_B9"
OpenPortal = Callable[..., Flask]


@pytest.fixture(scope="session")
def demo_instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The instance folder of a demo with an admission, waiting mails and jobs, and values that are easily lost."""
    folder = tmp_path_factory.mktemp("demo")
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(folder), "PORTAL_MAIL_URL": "memory:"})
    with app.app_context():
        prepare("demo-password-1", app.extensions["portal_files"])
        session = db.session()
        ensure_demo_admission(session, live_index(app).current(session), RESOURCES / "seeds", datetime.now(UTC))
        ensure_demo_announcements(session, RESOURCES / "seeds", datetime.now(UTC))
        session.commit()
        _add_values_easily_lost(app)
        db.session.remove()
        db.engine.dispose()
    shutil.rmtree(folder / "index", ignore_errors=True)
    return folder


def _add_values_easily_lost(app: Flask) -> None:
    session = db.session()
    person = session.query(User).order_by(User.id).first()
    assert person is not None
    person.tf_last_counter = 2**62 + 1
    person.mf_recovery_codes = [ODD]
    cycle = session.query(Cycle).first()
    assert cycle is not None
    cycle.kept_counts = {"float": 0.1 + 0.2, "big": 2**70, "empty": None, ODD: [True, 1, 1.0, -0.0, 1e-300]}
    session.add(
        Release(cycle=cycle, state="approved", prepared_at=NOW, approved_at=NOW, due_at=NOW + timedelta(days=1))
    )
    session.add(Job(kind="no such kind", title=ODD, state="running", created_at=NOW, beat_at=NOW))
    for index, state in enumerate(("waiting", "sending", "sent", "dead")):
        session.add(
            OutboxMail(
                kind="no such kind",
                address=f"{index}@example.edu",
                context={"text": ODD},
                message_id=f"odd-{index}",
                state=state,
                due_at=NOW,
                created_at=NOW,
            )
        )
    # The newest id was given to a row that is deleted: it must not be given again.
    newest = session.query(Application).order_by(Application.id.desc()).first()
    assert newest is not None
    deleted = Application(
        applicant_id=newest.applicant_id, cycle_id=_another_cycle(newest), created_at=NOW, state_since=NOW
    )
    session.add(deleted)
    session.commit()
    session.delete(deleted)
    session.commit()
    files = app.extensions["portal_files"]
    files.put("resumes/1/not-named-by-a-row", b"\x00\xff" * 1000)
    files.put(RESUME, b"%PDF-1.7 a resume")
    session.query(Resume).order_by(Resume.id).limit(1).one().storage_key = RESUME
    session.query(Submission).order_by(Submission.id).limit(1).one().storage_key = RESUME
    session.commit()


def _another_cycle(application: Application) -> int:
    days = [NOW + timedelta(days=day) for day in range(3)]
    cycle = Cycle(
        slug="another", name="Another", opens_at=days[0], deadline_at=days[1], reply_by_at=days[2], created_at=NOW
    )
    db.session.add(cycle)
    db.session.flush()
    assert cycle.id != application.cycle_id
    return cycle.id


@pytest.fixture
def open_portal(tmp_path: Path) -> Iterator[OpenPortal]:
    """Creates an application with an instance folder of its own: open_portal("name", PORTAL_DATABASE_URL=…)."""
    opened: list[Flask] = []

    def open_one(name: str, **more: str) -> Flask:
        settings = {"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(tmp_path / name), "PORTAL_MAIL_URL": "memory:"}
        app = create_app({**settings, **more})
        begin_requests_anew(app)
        opened.append(app)
        return app

    yield open_one
    for app in opened:
        with app.app_context():
            db.session.remove()
            db.engine.dispose()


@pytest.fixture
def source(demo_instance: Path, tmp_path: Path, open_portal: OpenPortal) -> Flask:
    """A full portal: the test's own copy of the demo."""
    shutil.copytree(demo_instance, tmp_path / "source")
    return open_portal("source")


@pytest.fixture
def target(open_portal: OpenPortal, tmp_path: Path, migrated_database: Path) -> Flask:
    """A portal whose database has tables, but no rows; `bare_target` takes longer to restore into."""
    (tmp_path / "target").mkdir()
    shutil.copy(migrated_database, tmp_path / "target/portal.sqlite")
    return open_portal("target")


@pytest.fixture
def bare_target(open_portal: OpenPortal) -> Flask:
    """A portal whose database has no tables."""
    return open_portal("target")
