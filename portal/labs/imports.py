"""Imports files into profiles as proposals: a person decides on each change. The caller commits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal import audit
from portal.labs.live_index.state import Stamp, read_corpus
from portal.labs.proposals import as_row, decide, with_accepted
from portal.labs.queries import profile_of
from portal.labs.service import save_profile
from portal.models import Lab, LabImport, LabProposal
from portal.seeding.imports.imported import BYTE_LIMIT, KIND_NAMES, ImportRefused, refusal_for
from portal.seeding.imports.labs_table import LabPlan, plan_labs
from portal.seeding.imports.planning import plan_import
from portal.seeding.merging import MergeError
from portal.seeding.same_works import pairs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import LabRevision, User
    from portal.models.lab import RevisionSource
    from portal.seeding.pages import ImportKind, Reading
    from portal.seeding.records import LabRecord


MOST_LISTED = 1_000  # entries and remarks stored per file
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
        raise RefusedImport("There is nothing to read. Choose a file, or paste its text.")
    if len(data) > BYTE_LIMIT:
        raise RefusedImport(f"The file has more than {BYTE_LIMIT:,} bytes, the most that is read. Split it.")


def read_file(data: bytes, filename: str, kind: ImportKind | None = None) -> Reading:
    """What a file about one lab says.

    Raises:
        RefusedImport: It cannot be read, or is a table of several labs.
    """
    check_size(data)
    # The readers of all kinds of files, which no other request needs.
    from portal.seeding.reader import read_import

    try:
        imported = read_import(data, filename=filename, kind=kind)
    except ImportRefused as refusal:
        raise RefusedImport(refusal_for(refusal, filename)) from None
    if len(imported.labs) != 1:
        raise RefusedImport(
            f"This is {KIND_NAMES[imported.kind]} with {len(imported.labs)} labs, and only a file about one lab can be "
            "imported here. A table of labs is imported with portal import."
        )
    return imported


@dataclass(frozen=True, slots=True)
class FileProposals:
    """The proposals of a file: `fresh` are those not stored yet, `waiting` counts those stored before and still open.

    `new` are the labs of a table that are not there yet. `changes` are the fingerprints of all proposals that are not
    decided yet.
    """

    fresh: Sequence[LabPlan]
    waiting: int
    changes: frozenset[str]
    new: Sequence[LabPlan] = ()

    @property
    def count(self) -> int:
        """How many single proposals are fresh."""
        return sum(len(plan.proposals) for plan in self.fresh)


def planned(session: Session, lab: Lab | None, imported: Reading) -> FileProposals:
    """What a file would change in a lab, without changes accepted or refused before; or with None, a table in its labs
    and which it would make. Writes nothing.
    """
    asked = select(LabProposal.fingerprint, LabProposal.state)
    if lab is not None:
        asked = asked.where(LabProposal.lab_id == lab.id)
    states = {str(fingerprint): state for fingerprint, state in session.execute(asked)}
    decided = frozenset(fingerprint for fingerprint, state in states.items() if state != "open")
    plans = (
        plan_labs(read_corpus(session, Stamp()).profiles, imported, excluded=decided)
        if lab is None
        else [LabPlan(lab.slug, plan_import(profile_of(session, lab), imported, excluded=decided))]
    )
    changes = frozenset(proposal.fingerprint for plan in plans for proposal in plan.proposals)
    unasked = [
        replace(plan, new=None, proposals=tuple(one for one in plan.proposals if one.fingerprint not in states))
        for plan in plans
    ]
    fresh = [plan for plan in unasked if plan.proposals]
    waiting = sum(len(plan.proposals) for plan in plans) - sum(len(plan.proposals) for plan in fresh)
    return FileProposals(fresh, waiting, changes, [plan for plan in plans if plan.new is not None])


def propose(
    session: Session,
    lab: Lab | None,
    imported: Reading,
    plans: Sequence[LabPlan],
    *,
    actor: User | None,
    now: datetime,
    digest: str = "",
) -> LabImport:
    """Store the proposals of a file that was read into a lab, or into the labs of a table, with an audit entry.

    Without `actor`, it came from the command line. `digest` is that of the file.
    """
    lab_import = record_reading(session, lab, imported, actor=actor, now=now, digest=digest)
    if lab is not None:
        same = _same_works(profile_of(session, lab), imported.draft, plans)
        lab_import.counts = {**lab_import.counts, "same": len(same)}
        lab_import.left_out = [*lab_import.left_out, *same[:MOST_LISTED]]
    slugs = [plan.lab for plan in plans]
    ids = session.execute(select(Lab.slug, Lab.id).where(Lab.slug.in_(slugs)))
    lab_ids = {row.slug: row.id for row in ids}
    session.add_all(
        as_row(proposal, lab_ids[plan.lab], lab_import.id, now) for plan in plans for proposal in plan.proposals
    )
    session.flush()
    return lab_import


def record_reading(
    session: Session, lab: Lab | None, imported: Reading, *, actor: User | None, now: datetime, digest: str = ""
) -> LabImport:
    """Record a file that was read: what kind it was, and its entries that are in no proposal."""
    left_out = [*imported.problems, *imported.merged, *imported.ignored]
    lab_import = LabImport(
        lab_id=lab.id if lab else None,
        filename=imported.filename[:LONGEST_NAME],
        kind=imported.kind,
        digest=digest,
        created_by_id=actor.id if actor else None,
        created_at=now,
        counts={name: len(getattr(imported, name)) for name in ("taken", "merged", "problems", "ignored")},
        left_out=[
            {"where": entry.where, "said": entry.said, "outcome": entry.outcome, "reason": entry.reason or entry.item}
            for entry in left_out[:MOST_LISTED]
        ],
        remarks=[
            {"line": remark.line, "pointer": remark.pointer, "said": remark.said, "reason": remark.reason}
            for remark in imported.remarks[:MOST_LISTED]
        ],
    )
    session.add(lab_import)
    session.flush()
    act, kind, key = ("lab.import", "lab", lab.slug) if lab else ("labs.import", "import", str(lab_import.id))
    audit.record(session, actor, act, kind, key, now, after={"file": lab_import.filename, "import": lab_import.id})
    return lab_import


def _same_works(profile: LabRecord, draft: LabRecord, plans: Iterable[LabPlan]) -> list[dict[str, Any]]:
    """The works of a file of which the profile says the same already."""
    changed = {proposal.path.split("/")[1] for plan in plans for proposal in plan.proposals if "/" in proposal.path}
    matches = pairs(profile.works, draft.works).items()
    matched = ((draft.works[index], profile.works[match.index]) for index, match in matches)
    return [
        {"where": "", "said": new.title, "outcome": "same", "reason": ""}
        for new, stored in matched
        if stored.key not in changed
    ]


def waiting_of_files(session: Session, fingerprints: Collection[str], lab: Lab | None = None) -> list[LabProposal]:
    """Open proposals of files that have one of these fingerprints, for one lab or, with None, for all labs."""
    waiting = select(LabProposal).where(LabProposal.state == "open", LabProposal.import_id.is_not(None))
    if lab is not None:
        waiting = waiting.where(LabProposal.lab_id == lab.id)
    rows = session.scalars(waiting.order_by(LabProposal.lab_id, LabProposal.id))
    return [row for row in rows if row.fingerprint in fingerprints]


def count_open(session: Session, fingerprints: Collection[str]) -> int:
    """How many open proposals have one of these fingerprints, whoever made them."""
    waiting = select(LabProposal.fingerprint).where(LabProposal.state == "open")
    return sum(fingerprint in fingerprints for fingerprint in session.scalars(waiting))


def accept_fitting(
    session: Session, lab: Lab, proposals: Sequence[LabProposal], *, author: User, reason: str, now: datetime
) -> tuple[int, LabRevision | None]:
    """Accept those proposals that still apply, as one revision; returns how many, and the revision, which is None if
    the profile already says all of it.

    Raises:
        DecidedProposal: One of them has been decided meanwhile.
        StaleEdit: The profile was saved at the same time.
    """
    profile, base = profile_of(session, lab), lab.revision_number
    applicable = fitting(profile, proposals)
    if not applicable:
        return 0, None
    changed = with_accepted(profile, applicable)
    decide(session, applicable, "accepted", author, now)
    source: RevisionSource = "import" if applicable[0].import_id else "question"
    return len(applicable), save_profile(
        session, lab, changed, base=base, author=author, reason=reason, now=now, source=source
    )


def refuse_many(
    session: Session, lab: Lab, proposals: Sequence[LabProposal], *, author: User, reason: str, now: datetime
) -> None:
    """Refuse proposals together: the profile stays, and none of them is made again.

    Raises:
        DecidedProposal: One of them has been decided meanwhile.
    """
    decide(session, proposals, "refused", author, now)
    after = {"proposals": [proposal.id for proposal in proposals], "reason": reason}
    audit.record(session, author, "lab.refuse_proposals", "lab", lab.slug, now, after=after)


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
