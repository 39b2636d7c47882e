"""Restoring an archive into an empty portal: reasons to refuse it, the files, then all rows in one transaction."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

from obstore.exceptions import AlreadyExistsError
from sqlalchemy import Text, cast, func, select, text
from sqlalchemy.exc import DataError, IntegrityError

from portal.backups.database import add_rows, continue_ids_after, count_rows, revision_of, shapes_of
from portal.backups.manifest import ArchiveError
from portal.storage import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from portal.backups.database import TableShape
    from portal.backups.manifest import FilePart, Manifest
    from portal.backups.reading import Archive
    from portal.labs.live_index.labs import Stages
    from portal.storage import FileStore

RESTORED = "backup.restore"
"""The act of the audit entry that a restore writes at its end."""
FILLED_BY_ITSELF = ("audit_head", "clock_mark")
"""Tables that have rows in an unused portal, too: the head of the empty audit log, and when timed work last ran."""
MOST_LISTED = 5  # tables with rows


class RefusedError(Exception):
    """An archive cannot be restored here; the message says why, and what to do."""


def why_not_this_version(manifest: Manifest, revisions: Sequence[str]) -> str | None:
    """Why this version of the portal, with these migrations, cannot create the tables of an archive."""
    if manifest.revision in revisions:
        return None
    return (
        f"It was made by version {manifest.portal_version} of the portal, with tables that this version does not know "
        f"({manifest.revision}). Install the version that made it, or a newer one, and restore it with that."
    )


def why_not_into(manifest: Manifest, revision: str | None, head: str) -> str | None:
    """Why an archive cannot be restored into tables at `revision`; None stands for a database without tables."""
    if revision in {None, manifest.revision}:
        return None
    if manifest.revision == head:
        return "The tables of this database are of another version. Run portal db upgrade, then this command again."
    return (
        f"It has tables of an older version ({manifest.revision}), and this database has newer ones already. "
        "Restore it into a database without tables: the older ones are created there, filled and brought up to date."
    )


def why_not_empty(connection: Connection) -> str | None:
    """Why the database may not be filled: which tables have rows already."""
    counts = {
        shape.name: count_rows(connection, shape)
        for shape in shapes_of(connection)
        if shape.name not in FILLED_BY_ITSELF
    }
    filled = [(name, rows) for name, rows in counts.items() if rows]
    if not filled:
        return None
    counts_text = ", ".join(f"{name}: {rows:,}" for name, rows in filled[:MOST_LISTED])
    more = ", …" if len(filled) > MOST_LISTED else ""
    return (
        f"This database is not empty (rows in {counts_text}{more}). An archive can only be restored into an empty one: "
        "set PORTAL_INSTANCE to a new folder, or PORTAL_DATABASE_URL to a new database."
    )


def how_far_already(connection: Connection, manifest: Manifest, head: str) -> str | None:
    """What to do if an earlier restore committed the rows of this archive, whether it then finished or was stopped."""
    entries = next((shape.clause for shape in shapes_of(connection) if shape.name == "audit_entry"), None)
    if entries is None or not connection.scalar(select(func.count()).select_from(entries)):
        return None
    acts = select(entries.c.at, cast(entries.c.after, Text)).where(entries.c.act == RESTORED)
    for at, after in connection.execute(acts):
        if json.loads(after)["made_at"] == manifest.made_at.isoformat():
            return f"It was restored here already, on {at:%Y-%m-%d %H:%M} UTC. There is nothing left to do."
    if revision_of(connection) == manifest.revision != head:
        return (
            "This database holds rows, and has tables of the same older version. If a restore of this archive was "
            "stopped here while it brought them up to date, run portal db upgrade to complete it."
        )
    return None


def missing_files(manifest: Manifest, files: FileStore) -> list[FilePart]:
    """The files of an archive that the store lacks; an interrupted restore may have written some of them.

    Raises:
        RefusedError: The store holds a different file under a key.
    """
    part_by_key = {part.key: part for part in manifest.files}
    stored_keys = {stored.key for stored in files.list("")}
    others = sorted(
        key
        for key in stored_keys
        if key not in part_by_key or hashlib.sha256(files.get(key)).hexdigest() != part_by_key[key].sha256
    )
    if others:
        raise RefusedError(
            f"The store of files is not empty: {len(others):,} of its files are not in the archive, such as "
            f"{others[0]}. Set PORTAL_INSTANCE to a new folder, or PORTAL_FILES_URL to an empty one."
        )
    return [part for part in manifest.files if part.key not in stored_keys]


def add_files(archive: Archive, parts: Sequence[FilePart], files: FileStore, stages: Stages) -> None:
    """Delete unfinished files from the store, write these into it, and sync them to disk.

    Raises:
        ArchiveError: A file is not what was written.
        RefusedError: The store does not accept a file.
    """
    for unfinished in list(files.unfinished("")):
        files.delete_unfinished(unfinished.key)
    stages.begin(f"Restoring {len(parts):,} files")
    for count, part in enumerate(parts, start=1):
        data = archive.file(part)
        try:
            files.put(part.key, data)
        except (AlreadyExistsError, StoreUnavailable, ValueError) as error:
            raise RefusedError(f"The store does not accept the file {part.key}: {_on_one_line(error)}") from None
        stages.done(count, len(parts))
    if parts:
        os.sync()  # rows that name a file must not become durable before the file


def lock_tables(connection: Connection) -> None:
    """Lock all tables against writes until the end of the transaction: a concurrent restore waits, then finds rows."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    names = ", ".join(f'"{shape.name}"' for shape in shapes_of(connection))
    connection.execute(text(f"LOCK TABLE {names} IN EXCLUSIVE MODE"))


def add_all_rows(connection: Connection, archive: Archive, stages: Stages) -> None:
    """Write the rows of all tables, in the transaction of the connection. Call `lock_tables` first.

    Raises:
        ArchiveError: The tables are not those of the archive, or the database refuses a row.
        RefusedError: The database is not empty.
    """
    refusal = why_not_empty(connection)
    if refusal:
        raise RefusedError(refusal)
    manifest, shapes = archive.manifest, shapes_of(connection)
    parts = {part.name: part for part in manifest.tables}
    if {shape.name: dict(shape.columns) for shape in shapes} != {name: dict(parts[name].columns) for name in parts}:
        raise ArchiveError("Its tables are not those of the version that made it.")
    for name in FILLED_BY_ITSELF:
        if name in parts:
            connection.execute(text(f"DELETE FROM {name}"))  # noqa: S608  (a name of ours)
    stages.begin(f"Restoring {manifest.rows:,} rows")
    done = 0
    for shape in shapes:
        part = parts[shape.name]
        for rows in archive.rows(part):
            _add(connection, _in_order(shape, part.columns), rows)
            done += len(rows)
            stages.done(done, manifest.rows)
    continue_ids_after(connection, shapes, manifest.sequences)


def _in_order(shape: TableShape, columns: Sequence[tuple[str, object]]) -> TableShape:
    """The table with its columns in the order of the archive."""
    kinds = dict(shape.columns)
    names = [name for name, _kind in columns]
    return type(shape)(shape.name, tuple((name, kinds[name]) for name in names), shape.key)


def _add(connection: Connection, shape: TableShape, rows: Sequence[Sequence[object]]) -> None:
    try:
        add_rows(connection, shape, rows)
    except (IntegrityError, DataError) as error:
        message = _on_one_line(error.orig)
        raise ArchiveError(f"The database does not accept a row of {shape.name}: {message}") from None


def _on_one_line(error: BaseException | None) -> str:
    return " ".join(str(error).split())[:300]
