"""Files that no row names: what is left when a process is killed between writing a file and committing its row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import Resume

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.storage import FileStore, StoredFile

# Where resumes are kept; nothing else in the store is looked at.
FOLDER = "resumes"
# No request takes as long: a file this old, that no row names, will never be named.
OLD = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Orphan:
    """A file that nothing refers to; `unfinished` when it was not even written to its end."""

    file: StoredFile
    unfinished: bool = False


def orphans(session: Session, files: FileStore, *, now: datetime) -> list[Orphan]:
    """Files of resumes older than a day that no row names, by key. Reads only.

    The files are listed before the rows are read: a file that gets its row meanwhile is named.
    """
    stored = [file for file in files.list(FOLDER) if now - file.written_at > OLD]
    unfinished = [file for file in files.unfinished(FOLDER) if now - file.written_at > OLD]
    named = set(session.scalars(select(Resume.storage_key).where(Resume.storage_key != "")))
    found = [Orphan(file) for file in stored if file.key not in named]
    found += [Orphan(file, unfinished=True) for file in unfinished]
    return sorted(found, key=lambda orphan: orphan.file.key)


def delete_orphans(session: Session, files: FileStore, found: list[Orphan]) -> Iterator[tuple[Orphan, bool]]:
    """Delete what `orphans` found, one by one; yields each with whether it is gone.

    Right before a file is deleted the rows are asked again, in a transaction of its own, and a file that a row
    names by then stays.
    """
    for orphan in found:
        session.rollback()
        if orphan.unfinished:
            files.delete_unfinished(orphan.file.key)
        elif session.scalar(select(Resume.id).where(Resume.storage_key == orphan.file.key)) is not None:
            yield orphan, False
            continue
        else:
            files.delete(orphan.file.key)
        yield orphan, True
