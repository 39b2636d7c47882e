"""The state of the portal (index, clock, jobs, mail, storage, database), and the acts on mails and the index.

The text of mails is not shown. Every act is in the audit log.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import current_app, redirect, render_template, request, url_for
from sqlalchemy import func, or_, select, text
from sqlalchemy.orm import load_only

from portal import audit
from portal.admin.searching import contains_text, is_called, search_text
from portal.applications.files import file_store
from portal.config import settings_of
from portal.db import db
from portal.jobs.clock import gap_that_holds, is_running, last_begun
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobError, JobRefused, job, open_job, start_once
from portal.labs.live_index.live import live_index, saved_state
from portal.mail import delivery
from portal.mail.kinds import KINDS
from portal.mail.outbox import WRITTEN
from portal.models import Job, OutboxMail, User
from portal.models.mail import OUTBOX_STATES
from portal.storage import StoreUnavailable
from portal.web.access import actor, or_404
from portal.web.job_pages import STATES
from portal.web.messages import flash_message
from portal.web.paging import Page, cut_to_page, list_state, page_number
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flask.typing import ResponseReturnValue
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.storage import FileStore

OVERDUE = timedelta(minutes=10)
REBUILD = "rebuild the index"
PLACE = ("state", "q", "page")
"""Query parameters of the outbox."""
_SHOWN_OF_MAILS = (
    OutboxMail.state,
    OutboxMail.kind,
    OutboxMail.address,
    OutboxMail.tries,
    OutboxMail.error,
    OutboxMail.created_at,
    OutboxMail.due_at,
    OutboxMail.sent_at,
)


def operations() -> str:
    """The state of all parts of the portal."""
    session, now = db.session(), datetime.now(UTC)
    last = last_begun(session, now)
    return render_template(
        "admin/operations.html",
        failure=live_index(current_app).failure,
        saved=saved_state(current_app, session),
        rebuilding=open_job(session, REBUILD),
        clock={"last": last, "goes": is_running(last, now), "gap": gap_that_holds(session, now)},
        jobs=dict(session.execute(select(Job.state, func.count()).group_by(Job.state)).all()),
        job_states=STATES,
        mails=outbox_counts(session),
        overdue=_overdue_mail(session, now),
        database=_database(session),
        storage=_storage(file_store(current_app), settings_of(current_app).instance),
    )


def _database(session: Session) -> dict[str, object]:
    """The kind and size of the database, the migrations of its tables, and those that this version needs."""
    connection = session.connection()
    dialect = connection.dialect
    number = ".".join(map(str, dialect.server_version_info or ()))
    if dialect.name == "sqlite":
        pages, size = (int(session.scalar(text(f"PRAGMA {name}")) or 0) for name in ("page_count", "page_size"))
        size_in_bytes = pages * size
    else:
        size_in_bytes = int(session.scalar(text("SELECT pg_database_size(current_database())")) or 0)
    migrations = ScriptDirectory.from_config(current_app.extensions["migrate"].migrate.get_config())
    name = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(dialect.name, dialect.name)
    return {
        "kind": f"{name} {number}".strip(),
        "bytes": size_in_bytes,
        "present": sorted(MigrationContext.configure(connection).get_current_heads()),
        "wanted": sorted(migrations.get_heads()),
    }


def _storage(files: FileStore, instance: Path) -> dict[str, object]:
    """The place of the files, why it does not answer now (or nothing), and the bytes of the instance's disk."""
    disk, failure = shutil.disk_usage(instance), ""
    try:
        files.check()  # which waits for some seconds only
    except StoreUnavailable as error:
        failure = str(error)
    return {"place": files.place, "failure": failure, "free": disk.free, "disk": disk.total}


def rebuild_index() -> ResponseReturnValue:
    """Start a job that rebuilds the index, and redirect to it; or to the one that is under way."""
    session, now = db.session(), datetime.now(UTC)
    started, is_new = start_once(session, REBUILD, "Build the index anew", {}, by=actor(), now=now)
    if is_new:
        _record("index.rebuild", "job", started.id, None)
    else:
        flash_message("The index is being built already; this is its page.", "info")
    return redirect(url_for("jobs.job", job_id=started.id))


class _Stages:
    """Reports the stages of building an index as steps of the job, which also stops it if somebody cancelled it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._label = ""

    def begin(self, label: str) -> None:
        """Report that the next stage begins."""
        self._label = label
        self._progress.step(0, None, label)

    def done(self, count: int, total: int) -> None:
        """Report how many labs are done in the current stage."""
        self._progress.step(count, total, self._label)


@job(REBUILD)
def build_index(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:  # noqa: ARG001  (as all jobs)
    """Refit the index and save it; until then, or if it is cancelled, the previous one stays in use."""
    try:
        built = live_index(current_app).rebuild(session, _Stages(progress))
    except OSError as error:
        raise JobError(f"The index could not be saved ({error.strerror}); the previous one stays in use.") from None
    if built is None:
        raise JobRefused("Another process is building the index right now. Look again in a moment.")
    labs, works = counted(len(built.profiles), "lab", "labs"), counted(built.fit.works, "work", "works")
    message = f"The index of {labs} with {works} is saved; processes take it over within moments."
    return Outcome(message, "/admin/operations", "System")


def jobs() -> str:
    """All jobs, the newest first."""
    session, number = db.session(), page_number(request.args.get("page"))
    shown, number, total = cut_to_page(session, select(Job).order_by(Job.id.desc()), number)
    page = Page(session.scalars(shown).all(), number, total)
    return render_template("admin/jobs.html", page=page, said=STATES)


def outbox() -> str:
    """Mails without their text, the newest first, of one state or of all; to those whose address or name holds each
    word of a search.
    """
    session = db.session()
    state = request.args.get("state", "")
    state = state if state in OUTBOX_STATES else ""
    search = search_text(request.args.get("q"))
    conditions = _recipient_conditions(session, search) + ([OutboxMail.state == state] if state else [])
    listed = select(OutboxMail).where(*conditions).order_by(OutboxMail.id.desc())
    shown, number, total = cut_to_page(session, listed, page_number(request.args.get("page")))
    mails = session.scalars(shown.options(load_only(*_SHOWN_OF_MAILS, raiseload=True))).all()
    return render_template(
        "admin/outbox.html",
        page=Page(mails, number, total),
        kinds=KINDS,
        counts=outbox_counts(session, search),
        search=search,
        place=list_state(request.args, *PLACE),
        overdue=_overdue_mail(session, datetime.now(UTC)),
        state=state,
    )


def outbox_counts(session: Session, search: str = "") -> dict[str, int]:
    """How many mails there are in each state, of those that `search` finds."""
    statement = select(OutboxMail.state, func.count(OutboxMail.id)).where(*_recipient_conditions(session, search))
    counts: dict[str, int] = dict(session.execute(statement.group_by(OutboxMail.state)).all())
    return {state: counts.get(state, 0) for state in OUTBOX_STATES}


def _overdue_mail(session: Session, now: datetime) -> int:
    """How many mails should have been tried a while ago: `portal work` does not seem to run."""
    late = (OutboxMail.state == "waiting") & (OutboxMail.due_at < now - OVERDUE)
    return session.scalar(select(func.count(OutboxMail.id)).where(late)) or 0


def _recipient_conditions(session: Session, search: str) -> list[ColumnElement[bool]]:
    of_account = select(User.id).where(User.id == OutboxMail.user_id)
    return [
        or_(contains_text(OutboxMail.address.expression, word), of_account.where(is_called(session, word)).exists())
        for word in search.split()
    ]


def retry_mail(mail_id: int) -> ResponseReturnValue:
    """Try a dead mail again."""
    return _retry([or_404(db.session().get(OutboxMail, mail_id))])


def retry_all_mail() -> ResponseReturnValue:
    """Try all dead mails again."""
    dead = select(OutboxMail).where(OutboxMail.state == "dead").order_by(OutboxMail.id)
    return _retry(db.session().scalars(dead).all())


def _retry(mails: Sequence[OutboxMail]) -> ResponseReturnValue:
    kinds = {mail.id: mail.kind for mail in mails}
    retried = delivery.retry(db.session(), mails, now=datetime.now(UTC))
    for mail_id in retried:
        _record("mail.retry", "mail", mail_id, {"kind": kinds[mail_id]})
    if retried:
        db.session().info[WRITTEN] = True
        flash_message(f"{counted(len(retried), 'mail is', 'mails are')} tried again now.")
    else:
        flash_message("Nothing to try again: no such mail is given up any more.", "info")
    return _back_to_list()


def drop_mail(mail_id: int) -> ResponseReturnValue:
    """Give up a mail that waits or is dead."""
    mail = or_404(db.session().get(OutboxMail, mail_id))
    if delivery.drop(db.session(), mail):
        _record("mail.cancel", "mail", mail.id, {"kind": mail.kind, "to": mail.address})
        flash_message("The mail is cancelled and will not be sent.")
    else:
        flash_message("The mail was sent or cancelled meanwhile.", "info")
    return _back_to_list()


def _back_to_list() -> ResponseReturnValue:
    """Redirect to the part of the list from which the form was sent."""
    place: dict[str, Any] = {**list_state(request.form, *PLACE)}
    return redirect(url_for("admin.outbox", **place))


def _record(act: str, kind: str, number: int, after: dict[str, str] | None) -> None:
    now = datetime.now(UTC)
    audit.record(db.session(), actor(), act, kind, str(number), now, after=after)
