"""The audit log as a file, oldest entry first, line by line; and `portal audit verify`."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import click
from flask.cli import with_appcontext
from sqlalchemy import select

from portal.admin.system.audit_log.queries import count_entries
from portal.admin.system.audit_log.words import act_in_words
from portal.audit import verify as verify_chain
from portal.db import db
from portal.models import AuditEntry
from portal.web.downloads import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Row
    from sqlalchemy.orm import Session


HEADER = ("position", "at", "who", "act", "in words", "type", "object", "before", "after", "seal")
COLUMNS = (
    AuditEntry.position,
    AuditEntry.at,
    AuditEntry.actor_label,
    AuditEntry.act,
    AuditEntry.object_type,
    AuditEntry.object_key,
    AuditEntry.before,
    AuditEntry.after,
    AuditEntry.seal,
)
BATCH_SIZE = 1_000  # entries read at a time


def csv_lines(session: Session, conditions: Sequence[ColumnElement[bool]] = ()) -> Iterator[str]:
    """The entries as CSV; no cell is a formula."""
    yield _csv_line(HEADER)
    for entry in _entries(session, conditions):
        values = (json.dumps(value, ensure_ascii=False) for value in (entry.before, entry.after))
        row = (entry.position, entry.at.isoformat(), entry.actor_label, entry.act, act_in_words(entry.act))
        cells = (*row, entry.object_type, entry.object_key, *values, entry.seal)
        yield _csv_line([harmless(str(cell)) for cell in cells])


def _entries(session: Session, conditions: Sequence[ColumnElement[bool]]) -> Iterator[Row[*tuple[Any, ...]]]:
    """The entries as rows of columns, not mapped objects, which take twice as long."""
    statement = select(*COLUMNS).where(*conditions).order_by(AuditEntry.position, AuditEntry.id)
    with session.execute(statement.execution_options(yield_per=BATCH_SIZE)) as entries:
        yield from entries


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line, quoting=csv.QUOTE_ALL).writerow(cells)
    return line.getvalue()


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
