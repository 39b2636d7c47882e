"""The state of the portal: database, storage, clock, mail, jobs."""

from __future__ import annotations

import shutil
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import func, or_, select, text
from sqlalchemy.orm import load_only

from portal.admin.searching import contains_text, is_called
from portal.jobs.clock import Gap, gap_that_holds, is_running, last_begun
from portal.jobs.registry import CLOCKWORK
from portal.models import ClockMark, Job, OutboxMail, User
from portal.models.mail import OUTBOX_STATES
from portal.storage import StoreUnavailable
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from alembic.config import Config
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.storage import FileStore

OVERDUE = timedelta(minutes=10)


class Database(NamedTuple):
    """The kind and size of the database, the migrations of its tables, and those that this version needs."""

    kind: str
    bytes: int
    present: tuple[str, ...]
    wanted: tuple[str, ...]


class Storage(NamedTuple):
    """Where files are kept, why that place does not answer now (or nothing), and the bytes of the instance's disk."""

    place: str
    failure: str
    free: int
    disk: int


class Clock(NamedTuple):
    """The work that the clock starts, with its marks; whether the clock runs, and the `gap` because of which
    irrevocable work waits.
    """

    marks: Mapping[str, ClockMark | None]
    last: datetime | None
    goes: bool
    gap: Gap | None


def database(session: Session, migrations: Config) -> Database:
    """The database and its migrations."""
    connection = session.connection()
    dialect = connection.dialect
    number = ".".join(map(str, dialect.server_version_info or ()))
    if dialect.name == "sqlite":
        pages, size = (int(session.scalar(text(f"PRAGMA {name}")) or 0) for name in ("page_count", "page_size"))
        size_in_bytes = pages * size
    else:
        size_in_bytes = int(session.scalar(text("SELECT pg_database_size(current_database())")) or 0)
    present = MigrationContext.configure(connection).get_current_heads()
    wanted = ScriptDirectory.from_config(migrations).get_heads()
    name = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(dialect.name, dialect.name)
    return Database(f"{name} {number}".strip(), size_in_bytes, tuple(sorted(present)), tuple(sorted(wanted)))


def storage(files: FileStore, instance: Path) -> Storage:
    """The place of the files, whether it answers, and how full the disk of the instance is."""
    disk, failure = shutil.disk_usage(instance), ""
    try:
        files.check()  # which waits for some seconds only
    except StoreUnavailable as error:
        failure = str(error)
    return Storage(str(files.place), failure, disk.free, disk.total)


def clock(session: Session, now: datetime) -> Clock:
    """All work that the clock starts, and when it last did."""
    marks = {mark.name: mark for mark in session.scalars(select(ClockMark))}
    last = last_begun(session, now)
    by_name = {name: marks.get(name) for name in sorted(CLOCKWORK)}
    return Clock(by_name, last, is_running(last, now), gap_that_holds(session, now))


def job_counts(session: Session) -> Mapping[str, int]:
    """How many jobs are in which state."""
    return dict(session.execute(select(Job.state, func.count()).group_by(Job.state)).all())


def jobs_page(session: Session, number: int) -> Page[Job]:
    """Jobs, the newest first."""
    shown, number, total = cut_to_page(session, select(Job).order_by(Job.id.desc()), number)
    return Page(session.scalars(shown).all(), number, total)


def outbox_page(session: Session, *, state: str, search: str, number: int) -> Page[OutboxMail]:
    """Mails without their text, the newest first, of one state or of all; to those whose address or name holds each
    word of `search`.
    """
    conditions = _recipient_conditions(session, search) + ([OutboxMail.state == state] if state else [])
    shown, number, total = cut_to_page(
        session, select(OutboxMail).where(*conditions).order_by(OutboxMail.id.desc()), number
    )
    only = load_only(
        OutboxMail.state,
        OutboxMail.kind,
        OutboxMail.address,
        OutboxMail.tries,
        OutboxMail.error,
        OutboxMail.created_at,
        OutboxMail.due_at,
        OutboxMail.sent_at,
        raiseload=True,
    )
    return Page(session.scalars(shown.options(only)).all(), number, total)


def outbox_counts(session: Session, search: str = "") -> dict[str, int]:
    """How many mails there are in each state, of those that `search` finds."""
    statement = select(OutboxMail.state, func.count(OutboxMail.id)).where(*_recipient_conditions(session, search))
    counts: dict[str, int] = dict(session.execute(statement.group_by(OutboxMail.state)).all())
    return {state: counts.get(state, 0) for state in OUTBOX_STATES}


def overdue_mail(session: Session, now: datetime) -> int:
    """How many mails should have been tried a while ago: `portal work` does not seem to run."""
    late = (OutboxMail.state == "waiting") & (OutboxMail.due_at < now - OVERDUE)
    return session.scalar(select(func.count(OutboxMail.id)).where(late)) or 0


def dead_mails(session: Session) -> Sequence[OutboxMail]:
    """All mails that were given up."""
    return session.scalars(select(OutboxMail).where(OutboxMail.state == "dead").order_by(OutboxMail.id)).all()


def _recipient_conditions(session: Session, search: str) -> list[ColumnElement[bool]]:
    of_account = select(User.id).where(User.id == OutboxMail.user_id)
    return [
        or_(contains_text(OutboxMail.address.expression, word), of_account.where(is_called(session, word)).exists())
        for word in search.split()
    ]
