"""Jobs for tests, one at a time: stored without setting them going, and run in the test's own process."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from portal.db import db
from portal.jobs.running import run_job
from portal.models import Job
from portal.web.work import job_queue

if TYPE_CHECKING:
    from flask import Flask

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def begun(**values: Any) -> Job:  # noqa: ANN401  (columns of the table)
    """A job that nothing has set going."""
    job_row = Job(kind="test", title="A test", created_at=NOW, **values)
    db.session.add(job_row)
    db.session.commit()
    return job_row


def run(app: Flask, row: Job, *, stopping: bool = False) -> None:
    run_job(job_queue(app)._open_session, row.id, lambda: stopping)
    db.session.expire_all()
