"""The state of operations: database, storage, queue and clock, versions."""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import func, select, text

from portal.applications.files import FOLDERS, orphans
from portal.jobs.clock import Gap, gap_that_holds, is_running, last_begun
from portal.jobs.registry import CLOCKWORK
from portal.models import ClockMark, Job
from portal.storage import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from alembic.config import Config
    from sqlalchemy.orm import Session

    from portal.storage import FileStore

PACKAGES = (
    "phd-portal", "flask", "sqlalchemy", "alembic", "flask-security", "huey", "scikit-learn", "numpy", "scipy",
    "pypdfium2", "gunicorn", "psycopg", "redis",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Database:
    """The kind and size of the database, the migrations of its tables, and those that this version needs."""

    kind: str
    bytes: int | None
    present: tuple[str, ...]
    wanted: tuple[str, ...]

    @property
    def is_current(self) -> bool:
        """Whether no migration is missing, and none is from a later version."""
        return self.present == self.wanted


@dataclass(frozen=True, slots=True)
class Folder:
    """How many files a folder of the store holds, and how many bytes they are."""

    name: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Storage:
    """The file store, and the disk of the instance. `orphans` are files older than a day that nothing refers to.

    If the store does not answer, `failure` says why and nothing is counted.
    """

    place: str
    failure: str
    folders: Sequence[Folder]
    orphans: int
    free: int
    disk: int


@dataclass(frozen=True, slots=True)
class ClockRow:
    """A piece of work that the clock starts: when it was last begun, and when it last ended well; None for never."""

    name: str
    begun_at: datetime | None
    done_at: datetime | None


@dataclass(frozen=True, slots=True)
class Clock:
    """The work that the clock starts, whether the clock runs, and the `gap` because of which irrevocable work waits."""

    rows: Sequence[ClockRow]
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
        size_in_bytes: int | None = pages * size
    else:
        size_in_bytes = int(session.scalar(text("SELECT pg_database_size(current_database())")) or 0)
    present = MigrationContext.configure(connection).get_current_heads()
    wanted = ScriptDirectory.from_config(migrations).get_heads()
    name = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(dialect.name, dialect.name)
    return Database(f"{name} {number}".strip(), size_in_bytes, tuple(sorted(present)), tuple(sorted(wanted)))


def storage(session: Session, files: FileStore, instance: Path, *, now: datetime) -> Storage:
    """The place and number of files, by folder, and how full the disk of the instance is."""
    disk, folders, orphan_count, failure = shutil.disk_usage(instance), [], 0, ""
    try:
        files.check()  # which waits for some seconds only
        for name in FOLDERS:
            sizes = [file.size for file in files.list(name)]
            folders.append(Folder(name, len(sizes), sum(sizes)))
        orphan_count = len(orphans(session, files, now=now))
    except StoreUnavailable as error:
        folders, failure = [], str(error)
    return Storage(str(files.place), failure, folders, orphan_count, disk.free, disk.total)


def clock(session: Session, now: datetime) -> Clock:
    """All work that the clock starts, and when it last did."""
    marks = {mark.name: mark for mark in session.scalars(select(ClockMark))}
    rows = [
        ClockRow(name, marks[name].begun_at if name in marks else None, marks[name].done_at if name in marks else None)
        for name in sorted(CLOCKWORK)
    ]
    last = last_begun(session, now)
    return Clock(rows, last, is_running(last, now), gap_that_holds(session, now))


def job_counts(session: Session) -> Mapping[str, int]:
    """How many jobs are in which state."""
    return {
        str(state): int(count) for state, count in session.execute(select(Job.state, func.count()).group_by(Job.state))
    }


def versions() -> list[tuple[str, str]]:
    """The interpreter and the packages that matter most; those that are not installed are left out."""
    packages = [("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            packages.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return packages
