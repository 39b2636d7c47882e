"""Load the concept file that comes with the portal: add new entries, and update those that nobody edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from portal.labs.concepts import queries
from portal.labs.concepts.in_use import ACTIVE, RETIRED, concept_in, concept_of, snapshot, snapshot_of
from portal.labs.concepts.rules import phrase_keys, plain_keys
from portal.labs.concepts.service import hold, record_seeding, save_seeded, store_seeded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.matching import Concept
    from portal.models import ConceptEntry

StepKind = Literal["add", "update", "retire", "adopt", "keep", "forget", "same"]
UPDATED = "The concept file that comes with the portal says so now"
GONE = "The concept file that comes with the portal no longer has this entry"


@dataclass(frozen=True, slots=True)
class ConceptStep:
    """The planned change of one entry.

    "add" stores a new one; "update" and "retire" change one that nobody edited; "adopt" links an entry that was added
    by hand and equals the file's; "keep" leaves an edited one; "forget" leaves an edited one that the file no longer
    has.
    """

    kind: StepKind
    concept: Concept
    entry: ConceptEntry | None = None


def seed_concepts(session: Session, concepts: Sequence[Concept], *, now: datetime) -> list[ConceptStep]:
    """Bring the database up to date with the file; returns the steps taken. Running it again changes nothing.

    Raises:
        StaleConcept: Somebody saved an entry at the same time. Roll back and seed again.
    """
    hold(session, now=now)
    steps = plan_concepts(session, concepts)
    store_seeded(session, [step.concept for step in steps if step.entry is None], now=now)
    for step in steps:
        if step.entry is not None:
            _apply(session, step, step.entry, now)
    done = {kind: sum(step.kind == kind for step in steps) for kind in ("add", "update", "retire", "adopt", "keep")}
    if any(done[kind] for kind in ("add", "update", "retire")):
        record_seeding(session, done, author=None, now=now)
    session.flush()
    return steps


def plan_concepts(session: Session, concepts: Sequence[Concept]) -> list[ConceptStep]:
    """The steps that seeding these concepts would take.

    A stored entry belongs to the entry of the file that equals its previous text in the file, or else shares most
    phrases with it.
    """
    entries = queries.all_entries(session)
    before = {entry.id: concept_in(entry.seeded) for entry in entries if entry.seeded and not _is_dropped(entry)}
    dropped = {entry.id: concept_in(entry.seeded) for entry in entries if entry.seeded and _is_dropped(entry)}
    entry_by_id = {entry.id: entry for entry in entries}
    pairs = _paired(concepts, before)
    # An entry that returns to the file is the old one, not a new one.
    unpaired = [position for position in range(len(concepts)) if position not in pairs]
    returned = _paired([concepts[position] for position in unpaired], dropped)
    pairs |= {unpaired[index]: entry_id for index, entry_id in returned.items()}
    added_by_hand = [entry for entry in entries if not entry.seeded]
    steps: list[ConceptStep] = []
    for position, concept in enumerate(concepts):
        if position in pairs:
            steps.append(_step_for(entry_by_id[pairs[position]], concept))
            continue
        twin = next((entry for entry in added_by_hand if _is_equivalent(concept_of(entry), concept)), None)
        steps.append(ConceptStep("adopt" if twin else "add", concept, twin))
    removed = [entry_by_id[entry_id] for entry_id in before if entry_id not in pairs.values()]
    return steps + [
        ConceptStep("forget" if _by_hand(entry) else "retire", before[entry.id], entry) for entry in removed
    ]


def _step_for(entry: ConceptEntry, concept: Concept) -> ConceptStep:
    if concept_in(entry.seeded or {}) == concept and not _is_dropped(entry):
        return ConceptStep("same", concept, entry)
    return ConceptStep("keep" if _by_hand(entry) else "update", concept, entry)


def _apply(session: Session, step: ConceptStep, entry: ConceptEntry, now: datetime) -> None:
    if step.kind == "update":
        save_seeded(session, entry, step.concept, ACTIVE, reason=UPDATED, now=now)
    elif step.kind == "retire":
        save_seeded(session, entry, step.concept, RETIRED, reason=GONE, now=now)
    elif step.kind != "same":
        # The next version of the file is compared with this one.
        entry.seeded = snapshot(step.concept, RETIRED if step.kind == "forget" else ACTIVE)


def _by_hand(entry: ConceptEntry) -> bool:
    """Whether somebody edited, retired or restored the entry since the file brought it."""
    return snapshot_of(entry) != entry.seeded


def _is_dropped(entry: ConceptEntry) -> bool:
    """Whether the file was already without the entry when it was last read."""
    return entry.seeded is not None and entry.seeded["state"] == RETIRED


def _is_equivalent(first: Concept, second: Concept) -> bool:
    return (plain_keys(first.plain), phrase_keys(first.terms)) == (plain_keys(second.plain), phrase_keys(second.terms))


def _paired(concepts: Sequence[Concept], before: dict[int, Concept]) -> dict[int, int]:
    """Which entry of the file (by position) is which stored one (by id); each is paired at most once.

    Equal ones are paired first, then those that share most phrases; ties go to the smaller position and id.
    """
    owners: dict[tuple[str, ...], list[int]] = {}
    for entry_id, concept in before.items():
        for keys in plain_keys(concept.plain):
            owners.setdefault(keys, []).append(entry_id)
    candidates: list[tuple[bool, float, int, int]] = []
    for position, concept in enumerate(concepts):
        file_keys = plain_keys(concept.plain)
        for entry_id in {entry_id for keys in file_keys for entry_id in owners.get(keys, ())}:
            stored_keys = plain_keys(before[entry_id].plain)
            shared = len(file_keys & stored_keys) / len(file_keys | stored_keys)
            candidates.append((concept != before[entry_id], -shared, position, entry_id))
    pairs: dict[int, int] = {}
    for _, _, position, entry_id in sorted(candidates):
        if position not in pairs and entry_id not in pairs.values():
            pairs[position] = entry_id
    return pairs
