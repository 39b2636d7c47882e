"""Files that no row refers to, left when a process is killed between writing a file and committing its row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import LabImport, Referee, Resume, Submission, User

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.storage import FileStore, StoredFile

# Where resumes, letters of referees and files to import are kept; nothing else in the store is looked at.
FOLDERS = ("resumes", "letters", "imports")
NAMING = (Resume.storage_key, Submission.storage_key, Referee.storage_key, LabImport.storage_key)
# No request takes as long: a file this old, that no row names, will never be named.
OLD = timedelta(days=1)
FEW = 10
"""As many files may be left over in a portal that has hardly any others."""


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file that nothing refers to; `unfinished` when it was not even written to its end."""

    file: StoredFile
    unfinished: bool = False


def is_named(session: Session, key: str) -> bool:
    """Whether a row refers to the file."""
    return any(session.scalar(select(column).where(column == key).limit(1)) for column in NAMING)


def orphans(session: Session, files: FileStore, *, now: datetime) -> list[Orphan]:
    """Files older than a day that no row names, by key. Reads only.

    The files are listed before the rows are read: a file that gets its row meanwhile is named.
    """
    stored = [file for folder in FOLDERS for file in files.list(folder) if now - file.written_at > OLD]
    unfinished = [file for folder in FOLDERS for file in files.unfinished(folder) if now - file.written_at > OLD]
    named = {key for column in NAMING for key in session.scalars(select(column).where(column != ""))}
    orphaned = [Orphan(file) for file in stored if file.key not in named]
    orphaned += [Orphan(file, unfinished=True) for file in unfinished]
    return sorted(orphaned, key=lambda orphan: orphan.file.key)


def why_not_delete(session: Session, files: FileStore, found: Sequence[Orphan]) -> str | None:
    """Why these orphans are not deleted without confirmation: this seems not to be the database of these files.

    A database that names no files belongs to another portal, or is being restored: files come first, and rows in one
    transaction at the end.
    """
    if session.scalar(select(User.id).limit(1)) is None:
        return (
            "The database has no accounts. It is that of another portal, or a restore into it has not ended: what "
            "nothing refers to now may be needed."
        )
    finished = sum(not orphan.unfinished for orphan in found)
    stored = sum(1 for folder in FOLDERS for _ in files.list(folder))
    if finished > FEW and finished * 2 > stored:
        return (
            f"Nothing refers to {finished:,} of the {stored:,} files. That is more than is ever left over: is it the "
            "database that belongs to them?"
        )
    return None


def delete_orphans(session: Session, files: FileStore, found: list[Orphan]) -> Iterator[tuple[Orphan, bool]]:
    """Delete what `orphans` found, one by one; yields each with whether it is gone.

    Right before a file is deleted the rows are read again, in a transaction of their own, and a file that a row
    names by then stays.
    """
    for orphan in found:
        session.rollback()
        if orphan.unfinished:
            files.delete_unfinished(orphan.file.key)
        elif is_named(session, orphan.file.key):
            yield orphan, False
            continue
        else:
            files.delete(orphan.file.key)
        yield orphan, True
