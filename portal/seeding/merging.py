"""The differences between two profiles, applying them, and merging three: for edits, history, seeding and imports.

A path identifies a part of a lab profile: a field ("about"), an item of a collection ("works/flexgen") or a field of an
item ("members/ran-yan/term"). Values are JSON as written by `portal.seeding.snapshots.to_json`. Texts, lists of plain
values and pairs are replaced as a whole. The origins of facts follow the facts: a page whose lines moved is a change,
but never a conflict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from portal.seeding.snapshots import COLLECTIONS, Json, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.seeding.records import LabRecord


ChangeKind = Literal["added", "removed", "changed", "moved"]
Item = dict[str, Json]

# In place of the key before an added item: behind all others. No key has a slash.
LAST = "/"
_KEY_AND_FIELD = 2


class MergeError(ValueError):
    """A change that cannot be applied, or profiles of different labs; the message says which."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two profiles.

    For an added item, `after` is the key of the item before it ("" for the first). A collection whose common items were
    reordered gives "moved", with all keys in the old and the new order.
    """

    path: str
    kind: ChangeKind
    old: Json
    new: Json
    after: str = ""

    @property
    def is_origin(self) -> bool:
        """Whether it only concerns where facts come from; diffs for people may skip it."""
        return self.path.rpartition("/")[2] == "origins"


def diff(old: LabRecord, new: LabRecord) -> tuple[Change, ...]:
    """The changes from `old` to `new`; applied to `old` they give exactly `new`.

    Raises:
        MergeError: The records are of different labs.
    """
    check_same_lab(old, new)
    return tuple(_changes(to_json(old), to_json(new)))


def apply(record: LabRecord, changes: Iterable[Change]) -> LabRecord:
    """`record` with the changes applied; these may be a part of a diff.

    Raises:
        MergeError: The profile lacks a path, or already has an item to be added.
        SnapshotError: A value does not fit its path.
    """
    data = to_json(record)
    collections = {name: items_of(data, name) for name in COLLECTIONS}
    for change in changes:
        _apply_one(data, collections, change)
    return from_json({**data, **{name: [*items.values()] for name, items in collections.items()}})


def check_same_lab(record: LabRecord, other: LabRecord) -> None:
    """Check that two records are of the same lab.

    Raises:
        MergeError: They are not.
    """
    if record.key != other.key:
        raise MergeError(f"profiles of different labs: {record.key!r} and {other.key!r}")


def items_of(data: Item, name: str) -> dict[str, Item]:
    """The items of a collection by key, in order."""
    items = data[name]
    if not isinstance(items, list):
        raise MergeError(f"{name}: not a collection")
    return {str(item["key"]): item for item in items if isinstance(item, dict)}


def _changes(old: Item, new: Item) -> Iterable[Change]:
    for name in old:
        if name not in COLLECTIONS and old[name] != new[name]:
            yield Change(name, "changed", old[name], new[name])
    for name in COLLECTIONS:
        yield from _collection_changes(name, items_of(old, name), items_of(new, name))


def _collection_changes(name: str, old: dict[str, Item], new: dict[str, Item]) -> Iterable[Change]:
    for key, item in old.items():
        if key not in new:
            yield Change(f"{name}/{key}", "removed", dict(item), None)
    before = ""
    for key, item in new.items():
        if key not in old:
            yield Change(f"{name}/{key}", "added", None, dict(item), after=before)
        else:
            for part, value in item.items():
                if old[key][part] != value:
                    yield Change(f"{name}/{key}/{part}", "changed", old[key][part], value)
        before = key
    if [key for key in old if key in new] != [key for key in new if key in old]:
        yield Change(name, "moved", list(old), list(new))


def _apply_one(data: Item, collections: dict[str, dict[str, Item]], change: Change) -> None:
    name, *parts = change.path.split("/")
    if name not in data or name in ("schema", "key"):
        raise MergeError(f"{change.path}: a lab has no such field that can change")
    items = collections.get(name, {})
    if name not in collections:
        if parts:
            raise MergeError(f"{change.path}: {name} has no parts")
        data[name] = change.new
    elif change.kind == "moved":
        collections[name] = {key: items[key] for key in _in_order(list(items), change.new)}
    elif len(parts) == 1:
        collections[name] = _with_item_change(items, parts[0], change)
    elif len(parts) == _KEY_AND_FIELD and parts[1] != "key" and parts[1] in items.get(parts[0], {}):
        items[parts[0]][parts[1]] = change.new
    else:
        raise MergeError(f"{change.path}: not in this profile")


def _with_item_change(items: dict[str, Item], key: str, change: Change) -> dict[str, Item]:
    if change.kind == "removed":
        if key not in items:
            raise MergeError(f"{change.path}: not in this profile")
        del items[key]
        return items
    if not isinstance(change.new, dict) or change.new.get("key") != key:
        raise MergeError(f"{change.path}: the value is not an item of that key")
    if change.kind == "added" and key in items:
        raise MergeError(f"{change.path}: is in this profile already")
    if key in items or change.after == LAST:
        items[key] = dict(change.new)
        return items
    order = list(items)
    order.insert(order.index(change.after) + 1 if change.after in items else 0, key)
    items[key] = dict(change.new)
    return {each: items[each] for each in order}


def _in_order(keys: list[str], new_order: Json) -> list[str]:
    """`keys` in the new order; a key that it does not have stays after the key before it."""
    ordered_keys = [str(key) for key in new_order] if isinstance(new_order, list) else []
    return with_insertions([key for key in ordered_keys if key in set(keys)], keys)


def with_insertions(order: list[str], others: list[str]) -> list[str]:
    """`order`, with each further key of `others` inserted after the key that precedes it there."""
    result = list(order)
    present = set(order)
    before = ""
    for key in others:
        if key not in present:
            result.insert(result.index(before) + 1 if before else 0, key)
            present.add(key)
        before = key
    return result


# Three-way merge


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
