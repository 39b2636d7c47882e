"""Writing an archive: the rows as of one moment, then the files, and finally the manifest."""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click
from flask import current_app
from flask.cli import with_appcontext

from portal.applications.files import file_store
from portal.backups.archive import TargetError, whole_or_nothing
from portal.backups.database import (
    as_of_now,
    count_rows,
    last_ids_given,
    revision_of,
    rows_of,
    shapes_of,
)
from portal.backups.manifest import (
    LARGEST_PIECE,
    MANIFEST,
    ArchiveError,
    FilePart,
    Manifest,
    TablePart,
    UnknownKindError,
    is_safe_key,
    to_cell,
)
from portal.config import settings_of
from portal.db import db
from portal.labs.commands.console import CommandStages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, BinaryIO

    from sqlalchemy import Connection, Engine

    from portal.backups.database import TableShape
    from portal.labs.live_index.state import Stages
    from portal.storage import FileStore


STORED_UNDER = "storage_key"  # the name of every column that names a file
NO_TABLES = "The database has no tables yet, so there is nothing to back up. Run portal db upgrade first."


def write_archive(file: BinaryIO, engine: Engine, files: FileStore, *, now: datetime, stages: Stages) -> Manifest:
    """Write everything in the database and the store into `file`, as a ZIP archive.

    The portal may be in use: the rows are those of one moment. The files are listed after that moment, so that every
    file named by a row is among them, unless it was deleted meanwhile.

    Raises:
        ArchiveError: There are no tables, a row or file is too large to be held in memory, or a file's key is unsafe.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        writer = _Writer(archive, now, stages)
        with as_of_now(engine) as connection:
            revision = revision_of(connection)
            if revision is None:
                raise ArchiveError(NO_TABLES)
            shapes = shapes_of(connection)
            tables = writer.tables(connection, shapes)
            sequences = last_ids_given(connection, shapes)
        file_parts = writer.files(files)
        manifest = Manifest(
            portal_version=version("phd-portal"),
            revision=revision,
            made_at=now,
            database=engine.dialect.name,
            tables=tables,
            sequences=sequences,
            files=file_parts,
            missing=tuple(sorted(writer.referred - {part.key for part in file_parts})),
        )
        archive.writestr(writer.entry(MANIFEST), manifest.to_json())
    return manifest


class _Part:
    """An entry of the archive that is being written: counts its bytes and computes their checksum."""

    def __init__(self, entry: IO[bytes]) -> None:
        self._entry = entry
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        self._entry.write(data)
        self._digest.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


class _Writer:
    """Writes parts into an archive. `referred` collects the keys of files that rows refer to."""

    def __init__(self, archive: zipfile.ZipFile, now: datetime, stages: Stages) -> None:
        self._archive = archive
        self._made_at = (now.year, now.month, now.day, now.hour, now.minute, now.second)
        self._stages = stages
        self.referred: set[str] = set()

    def entry(self, name: str) -> zipfile.ZipInfo:
        """An entry of the archive, readable by its owner only when unpacked."""
        entry = zipfile.ZipInfo(name, self._made_at)
        entry.external_attr = 0o600 << 16
        # Resumes are compressed already; rows shrink to a fraction.
        entry.compress_type = zipfile.ZIP_STORED if name.startswith("files/") else zipfile.ZIP_DEFLATED
        return entry

    def tables(self, connection: Connection, shapes: list[TableShape]) -> tuple[TablePart, ...]:
        """Write the rows of all tables."""
        total = sum(count_rows(connection, shape) for shape in shapes)
        self._stages.begin(f"Copying {total:,} rows")
        written, parts = 0, []
        for shape in shapes:
            before = written
            with self._part(f"tables/{shape.name}.jsonl") as part:
                for lines in self._lines(connection, shape):
                    for line in lines:
                        part.write(line)
                    written += len(lines)
                    self._stages.done(written, total)
            parts.append(TablePart(shape.name, shape.columns, written - before, part.size, part.sha256))
        return tuple(parts)

    def files(self, files: FileStore) -> tuple[FilePart, ...]:
        """Write all files of the store, skipping any that is deleted meanwhile."""
        keys = sorted(stored.key for stored in files.originals())
        self._stages.begin(f"Copying {len(keys):,} files")
        parts = []
        for count, key in enumerate(keys, start=1):
            try:
                data = files.get(key)
            except FileNotFoundError:
                continue
            if not is_safe_key(key):
                raise ArchiveError(f"A file in the store has a name that archives cannot hold: {key!r}. Rename it.")
            if len(data) > LARGEST_PIECE:
                raise ArchiveError(f"The file {key} is too large for an archive. Take it out of the store.")
            with self._part(f"files/{key}") as part:
                part.write(data)
            parts.append(FilePart(key, part.size, part.sha256))
            self._stages.done(count, len(keys))
        return tuple(parts)

    def _lines(self, connection: Connection, shape: TableShape) -> Iterator[list[bytes]]:
        names = [name for name, _kind in shape.columns]
        kinds = [kind for _name, kind in shape.columns]
        key_column = names.index(STORED_UNDER) if STORED_UNDER in names else None
        for rows in rows_of(connection, shape):
            lines = []
            for row in rows:
                cells = [to_cell(kind, value) for kind, value in zip(kinds, row, strict=True)]
                text = json.dumps(cells, ensure_ascii=False, separators=(",", ":"))
                line = text.encode() + b"\n"
                if len(line) > LARGEST_PIECE:
                    raise ArchiveError(f"A row of {shape.name} is too large for an archive.")
                if key_column is not None and row[key_column]:
                    self.referred.add(row[key_column])
                lines.append(line)
            yield lines

    @contextmanager
    def _part(self, name: str) -> Iterator[_Part]:
        with self._archive.open(self.entry(name), "w", force_zip64=True) as entry:
            yield _Part(entry)


INTERRUPTED = 130
MEGABYTE = 1_000_000
MOST_LISTED = 10  # missing files


@click.command("backup")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@with_appcontext
def backup(target: Path, *, force: bool) -> None:
    """Write database and uploaded files into one archive.

    TARGET is a file, or a folder, in which the archive is then named by date and time (UTC). The portal may stay in
    use. The archive gets its name once it is complete; if the command is interrupted, run it again. Keep the archive as
    secret as the database. It does not hold the settings: keep PORTAL_SECRET_KEY with it.
    """
    now = datetime.now(UTC)
    path = _file_for(target, now)
    try:
        with CommandStages() as stages, whole_or_nothing(path, replace=force) as file:
            manifest = write_archive(file, db.engine, file_store(current_app), now=now, stages=stages)
    except KeyboardInterrupt:
        click.echo(f"\nStopped. Nothing was written to {path}. To start over, run the same command again.", err=True)
        sys.exit(INTERRUPTED)
    except (ArchiveError, TargetError, UnknownKindError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        if error.errno is None:  # the store of files, which says what is wrong
            raise
        raise click.ClickException(
            f"{path} cannot be written ({error.strerror}). Nothing of it is left. Correct this or name another folder, "
            "then run the command again."
        ) from None
    if manifest.missing:
        click.echo(
            f"Files that the database refers to but the store does not have: {len(manifest.missing):,}.", err=True
        )
        for key in manifest.missing[:MOST_LISTED]:
            click.echo(f"  {key}", err=True)
        click.echo(
            "They were deleted while the backup was made, or are lost. The backup is complete otherwise.", err=True
        )
    click.echo(
        f"{path}: {manifest.rows:,} rows of {len(manifest.tables):,} tables and {len(manifest.files):,} files, "
        f"{path.stat().st_size / MEGABYTE:,.1f} MB. Keep it as secret as the database."
    )


def _file_for(target: Path, now: datetime) -> Path:
    """The file to write.

    Raises:
        click.ClickException: It would be among the uploaded files, in a folder that does not exist, in place of a
            device, or named like a folder.
    """
    if not target.suffix and not target.exists():
        # Meant as a folder, it would be a file from now on, and the next backup would be refused.
        raise click.ClickException(f"There is no folder {target}. Create it, or name a file that ends with .zip.")
    path = target / f"portal-{now:%Y-%m-%d-%H%M%S}.zip" if target.is_dir() else target
    folder = path.parent.resolve()
    if not folder.is_dir():
        raise click.ClickException(f"There is no folder {folder}. Create it, or name another one.")
    if path.exists() and not path.is_file():
        raise click.ClickException(f"{path} is no file, but a device or a pipe. Name a file that ends with .zip.")
    uploads = settings_of(current_app).instance / "uploads"
    if folder.is_relative_to(uploads.resolve()):
        raise click.ClickException(f"{folder} is where uploaded files are kept. Name a file elsewhere.")
    return path
