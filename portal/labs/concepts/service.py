"""Writes concepts: each change is a revision with author, time and reason, and an audit entry. The caller commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from portal import audit
from portal.labs.concepts import queries
from portal.labs.concepts.in_use import ACTIVE, RETIRED, SHIPPED, concept_of, shipped_concepts, snapshot_of
from portal.labs.concepts.rules import why_not_bring_back, why_not_retire, why_not_twice
from portal.labs.revision_numbers import claim_revision
from portal.models import ConceptEntry, ConceptRevision, InstanceMark

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.matching import Concept
    from portal.models import User

COMMAND_LINE = "command line"
SHIPPED_REASON = "From the concept file that comes with the portal"
MARK = "concepts"


class StaleConcept(Exception):
    """Somebody saved the entry after the editor opened it. Nothing was written; `entry` is its present state."""

    def __init__(self, entry: ConceptEntry) -> None:
        super().__init__(f"revision {entry.revision_number} of concept {entry.id} was saved meanwhile")
        self.entry = entry


class RefusedConcept(Exception):
    """A rule forbids the change; nothing was written. The message is the reason."""


def add_concept(
    session: Session,
    concept: Concept,
    *,
    author: User | None,
    reason: str,
    now: datetime,
    among: Sequence[ConceptEntry] | None = None,
) -> ConceptEntry:
    """Store a new entry with its first revision and an audit entry. Before the very first one, store the shipped ones.

    `among` are all entries, if the caller has read them since `load_shipped` in this transaction.

    Raises:
        RefusedConcept: Another entry already says the same.
    """
    if among is None:
        load_shipped(session, author=author, now=now)
        among = queries.all_entries(session)
    _refuse(why_not_twice(concept, among))
    entry = new_entry(concept, now)
    session.add(entry)
    session.flush()
    write_revision(session, entry, author=author, reason=reason, now=now)
    _record(session, entry, "concept.add", author, now, before=None, reason=reason)
    return entry


def save_concept(
    session: Session,
    entry: ConceptEntry,
    concept: Concept,
    *,
    base: int,
    author: User | None,
    reason: str,
    now: datetime,
) -> ConceptRevision | None:
    """Save an edited entry as a new revision; `base` is the number of the revision the editor started from.

    Side effect: blocks other transactions that add or edit entries until this one ends.

    Returns:
        The new revision, or None if nothing changed (a form sent twice).

    Raises:
        StaleConcept: There is a newer revision than `base`, and it differs from `concept`.
        RefusedConcept: Another entry already says the same.
    """
    if concept_of(entry) == concept and entry.revision_number == base:
        return None
    hold(session, now=now)
    _refuse(why_not_twice(concept, [other for other in queries.all_entries(session) if other.id != entry.id]))
    before = snapshot_of(entry)
    if not claim_revision(session, entry, base):
        if concept_of(entry) == concept:
            return None
        raise StaleConcept(entry)
    put(entry, concept)
    revision = write_revision(session, entry, author=author, reason=reason, now=now)
    _record(session, entry, "concept.edit", author, now, before=before, reason=reason)
    return revision


def retire(session: Session, entry: ConceptEntry, *, author: User, reason: str, now: datetime) -> ConceptRevision:
    """Take an entry out of use; it keeps its history and can be restored.

    Raises:
        RefusedConcept: It is already retired.
        StaleConcept: Somebody saved it at the same time.
    """
    _refuse(why_not_retire(entry))
    return _set_state(session, entry, RETIRED, "concept.retire", author, reason, now)


def bring_back(session: Session, entry: ConceptEntry, *, author: User, reason: str, now: datetime) -> ConceptRevision:
    """Restore a retired entry.

    Raises:
        RefusedConcept: It is in use, or another entry in use now says the same.
        StaleConcept: Somebody saved it at the same time.
    """
    _refuse(why_not_bring_back(entry))
    others = [other for other in queries.all_entries(session) if other.id != entry.id and other.state == ACTIVE]
    _refuse(why_not_twice(concept_of(entry), others))
    return _set_state(session, entry, ACTIVE, "concept.bring_back", author, reason, now)


def load_shipped(session: Session, *, author: User | None, now: datetime) -> int:
    """Store the entries of the shipped file if there are none yet; returns how many were stored.

    Side effect: blocks other transactions that add or edit entries until this one ends.

    Raises:
        ConceptError: The file is needed but invalid.
    """
    hold(session, now=now)
    if session.scalar(select(ConceptEntry.id).limit(1)) is not None:
        return 0
    concepts = shipped_concepts()
    store_seeded(session, concepts, now=now)
    record_seeding(session, {"add": len(concepts)}, author=author, now=now)
    return len(concepts)


def hold(session: Session, *, now: datetime) -> None:
    """Block other transactions that add or edit entries until this one ends, so that no two say the same."""
    if not _lock_mark(session):
        try:
            with session.begin_nested():
                session.add(InstanceMark(name=MARK, set_at=now))
        except IntegrityError:  # another transaction has just inserted the row; wait for it
            _lock_mark(session)


def store_seeded(session: Session, concepts: Iterable[Concept], *, now: datetime) -> None:
    """Store shipped entries, without an audit entry: `record_seeding` writes one for all."""
    entries = [new_entry(concept, now) for concept in concepts]
    for entry in entries:
        entry.seeded = snapshot_of(entry)
    session.add_all(entries)
    session.flush()  # all at once: one by one takes several times as long
    for entry in entries:
        write_revision(session, entry, author=None, reason=SHIPPED_REASON, now=now)


def record_seeding(session: Session, done: dict[str, int], *, author: User | None, now: datetime) -> None:
    """Write one audit entry for everything that the shipped file changed."""
    audit.record(
        session, actor=author, act="concept.seed", object_type="concept", object_key=SHIPPED.name, now=now, after=done
    )


def save_seeded(
    session: Session, entry: ConceptEntry, concept: Concept, state: str, *, reason: str, now: datetime
) -> None:
    """Update an entry to the shipped file's version.

    Raises:
        StaleConcept: Somebody saved it at the same time.
    """
    if not claim_revision(session, entry, entry.revision_number):
        raise StaleConcept(entry)
    put(entry, concept)
    entry.state = state
    entry.seeded = snapshot_of(entry)
    write_revision(session, entry, author=None, reason=reason, now=now)


def new_entry(concept: Concept, now: datetime) -> ConceptEntry:
    """An entry in use, not yet stored."""
    entry = ConceptEntry(state=ACTIVE, revision_number=0, created_at=now, changed_at=now)
    put(entry, concept)
    return entry


def put(entry: ConceptEntry, concept: Concept) -> None:
    """Copy the concept's content to the entry."""
    entry.plain, entry.terms = list(concept.plain), list(concept.terms)
    entry.strength, entry.why, entry.added_by = concept.strength, concept.why, concept.added_by


def write_revision(
    session: Session, entry: ConceptEntry, *, author: User | None, reason: str, now: datetime
) -> ConceptRevision:
    """Store the entry's present content as its next revision."""
    entry.revision_number += 1
    entry.changed_at = now
    revision = ConceptRevision(
        concept_id=entry.id,
        number=entry.revision_number,
        saved_at=now,
        author_id=author.id if author else None,
        author_label=author.display_name if author else COMMAND_LINE,
        reason=reason,
        snapshot=snapshot_of(entry),
    )
    session.add(revision)
    return revision


def _set_state(
    session: Session, entry: ConceptEntry, state: str, act: str, author: User, reason: str, now: datetime
) -> ConceptRevision:
    before = snapshot_of(entry)
    if not claim_revision(session, entry, entry.revision_number):
        raise StaleConcept(entry)
    entry.state = state
    revision = write_revision(session, entry, author=author, reason=reason, now=now)
    _record(session, entry, act, author, now, before=before, reason=reason)
    return revision


def _lock_mark(session: Session) -> bool:
    """Lock the mark's row until the transaction ends; False if there is no such row yet."""
    locked = session.execute(update(InstanceMark).where(InstanceMark.name == MARK).values(name=MARK))
    return bool(locked.rowcount)  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise RefusedConcept(reason)


def _record(
    session: Session,
    entry: ConceptEntry,
    act: str,
    author: User | None,
    now: datetime,
    *,
    before: dict[str, Any] | None,
    reason: str,
) -> None:
    audit.record(
        session,
        actor=author,
        act=act,
        object_type="concept",
        object_key=queries.object_key(entry),
        now=now,
        before=before,
        after={**snapshot_of(entry), "reason": reason},
    )
