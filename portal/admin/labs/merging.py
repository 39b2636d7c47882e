"""Merging two edits of one profile: the places where they conflict, and the profile that results from the choices.

Pure, on top of `portal.seeding.merging.three_way`. "Mine" is the edit that came second, "theirs" the saved profile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from portal.admin.labs.sections import SECTIONS, items_of, with_items
from portal.seeding.merging import Change, Conflict, Merge, apply, diff, three_way
from portal.seeding.names import unique
from portal.seeding.records import without_lost_references

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.admin.labs.sections import Collection, Item
    from portal.seeding.records import Json, LabRecord, SystemRecord


Choice = Literal["mine", "theirs", "both"]

LONG_TEXTS = frozenset({"about", "interests", "recruiting", "contact", "abstract", "description", "note", "text"})
"""The fields that hold paragraphs, so that those of both sides can stay."""


@dataclass(frozen=True, slots=True)
class Merging:
    """Three states of one profile, and their merge: the changes of both sides, with mine where they disagree.

    A dispute is a field, the order of a collection, or an item that one side removed and the other changed.
    """

    base: LabRecord
    mine: LabRecord
    theirs: LabRecord
    merged: LabRecord
    disputes: tuple[Conflict, ...]


def merge(base: LabRecord, mine: LabRecord, theirs: LabRecord) -> Merging:
    """Take the changes of both sides since `base` and list what a person has to decide.

    Items that both sides added under one key stay both, since they may be two people of one name: mine gets a key of
    its own, unless it says the same.
    """
    mine = _with_references_of_removed(base, _apart_from(base, mine, theirs))
    merged = _merged(base, mine, theirs)
    return Merging(base, mine, theirs, merged.record, merged.conflicts)


def can_be_both(dispute: Conflict) -> bool:
    """Whether what both sides say can stay: the entries of two lists, or the paragraphs of two texts."""
    ours, theirs = dispute.ours, dispute.theirs
    if dispute.path in SECTIONS:
        return False
    if isinstance(ours, list) and isinstance(theirs, list):
        return True
    is_long = dispute.path.rpartition("/")[2] in LONG_TEXTS
    return is_long and isinstance(ours, str) and isinstance(theirs, str) and bool(ours and theirs)


def resolved(merging: Merging, choices: Mapping[str, Choice]) -> LabRecord:
    """The merged profile with every dispute settled as chosen; `choices` go by path.

    Raises:
        KeyError: A dispute has no choice.
        ValueError: A dispute does not take that choice.
    """
    given_up, joined = set(), []
    for dispute in merging.disputes:
        choice = choices[dispute.path]
        if choice == "theirs":
            given_up.add(dispute.path)
        elif choice == "both":
            if not can_be_both(dispute):
                raise ValueError(f"{dispute.path}: both cannot stay; choose mine or theirs")
            joined.append(Change(dispute.path, "changed", dispute.ours, _both(dispute)))
    # An item that has a value of theirs no longer has the origins to which an undo takes it back.
    given_up |= {f"{path.rpartition('/')[0]}/origins" for path in given_up if "/" in path}
    items = {path for path in given_up if "/" in path}
    own_changes = [
        change
        for change in diff(merging.base, merging.mine)
        if change.path not in given_up and change.path.rpartition("/")[0] not in items
    ]
    mine = apply(merging.base, [*own_changes, *joined])
    return _merged(merging.base, mine, merging.theirs).record


def _merged(base: LabRecord, mine: LabRecord, theirs: LabRecord) -> Merge:
    merge = three_way(base, mine, _with_references_of_removed(base, theirs))
    return replace(merge, record=without_lost_references(merge.record))


def _both(dispute: Conflict) -> Json:
    """The entries of both lists, each once, or the paragraphs of both texts; what is saved comes first."""
    ours, theirs = dispute.ours, dispute.theirs
    if isinstance(ours, list) and isinstance(theirs, list):
        return [*theirs, *(entry for entry in ours if entry not in theirs)]
    return f"{theirs}\n\n{ours}"


def _with_references_of_removed(base: LabRecord, side: LabRecord) -> LabRecord:
    """`side` with what its systems said of works that it removed, so that a work which stays keeps its systems."""
    present = {work.key for work in side.works}
    before = {system.key: system.works for system in base.systems}

    def kept(system: SystemRecord) -> SystemRecord:
        was = before.get(system.key, ())
        only_lost_removed = tuple(key for key in was if key in present) == system.works
        return replace(system, works=was) if only_lost_removed else system

    return replace(side, systems=tuple(map(kept, side.systems)))


def _apart_from(base: LabRecord, mine: LabRecord, theirs: LabRecord) -> LabRecord:
    """`mine` with another key for each added item whose key the other side gave to something else."""
    for collection in SECTIONS:
        base_items, own_items, their_items = (
            {item.key: item for item in items_of(side, collection)} for side in (base, mine, theirs)
        )
        taken = {*base_items, *own_items, *their_items}
        for key in own_items.keys() & their_items.keys() - base_items.keys():
            if not _same(own_items[key], their_items[key]):
                known = (other.key for other in their_items.values() if _same(own_items[key], other))
                own_key = next(known, "") or unique(key, taken)
                taken.add(own_key)
                mine = _renamed(mine, collection, key, own_key)
    return mine


def _same(item: Item, other: Item) -> bool:
    """Whether two items say the same, whatever their keys and origins."""
    return replace(item, key=other.key, origins=()) == replace(other, origins=())


def _renamed(record: LabRecord, collection: Collection, key: str, new_key: str) -> LabRecord:
    items = tuple(replace(item, key=new_key) if item.key == key else item for item in items_of(record, collection))
    record = with_items(record, collection, items)
    if collection != "works":
        return record
    systems = tuple(
        replace(system, works=tuple(new_key if work == key else work for work in system.works))
        for system in record.systems
    )
    return replace(record, systems=systems)
