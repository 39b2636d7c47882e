"""Review of a pasted concept file against the stored entries: the options for each of its entries."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.admin.concepts.merging import changes
from portal.labs.concepts.in_use import ACTIVE, concept_of, snapshot, snapshot_of
from portal.labs.concepts.rules import clashes, plain_keys, why_not_twice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.labs.concepts.file import FileEntry
    from portal.matching import Concept
    from portal.models import ConceptEntry

LEAVE, ADD, CHANGE = "leave", "add", "change"
MOST_DECIDED_AT_ONCE = 500  # entries to decide at a time: a form can hold this many fields
LATER = "Its turn comes later: save what is chosen, then look through the file again."


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One entry of the file.

    `options` are the possible actions, as (value, label); if there is none, `nothing` says why. `chosen` is one of the
    values. `near` is the stored entry that it may change, `changes` how it would; `clashes` are phrases that it shares
    with other entries.
    """

    name: str
    entry: FileEntry
    chosen: str
    options: tuple[tuple[str, str], ...] = ()
    nothing: str = ""
    near: ConceptEntry | None = None
    changes: tuple[tuple[str, str, str], ...] = ()
    clashes: tuple[str, ...] = ()

    @property
    def concept(self) -> Concept | None:
        """The concept of the entry, or None if it cannot be read."""
        return self.entry.concept


def review(
    entries: Sequence[FileEntry], stored: Sequence[ConceptEntry], chosen: Mapping[str, str] | None = None
) -> list[ReviewRow]:
    """The options for each entry. `chosen` holds the options that a person took, by the names of the rows; one that is
    no longer possible falls back to leaving the entry out.
    """
    owners: dict[tuple[str, ...], list[ConceptEntry]] = {}
    for existing in stored:
        for keys in plain_keys(existing.plain):
            owners.setdefault(keys, []).append(existing)
    rows: list[ReviewRow] = []
    rows_with_options = 0
    for entry in entries:
        phrase_keys = plain_keys(entry.concept.plain) if entry.concept else frozenset()
        # Only stored entries that share a phrase can be changed by this one or clash with it.
        sharing = {existing.id: existing for keys in phrase_keys for existing in owners.get(keys, ())}
        row = _row(entry, [sharing[number] for number in sorted(sharing)], chosen or {})
        rows_with_options += bool(row.options)
        rows.append(
            row
            if rows_with_options <= MOST_DECIDED_AT_ONCE or not row.options
            else replace(row, options=(), chosen=LEAVE, nothing=LATER)
        )
    return rows


def _row(entry: FileEntry, sharing: Sequence[ConceptEntry], chosen: Mapping[str, str]) -> ReviewRow:
    concept, name = entry.concept, _name(entry)
    if concept is None:
        return ReviewRow(name, entry, LEAVE)
    nearest = _nearest(concept, sharing)
    if nearest is not None and concept_of(nearest) == concept:
        retired = "" if nearest.state == ACTIVE else " It is retired."
        return ReviewRow(name, entry, LEAVE, nothing=f"Entry {nearest.id} says exactly this.{retired}", near=nearest)
    options = [(LEAVE, "Leave it out")]
    refusal = why_not_twice(concept, sharing)
    if not refusal:
        options.insert(0, (ADD, "Add it" if nearest is None else "Add it beside the others"))
    if nearest is not None and not why_not_twice(concept, [other for other in sharing if other.id != nearest.id]):
        # The revision is part of the choice, so that what somebody saved meanwhile is never overwritten unseen.
        value = f"{CHANGE}-{nearest.id}-{nearest.revision_number}"
        label = f"Change entry {nearest.id}" + ("" if nearest.state == ACTIVE else ", which stays retired")
        options.insert(0, (value, label))
    if len(options) == 1:
        return ReviewRow(name, entry, LEAVE, nothing=refusal or "")
    clash_texts = tuple(map(str, clashes(concept, [other for other in sharing if other is not nearest])))
    proposed = ADD if nearest is None and not clash_texts else LEAVE
    selected = chosen.get(name, proposed)
    return ReviewRow(
        name,
        entry,
        selected if selected in dict(options) else LEAVE,
        tuple(options),
        near=nearest,
        changes=tuple(changes(snapshot_of(nearest), snapshot(concept, nearest.state))) if nearest else (),
        clashes=clash_texts,
    )


def _nearest(concept: Concept, sharing: Sequence[ConceptEntry]) -> ConceptEntry | None:
    """The entry that shares most phrases, active ones first; None if `sharing` is empty."""
    own_keys = plain_keys(concept.plain)

    def closeness(entry: ConceptEntry) -> tuple[bool, bool, float]:
        other_keys = plain_keys(entry.plain)
        return (
            concept_of(entry) == concept,
            entry.state == ACTIVE,
            len(own_keys & other_keys) / len(own_keys | other_keys),
        )

    return max(sharing, key=closeness, default=None)


def _name(entry: FileEntry) -> str:
    """The name of the entry's field in the form; it changes with the content of the entry."""
    content = repr((entry.position, entry.concept, entry.problems))
    return f"entry-{entry.position}-{hashlib.sha256(content.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
