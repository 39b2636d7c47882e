"""Three-way merge of profiles, used for edits, seeding and imports.

The origins of facts follow the facts: a page whose lines moved is a change, but never a conflict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.seeding.changes import MergeError, check_same_lab, diff, items_of, with_insertions
from portal.seeding.snapshots import COLLECTIONS, Json, from_json, to_json

if TYPE_CHECKING:
    from portal.seeding.changes import Change, Item
    from portal.seeding.records import LabRecord


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides changed the same path differently; None means absent."""

    path: str
    base: Json
    ours: Json
    theirs: Json


@dataclass(frozen=True, slots=True)
class Merge:
    """The merged profile, the changes taken from theirs, and the conflicts left for a person."""

    record: LabRecord
    applied: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


def three_way(base: LabRecord, ours: LabRecord, theirs: LabRecord) -> Merge:
    """The changes of both sides since `base`; on a conflict, ours stays and the conflict is listed.

    Equal changes do not conflict. An item removed on one side and changed on the other is one conflict. A system's
    references to works that the merge removed are dropped.

    Raises:
        MergeError: The records are of different labs.
    """
    check_same_lab(base, ours)
    check_same_lab(ours, theirs)
    conflicts: list[Conflict] = []
    b, o, t = to_json(base), to_json(ours), to_json(theirs)
    merged = _merge_fields("", b, o, t, conflicts)
    for name in COLLECTIONS:
        merged[name] = _merge_collection(name, (items_of(b, name), items_of(o, name), items_of(t, name)), conflicts)
    merged["origins"] = _merge_field_origins(b, o, t, merged)
    _drop_lost_references(merged, o, t)
    record = from_json(merged)
    return Merge(record, diff(ours, record), tuple(conflicts))


def _merge_fields(prefix: str, base: Item, ours: Item, theirs: Item, conflicts: list[Conflict]) -> Item:
    """Merge each field of an item (or the plain fields of a lab) separately."""
    merged: Item = {}
    for name, mine in ours.items():
        if not prefix and name in COLLECTIONS:
            continue
        old, other = base.get(name), theirs[name]
        if other in (old, mine):
            merged[name] = mine
        elif mine == old:
            merged[name] = other
        else:
            merged[name] = mine
            if name != "origins":
                conflicts.append(Conflict(prefix + name, old, mine, other))
    return merged


def _merge_collection(
    name: str, sides: tuple[dict[str, Item], dict[str, Item], dict[str, Item]], conflicts: list[Conflict]
) -> list[Json]:
    base, ours, theirs = sides
    merged: dict[str, Item] = {}
    for key in dict.fromkeys([*ours, *theirs, *base]):
        item = _merge_item(f"{name}/{key}", base.get(key), ours.get(key), theirs.get(key), conflicts)
        if item is not None:
            merged[key] = item
    order = _merge_order(name, list(base), list(ours), list(theirs), conflicts)
    return [merged[key] for key in order if key in merged]


def _merge_item(
    path: str, base: Item | None, ours: Item | None, theirs: Item | None, conflicts: list[Conflict]
) -> Item | None:
    if ours is not None and theirs is not None:
        return _merge_fields(f"{path}/", base or _empty_like(ours), ours, theirs, conflicts)
    if base is None:
        return ours or theirs
    remaining = ours or theirs
    if remaining is None or _same_facts(base, remaining):
        return None
    conflicts.append(Conflict(path, base, ours, theirs))
    # A copy: the conflict must still show what the merge drops from the item.
    return None if ours is None else {**ours}


def _empty_like(item: Item) -> Item:
    """An empty base for an item that both sides added, so that non-empty values win."""
    nothing: dict[type, Json] = {str: "", list: []}
    return {name: nothing.get(type(value)) for name, value in item.items()}


def _same_facts(item: Item, other: Item) -> bool:
    return {**item, "origins": None} == {**other, "origins": None}


def _merge_order(
    name: str, base: list[str], ours: list[str], theirs: list[str], conflicts: list[Conflict]
) -> list[str]:
    """The order of both sides' keys: that of the side that reordered, else theirs with ours inserted."""
    common = set(base) & set(ours) & set(theirs)
    was, mine, other = ([key for key in side if key in common] for side in (base, ours, theirs))
    if mine == was:
        return with_insertions(theirs, ours)
    if other not in (was, mine):
        conflicts.append(Conflict(name, list(was), list(mine), list(other)))
    return with_insertions(ours, theirs)


def _merge_field_origins(base: Item, ours: Item, theirs: Item, merged: Item) -> Json:
    """The origin of each plain field, from the side whose value was taken."""
    if theirs["origins"] == base["origins"]:
        return ours["origins"]
    if ours["origins"] == base["origins"]:
        return theirs["origins"]
    was, mine, other = (_origin_pairs(side) for side in (base, ours, theirs))
    result: list[Json] = []
    for name in dict.fromkeys([*mine, *other]):
        value_is_theirs = ours.get(name) == base.get(name) and merged.get(name) == theirs.get(name)
        takes_theirs = mine.get(name) == was.get(name) or value_is_theirs
        origin = other.get(name) if other.get(name) != was.get(name) and takes_theirs else mine.get(name)
        if origin is not None:
            result.append([name, origin])
    return result


def _origin_pairs(side: Item) -> dict[str, Json]:
    pairs = side["origins"]
    if not isinstance(pairs, list):
        raise MergeError("origins: not a list")
    return {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, list)}


def _drop_lost_references(merged: Item, ours: Item, theirs: Item) -> None:
    remaining = items_of(merged, "works")
    lost = (set(items_of(ours, "works")) | set(items_of(theirs, "works"))) - set(remaining)
    for system in items_of(merged, "systems").values():
        works = system["works"]
        if lost and isinstance(works, list):
            system["works"] = [key for key in works if key not in lost]
