"""A pasted concept file beside what is stored: what each entry would do, and what may be done with it."""

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
AT_ONCE = 500  # entries to decide on: a form holds so many fields
LATER = "Its turn comes later: save what is chosen, then look through the file again."


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One entry of the file.

    `options` are what may be done with it, as (value, label); none where there is nothing to do, and `nothing` then
    says why. `chosen` is one of the values. `near` is the stored entry that it may change, `changes` how; `clashes`
    are those with others.
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
        """What the entry says, if it can be read."""
        return self.entry.concept


def review(
    read: Sequence[FileEntry], stored: Sequence[ConceptEntry], chosen: Mapping[str, str] | None = None
) -> list[ReviewRow]:
    """What may be done with each entry. `chosen` are the options that a person took, by the names of the rows; what
    can no longer be done goes back to what is proposed.
    """
    owners: dict[tuple[str, ...], list[ConceptEntry]] = {}
    for one in stored:
        for keys in plain_keys(one.plain):
            owners.setdefault(keys, []).append(one)
    rows: list[ReviewRow] = []
    asked = 0
    for entry in read:
        mine = plain_keys(entry.concept.plain) if entry.concept else frozenset()
        # Whatever is to be said of other entries is about those that share a phrase.
        sharing = {one.id: one for keys in mine for one in owners.get(keys, ())}
        row = _row(entry, [sharing[number] for number in sorted(sharing)], chosen or {})
        asked += bool(row.options)
        rows.append(
            row if asked <= AT_ONCE or not row.options else replace(row, options=(), chosen=LEAVE, nothing=LATER)
        )
    return rows


def _row(entry: FileEntry, sharing: Sequence[ConceptEntry], chosen: Mapping[str, str]) -> ReviewRow:
    concept, name = entry.concept, _name(entry)
    if concept is None:
        return ReviewRow(name, entry, LEAVE)
    near = _nearest(concept, sharing)
    if near is not None and concept_of(near) == concept:
        retired = "" if near.state == ACTIVE else " It is retired."
        return ReviewRow(name, entry, LEAVE, nothing=f"Entry {near.id} says exactly this.{retired}", near=near)
    options = [(LEAVE, "Leave it out")]
    refusal = why_not_twice(concept, sharing)
    if not refusal:
        options.insert(0, (ADD, "Add it" if near is None else "Add it beside the others"))
    if near is not None and not why_not_twice(concept, [other for other in sharing if other.id != near.id]):
        # The revision is part of the choice, so that what somebody saved meanwhile is never overwritten unseen.
        value = f"{CHANGE}-{near.id}-{near.revision_number}"
        label = f"Change entry {near.id}" + ("" if near.state == ACTIVE else ", which stays retired")
        options.insert(0, (value, label))
    if len(options) == 1:
        return ReviewRow(name, entry, LEAVE, nothing=refusal or "")
    found = tuple(map(str, clashes(concept, [other for other in sharing if other is not near])))
    proposed = ADD if near is None and not found else LEAVE
    wanted = chosen.get(name, proposed)
    return ReviewRow(
        name,
        entry,
        wanted if wanted in dict(options) else LEAVE,
        tuple(options),
        near=near,
        changes=tuple(changes(snapshot_of(near), snapshot(concept, near.state))) if near else (),
        clashes=found,
    )


def _nearest(concept: Concept, sharing: Sequence[ConceptEntry]) -> ConceptEntry | None:
    """The one that shares most phrases, those in use first; None where none shares any."""
    mine = plain_keys(concept.plain)

    def closeness(entry: ConceptEntry) -> tuple[bool, bool, float]:
        theirs = plain_keys(entry.plain)
        return (concept_of(entry) == concept, entry.state == ACTIVE, len(mine & theirs) / len(mine | theirs))

    return max(sharing, key=closeness, default=None)


def _name(entry: FileEntry) -> str:
    """The name of the entry's choice in the form; an entry that was edited since has another one."""
    content = repr((entry.number, entry.concept, entry.problems))
    return f"entry-{entry.number}-{hashlib.sha256(content.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
