"""Writing an archive: the rows as of one moment, then the files, and finally the manifest."""

from __future__ import annotations

import hashlib
import json
import zipfile
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from portal.backups.bounded_json import fits
from portal.backups.database import as_of_now, count_rows, last_ids_given, revision_of, rows_of, shapes_of
from portal.backups.kinds import to_cell
from portal.backups.manifest import LARGEST_PIECE, MANIFEST, ArchiveError, FilePart, Manifest, TablePart, is_safe_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import IO, BinaryIO

    from sqlalchemy import Connection, Engine

    from portal.backups.database import TableShape
    from portal.labs.live_index.labs import Stages
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
        keys = sorted(stored.key for stored in files.list(""))
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
                if len(line) > LARGEST_PIECE or not fits(text):
                    raise ArchiveError(f"A row of {shape.name} is too large for an archive.")
                if key_column is not None and row[key_column]:
                    self.referred.add(row[key_column])
                lines.append(line)
            yield lines

    @contextmanager
    def _part(self, name: str) -> Iterator[_Part]:
        with self._archive.open(self.entry(name), "w", force_zip64=True) as entry:
            yield _Part(entry)
