"""Reads concepts and their history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal.models import ConceptEntry, ConceptRevision

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

LONGEST_KEY = 200  # characters


def all_entries(session: Session) -> Sequence[ConceptEntry]:
    """Every entry as it is now, including retired ones, oldest first; those read before are read again."""
    entries = select(ConceptEntry).order_by(ConceptEntry.id)
    return session.scalars(entries.execution_options(populate_existing=True)).all()


def entry_by_id(session: Session, entry_id: int) -> ConceptEntry | None:
    """The entry with this id."""
    return session.get(ConceptEntry, entry_id)


def revisions_of(session: Session, entry: ConceptEntry) -> Sequence[ConceptRevision]:
    """All revisions of an entry, newest first."""
    return session.scalars(
        select(ConceptRevision).where(ConceptRevision.concept_id == entry.id).order_by(ConceptRevision.number.desc())
    ).all()


def snapshot_at(session: Session, entry: ConceptEntry, revision_number: int) -> Mapping[str, Any] | None:
    """The content of an entry at one of its revisions."""
    return session.scalar(
        select(ConceptRevision.snapshot).where(
            ConceptRevision.concept_id == entry.id, ConceptRevision.number == revision_number
        )
    )


def changed_state(session: Session, entry: ConceptEntry, revision: ConceptRevision) -> bool:
    """Whether this revision retired the entry or brought it back."""
    before = snapshot_at(session, entry, revision.number - 1)
    return before is not None and before["state"] != revision.snapshot["state"]


def object_key(entry: ConceptEntry) -> str:
    """The name of an entry in the audit log: its id and its first phrase."""
    return f"{entry.id} {entry.plain[0]}"[:LONGEST_KEY]
