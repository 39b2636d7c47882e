"""`portal backup`: everything that the portal stores, in one archive."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import click
from flask import current_app
from flask.cli import with_appcontext

from portal.applications.files import file_store
from portal.backups.atomic_file import TargetError, whole_or_nothing
from portal.backups.kinds import UnknownKindError
from portal.backups.manifest import ArchiveError
from portal.backups.writing import write_archive
from portal.db import db
from portal.labs.commands.stages import CommandStages
from portal.web.extensions import settings_of

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
