"""`portal sweep-files`: find and delete uploaded files that nothing refers to."""

from __future__ import annotations

from datetime import UTC, datetime

import click
from flask import current_app
from flask.cli import with_appcontext

from portal import instance
from portal.applications.files import file_store
from portal.applications.sweep import delete_orphans, orphans, why_not_delete
from portal.db import db


@click.command("sweep-files")
@click.option("--delete", "delete", is_flag=True, help="Delete these files instead of listing them.")
@click.option("--however-many", is_flag=True, help="With --delete: even if they are most of all files.")
@with_appcontext
def sweep_files(*, delete: bool, however_many: bool) -> None:
    """List or delete uploaded files that nothing refers to.

    Such a file remains when the portal is killed after it wrote a file and before it saved the row that names it.
    Only files older than a day are listed. A file that a resume, a submission or a letter names is never deleted.

    --delete refuses to delete most of all files, and any where the database has no accounts: then the settings most
    likely name the wrong database or the wrong files.
    """
    if not instance.has_tables():
        # Without tables nothing is named: that is a wrong address of the database far more often than a fresh start.
        raise click.ClickException(
            "The database has no tables, so nobody can say which files are in use. Nothing was done."
        )
    session, files = db.session(), file_store(current_app)
    found = orphans(session, files, now=datetime.now(UTC))
    for orphan in found:
        kind = "  (not written to its end)" if orphan.unfinished else ""
        click.echo(
            f"{orphan.file.key}  {orphan.file.size:,} bytes, of {orphan.file.written_at:%Y-%m-%d %H:%M} UTC{kind}"
        )
    if not found:
        click.echo("No file that nothing refers to.")
    elif not delete:
        click.echo(f"{_counted(len(found))} that nothing refers to. Nothing was deleted; --delete does it.")
    elif not however_many and (reason := why_not_delete(session, files, found)) is not None:
        raise click.ClickException(f"{reason} Nothing was deleted; --delete --however-many does it all the same.")
    else:
        deleted = 0
        for orphan, is_deleted in delete_orphans(session, files, found):
            deleted += is_deleted
            if not is_deleted:
                click.echo(f"{orphan.file.key} is referred to by now and stays.")
        click.echo(f"{_counted(deleted)} deleted.")


def _counted(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"
