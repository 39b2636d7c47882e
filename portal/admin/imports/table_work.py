"""The jobs of tables of labs: reading one into proposals, and deciding many of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from flask import current_app

from portal.admin.imports.deciding import administrator_asking, decide_each
from portal.admin.imports.table_queries import Upto, decided_since, row_counts, selected
from portal.applications.files import file_store, remove_once_committed
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.labs.imports.tables import read_table
from portal.models import LabImport
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from portal.admin.imports.deciding import Decision
    from portal.admin.imports.table_queries import What
    from portal.jobs.progress import Progress

READ = "read a table of labs"
DECIDE = "decide a table of labs"


@job(READ)
def read_table_of_labs(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Read a stored table and propose what its rows say; the file is deleted once its proposals are stored."""
    lab_import = _import(session, arguments)

    def step(done: int, total: int) -> None:
        progress.step(done, max(total, 1), f"Comparing the rows of {lab_import.filename} with the labs there are")

    progress.step(0, None, f"Reading {lab_import.filename}")
    files = file_store(current_app)
    read_table(session, files, lab_import, now=datetime.now(UTC), step=step)
    key, lab_import.storage_key = lab_import.storage_key, ""
    if key:
        remove_once_committed(session, files, key)
    counts = row_counts(session, lab_import)
    new, changes = counts.new.get("open", 0), counts.changes.get("open", 0)
    return Outcome(
        lab_import.refusal or _proposed(new, changes),
        f"/admin/imports/{lab_import.id}",
        "See what it says",
        refused=bool(lab_import.refusal),
    )


def _proposed(new: int, changes: int) -> str:
    """What a table proposes, in a sentence."""
    parts = [counted(new, "new lab", "new labs")] if new else []
    parts += [counted(changes, "change", "changes") + " to labs that are there"] if changes else []
    verb = "is" if new + changes == 1 else "are"
    return f"{' and '.join(parts)} {verb} proposed." if parts else "It proposes nothing that is not there already."


@job(DECIDE)
def decide_table_of_labs(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Accept or refuse rows, lab by lab; those that cannot be decided are left open and counted.

    What a killed try decided counts as well: whoever asked wants to know about all of it.
    """
    lab_import = _import(session, arguments)
    author = administrator_asking(session, int(arguments["author"]))
    chosen = selected(
        session,
        lab_import,
        cast("What", arguments["what"]),
        new=arguments["new"],
        changes=arguments["changes"],
        upto=Upto(int(arguments["upto_new"]), int(arguments["upto_change"])),
    )
    decision: Decision = "accept" if arguments["decision"] == "accept" else "refuse"
    word = "accepted" if decision == "accept" else "refused"
    since = datetime.fromisoformat(arguments["asked_at"]) if "asked_at" in arguments else None  # not in older jobs
    before = decided_since(session, lab_import, word, by=author, since=since) if since else 0

    def step(now_done: int, total: int | None, doing: str = "") -> None:
        progress.step(before + now_done, None if total is None else before + total, doing)

    decided = decide_each(session, chosen, decision, author=author, reason=str(arguments["reason"]), step=step)
    done = decided_since(session, lab_import, word, by=author, since=since) if since else decided.done
    text = f"{counted(done, 'proposal is', 'proposals are')} {word}."
    text += f" {decided.left} could not be and are still open; look at them." if decided.left else ""
    text += f" {decided.by_others} somebody else has decided meanwhile." if decided.by_others else ""
    return Outcome(text, f"/admin/imports/{lab_import.id}", "See the table")


def _import(session: Session, arguments: Mapping[str, Any]) -> LabImport:
    lab_import = session.get(LabImport, int(arguments["import"]))
    if lab_import is None:
        raise JobRefused("This import is not there any more.")
    return lab_import
