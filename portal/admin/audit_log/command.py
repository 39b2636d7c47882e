"""`portal audit`: check that the log is what was written, and export it."""

from __future__ import annotations

import sys

import click
from flask.cli import with_appcontext

from portal.admin.audit_log.export import csv_lines
from portal.admin.audit_log.queries import count_entries
from portal.audit import verify as verify_chain
from portal.db import db


@click.group("audit")
def audit() -> None:
    """The log of every privileged act."""


@audit.command("verify")
@with_appcontext
def verify() -> None:
    """Prove that no entry was changed, removed or inserted.

    Exits with 1 if the chain is broken. The last seal stands for the whole log: keep it elsewhere (print it, mail it),
    and nobody who can write to the database can replace the log unnoticed.
    """
    session = db.session()
    total = count_entries(session)
    with click.progressbar(length=total, label="Checking", file=sys.stderr) as bar:
        done = 0

        def progress(position: int) -> None:
            nonlocal done
            bar.update(position - done)
            done = position

        verdict = verify_chain(session, progress)
    if not verdict.holds:
        raise click.ClickException(f"The chain is broken. {verdict.wrong} {verdict.entries:,} entries before it hold.")
    click.echo(f"{verdict.entries:,} entries hold. Last seal: {verdict.seal or 'none'}")


@audit.command("export")
@with_appcontext
def export() -> None:
    """Write the whole log to standard output as CSV, oldest entry first."""
    if sys.stdout is None:
        raise click.ClickException("Standard output is closed. Redirect it, as in: portal audit export > FILE")
    for line in csv_lines(db.session()):
        sys.stdout.write(line)
