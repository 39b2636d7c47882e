"""The bias audit: its last report, and starting another one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, url_for
from sqlalchemy import select

from portal import audit
from portal.admin.bias.findings import HEADER, cells, moved
from portal.admin.bias.people import made_up_people
from portal.admin.bias.running import AUDIT, MOST, PAGE
from portal.admin.figures.small_counts import LEAST
from portal.applications.cycles import current_cycle
from portal.db import db
from portal.jobs.starting import open_job, open_job_alone, start
from portal.models import BiasReport, Cycle
from portal.web.access import actor
from portal.web.messages import say

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def bias() -> str:
    """The last report, and a button for a new one."""
    session = db.session()
    report = session.scalar(select(BiasReport).order_by(BiasReport.id.desc()).limit(1))
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
    session, now = db.session(), datetime.now(UTC)
    running = open_job_alone(session, AUDIT)
    if running is not None:
        say("An audit is under way already; this is it.", "info")
        return redirect(url_for("jobs.job", job_id=running.id))
    cycle = current_cycle(session, now)
    title = f"Audit the matcher for bias, with resumes of {cycle.name}" if cycle else "Audit the matcher for bias"
    arguments = {"cycle": cycle.id if cycle else None, "by": actor().id}
    job = start(session, AUDIT, title, arguments, by=actor(), now=now, about=PAGE)
    audit.record(
        session,
        actor=actor(),
        act="bias.audit",
        object_type="cycle",
        object_key=cycle.slug if cycle else "",
        now=now,
        after={"job": job.id},
    )
    return redirect(url_for("jobs.job", job_id=job.id))
