"""Restoring an archive into an empty portal: refusals, files, rows, and holding back what it would do by itself.

Mails and jobs that waited when the backup was made may have been sent and done since.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from alembic.script import ScriptDirectory
from flask import current_app
from flask.cli import with_appcontext
from flask_migrate import upgrade
from obstore.exceptions import AlreadyExistsError
from sqlalchemy import Text, bindparam, cast, func, select, text, update
from sqlalchemy.exc import DataError, IntegrityError

from portal.applications.files import file_store
from portal.audit import record, verify
from portal.backups.archive import open_archive
from portal.backups.database import add_rows, continue_ids_after, count_rows, revision_of, shapes_of
from portal.backups.manifest import ArchiveError, UnknownKindError
from portal.db import db
from portal.labs.commands.console import CommandStages
from portal.storage import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, TableClause
    from sqlalchemy.orm import Session

    from portal.audit import Verdict
    from portal.backups.archive import Archive
    from portal.backups.database import TableShape
    from portal.backups.manifest import FilePart, Manifest
    from portal.labs.live_index.state import Stages
    from portal.storage import FileStore


HELD_MAIL = "It was waiting when the backup of {made_at:%Y-%m-%d %H:%M} UTC was made, and may have been sent since."
HELD_JOB = (
    "It was under way when the backup of {made_at:%Y-%m-%d %H:%M} UTC was made. Start it once more if you need it."
)
AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Held:
    """How many mails, jobs and releases of decisions were stopped."""

    mails: int = 0
    jobs: int = 0
    releases: int = 0


def hold_back(connection: Connection, *, made_at: datetime, now: datetime) -> Held:
    """Stop waiting mails, unfinished jobs and approved releases of decisions, in the transaction of the connection.

    An administrator can retry each mail, start a job again, and approve a release again.

    Returns: How many of each were stopped.
    """
    tables = _tables(connection)
    mails, jobs, releases = tables["outbox_mail"], tables["job"], tables["release"]
    return Held(
        _update_state(
            connection,
            mails,
            ("waiting", "sending"),
            {"state": "dead", "lease_until": None, "error": HELD_MAIL.format(made_at=made_at)},
        ),
        _update_state(
            connection,
            jobs,
            ("waiting", "running"),
            {"state": "cancelled", "finished_at": now, "error": HELD_JOB.format(made_at=made_at)},
        ),
        _update_state(connection, releases, ("approved",), {"state": "held", "held_at": now, "held_by_id": None}),
    )


def end_sessions(connection: Connection) -> int:
    """End all sessions, in the transaction of the connection: sessions that were ended after the backup, for example by
    a new password, would be valid again.

    Returns: How many accounts there are.
    """
    people = _tables(connection)["user_account"]
    change = update(people).where(people.c.id == bindparam("user_id")).values(fs_uniquifier=bindparam("fresh"))
    user_ids = connection.scalars(select(people.c.id)).all()
    for start in range(0, len(user_ids), AT_ONCE):
        batch = user_ids[start : start + AT_ONCE]
        connection.execute(change, [{"user_id": user_id, "fresh": uuid.uuid4().hex} for user_id in batch])
    return len(user_ids)


def revoke_tokens(connection: Connection, *, now: datetime) -> int:
    """Revoke all API tokens that could be used, in the transaction of the connection: tokens that were revoked after
    the backup would be valid again.

    Returns: How many they are.
    """
    tokens = _tables(connection)["api_token"]
    usable = update(tokens).where(tokens.c.revoked_at.is_(None), tokens.c.expires_at > now)
    return connection.execute(usable.values(revoked_at=now)).rowcount


def _tables(connection: Connection) -> dict[str, TableClause]:
    """The tables as they are in the database."""
    return {shape.name: shape.clause for shape in shapes_of(connection)}


def _update_state(connection: Connection, table: TableClause, states: tuple[str, ...], values: dict[str, Any]) -> int:
    return connection.execute(update(table).where(table.c.state.in_(states)).values(values)).rowcount


RESTORED = "backup.restore"
"""The act of the audit entry that a restore writes at its end."""
FILLED_BY_ITSELF = ("audit_head", "clock_mark")
"""Tables that have rows in an unused portal, too: the head of the empty audit log, and when timed work last ran."""
MOST_LISTED = 5  # tables with rows


class RefusedError(Exception):
    """An archive cannot be restored here; the message says why, and what to do."""


def why_not_these_tables(manifest: Manifest, revision: str | None, head: str) -> str | None:
    """Why an archive cannot be restored into tables at `revision`; None stands for a database without tables."""
    if manifest.revision != head:
        return (
            f"It was made by version {manifest.portal_version} of the portal, with other tables ({manifest.revision}). "
            "Restore it with that version, then install this one and run portal db upgrade."
        )
    if revision not in {None, head}:
        return "The tables of this database are of another version. Run portal db upgrade, then this command again."
    return None


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


def why_not_again(connection: Connection, manifest: Manifest) -> str | None:
    """What to say if an earlier restore committed the rows of this archive, even if it was stopped then."""
    entries = next((shape.clause for shape in shapes_of(connection) if shape.name == "audit_entry"), None)
    if entries is None or not connection.scalar(select(func.count()).select_from(entries)):
        return None
    acts = select(entries.c.at, cast(entries.c.after, Text)).where(entries.c.act == RESTORED)
    for at, after in connection.execute(acts):
        if json.loads(after)["made_at"] == manifest.made_at.isoformat():
            return f"It was restored here already, on {at:%Y-%m-%d %H:%M} UTC. There is nothing left to do."
    return None


def missing_files(manifest: Manifest, files: FileStore) -> list[FilePart]:
    """The files of an archive that the store lacks; an interrupted restore may have written some of them.

    Raises:
        RefusedError: The store holds a different file under a key.
    """
    part_by_key = {part.key: part for part in manifest.files}
    stored_keys = {stored.key for stored in files.originals()}
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


INTERRUPTED = 130
STOPPED = "\nStopped. Of the rows all or none are stored. Run the same command again: it says what is left to do."
STOPPED_CHECK = "\nStopped. Nothing was changed."


@click.command("restore")
@click.argument("archive", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Only verify the archive; needs no database and writes nothing.")
@click.option("--go-on", is_flag=True, help="Let mail, jobs and releases continue, and API tokens hold.")
@with_appcontext
def restore(archive: Path, *, check: bool, go_on: bool) -> None:
    """Restore a backup into an empty portal.

    ARCHIVE was written by portal backup, from any kind of database that the portal supports. The portal is empty when
    its database has no rows; missing tables are created. The whole archive is verified before anything is written. If
    the command is interrupted, run it again. Afterwards everybody has to sign in again. What waited when the backup was
    made is held, and API tokens are revoked, unless --go-on says that nothing was done since.
    """
    try:
        with CommandStages() as stages, open_archive(archive) as opened:
            if not check:
                _refuse(opened.manifest)
            opened.check(stages)
            message = f"It is complete. {_summary(opened.manifest)}" if check else _restore(opened, stages, go_on=go_on)
    except KeyboardInterrupt:
        db.session().invalidate()
        click.echo(STOPPED_CHECK if check else STOPPED, err=True)
        sys.exit(INTERRUPTED)
    except (ArchiveError, RefusedError, UnknownKindError) as error:
        db.session.rollback()
        raise click.ClickException(f"{archive}: {error}") from None
    click.echo(message)


def _refuse(manifest: Manifest) -> None:
    """Refuse a restore that cannot succeed, before most of the archive is read.

    Raises:
        RefusedError: The archive does not fit this version, this database or this store.
    """
    with db.engine.connect() as connection:
        reason = (
            why_not_again(connection, manifest)
            or why_not_empty(connection)
            or why_not_these_tables(manifest, revision_of(connection), _head())
        )
    if reason:
        raise RefusedError(reason)
    missing_files(manifest, file_store(current_app))


def _restore(archive: Archive, stages: Stages, *, go_on: bool) -> str:
    """Create missing tables, then write files and rows. Commits, and returns the summary to print."""
    manifest, now, session = archive.manifest, datetime.now(UTC), db.session()
    stages.begin("Creating the tables")
    with db.engine.connect() as connection:
        is_bare = revision_of(connection) is None
    if is_bare:
        upgrade()
    files = file_store(current_app)
    add_files(archive, missing_files(manifest, files), files, stages)
    connection = session.connection()
    lock_tables(connection)
    add_all_rows(connection, archive, stages)
    held = Held() if go_on else hold_back(connection, made_at=manifest.made_at, now=now)
    end_sessions(connection)
    revoked = 0 if go_on else revoke_tokens(connection, now=now)
    verdict = _verify_and_record(session, manifest, stages, now, revoked)
    lines = [f"Restored. {_summary(manifest)}"]
    if manifest.missing:
        lines.append(f"Files that were missing when the backup was made: {len(manifest.missing):,}.")
    if not verdict.holds:
        lines.append(f"The chain of the audit log was broken before the backup: {verdict.wrong}")
    if held != Held():
        lines.append(
            "Held, because they may have been done after the backup was made: "
            f"{_counted(held.mails, 'mail')} (send them in Admin › Outbox), "
            f"{_counted(held.jobs, 'job')} and {_counted(held.releases, 'release')} of decisions."
        )
    if revoked:
        lines.append(
            f"Revoked, because they may have been revoked after the backup was made: {_counted(revoked, 'API token')}. "
            "Their owners can make new ones."
        )
    lines.append("Everybody has to sign in again. The matcher's index is built when it is first needed.")
    return "\n".join(lines)


def _verify_and_record(session: Session, manifest: Manifest, stages: Stages, now: datetime, revoked: int) -> Verdict:
    """Verify the chain of the restored audit log, then add the restore to it; commits."""
    stages.begin("Verifying the audit log")
    verdict = verify(session)
    after = {
        "made_at": manifest.made_at.isoformat(),
        "rows": manifest.rows,
        "files": len(manifest.files),
        "revoked_tokens": revoked,
    }
    record(session, actor=None, act=RESTORED, object_type="instance", object_key="", now=now, after=after)
    session.commit()
    return verdict


def _head() -> str:
    """The newest migration that this version knows."""
    scripts = ScriptDirectory.from_config(current_app.extensions["migrate"].migrate.get_config())
    return str(scripts.get_current_head())


def _summary(manifest: Manifest) -> str:
    return (
        f"{manifest.rows:,} rows of {len(manifest.tables):,} tables and {len(manifest.files):,} files, from the backup "
        f"of {manifest.made_at:%Y-%m-%d %H:%M} UTC by version {manifest.portal_version}."
    )


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
