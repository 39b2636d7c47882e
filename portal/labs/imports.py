"""Imports files into profiles as proposals: a person decides on each change. The caller commits."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from portal import audit
from portal.labs.live_index.state import Stamp, read_corpus
from portal.labs.proposals import DecidedProposal, as_row
from portal.labs.queries import profile_of
from portal.labs.service import create_lab, save_profile
from portal.models import Lab, LabImport, LabProposal
from portal.seeding.changes import MergeError
from portal.seeding.imports.decoding import BYTE_LIMIT
from portal.seeding.imports.imported import KIND_NAMES, ImportRefused, refusal_for
from portal.seeding.imports.labs_table import plan_labs
from portal.seeding.imports.planning import plan_import, with_proposals
from portal.seeding.plan import Proposal
from portal.storage import CANNOT_KEEP, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import LabRevision, User
    from portal.seeding.imports.imported import Imported, ImportKind
    from portal.seeding.imports.labs_table import LabPlan
    from portal.seeding.records import LabRecord
    from portal.storage import FileStore


logger = logging.getLogger(__name__)
FOLDER = "imports"
MOST_LISTED = 2_000  # entries and remarks stored per file
LONGEST_NAME = 255
LONGEST_REASON = 500  # characters


class RefusedImport(ValueError):
    """The file is refused; the message says why and what to do."""


def check_size(data: bytes) -> None:
    """Check that a file is neither empty nor too large.

    Raises:
        RefusedImport: It is one of both.
    """
    if not data.strip():
        raise RefusedImport("There is nothing in it. Choose another file, or paste a text.")
    if len(data) > BYTE_LIMIT:
        raise RefusedImport(f"The file has more than {BYTE_LIMIT:,} bytes, the most that is read. Split it.")


def store_import(
    session: Session, files: FileStore, lab: Lab, *, data: bytes, filename: str, actor: User, now: datetime
) -> LabImport:
    """Store a file for reading into a lab. Side effect: writes the file at once.

    Raises:
        RefusedImport: It is empty or too large, or the storage does not answer.
    """
    check_size(data)
    key = f"{FOLDER}/{secrets.token_urlsafe(24)}"
    try:
        files.put(key, data)
    except StoreUnavailable:
        logger.exception("A file to import could not be kept")
        raise RefusedImport(f"{CANNOT_KEEP} Try again later.") from None
    return record_import(session, lab, filename=filename, actor=actor, now=now, key=key)


def record_import(
    session: Session, lab: Lab | None, *, filename: str, actor: User | None, now: datetime, key: str = ""
) -> LabImport:
    """Store the record of an upload, with an audit entry. Without `actor`, it came from the command line.

    `key` is where the file is stored; empty for one that is read in the same transaction.
    """
    lab_import = LabImport(
        lab_id=lab.id if lab else None,
        filename=filename[:LONGEST_NAME],
        storage_key=key,
        created_by_id=actor.id if actor else None,
        created_at=now,
    )
    session.add(lab_import)
    session.flush()
    audit.record(
        session,
        actor=actor,
        act="lab.import" if lab else "labs.import",
        object_type="lab" if lab else "import",
        object_key=lab.slug if lab else str(lab_import.id),
        now=now,
        after={"file": lab_import.filename, "import": lab_import.id},
    )
    return lab_import


def read_stored_import(
    session: Session, files: FileStore, lab_import: LabImport, *, kind: ImportKind | None, now: datetime
) -> Sequence[LabProposal]:
    """Read a stored file and store its changes as proposals, except those already made or proposed before.

    If the file cannot be read, the reason is stored instead. Reading it twice proposes nothing twice.
    """
    if lab_import.read_at is not None or lab_import.lab is None:
        return []
    # The readers of all kinds of files, which no other request needs.
    from portal.seeding.imports.reading import read_import

    try:
        imported = read_import(files.get(lab_import.storage_key), filename=lab_import.filename, kind=kind)
        proposals = new_proposals(session, lab_import.lab, undecided(session, lab_import.lab, imported))
    except (ImportRefused, RefusedImport) as refusal:
        lab_import.refusal, lab_import.read_at = refusal_for(refusal, lab_import.filename)[:1000], now
        return []
    return propose(session, lab_import, lab_import.lab, imported, proposals, now=now)


def undecided(session: Session, lab: Lab, imported: Imported) -> Sequence[Proposal]:
    """What a file would change in a lab's profile, without changes accepted or refused before. Writes nothing.

    Raises:
        RefusedImport: The file is not about one lab.
    """
    if len(imported.labs) != 1:
        raise RefusedImport(
            f"This is {KIND_NAMES[imported.kind]} with {len(imported.labs)} labs, and only a file about one lab can be "
            "imported here. A table of labs is imported with portal import."
        )
    decided = select(LabProposal.fingerprint).where(LabProposal.lab_id == lab.id, LabProposal.state != "open")
    return plan_import(profile_of(session, lab), imported, excluded=frozenset(session.scalars(decided)))


def new_proposals(session: Session, lab: Lab, proposals: Iterable[Proposal]) -> list[Proposal]:
    """The proposals that were never made before."""
    fingerprints = frozenset(session.scalars(select(LabProposal.fingerprint).where(LabProposal.lab_id == lab.id)))
    return [proposal for proposal in proposals if proposal.fingerprint not in fingerprints]


def propose(
    session: Session,
    lab_import: LabImport,
    lab: Lab,
    imported: Imported,
    proposals: Iterable[Proposal],
    *,
    now: datetime,
) -> Sequence[LabProposal]:
    """Store the proposals of a file, and record what became of its entries."""
    record_reading(lab_import, imported, now)
    rows = [as_row(proposal, lab.id, lab_import.id, now) for proposal in proposals]
    session.add_all(rows)
    session.flush()
    return rows


def waiting_of_files(session: Session, fingerprints: Collection[str], lab: Lab | None = None) -> list[LabProposal]:
    """Open proposals of files that have one of these fingerprints, for one lab or, with None, for all labs."""
    waiting = select(LabProposal).where(LabProposal.state == "open", LabProposal.import_id.is_not(None))
    if lab is not None:
        waiting = waiting.where(LabProposal.lab_id == lab.id)
    rows = session.scalars(waiting.order_by(LabProposal.lab_id, LabProposal.id))
    return [row for row in rows if row.fingerprint in fingerprints]


def count_open(session: Session, fingerprints: Collection[str], lab: Lab | None = None) -> int:
    """How many open proposals have one of these fingerprints, whoever made them; for one lab or, with None, for all."""
    waiting = select(LabProposal.fingerprint).where(LabProposal.state == "open")
    if lab is not None:
        waiting = waiting.where(LabProposal.lab_id == lab.id)
    return sum(fingerprint in fingerprints for fingerprint in session.scalars(waiting))


def record_reading(lab_import: LabImport, imported: Imported, now: datetime) -> None:
    """Record what kind of file it was, and its entries that are in no proposal."""
    lab_import.kind, lab_import.read_at = imported.kind, now
    lab_import.counts = {name: len(getattr(imported, name)) for name in ("taken", "merged", "problems", "ignored")}
    lab_import.left_out = _listed(imported)
    lab_import.remarks = [
        {"line": remark.line, "pointer": remark.pointer, "said": remark.said, "reason": remark.reason}
        for remark in imported.remarks[:MOST_LISTED]
    ]


def accept_many(
    session: Session, lab: Lab, proposals: Sequence[LabProposal], *, author: User, reason: str, now: datetime
) -> LabRevision | None:
    """Accept proposals together, as one revision; None if the profile already says all of it.

    Raises:
        DecidedProposal: One of them has been decided meanwhile.
        MergeError: The profile no longer has the item that one of them is about.
        StaleEdit: The profile was saved at the same time.
    """
    profile, base = profile_of(session, lab), lab.revision_number
    changed = with_accepted(profile, proposals)
    _decide_many(session, proposals, "accepted", author, now)
    return save_profile(session, lab, changed, base=base, author=author, reason=reason, now=now, source="import")


def accept_fitting(
    session: Session, lab: Lab, proposals: Sequence[LabProposal], *, author: User, reason: str, now: datetime
) -> tuple[int, LabRevision | None]:
    """Accept those proposals that still apply, as one revision; returns how many, and the revision.

    Raises:
        DecidedProposal: One of them has been decided meanwhile.
        StaleEdit: The profile was saved at the same time.
    """
    applicable = fitting(profile_of(session, lab), proposals)
    if not applicable:
        return 0, None
    return len(applicable), accept_many(session, lab, applicable, author=author, reason=reason, now=now)


def refuse_many(
    session: Session, lab: Lab, proposals: Sequence[LabProposal], *, author: User, reason: str, now: datetime
) -> None:
    """Refuse proposals together: the profile stays, and none of them is made again.

    Raises:
        DecidedProposal: One of them has been decided meanwhile.
    """
    _decide_many(session, proposals, "refused", author, now)
    audit.record(
        session,
        actor=author,
        act="lab.refuse_proposals",
        object_type="lab",
        object_key=lab.slug,
        now=now,
        after={"proposals": [proposal.id for proposal in proposals], "reason": reason},
    )


def with_accepted(profile: LabRecord, proposals: Iterable[LabProposal]) -> LabRecord:
    """The profile as it would be with these proposals accepted.

    Raises:
        MergeError: It no longer has the item that one of them is about.
    """
    return with_proposals(profile, [_as_planned(profile.key, proposal) for proposal in proposals])


def fitting(profile: LabRecord, proposals: Sequence[LabProposal]) -> list[LabProposal]:
    """The proposals that can be applied together; of two that add the same item, the first."""
    applicable: list[LabProposal] = []
    parts = [list(proposals)]
    while parts:
        part = parts.pop()
        try:
            profile = with_accepted(profile, part)
        except MergeError:
            # Bisect: where a few of thousands do not apply, not every one has to be tried by itself.
            half = len(part) // 2
            parts += [part[half:], part[:half]] if half else []
        else:
            applicable += part
    return applicable


def _listed(imported: Imported) -> list[dict[str, Any]]:
    left_out = [*imported.problems, *imported.merged, *imported.ignored]
    return [
        {"where": entry.where, "said": entry.said, "outcome": entry.outcome, "reason": entry.reason or entry.item}
        for entry in left_out[:MOST_LISTED]
    ]


def _as_planned(slug: str, row: LabProposal) -> Proposal:
    return Proposal(slug, row.path, row.current, row.proposed, row.why)


def _decide_many(session: Session, proposals: Sequence[LabProposal], state: str, author: User, now: datetime) -> None:
    proposal_ids = [proposal.id for proposal in proposals]
    decided = session.execute(
        update(LabProposal)
        .where(LabProposal.id.in_(proposal_ids), LabProposal.state == "open")
        .values(state=state, decided_at=now, decided_by_id=author.id)
    )
    if decided.rowcount != len(proposal_ids):  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
        raise DecidedProposal(f"{len(proposal_ids)} proposals were not all open any more")


def planned_rows(session: Session, imported: Imported) -> Sequence[LabPlan]:
    """What the rows would make and change, without changes accepted or refused before. Writes nothing."""
    profiles = read_corpus(session, Stamp(), ()).profiles
    decided = frozenset(session.scalars(select(LabProposal.fingerprint).where(LabProposal.state != "open")))
    return plan_labs(profiles, imported, excluded=decided)


def propose_rows(
    session: Session, lab_import: LabImport, imported: Imported, plans: Sequence[LabPlan], *, now: datetime
) -> None:
    """Store the changes of labs that are there as proposals, and record what became of the rows."""
    lab_ids = {lab.slug: lab.id for lab in session.execute(select(Lab.slug, Lab.id))}
    session.add_all(
        as_row(proposal, lab_ids[plan.lab], lab_import.id, now) for plan in plans for proposal in plan.proposals
    )
    session.flush()
    record_reading(lab_import, imported, now)


def make_lab(session: Session, record: LabRecord, *, author: User, reason: str, now: datetime) -> bool:
    """Make the lab of a row; False if somebody has made one at this address in the same moment."""
    try:
        with session.begin_nested():
            create_lab(session, record, author=author, reason=reason, now=now, source="import")
    except IntegrityError:
        return False
    return True
