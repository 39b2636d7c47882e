"""A database that is restarted under the portal: what was under way is answered or written, and then all goes on."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import psycopg
import pytest
from sqlalchemy import create_engine, event, select, text
from sqlalchemy.exc import OperationalError

from portal import create_app, outages
from portal.db import db
from portal.jobs import Outcome
from portal.jobs.registry import JOBS, JobKind
from portal.jobs.running import run_job, take_up_lost
from portal.mail import write_to
from portal.mail.delivery import OutgoingMail, deliver
from portal.mail.rendering import Letterhead
from portal.models import Job, OutboxMail, Resume
from portal.storage import StoreUnavailable
from portal.web.work import _look_at_clock, job_queue
from tests.applications.resume_form import PAGE, RESUME, files_in
from tests.people import add_person, csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from flask import Flask
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

    from portal.jobs import Progress
    from tests.conftest import Settings

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.fixture
def on_postgres(settings: Settings, postgres_url: str) -> Iterator[Flask]:
    application = create_app({**settings, "PORTAL_DATABASE_URL": postgres_url})
    application.config["PROPAGATE_EXCEPTIONS"] = False
    yield application
    with application.app_context():
        db.session.remove()
        db.engine.dispose()


@contextmanager
def restarted(app: Flask, url: str, when: str) -> Iterator[None]:
    """End all connections to the database once: before a statement with `when` in it, or before a commit."""
    outside = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    due = [True]

    def end() -> None:
        if due:
            due.clear()
            with outside.begin() as connection:
                others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                connection.execute(text(f"SELECT pg_terminate_backend(pid, 5000) {others}"))

    def before(_connection: Any, _cursor: Any, statement: str, *_more: object) -> None:  # noqa: ANN401  (the driver's)
        if when in statement:
            end()

    def before_commit(_connection: Connection) -> None:
        end()

    with app.app_context():
        engine = db.engine
    name, listener = ("commit", before_commit) if when == "COMMIT" else ("before_cursor_execute", before)
    event.listen(engine, name, listener)
    try:
        yield
    finally:
        event.remove(engine, name, listener)
        outside.dispose()
    assert not due, f"nothing was done with {when}"


@pytest.mark.postgres
def test_a_page_that_loses_the_database_half_way_says_so_and_the_next_one_is_shown(
    on_postgres: Flask, postgres_url: str
) -> None:
    client = add_person(on_postgres, "applicant").sign_in()
    with restarted(on_postgres, postgres_url, "FROM interests"):
        answer = client.get("/me/interests")
    assert (answer.status_code, "cannot get at its data" in answer.text) == (503, True)
    with restarted(on_postgres, postgres_url, "FROM notification"):  # for the header of the page
        answer = client.get("/me/interests")
    assert (answer.status_code, "This page could not be made." in answer.text) == (503, True)
    assert client.get("/me/interests").status_code == 200


@pytest.mark.postgres
def test_who_lost_the_database_during_a_commit_is_not_told_that_nothing_was_saved(
    on_postgres: Flask, postgres_url: str
) -> None:
    person = add_person(on_postgres, "applicant")
    client = person.sign_in()
    form = {"csrf_token": csrf_token(client, "/accounts/name"), "name": "Ada King"}
    with restarted(on_postgres, postgres_url, "COMMIT"):
        answer = client.post("/accounts/name", data=form, headers={"Sec-Fetch-Site": "same-origin"})
    assert (answer.status_code, "may have been saved or not" in answer.text) == (503, True)
    told = ("Whether it was saved is not known." in answer.text, "It was not saved." in answer.text)
    assert (told, "Done:" in answer.text, "Done:" in client.get("/accounts/").text) == ((True, False), False, False)
    with restarted(on_postgres, postgres_url, "UPDATE user_account"):
        answer = client.post("/accounts/name", data=form)
    assert (answer.status_code, "The last action was not saved" in answer.text) == (503, True)
    assert client.post("/accounts/name", data=form).status_code == 302
    assert "Done:" in client.get("/accounts/").text


def test_a_request_without_a_database_is_a_line_of_the_log(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app({**settings, "PORTAL_DATABASE_URL": f"sqlite:///{tmp_path}/no/such/folder/portal.sqlite"})
    app.config["PROPAGATE_EXCEPTIONS"] = False
    assert app.test_client().get("/labs/").status_code == 503
    about_request = [record for record in caplog.records if "on /labs/" in record.getMessage()]
    assert [record.exc_info for record in about_request] == [None]
    assert "unable to open database file" in about_request[0].getMessage()


def test_work_without_a_database_is_a_line_of_the_log(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    assert app.name == "portal"
    refused = OperationalError(None, None, Exception("the database system is starting up"))
    queue: Any = SimpleNamespace(enqueue_due=Mock(side_effect=refused))
    assert not _look_at_clock(queue, database_was_away=False)
    (record,) = caplog.records
    assert record.exc_info is None
    assert record.getMessage().endswith("every 5.0 seconds: (builtins.Exception) the database system is starting up")


@pytest.mark.sqlite
def test_a_statement_that_fails_is_logged_with_its_place(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    with app.app_context():
        db.session.execute(text("DROP TABLE lab"))
        db.session.commit()
    app.config["PROPAGATE_EXCEPTIONS"] = False
    assert app.test_client().get("/labs/").status_code == 503
    assert [record for record in caplog.records if "/labs/" in record.getMessage() and record.exc_info]


@pytest.mark.postgres
@pytest.mark.parametrize("rows", [1, 0])
def test_a_file_whose_commit_may_have_succeeded_is_kept(
    on_postgres: Flask, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    client = add_person(on_postgres, "applicant").sign_in()
    token = csrf_token(client, PAGE)
    with on_postgres.app_context():
        dialect = db.engine.dialect
    commit = dialect.do_commit

    def lose_the_answer(connection: Any) -> None:  # noqa: ANN401  (the driver's)
        monkeypatch.setattr(dialect, "do_commit", commit)
        if rows:
            commit(connection)
        connection.driver_connection.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(dialect, "do_commit", lose_the_answer)
    resume = (BytesIO(RESUME.encode()), "cv.txt")
    answer = client.post(PAGE, data={"csrf_token": token, "resume": resume})
    assert (answer.status_code, "may have been saved or not" in answer.text) == (503, True)
    with on_postgres.app_context():
        stored = db.session.scalars(select(Resume.storage_key)).all()
    kept = [path.name for path in files_in(on_postgres)]
    # One that no row names is left to `portal sweep-files`.
    assert (len(stored), len(kept)) == (rows, 1)


@pytest.mark.postgres
def test_a_server_that_is_gone_is_noticed_within_half_a_minute(settings: Settings, postgres_url: str) -> None:
    app = create_app({**settings, "PORTAL_DATABASE_URL": f"{postgres_url}?connect_timeout=3"})
    with app.app_context():
        driver: Any = db.session.connection().connection.dbapi_connection
        used = driver.info.get_parameters()
        db.session.remove()
        db.engine.dispose()
    assert [used[name] for name in ("connect_timeout", "tcp_user_timeout", "keepalives_idle")] == ["3", "30000", "20"]


@contextmanager
def out_of_reach() -> Iterator[list[int]]:
    """A list; as many statements as are put into it fail, as in a database that does not answer."""
    left: list[int] = []

    def before(_connection: Any, _cursor: Any, sent: str, *_more: object) -> None:  # noqa: ANN401  (the driver's)
        if left:
            left.pop()
            raise OperationalError(sent, {}, sqlite3.OperationalError("database or disk is full"))

    event.listen(db.engine, "before_cursor_execute", before)
    yield left
    event.remove(db.engine, "before_cursor_execute", before)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outages, "BETWEEN_TRIES", 0.0)


@pytest.mark.usefixtures("impatient")
def test_a_mail_that_was_sent_while_the_database_was_gone_is_not_sent_again(session: Session) -> None:
    write_to(session, "r@x.example", "R", "referee_revoked", {"applicant": "Li", "cycle": "2027"}, now=NOW)
    session.info.clear()
    session.commit()
    sent: list[str] = []
    with out_of_reach() as left:

        def send(mail: OutgoingMail) -> None:
            sent.append(mail.address)
            left.extend([1, 2])

        deliver(session, send, letterhead=Letterhead("http://localhost"), clock=lambda: NOW)
        assert left == []
    assert (sent, session.scalars(select(OutboxMail.state)).all()) == (["r@x.example"], ["sent"])


@pytest.mark.usefixtures("impatient")
def test_a_job_that_lost_the_database_waits_again_once_there_is_one(
    app: Flask, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with out_of_reach() as left:

        def work(_session: Session, _arguments: Mapping[str, Any], _progress: Progress) -> Outcome:
            left.extend([1, 2, 3])  # as it ends, and twice as that is written down
            return Outcome("Done.")

        monkeypatch.setitem(JOBS, "test", JobKind("test", work, 3))
        job = Job(kind="test", title="A test", created_at=NOW)
        session.add(job)
        session.commit()
        run_job(job_queue(app)._open_session, job.id, lambda: False)
        assert left == []
    session.expire_all()
    assert (job.state, job.tries, job.beat_at) == ("waiting", 1, None)


def test_a_job_that_finds_no_files_is_begun_again_after_a_rest(
    app: Flask, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(_session: Session, _arguments: Mapping[str, Any], _progress: Progress) -> Outcome:
        raise StoreUnavailable("s3://admissions cannot be used: 503 SlowDown")

    monkeypatch.setitem(JOBS, "test", JobKind("test", work, 3))
    job = Job(kind="test", title="A test", created_at=NOW)
    session.add(job)
    session.commit()
    for tries, rest in ((1, 30), (2, 60)):
        run_job(job_queue(app)._open_session, job.id, lambda: False)
        session.expire_all()
        assert (job.state, job.tries, job.error) == ("waiting", tries, "")
        assert job.beat_at is not None
        after = [job.beat_at + timedelta(seconds=seconds) for seconds in (0, rest - 1, rest)]
        assert [take_up_lost(session, moment) for moment in after] == [[], [], [job.id]]
    run_job(job_queue(app)._open_session, job.id, lambda: False)
    session.expire_all()
    assert job.state == "failed"
    assert job.error.startswith("The portal could not get at its stored files 3 times while this was being done.")
