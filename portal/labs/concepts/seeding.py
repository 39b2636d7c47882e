"""The shipped concept file into the database: what is new is added, what nobody changed by hand follows the file."""

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
    """What becomes of one entry.

    "add" stores a new one, "update" and "retire" change one that nobody changed by hand, "adopt" finds that an entry
    added by hand says what the file now says too, "keep" leaves one that was changed by hand, "forget" leaves one that
    was changed by hand and that the file no longer has.
    """

    kind: StepKind
    concept: Concept
    entry: ConceptEntry | None = None


def seed_concepts(session: Session, concepts: Sequence[Concept], *, now: datetime) -> list[ConceptStep]:
    """Bring what the file says into the database; the steps that were taken. Running it again changes nothing.

    Raises:
        StaleConcept: Somebody saved an entry in the same moment. Roll back and seed again.
    """
    hold(session, now=now)
    steps = plan_concepts(session, concepts)
    for step in steps:
        _apply(session, step, now)
    done = {kind: sum(step.kind == kind for step in steps) for kind in ("add", "update", "retire", "adopt", "keep")}
    if any(done[kind] for kind in ("add", "update", "retire")):
        record_seeding(session, done, author=None, now=now)
    session.flush()
    return steps


def plan_concepts(session: Session, concepts: Sequence[Concept]) -> list[ConceptStep]:
    """What seeding these concepts would do.

    An entry of the file and a stored one are the same where the file said the same before, or else where they share
    the most phrases with what the file said before.
    """
    entries = queries.all_entries(session)
    before = {entry.id: concept_in(entry.seeded) for entry in entries if entry.seeded and not _is_dropped(entry)}
    dropped = {entry.id: concept_in(entry.seeded) for entry in entries if entry.seeded and _is_dropped(entry)}
    stored = {entry.id: entry for entry in entries}
    pairs = _paired(concepts, before)
    # What the file dropped and has again is the old entry, not a new one.
    again = _paired([one for place, one in enumerate(concepts) if place not in pairs], dropped)
    rest = [place for place in range(len(concepts)) if place not in pairs]
    pairs |= {rest[place]: number for place, number in again.items()}
    by_hand = [entry for entry in entries if not entry.seeded]
    steps: list[ConceptStep] = []
    for place, concept in enumerate(concepts):
        if place in pairs:
            steps.append(_followed(stored[pairs[place]], concept))
            continue
        twin = next((entry for entry in by_hand if _says_the_same(concept_of(entry), concept)), None)
        steps.append(ConceptStep("adopt" if twin else "add", concept, twin))
    gone = [stored[number] for number in before if number not in pairs.values()]
    return steps + [ConceptStep("forget" if _by_hand(entry) else "retire", before[entry.id], entry) for entry in gone]


def _followed(entry: ConceptEntry, concept: Concept) -> ConceptStep:
    if concept_in(entry.seeded or {}) == concept and not _is_dropped(entry):
        return ConceptStep("same", concept, entry)
    return ConceptStep("keep" if _by_hand(entry) else "update", concept, entry)


def _apply(session: Session, step: ConceptStep, now: datetime) -> None:
    entry = step.entry
    if entry is None:
        store_seeded(session, step.concept, now=now)
    elif step.kind == "update":
        save_seeded(session, entry, step.concept, ACTIVE, reason=UPDATED, now=now)
    elif step.kind == "retire":
        save_seeded(session, entry, step.concept, RETIRED, reason=GONE, now=now)
    elif step.kind != "same":
        # What the file says now is remembered, so that its next state is compared with it.
        entry.seeded = snapshot(step.concept, RETIRED if step.kind == "forget" else ACTIVE)


def _by_hand(entry: ConceptEntry) -> bool:
    """Whether somebody changed, retired or brought back the entry since the file brought it."""
    return snapshot_of(entry) != entry.seeded


def _is_dropped(entry: ConceptEntry) -> bool:
    """Whether the file no longer had the entry when it was read last."""
    return entry.seeded is not None and entry.seeded["state"] == RETIRED


def _says_the_same(one: Concept, other: Concept) -> bool:
    return (plain_keys(one.plain), phrase_keys(one.terms)) == (plain_keys(other.plain), phrase_keys(other.terms))


def _paired(concepts: Sequence[Concept], before: dict[int, Concept]) -> dict[int, int]:
    """Which entry of the file (by place) is which stored one (by number), each at most once: equal ones first, then
    those that share most phrases, then those with the smaller place and number.
    """
    owners: dict[tuple[str, ...], list[int]] = {}
    for number, concept in before.items():
        for keys in plain_keys(concept.plain):
            owners.setdefault(keys, []).append(number)
    candidates: list[tuple[bool, float, int, int]] = []
    for place, concept in enumerate(concepts):
        mine = plain_keys(concept.plain)
        for number in {number for keys in mine for number in owners.get(keys, ())}:
            theirs = plain_keys(before[number].plain)
            shared = len(mine & theirs) / len(mine | theirs)
            candidates.append((concept != before[number], -shared, place, number))
    pairs: dict[int, int] = {}
    for _, _, place, number in sorted(candidates):
        if place not in pairs and number not in pairs.values():
            pairs[place] = number
    return pairs
