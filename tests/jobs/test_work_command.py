"""`portal work` as a process: it begins at once what another process asks for, and ends when it is told to."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from portal import create_app
from portal.db import db
from portal.jobs.registry import CLOCKWORK
from portal.mail import write_to
from portal.models import ClockMark
from portal.web.work import DELIVERY, _look_at_clock, job_queue

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.conftest import Settings

WITHIN = 300  # seconds, on the slowest machine


def test_mail_of_another_process_is_delivered_and_term_ends_it(settings: Settings, tmp_path: Path) -> None:
    box = tmp_path / "box"
    environment = {**settings, "PORTAL_MODE": "development", "PORTAL_MAIL_URL": f"file://{box}", "PATH": ""}
    work = [sys.executable, "-m", "portal", "work"]
    with subprocess.Popen(work, env=environment, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"Working, 2 jobs at a time. Stop with Ctrl-C.\n"
            app = create_app(environment, serving=False)
            with app.app_context():
                said = {"applicant": "Li", "cycle": "2027"}
                write_to(db.session(), "r@x.example", "R", "referee_revoked", said, now=datetime.now(UTC))
                db.session.commit()
                db.engine.dispose()
            job_queue(app).close()
            for _ in range(WITHIN * 20):
                if process.poll() is not None or list(box.glob("*.eml")):
                    break
                time.sleep(0.05)
            assert len(list(box.glob("*.eml"))) == 1
        finally:
            process.send_signal(signal.SIGTERM)
            ended = process.wait(WITHIN)
    assert ended == 0


def _says_hello_for_ever(server: socket.socket, is_over: threading.Event) -> None:
    """Greet whoever connects with lines that go on and on, so that no time-out ends it."""
    connection, _ = server.accept()
    with connection, suppress(OSError):
        while not is_over.wait(0.5):
            connection.sendall(b"220-wait\r\n")


def test_the_clock_goes_on_while_a_mail_server_lets_everybody_wait(settings: Settings) -> None:
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_says_hello_for_ever, args=(server, is_over), daemon=True).start()
        environment = {**settings, "PORTAL_MODE": "development", "PATH": ""}
        environment["PORTAL_MAIL_URL"] = f"smtp://127.0.0.1:{server.getsockname()[1]}"
        app = create_app(environment, serving=False)
        with app.app_context():
            said = {"applicant": "Li", "cycle": "2027"}
            mail = write_to(db.session(), "r@x.example", "R", "referee_revoked", said, now=datetime.now(UTC))
            db.session.info.clear()
            db.session.commit()
            others = set(CLOCKWORK) - {DELIVERY}
            with subprocess.Popen([sys.executable, "-m", "portal", "work"], env=environment) as process:
                done, give_up_at = set[str](), time.monotonic() + WITHIN
                while process.poll() is None and time.monotonic() < give_up_at and not others <= done:
                    time.sleep(0.05)
                    db.session.rollback()
                    done = set(db.session.scalars(select(ClockMark.name).where(ClockMark.done_at.is_not(None))))
                process.kill()
            is_over.set()
            assert (others - done, DELIVERY in done, mail.state) == (set(), False, "sending")
            db.engine.dispose()
        job_queue(app).close()


def test_a_database_that_is_away_is_logged_once_and_once_more_when_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    failure = OperationalError("UPDATE", {}, Exception("database is locked"))
    queue: Any = SimpleNamespace(enqueue_due=Mock(side_effect=[None, failure, failure, failure, None, None]))
    is_away = False
    for _ in range(6):
        is_away = not _look_at_clock(queue, database_was_away=is_away)
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("ERROR", "The database does not answer; it is asked again every 5.0 seconds"),
        ("WARNING", "The database answers again"),
    ]
