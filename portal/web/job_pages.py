"""The page of a job, for the person who started it and for administrators: progress, outcome, and cancelling.

What is over soon needs no such page: `start_and_follow` starts a job and leads through `result`, which waits a moment
for it and goes on to what it made.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Blueprint, jsonify, make_response, redirect, render_template, request, url_for

from portal.db import db
from portal.jobs.registry import ask_to_cancel, start_once
from portal.models import Job
from portal.models.job import OPEN_JOB_STATES
from portal.models.user import ADMIN
from portal.web.access import actor, audience, ensure, or_404
from portal.web.errors import wants_json
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flask.typing import ResponseReturnValue

    from portal.models import User

blueprint = Blueprint("jobs", __name__, url_prefix="/jobs")
audience(blueprint, None)

REFRESH_AFTER = 4  # seconds after which the page reloads where no script runs
SOON = 2.0  # seconds for which a request waits for a job to end
LOOK_EVERY = 0.1  # seconds
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


def start_and_follow(
    kind: str, title: str, arguments: Mapping[str, Any], *, about: str = "", apart_from: Collection[str] = ()
) -> ResponseReturnValue:
    """Start a job for the signed-in person, unless the same one is under way (see `start_once`), and `follow` it."""
    row, _is_new = start_once(
        db.session(), kind, title, arguments, by=actor(), now=datetime.now(UTC), about=about, apart_from=apart_from
    )
    return follow(row)


def follow(row: Job) -> ResponseReturnValue:
    """Lead to what a job makes, with its outcome as a message, if it ends within two seconds; else to its page."""
    return redirect(url_for("jobs.result", job_id=row.id))


@blueprint.get("/<int:job_id>/result")
def result(job_id: int) -> ResponseReturnValue:
    """Wait a moment for a job, then go to what it is about if it is done or refused, and to its page otherwise."""
    row, give_up_at = _job(job_id), time.monotonic() + SOON
    while row.state in OPEN_JOB_STATES and time.monotonic() < give_up_at:
        db.session.rollback()  # in a transaction, a database may go on showing the job as it was
        time.sleep(LOOK_EVERY)
        row = _job(job_id)
    if row.state not in {"done", "refused"} or not row.outcome.get("path"):
        return redirect(url_for("jobs.job", job_id=job_id))
    if row.state == "done":
        flash_message(row.outcome["text"], row.outcome["tone"] or "good")
    else:
        flash_message(row.error, "warn")
    return redirect(f"{request.script_root}{row.outcome['path']}")


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
