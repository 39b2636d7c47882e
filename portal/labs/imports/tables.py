"""Imports tables of labs: a row of a new lab is proposed as a whole, other rows field by field. The caller commits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from portal import audit
from portal.labs.imports.service import as_row, record_reading
from portal.labs.live_index.corpus import Stamp, read_corpus
from portal.labs.proposals.service import DecidedProposal
from portal.labs.queries import IS_NEWEST
from portal.labs.service import create_lab
from portal.models import Lab, LabProposal, LabRevision, NewLabProposal
from portal.seeding.imports.imported import KIND_NAMES, ImportRefused, refusal_for
from portal.seeding.imports.planning_labs import plan_labs, same_labs
from portal.seeding.names import unique
from portal.seeding.records import LabRecord
from portal.seeding.snapshots import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import LabImport, User
    from portal.seeding.imports.imported import Imported
    from portal.seeding.imports.planning_labs import LabPlan
    from portal.storage import FileStore

LONGEST_REFUSAL = 1_000
LONGEST_NAME = 300


class NotNew(Exception):
    """The lab has been created meanwhile. Nothing was written; the message says where it is."""


def read_table(
    session: Session, files: FileStore, lab_import: LabImport, *, now: datetime, step: Callable[[int, int], None]
) -> None:
    """Read a stored table and store its proposals; an unreadable file stores the reason.

    `step` is called with the number of rows done and of all rows, and may commit: rows that were proposed before an
    interruption are not proposed again.
    """
    if lab_import.read_at is not None:
        return
    try:
        imported = _labs_of(files, lab_import)
    except ImportRefused as refusal:
        lab_import.refusal, lab_import.read_at = refusal_for(refusal, lab_import.filename)[:LONGEST_REFUSAL], now
        return
    step(0, len(imported.labs))
    plans = new_row_proposals(session, undecided_rows(session, imported))
    propose_rows(session, lab_import, imported, plans, now=now, step=step)


def undecided_rows(session: Session, imported: Imported) -> list[LabPlan]:
    """What the rows would create and change, without changes accepted or refused before. Writes nothing."""
    profiles = read_corpus(session, Stamp()).profiles
    decided = frozenset(session.scalars(select(LabProposal.fingerprint).where(LabProposal.state != "open")))
    states = select(NewLabProposal.fingerprint, NewLabProposal.state)
    state_by_fingerprint = {new_proposal.fingerprint: new_proposal.state for new_proposal in session.execute(states)}
    return [
        plan
        for plan in plan_labs(profiles, imported, excluded=decided)
        # A row that waits as a new lab proposes no changes, even if the lab exists by now.
        if plan.fingerprint not in state_by_fingerprint
        or (plan.new is not None and state_by_fingerprint[plan.fingerprint] == "open")
    ]


def new_row_proposals(session: Session, plans: Iterable[LabPlan]) -> list[LabPlan]:
    """The parts of the plans that were never proposed before."""
    row_fingerprints = frozenset(session.scalars(select(NewLabProposal.fingerprint)))
    fingerprints = frozenset(session.scalars(select(LabProposal.fingerprint)))
    fresh = []
    for plan in plans:
        proposals = tuple(proposal for proposal in plan.proposals if proposal.fingerprint not in fingerprints)
        if proposals or (plan.new is not None and plan.fingerprint not in row_fingerprints):
            fresh.append(replace(plan, proposals=proposals))
    return fresh


def propose_rows(
    session: Session,
    lab_import: LabImport,
    imported: Imported,
    plans: Sequence[LabPlan],
    *,
    now: datetime,
    step: Callable[[int, int], None],
) -> None:
    """Store the proposals of a table's rows, and record what became of the rows.

    `step` is called with the number of rows done and of all rows, and may commit.
    """
    lab_ids = {lab.slug: lab.id for lab in session.execute(select(Lab.slug, Lab.id))}
    for done, plan in enumerate(plans):
        session.add_all(_rows(plan, lab_ids, lab_import, now))
        step(done, len(plans))
    session.flush()
    record_reading(lab_import, imported, now)


def _labs_of(files: FileStore, lab_import: LabImport) -> Imported:
    # The readers of all kinds of files, which no other request needs.
    from portal.seeding.imports.reading import read_import

    imported = read_import(files.get(lab_import.storage_key), filename=lab_import.filename)
    if imported.kind != "labs_csv":
        kind = KIND_NAMES[imported.kind]
        raise ImportRefused(f"This is {kind}, not a table of labs. Import it on the page of the lab that it is about.")
    return imported


def _rows(
    plan: LabPlan, lab_ids: Mapping[str, int], lab_import: LabImport, now: datetime
) -> Iterable[NewLabProposal | LabProposal]:
    if plan.new is None:
        return [as_row(proposal, lab_ids[plan.lab], lab_import.id, now) for proposal in plan.proposals]
    return [
        NewLabProposal(
            import_id=lab_import.id,
            line=plan.line,
            name=plan.new.name[:LONGEST_NAME],
            snapshot=to_json(plan.new),
            fingerprint=plan.fingerprint,
            created_at=now,
        )
    ]


def labs_like(session: Session, drafts: Sequence[LabRecord]) -> dict[int, str]:
    """For each draft (by index) that matches an existing lab, the lab's slug."""
    rows = session.execute(
        select(Lab.slug, Lab.name, Lab.leader, Lab.institution, LabRevision.snapshot["homepage"].as_string()).join(
            LabRevision, IS_NEWEST
        )
    )
    present = {
        slug: LabRecord(key=slug, name=name, leader=leader, institution=institution, homepage=homepage or "")
        for slug, name, leader, institution, homepage in rows
    }
    return same_labs(present, drafts)


def accept_new(
    session: Session,
    proposal: NewLabProposal,
    record: LabRecord,
    *,
    like: str | None,
    author: User,
    reason: str,
    now: datetime,
) -> Lab:
    """Create the lab from `record`: the row's content, possibly edited by a person. It gets a free address.

    `like` is the slug of an existing lab that is the same, as `labs_like` found it.

    Raises:
        DecidedProposal: The row has already been decided.
        NotNew: A lab like this exists by now, or its address was taken at the same time.
    """
    if like is not None:
        raise NotNew(f"{record.name} exists by now, at /labs/{like}.")
    _decide(session, proposal, "accepted", author, now, reason)
    slugs = session.scalars(select(Lab.slug).where(Lab.slug.startswith(record.key, autoescape=True)))
    try:
        with session.begin_nested():
            lab = create_lab(
                session,
                replace(record, key=unique(record.key, slugs)),
                author=author,
                reason=reason,
                now=now,
                source="import",
            )
    except IntegrityError:
        raise NotNew(f"Somebody created a lab at /labs/{record.key} at the same moment.") from None
    proposal.lab_id = lab.id
    session.flush()
    return lab


def refuse_new(session: Session, proposal: NewLabProposal, *, author: User, reason: str, now: datetime) -> None:
    """Refuse to create a lab from a row; it is not proposed again.

    Raises:
        DecidedProposal: The row has already been decided.
    """
    _decide(session, proposal, "refused", author, now, reason)


def record_of(proposal: NewLabProposal) -> LabRecord:
    """The profile that a row describes."""
    return from_json(proposal.snapshot)


def _decide(session: Session, proposal: NewLabProposal, state: str, author: User, now: datetime, reason: str) -> None:
    decided = session.execute(
        update(NewLabProposal)
        .where(NewLabProposal.id == proposal.id, NewLabProposal.state == "open")
        .values(state=state, decided_at=now, decided_by_id=author.id)
    )
    if not decided.rowcount:  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
        raise DecidedProposal
    audit.record(
        session,
        actor=author,
        act=f"lab.new_{state}",
        object_type="import",
        object_key=str(proposal.import_id or ""),
        now=now,
        after={"name": proposal.name, "line": proposal.line, "reason": reason},
    )
