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
@click.option("--delete", "delete", is_flag=True, help="Delete them. Without it, they are only listed.")
@click.option("--however-many", is_flag=True, help="Delete them also where that is most of all files.")
@with_appcontext
def sweep_files(*, delete: bool, however_many: bool) -> None:
    """List uploaded files older than a day that nothing refers to; with --delete, delete them.

    Such a file is left when the portal is killed between writing a file and saving its row. A file that
    a resume, a submission or a letter names is never deleted. Where nothing refers to most of the files, or the
    database has no accounts, nothing is deleted: it is hardly the database that belongs to them.
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
        gone = 0
        for orphan, is_gone in delete_orphans(session, files, found):
            gone += is_gone
            if not is_gone:
                click.echo(f"{orphan.file.key} is referred to by now and stays.")
        click.echo(f"{_counted(gone)} deleted.")


def _counted(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"
