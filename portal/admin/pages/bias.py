"""The bias audit: its last report, and starting another one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, url_for

from portal.admin.bias.findings import HEADER, cells, moved
from portal.admin.bias.people import made_up_people
from portal.admin.bias.running import AUDIT, MOST, last_report, start_audit
from portal.admin.figures.small_counts import LEAST
from portal.applications.cycles import current_cycle
from portal.db import db
from portal.jobs.starting import open_job
from portal.models import Cycle
from portal.web.access import actor
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def bias() -> str:
    """The last report, and a button for a new one."""
    session = db.session()
    report = last_report(session)
    return render_template(
        "admin/bias.html",
        report=report,
        of_cycle=session.get(Cycle, report.cycle_id) if report and report.cycle_id else None,
        cycle=current_cycle(session, datetime.now(UTC)),
        running=open_job(session, AUDIT),
        head=HEADER,
        cells=cells,
        moved=moved,
        made_up=len(made_up_people()),
        most=MOST,
        least=LEAST,
    )


def start_bias_audit() -> ResponseReturnValue:
    """Start an audit of the newest cycle, and redirect to it; or to the one that waits or runs already."""
    job, is_new = start_audit(db.session(), actor=actor(), now=datetime.now(UTC))
    if not is_new:
        flash_message("An audit is under way already; this is it.", "info")
    return redirect(url_for("jobs.job", job_id=job.id))
