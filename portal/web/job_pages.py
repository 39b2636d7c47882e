"""The page of a job, for the person who started it and for administrators: progress, outcome, and cancelling."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, jsonify, make_response, redirect, render_template, request, url_for

from portal.db import db
from portal.jobs.registry import ask_to_cancel
from portal.models import Job
from portal.models.job import OPEN_JOB_STATES
from portal.models.user import ADMIN
from portal.web.access import actor, audience, ensure, or_404
from portal.web.errors import wants_json
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import User

blueprint = Blueprint("jobs", __name__, url_prefix="/jobs")
audience(blueprint, None)

REFRESH_AFTER = 4  # seconds after which the page reloads where no script runs
STATES = {
    "waiting": "Waiting for its turn",
    "running": "Running",
    "done": "Done",
    "refused": "Refused",
    "failed": "Failed",
    "cancelled": "Cancelled",
}
CANCEL_NOTICE = "It stops at its next step; what it did up to then stays."


def why_not_see_job(person: User, job: Job) -> str | None:
    """Why `person` may not see `job`: somebody else started it."""
    if job.created_by_id == person.id or person.has_role(ADMIN):
        return None
    return "Only the person who started this job and administrators can see it."


@blueprint.get("/<int:job_id>")
def job(job_id: int) -> ResponseReturnValue:
    """The progress of a job. The page refreshes by itself until the job has ended, with or without a script."""
    row = _job(job_id)
    if wants_json():
        response = jsonify(state=row.state, done=row.done, total=row.total, doing=row.now_doing)
    else:
        page = render_template(
            "jobs/job.html",
            job=row,
            state=STATES[row.state],
            is_open=row.state in OPEN_JOB_STATES,
            sees_all=actor().has_role(ADMIN),
            by=row.created_by.display_name if row.created_by else "",
        )
        response = make_response(page)
        # A script has said that it polls by itself.
        if row.state in OPEN_JOB_STATES and "live" not in request.args:
            response.headers["Refresh"] = str(REFRESH_AFTER)
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.post("/<int:job_id>/cancel")
def cancel(job_id: int) -> ResponseReturnValue:
    """Ask a job to stop."""
    row = _job(job_id)
    was_open = row.state in OPEN_JOB_STATES
    ask_to_cancel(db.session(), row, now=datetime.now(UTC))
    if not was_open:
        flash_message("This job had ended already.", "info")
    elif row.state == "running":
        flash_message(CANCEL_NOTICE, "info")
    return redirect(url_for("jobs.job", job_id=job_id))


def _job(job_id: int) -> Job:
    row = or_404(db.session().get(Job, job_id))
    ensure(why_not_see_job(actor(), row))
    return row
