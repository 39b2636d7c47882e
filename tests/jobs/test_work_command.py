"""`portal work` as a process: it begins at once what another process asks for, and ends when it is told to."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from portal import create_app
from portal.db import db
from portal.mail import write_to
from portal.web.work import job_queue

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Settings


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
            for _ in range(300):
                if process.poll() is not None or list(box.glob("*.eml")):
                    break
                time.sleep(0.05)
            assert len(list(box.glob("*.eml"))) == 1
        finally:
            process.send_signal(signal.SIGTERM)
            ended = process.wait(30)
    assert ended == 0
