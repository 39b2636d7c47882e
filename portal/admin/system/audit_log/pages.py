"""The audit log: filtered pages, the same as a file for spreadsheets, and `portal audit verify`."""

from __future__ import annotations

import csv
import io
import json
import sys
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click
from flask import redirect, render_template, request, stream_with_context, url_for
from flask.cli import with_appcontext
from sqlalchemy import select

from portal.admin.system.audit_log.queries import (
    audit_acts,
    audit_page,
    count_entries,
    is_no_newer_than_now,
    read_filter,
)
from portal.admin.system.audit_log.words import ACTS, act_in_words
from portal.audit import verify as verify_chain
from portal.db import db
from portal.models import AuditEntry
from portal.web.downloads import BYTE_ORDER_MARK, CSV, download, harmless, record_download, what_was_asked
from portal.web.paging import page_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy import ColumnElement
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
"""Columns, not mapped objects, which take twice as long."""
BATCH_SIZE = 1_000  # entries read at a time
LINES_AT_ONCE = 500  # of a file: each piece is sent by itself


def audit_log() -> ResponseReturnValue:
    """All privileged acts, newest first; filtered by act, person, object and days."""
    session, chosen = db.session(), read_filter(request.args)
    page = render_template(
        "admin/audit_log.html",
        acts=sorted((act_in_words(act), act) for act in audit_acts(session)),
        chosen=chosen,
        page=audit_page(session, chosen, number=page_number(request.args.get("page"))),
    )
    return page, 422 if chosen.errors else 200


def audit_file() -> ResponseReturnValue:
    """The entries that match the filter, oldest first, as a streamed CSV file. Side effect: an audit entry."""
    session, chosen = db.session(), read_filter(request.args)
    if chosen.errors:
        return redirect(f"{url_for('admin.audit_log')}?{urlencode(chosen.query())}")
    # Only entries before this one's own: the entry about this download is in the next download.
    conditions = [*chosen.conditions(session), is_no_newer_than_now(session)]
    rows = count_entries(session, conditions)
    typed = {"person", "about"} if chosen.act in ACTS else {"person", "about", "act"}
    filters = what_was_asked(chosen.query(), typed=typed)
    record_download(act="audit.download", object_type="audit log", object_key="as CSV", rows=rows, asked=filters)
    return download(stream_with_context(_pieces(conditions)), "audit-log.csv", CSV)


def _pieces(conditions: Sequence[ColumnElement[bool]]) -> Iterator[str]:
    """The file, piece by piece. The session is asked for when the first piece is: that of the request is closed by
    then, and used again it would keep its connection, with a transaction in it, until memory is tidied up.
    """
    yield BYTE_ORDER_MARK
    lines = csv_lines(db.session(), conditions)
    while piece := "".join(islice(lines, LINES_AT_ONCE)):
        yield piece


def csv_lines(session: Session, conditions: Sequence[ColumnElement[bool]] = ()) -> Iterator[str]:
    """The entries as CSV, oldest first; no cell is a formula."""
    yield _csv_line(HEADER)
    statement = select(*COLUMNS).where(*conditions).order_by(AuditEntry.position, AuditEntry.id)
    with session.execute(statement.execution_options(yield_per=BATCH_SIZE)) as entries:
        for entry in entries:
            values = (json.dumps(value, ensure_ascii=False) for value in (entry.before, entry.after))
            row = (entry.position, entry.at.isoformat(), entry.actor_label, entry.act, act_in_words(entry.act))
            cells = (*row, entry.object_type, entry.object_key, *values, entry.seal)
            yield _csv_line([harmless(str(cell)) for cell in cells])


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
