"""The jobs of tables of labs: reading one into proposals, and deciding many of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from flask import current_app

from portal.admin.imports.table_queries import NewRow, Upto, row_counts, selected
from portal.applications.files import file_store
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobError, job
from portal.labs.imports_service import refuse_many
from portal.labs.proposals import DecidedProposal
from portal.labs.service import StaleEdit
from portal.labs.table_imports import NotNew, accept_new, accept_of_lab, read_table, refuse_new
from portal.models import LabImport, User
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from sqlalchemy.orm import Session

    from portal.admin.imports.table_queries import What
    from portal.jobs.progress import Progress
    from portal.models import Lab, LabProposal

    OfLab: TypeAlias = tuple[Lab, Sequence[LabProposal]]

READ = "read a table of labs"
DECIDE = "decide a table of labs"


@job(READ)
def read_table_of_labs(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Read a kept table and propose what its rows say; the file goes once its proposals are stored."""
    kept = _import(session, arguments)

    def step(done: int, total: int) -> None:
        progress.step(done, max(total, 1), f"Comparing the rows of {kept.filename} with the labs there are")

    progress.step(0, None, f"Reading {kept.filename}")
    read_table(session, file_store(current_app), kept, now=datetime.now(UTC), step=step)
    key, kept.storage_key = kept.storage_key, ""
    session.commit()
    if key:
        file_store(current_app).delete(key)
    counts = row_counts(session, kept)
    new, changes = counts.new.get("open", 0), counts.changes.get("open", 0)
    text = kept.refusal or (
        f"{counted(new, 'new lab', 'new labs')} and {counted(changes, 'change', 'changes')} of labs there are proposed."
    )
    return Outcome(text, f"/admin/imports/{kept.id}", "See what it says", tone="warn" if kept.refusal else "good")


@job(DECIDE)
def decide_table_of_labs(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Accept or refuse rows, each lab by itself: what cannot be done is left open and counted."""
    kept = _import(session, arguments)
    author = session.get(User, int(arguments["author"]))
    if author is None:
        raise JobError("The account that asked for this is not there any more.")
    chosen = selected(
        session,
        kept,
        cast("What", arguments["what"]),
        new=arguments["new"],
        changes=arguments["changes"],
        upto=Upto(int(arguments["upto_new"]), int(arguments["upto_change"])),
    )
    reason = str(arguments["reason"])
    act = _accept if arguments["decision"] == "accept" else _refuse
    everything: list[NewRow | OfLab] = [*chosen.new, *chosen.changes]
    total, done, left = len(everything), 0, 0
    for place, one in enumerate(everything):
        name, asked = (one.record.name, 1) if isinstance(one, NewRow) else (one[0].name, len(one[1]))
        progress.step(place, total, name)
        decided = 0
        try:
            with session.begin_nested():
                decided = act(session, one, author, reason)
        except (NotNew, DecidedProposal, StaleEdit):
            decided = 0
        done, left = done + decided, left + asked - decided
    progress.step(total, total)
    word = "accepted" if arguments["decision"] == "accept" else "refused"
    text = f"{counted(done, 'proposal is', 'proposals are')} {word}."
    text += f" {left} could not be and are still open; look at them." if left else ""
    return Outcome(text, f"/admin/imports/{kept.id}", "See the table")


def _accept(session: Session, one: NewRow | OfLab, author: User, reason: str) -> int:
    """Make the lab, or change it; how many proposals that took in."""
    now = datetime.now(UTC)
    if isinstance(one, NewRow):
        accept_new(session, one.proposal, one.record, like=one.like, author=author, reason=reason, now=now)
        return 1
    return accept_of_lab(session, *one, author=author, reason=reason, now=now)


def _refuse(session: Session, one: NewRow | OfLab, author: User, reason: str) -> int:
    """Make no lab, or leave it as it is; how many proposals that were."""
    now = datetime.now(UTC)
    if isinstance(one, NewRow):
        refuse_new(session, one.proposal, author=author, reason=reason, now=now)
        return 1
    refuse_many(session, *one, author=author, reason=reason, now=now)
    return len(one[1])


def _import(session: Session, arguments: Mapping[str, Any]) -> LabImport:
    kept = session.get(LabImport, int(arguments["import"]))
    if kept is None:
        raise JobError("This import is not there any more.")
    return kept
