"""`portal restore`: from an archive into an empty portal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from alembic.script import ScriptDirectory
from flask import current_app
from flask.cli import with_appcontext
from flask_migrate import upgrade

from portal.applications.files import file_store
from portal.audit import record, verify
from portal.backups import restoring
from portal.backups.database import revision_of
from portal.backups.holding import Held, end_sessions, hold_back, revoke_tokens
from portal.backups.kinds import UnknownKindError
from portal.backups.manifest import ArchiveError
from portal.backups.reading import open_archive
from portal.backups.restoring import RefusedError
from portal.db import db
from portal.labs.commands.interrupts import InterruptedAtOnce, interrupts_between_steps
from portal.labs.commands.stages import CommandStages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from portal.audit import Verdict
    from portal.backups.manifest import Manifest
    from portal.backups.reading import Archive
    from portal.labs.live_index.labs import Stages

INTERRUPTED = 130
STOPPED = "\nStopped. The database is as empty as before. To continue, run the same command again."
STOPPED_LATE = "\nStopped. Everything was restored, but into tables of an older version. Run portal db upgrade."
STOPPED_AT_ONCE = "\nStopped while it was stored. Run the same command again: it says whether something is left to do."
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
    except InterruptedAtOnce:
        db.session().invalidate()
        click.echo(STOPPED_AT_ONCE, err=True)
        sys.exit(INTERRUPTED)
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
    known_revisions = [script.revision for script in _scripts().walk_revisions()]
    with db.engine.connect() as connection:
        revision = revision_of(connection)
        reason = (
            restoring.why_not_this_version(manifest, known_revisions)
            or restoring.how_far_already(connection, manifest, _head())
            or restoring.why_not_empty(connection)
            or restoring.why_not_into(manifest, revision, _head())
        )
    if reason:
        raise RefusedError(reason)
    restoring.missing_files(manifest, file_store(current_app))


def _restore(archive: Archive, stages: Stages, *, go_on: bool) -> str:
    """Create missing tables, then write files and rows. Commits, and returns the summary to print."""
    manifest, now, session = archive.manifest, datetime.now(UTC), db.session()
    stages.begin("Creating the tables")
    with db.engine.connect() as connection:
        is_bare = revision_of(connection) is None
    if is_bare:
        upgrade(revision=manifest.revision)
    files = file_store(current_app)
    restoring.add_files(archive, restoring.missing_files(manifest, files), files, stages)
    connection = session.connection()
    restoring.lock_tables(connection)
    restoring.add_all_rows(connection, archive, stages)
    held = Held() if go_on else hold_back(connection, made_at=manifest.made_at, now=now)
    end_sessions(connection)
    revoked = 0 if go_on else revoke_tokens(connection, now=now)
    if manifest.revision == _head():
        verdict = _verify_and_record(session, manifest, stages, now, revoked)
    else:
        with _reporting_late_interrupt():
            with interrupts_between_steps() as stop_if_asked:
                session.commit()
                stop_if_asked()
            stages.begin("Bringing the tables up to date")
            upgrade()
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
    """Verify the chain of the restored audit log, then add the restore to it; commits, and Ctrl-C waits for that."""
    stages.begin("Verifying the audit log")
    verdict = verify(session)
    after = {
        "made_at": manifest.made_at.isoformat(),
        "rows": manifest.rows,
        "files": len(manifest.files),
        "revoked_tokens": revoked,
    }
    with interrupts_between_steps():
        record(session, actor=None, act=restoring.RESTORED, object_type="instance", object_key="", now=now, after=after)
        session.commit()
    return verdict


@contextmanager
def _reporting_late_interrupt() -> Iterator[None]:
    """On an interrupt after the rows were committed, say how to finish, and end the command."""
    try:
        yield
    except InterruptedAtOnce:
        raise
    except KeyboardInterrupt:
        click.echo(STOPPED_LATE, err=True)
        sys.exit(INTERRUPTED)


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(current_app.extensions["migrate"].migrate.get_config())


def _head() -> str:
    """The newest migration that this version knows."""
    return str(_scripts().get_current_head())


def _summary(manifest: Manifest) -> str:
    return (
        f"{manifest.rows:,} rows of {len(manifest.tables):,} tables and {len(manifest.files):,} files, from the backup "
        f"of {manifest.made_at:%Y-%m-%d %H:%M} UTC by version {manifest.portal_version}."
    )


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
