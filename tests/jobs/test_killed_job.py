"""A job whose process is killed goes on where its last step left it."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from portal import create_app
from portal.db import db
from portal.jobs import Outcome
from portal.jobs.registry import CLOCKWORK, JOBS, JobKind
from portal.jobs.running import HEARTBEAT_TIMEOUT
from portal.models import ClockMark, Job
from portal.web.work import job_queue

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest
    from sqlalchemy.orm import Session

    from portal.jobs import Progress
    from tests.conftest import Settings

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
KILLED = """
import os, signal, sys
import tests.jobs.test_killed_job as here
from portal import create_app
from portal.jobs import job
from portal.jobs.registry import CLOCKWORK
from portal.web.work import job_queue

here.after = lambda number: os.kill(os.getpid(), signal.SIGKILL) if number == 3 else None
job("write-five")(here.write_five)
queue = job_queue(create_app(serving=False))
CLOCKWORK.clear()
queue.do_due()
"""


def after(number: int) -> None:
    """What happens once a number is written, before its step; the script above puts kill -9 here."""


def write_five(session: Session, _arguments: Mapping[str, object], progress: Progress) -> Outcome:
    written = session.scalar(select(func.count(ClockMark.name)).where(ClockMark.name.startswith("row"))) or 0
    for number in range(written + 1, 6):
        session.add(ClockMark(name=f"row {number}", begun_at=NOW))
        session.flush()
        after(number)
        progress._written_at = 0.0  # type: ignore[attr-defined]  # every step is written down
        progress.step(number, 5)
    return Outcome("Five rows.")


def test_a_killed_job_is_taken_up_and_does_nothing_twice(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {**settings, "PORTAL_MODE": "development", "PATH": "", "PYTHONPATH": "."}
    app = create_app(environment | {"PYTHONPATH": ""})
    with app.app_context():
        db.session.add(Job(kind="write-five", title="Write five rows", created_at=NOW))
        db.session.commit()
    program = [sys.executable, "-c", KILLED]
    killed = subprocess.run(program, env=environment, cwd=ROOT, check=False, capture_output=True)
    assert killed.returncode == -9, killed.stderr.decode()
    monkeypatch.setitem(JOBS, "write-five", JobKind("write-five", write_five, 3))
    for name in list(CLOCKWORK):
        monkeypatch.delitem(CLOCKWORK, name)

    def row() -> tuple[str, int, int]:
        with app.app_context():
            job = db.session.scalars(select(Job)).one()
            return job.state, job.done, job.tries

    job_queue(app).do_due()
    assert row() == ("running", 2, 1)
    with app.app_context():
        db.session.execute(update(Job).values(beat_at=datetime.now(UTC) - 2 * HEARTBEAT_TIMEOUT))
        db.session.commit()
    job_queue(app).do_due()
    assert row() == ("done", 5, 2)
    with app.app_context():
        names = db.session.scalars(select(ClockMark.name).where(ClockMark.name.startswith("row"))).all()
        assert sorted(names) == [f"row {number}" for number in range(1, 6)]
        db.engine.dispose()
