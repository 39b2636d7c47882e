"""Uploaded files and the transaction that refers to them: neither is left without the other.

A file is written before the row that names it, so that no row points to nothing. If the transaction fails, the new file
is deleted, unless the connection was lost during the commit: then a row may name it, and `portal sweep-files` deletes
it if none does. A file that no row names any more is deleted only after the commit.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING

import click
from flask import Response, abort, current_app, request
from flask.cli import with_appcontext
from obstore.exceptions import AlreadyExistsError
from sqlalchemy import event, exists, select

from portal import instance
from portal.applications.forms import one_line
from portal.config import extension, settings_of
from portal.db import db
from portal.documents.extraction import draw, extract
from portal.documents.limits import Limits, Slots
from portal.documents.pictures import packed_pictures, unpacked_pictures
from portal.documents.refusals import Busy, ReaderFailed, Reason, RefusedDocument
from portal.models import Document, LabPhoto, Referee, Resume, Submission, User
from portal.storage import CANNOT_KEEP, PICTURES, FileStore, StoreUnavailable
from portal.web.downloads import download
from portal.web.headers import UPLOADED_FILE_POLICY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.documents.extracted import Extracted
    from portal.storage import StoredFile


logger = logging.getLogger(__name__)
FAILED_HERE = (
    "We cannot read files at the moment; the fault is on our side, not in your file. "
    "Paste the text instead, or try again later. If it fails again, tell the administrators."
)
PASTE_INSTEAD = f"{CANNOT_KEEP} Paste the text instead, or try again later. If it fails again, tell the administrators."
LONGEST_FILENAME = 150  # characters
_UNSAFE = re.compile(r'[\x00-\x1f\x7f"<>:|?*/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]')
MEDIA_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "txt": "text/plain; charset=utf-8",
}
# Where resumes, letters of referees and photos of labs are kept; nothing else in the store is looked at.
FOLDERS = ("resumes", "letters", "documents", "photos")
NAMING = tuple(table.storage_key for table in (Resume, Submission, Referee, Document, LabPhoto))
# No request takes as long: a file this old, that no row names, will never be named.
OLD = timedelta(days=1)
LONGEST_WAIT = 10.0  # seconds for the pictures of other files
_DRAWING = Lock()
FEW = 10
"""As many files may be left over in a portal that has hardly any others."""


class NotRead(Exception):
    """An uploaded file was not read; the message says why and what to do, `status` is that of the response."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def file_store(app: Flask) -> FileStore:
    """Where an application keeps uploaded files."""
    return extension(app, "portal_files", FileStore)


def holds(files: FileStore, key: str, data: bytes) -> bool:
    """Whether the file under `key` is there and holds `data`; without a key, whether there is no data."""
    if not key:
        return not data
    try:
        return files.get(key) == data
    except FileNotFoundError:
        return False


def remove_once_committed(session: Session, files: FileStore, key: str) -> None:
    """Delete the file if the transaction of `session` commits; keep it if it fails."""
    _remove_at_end(session, files, key, on_commit=True)


def _remove_at_end(session: Session, files: FileStore, key: str, *, on_commit: bool) -> None:
    pending, is_committing = True, False
    connection = session.connection()

    def begins_to_commit(_session: Session) -> None:
        nonlocal is_committing
        is_committing = not session.in_nested_transaction()

    def ended(*, committed: bool) -> None:
        nonlocal pending
        # The end of a savepoint is not the end of the transaction.
        if not pending or session.in_nested_transaction():
            return
        pending = False
        if committed is on_commit:
            try:
                files.delete(key)
            except StoreUnavailable:  # the data is correct already
                logger.exception("A file that nothing refers to could not be removed: %s", key)

    def committed(_session: Session) -> None:
        ended(committed=True)

    def rolled_back(_session: Session) -> None:
        nonlocal pending
        if is_committing and connection.invalidated:
            pending = False
        ended(committed=False)

    # The listeners live as long as the session, which ends with the request.
    event.listen(session, "before_commit", begins_to_commit)
    event.listen(session, "after_commit", committed)
    event.listen(session, "after_rollback", rolled_back)


def shown_filename(name: str) -> str:
    """The last part of a file's name as its owner gave it, without what could mislead a reader or a shell."""
    basename = PurePosixPath(name.replace("\\", "/")).name
    cleaned = one_line(_UNSAFE.sub(" ", basename)).strip(". ")
    if len(cleaned) <= LONGEST_FILENAME:
        return cleaned
    stem, ending = cleaned[: LONGEST_FILENAME - 8], PurePosixPath(cleaned).suffix[:8]
    return f"{stem}{ending}"


def is_submitted_file(session: Session, key: str) -> bool:
    """Whether a submission refers to the file: it is kept when the resume is replaced."""
    return bool(key) and bool(session.scalar(select(exists().where(Submission.storage_key == key))))


def put_file(session: Session, files: FileStore, folder: str, data: bytes) -> str:
    """Write a new file, which is deleted again if the transaction fails; returns its key, "" if there is no data."""
    if not data:
        return ""
    key = f"{folder}/{secrets.token_urlsafe(24)}"
    files.put(key, data)
    _remove_at_end(session, files, key, on_commit=False)
    return key


def upload_limits(app: Flask) -> Limits:
    """The limits of files that people upload."""
    return Limits(bytes=settings_of(app).upload_bytes)


def upload_slots(app: Flask) -> Slots:
    """The places for processes that read files."""
    settings = settings_of(app)
    return Slots(settings.instance / "slots", settings.extraction_slots)


def read_upload(app: Flask, data: bytes) -> Extracted:
    """Read an uploaded file in a closed process. Raises `NotRead`: it cannot be read, or not just now."""
    try:
        return extract(data, slots=upload_slots(app), limits=upload_limits(app))
    except RefusedDocument as refusal:
        raise NotRead(refusal.message, 413 if refusal.reason is Reason.TOO_LARGE else 422) from None
    except Busy as busy:
        raise NotRead(busy.message, 503) from None
    except ReaderFailed:
        logger.exception("The child process that reads files cannot work")
        raise NotRead(FAILED_HERE, 503) from None


def uploaded_file(key: str, kind: str, name: str) -> Response:
    """A download of the file stored under `key`, sandboxed in the browser; 404 if the file is missing.

    The ending of its name says what the file truly is.
    """
    try:
        data = file_store(current_app).get(key)
    except FileNotFoundError:
        logger.exception("The file kept as %s is missing", key)
        abort(404)
    named = f"{PurePosixPath(name).stem or 'resume'}.{kind}"
    response = download(data, named, MEDIA_TYPES.get(kind, "application/octet-stream"))
    response.headers["Content-Security-Policy"] = UPLOADED_FILE_POLICY
    return response


def picture(key: str, number: int) -> Response:
    """A page of the PDF stored under `key`, from 1, as a picture; 404 if it has none, 503 if none can be made just now.

    Side effect: at the first look, draws the first pages in a closed process and keeps them until the file is deleted.
    One file is drawn at a time, so that others can be read meanwhile, and whoever waited finds the pictures.
    """
    files = file_store(current_app)
    try:
        made = _kept_pictures(files, key) or _draw_pictures(files, key)
    except FileNotFoundError:
        abort(404)
    except (Busy, ReaderFailed) as failure:
        logger.warning("The pages of %s could not be drawn: %s", key, failure)
        abort(503)
    pictures = unpacked_pictures(json.loads(made))
    if not 0 < number <= len(pictures):
        abort(404)
    response = Response(pictures[number - 1], content_type="image/webp")
    response.headers["Content-Security-Policy"] = UPLOADED_FILE_POLICY
    response.add_etag()
    response.make_conditional(request)
    return response


def _kept_pictures(files: FileStore, key: str) -> bytes | None:
    with suppress(FileNotFoundError):
        return files.get(PICTURES + key)
    return None


def _draw_pictures(files: FileStore, key: str) -> bytes:
    """Draw and keep them, unless somebody did in the meantime."""
    if not _DRAWING.acquire(timeout=LONGEST_WAIT):
        raise Busy
    try:
        return _kept_pictures(files, key) or _newly_drawn(files, key)
    finally:
        _DRAWING.release()


def _newly_drawn(files: FileStore, key: str) -> bytes:
    """Drawn and kept: none of a file that cannot be drawn, so that nobody tries again at each look."""
    try:
        made = packed_pictures(draw(files.get(key), slots=upload_slots(current_app), limits=upload_limits(current_app)))
    except RefusedDocument:
        made = packed_pictures([])
    with suppress(AlreadyExistsError):
        files.put(PICTURES + key, made)
    try:
        files.get(key)
    except FileNotFoundError:  # deleted meanwhile, perhaps before its pictures were there
        files.delete(key)
        raise
    return made


def is_used(session: Session, key: str) -> bool:
    """Whether a row refers to the file."""
    return any(session.scalar(select(column).where(column == key).limit(1)) for column in NAMING)


def orphans(session: Session, files: FileStore, *, now: datetime) -> list[StoredFile]:
    """Files older than a day that no row names, or that were not written to their end, by key. Reads only.

    The files are listed before the rows are read: a file that gets its row meanwhile is named.
    """
    found = [file for folder in (*FOLDERS, PICTURES) for file in (*files.list(folder), *files.unfinished(folder))]
    named = {key for column in NAMING for key in session.scalars(select(column).where(column != ""))}
    old = (file for file in found if now - file.written_at > OLD and file.key.removeprefix(PICTURES) not in named)
    return sorted(old, key=lambda file: file.key)


def why_not_delete(session: Session, files: FileStore, found: Sequence[StoredFile]) -> str | None:
    """Why these orphans are not deleted: this seems not to be the database of these files.

    A database that names no files belongs to another portal, or is being restored: files come first, and rows in one
    transaction at the end.
    """
    if session.scalar(select(User.id).limit(1)) is None:
        return "The database has no accounts: it is that of another portal, or a restore into it has not ended."
    stored = {file.key for folder in FOLDERS for file in files.list(folder)}
    finished = len(stored & {file.key for file in found})
    if finished > FEW and finished * 2 > len(stored):
        return f"Nothing refers to {finished:,} of the {len(stored):,} files, more than is ever left over."
    return None


def delete_orphan(session: Session, files: FileStore, file: StoredFile) -> bool:
    """Delete a file that `orphans` found, unless a row names it by now: the rows are read again, in a transaction of
    their own. Whether it is gone.
    """
    session.rollback()
    if is_used(session, file.key.removeprefix(PICTURES)):
        return False
    if file in files.unfinished(file.key.rpartition("/")[0]):
        files.delete_unfinished(file.key)
    else:
        files.delete(file.key)
    return True


@click.command("sweep-files")
@click.option("--delete", "delete", is_flag=True, help="Delete these files instead of listing them.")
@with_appcontext
def sweep_files(*, delete: bool) -> None:
    """List or delete uploaded files that nothing refers to.

    Such a file remains when the portal is killed after it wrote a file and before it saved the row that names it.
    Only files older than a day are listed. A file that a row names is never deleted.

    --delete refuses to delete most of all files, and any where the database has no accounts: then the settings most
    likely name the wrong database or the wrong files.
    """
    if not instance.has_tables():
        # Without tables nothing is named: that is a wrong address of the database far more often than a fresh start.
        raise click.ClickException("The database has no tables, so nobody can say which files are in use.")
    session, files = db.session(), file_store(current_app)
    found = orphans(session, files, now=datetime.now(UTC))
    for file in found:
        click.echo(f"{file.key}  {file.size:,} bytes, of {file.written_at:%Y-%m-%d %H:%M} UTC")
    if not delete:
        click.echo(f"{len(found):,} that nothing refers to. Nothing was deleted; --delete does it.")
    elif (reason := why_not_delete(session, files, found)) is not None:
        raise click.ClickException(f"{reason} Nothing was deleted; if they are to go, delete the listed files by hand.")
    else:
        click.echo(f"{sum(delete_orphan(session, files, file) for file in found):,} deleted.")
