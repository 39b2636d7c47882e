"""Proposed changes of profiles, which a person decides. The caller commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import update

from portal.models import LabProposal
from portal.seeding.merging import LAST, Change, apply
from portal.seeding.records import COLLECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User
    from portal.seeding.merging import ChangeKind, Proposal
    from portal.seeding.records import LabRecord


LONGEST_WHY = 500  # characters


class DecidedProposal(Exception):
    """The proposal has already been accepted or refused. Nothing was written."""


def as_row(proposal: Proposal, lab_id: int, import_id: int | None, now: datetime) -> LabProposal:
    """A proposal of a page, or of the file of an import, as a row for the lab with this id."""
    return LabProposal(
        lab_id=lab_id,
        import_id=import_id,
        path=proposal.path,
        current=proposal.current,
        proposed=proposal.proposed,
        why=proposal.why[:LONGEST_WHY],
        fingerprint=proposal.fingerprint,
        created_at=now,
    )


def decide(session: Session, proposals: Sequence[LabProposal], state: str, author: User, now: datetime) -> None:
    """Mark proposals as accepted or refused, all or none.

    Raises:
        DecidedProposal: One of them has already been decided.
    """
    ids = [proposal.id for proposal in proposals]
    decided = session.execute(
        update(LabProposal)
        .where(LabProposal.id.in_(ids), LabProposal.state == "open")
        .values(state=state, decided_at=now, decided_by_id=author.id)
    )
    if decided.rowcount != len(ids):  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
        raise DecidedProposal(f"{len(ids)} proposals were not all open any more")


def with_accepted(profile: LabRecord, proposals: Iterable[LabProposal]) -> LabRecord:
    """The profile as it would be with these proposals accepted; new items stand last.

    Raises:
        MergeError: It no longer has what one of them is about, or has an item that one adds.
    """
    return apply(profile, (Change(row.path, _kind(row), row.current, row.proposed, LAST) for row in proposals))


def _kind(row: LabProposal) -> ChangeKind:
    if row.proposed is None:
        return "removed"
    if row.path in COLLECTIONS:
        return "moved"
    return "added" if row.path.count("/") == 1 else "changed"
