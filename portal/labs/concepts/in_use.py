"""The concepts that the matcher uses: the administrators' own, or the shipped file until there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from portal.config import RESOURCES
from portal.matching import Concept, read_concepts
from portal.models import ConceptEntry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sqlalchemy.orm import Session

SHIPPED = RESOURCES / "seeds" / "concepts.toml"
ACTIVE = "active"
RETIRED = "retired"


def current_concepts(session: Session) -> tuple[Concept, ...]:
    """The concepts in use, oldest first; those of the shipped file while the database holds none.

    Raises:
        ConceptError: The shipped file is needed but invalid.
    """
    entries = session.scalars(select(ConceptEntry).order_by(ConceptEntry.id)).all()
    if not entries:
        return shipped_concepts()
    return tuple(concept_of(entry) for entry in entries if entry.state == ACTIVE)


def concepts_stamp(session: Session) -> int:
    """A number that increases with every committed change of any concept; 0 while the database holds none.

    It is the sum of all revision numbers. The newest id would not do: of two concurrent saves, the later id may commit
    first.
    """
    return session.scalar(select(func.coalesce(func.sum(ConceptEntry.revision_number), 0))) or 0


def concept_of(entry: ConceptEntry) -> Concept:
    """An entry as the matcher's concept."""
    return Concept(tuple(entry.plain), tuple(entry.terms), entry.why, entry.added_by, entry.strength)


def snapshot_of(entry: ConceptEntry) -> dict[str, Any]:
    """The entry as a revision stores it, as JSON."""
    return snapshot(concept_of(entry), entry.state)


def snapshot(concept: Concept, state: str) -> dict[str, Any]:
    """A concept and whether it is in use, as JSON."""
    return {
        "plain": list(concept.plain),
        "terms": list(concept.terms),
        "strength": concept.strength,
        "why": concept.why,
        "added_by": concept.added_by,
        "state": state,
    }


def concept_in(snapshot: Mapping[str, Any]) -> Concept:
    """The concept stored in a revision."""
    return Concept(
        tuple(snapshot["plain"]),
        tuple(snapshot["terms"]),
        snapshot["why"],
        snapshot["added_by"],
        snapshot["strength"],
    )


def shipped_concepts(path: Path = SHIPPED) -> tuple[Concept, ...]:
    """The concepts of the file that comes with the portal.

    Raises:
        ConceptError: The file is invalid.
    """
    return read_concepts(path.read_text(encoding="utf-8"))
