"""The audit log: filtered, as files, and the check of its chain."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import redirect, render_template, request, stream_with_context, url_for
from sqlalchemy import select

from portal.admin.system.audit_log import queries as audit_queries
from portal.admin.system.audit_log.export import csv_lines
from portal.admin.system.audit_log.queries import count_entries, read_filter
from portal.admin.system.audit_log.words import ACTS, act_in_words
from portal.audit import verify
from portal.db import db
from portal.jobs.progress import Outcome
from portal.jobs.registry import job
from portal.models import Job
from portal.web.downloads import BYTE_ORDER_MARK, CSV, download, record_download, what_was_asked
from portal.web.job_pages import start_and_follow
from portal.web.paging import page_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from flask.typing import ResponseReturnValue
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress


LINES_AT_ONCE = 500  # of a file: each piece is sent by itself
VERIFY = "verify the audit log"
BROKEN = "Broken"


def audit_log() -> ResponseReturnValue:
    """All privileged acts, newest first; filtered by act, person, object and days."""
    session, chosen = db.session(), read_filter(request.args)
    entries = audit_queries.audit_page(session, chosen, number=page_number(request.args.get("page")))
    page = render_template(
        "admin/audit_log.html",
        acts=sorted((act_in_words(act), act) for act in audit_queries.audit_acts(session)),
        chosen=chosen,
        proof=last_proof(session),
        page=entries,
    )
    return page, 422 if chosen.errors else 200


def audit_file() -> ResponseReturnValue:
    """The entries that match the filter, oldest first, as a streamed CSV file. Side effect: an audit entry."""
    session, chosen = db.session(), read_filter(request.args)
    if chosen.errors:
        return redirect(f"{url_for('admin.audit_log')}?{urlencode(chosen.query())}")
    # Only entries before this one's own: the entry about this download is in the next download.
    conditions = [*chosen.conditions(session), audit_queries.is_no_newer_than_now(session)]
    rows = audit_queries.count_entries(session, conditions)
    typed = {"person", "about"} if chosen.act in ACTS else {"person", "about", "act"}
    filters = what_was_asked(chosen.query(), typed=typed)
    record_download(act="audit.download", object_type="audit log", object_key="csv", rows=rows, asked=filters)
    return download(stream_with_context(_pieces(conditions)), "audit-log.csv", CSV)


def _pieces(conditions: Sequence[ColumnElement[bool]]) -> Iterator[str]:
    """The file, piece by piece. The session is asked for when the first piece is: that of the request is closed by
    then, and used again it would keep its connection, with a transaction in it, until memory is tidied up.
    """
    yield BYTE_ORDER_MARK
    lines = csv_lines(db.session(), conditions)
    while piece := "".join(islice(lines, LINES_AT_ONCE)):
        yield piece


def verify_audit_log() -> ResponseReturnValue:
    """Start a job that verifies the chain, and redirect to it; or to the one that is under way."""
    return start_and_follow(VERIFY, "Verify the audit log", {})


@job(VERIFY)
def verify_chain_of_log(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:  # noqa: ARG001  (as all jobs)
    """Recompute every seal; the outcome says up to which entry the chain holds, or where it is broken."""
    total = count_entries(session)
    progress.step(0, max(total, 1), "Computing every seal anew")
    verdict = verify(session, lambda position: progress.step(min(position, total), max(total, 1)))
    if verdict.holds:
        text = f"Verified up to entry {verdict.entries:,}. Last seal: {verdict.seal or 'none'}."
    else:
        text = f"{BROKEN} after entry {verdict.entries:,}: {verdict.wrong} The entries before it hold."
    return Outcome(text, "/admin/audit", "Back to the audit log", tone="good" if verdict.holds else "bad")


def last_proof(session: Session) -> tuple[datetime, str, bool] | None:
    """Of the last check that ended its time, its result, and whether the chain was unbroken; None if there is none."""
    ended = select(Job.finished_at, Job.outcome).where(Job.kind == VERIFY, Job.state == "done")
    row = session.execute(ended.order_by(Job.finished_at.desc(), Job.id.desc()).limit(1)).one_or_none()
    text = str(row[1].get("text", "")) if row else ""
    return (row[0], text, not text.startswith(BROKEN)) if row else None
