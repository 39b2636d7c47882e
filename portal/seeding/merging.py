"""The one mechanism for edits, seeding and imports: what changed, and taking changes of two sides at once.

A path names a place in a lab profile: a field ("about"), an item of a collection ("works/flexgen") or a field
of an item ("members/ran-yan/term"). Values are JSON, as `portal.seeding.snapshots.to_json` writes them.
Texts, lists of plain values and pairs are whole values: they are replaced, never merged inside.

Where a fact is from ("origins") follows the fact: a page whose lines moved is a change, but never a conflict.
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

_ITEM_PARTS = 2
_FIELD_PARTS = 3


class MergeError(ValueError):
    """A change that cannot be applied, or profiles of different labs; the message says which."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two profiles.

    For an item that was added, `after` is the key of the item before it ("" for the first). A collection
    whose remaining items changed their order gives "moved", with all keys in the old and the new order.
    """

    path: str
    kind: ChangeKind
    old: Json
    new: Json
    after: str = ""

    @property
    def is_origin(self) -> bool:
        """Whether this only says where facts are from; people reading a diff may skip it."""
        return self.path.rpartition("/")[2] == "origins"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides changed the same place differently; None stands for "not there"."""

    path: str
    base: Json
    ours: Json
    theirs: Json


@dataclass(frozen=True, slots=True)
class Merge:
    """The merged profile, what it took over into ours, and what it left as ours for a person to decide."""

    record: LabRecord
    applied: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]


def diff(old: LabRecord, new: LabRecord) -> tuple[Change, ...]:
    """The changes that lead from `old` to `new`; applied to `old` they give `new` exactly.

    Raises:
        MergeError: the records are of different labs.
    """
    _check_same_lab(old, new)
    return tuple(_changes(to_json(old), to_json(new)))


def apply(record: LabRecord, changes: Iterable[Change]) -> LabRecord:
    """`record` with the changes made; a part of a diff may be given too (field by field).

    Raises:
        MergeError: a path that the profile does not have, or an item to add that is there already.
        SnapshotError: a value that does not fit its place.
    """
    data = to_json(record)
    for change in changes:
        _apply_one(data, change)
    return from_json(data)


def three_way(base: LabRecord, ours: LabRecord, theirs: LabRecord) -> Merge:
    """The changes of both sides since `base`; where they conflict, ours stays and the conflict is listed.

    The same change on both sides is no conflict. An item removed on one side and changed on the other is one
    conflict at the item. References of systems to works that the merge removed are dropped with them.

    Raises:
        MergeError: the records are of different labs.
    """
    _check_same_lab(base, ours)
    _check_same_lab(ours, theirs)
    conflicts: list[Conflict] = []
    b, o, t = to_json(base), to_json(ours), to_json(theirs)
    merged = _merge_fields("", b, o, t, conflicts)
    for name in COLLECTIONS:
        merged[name] = _merge_collection(name, (_items(b, name), _items(o, name), _items(t, name)), conflicts)
    merged["origins"] = _merge_field_origins(b, o, t, merged)
    _drop_lost_references(merged, o, t)
    record = from_json(merged)
    return Merge(record, diff(ours, record), tuple(conflicts))


def _check_same_lab(one: LabRecord, other: LabRecord) -> None:
    if one.key != other.key:
        raise MergeError(f"profiles of different labs: {one.key!r} and {other.key!r}")


def _items(data: Item, name: str) -> dict[str, Item]:
    """The items of a collection by key, in order."""
    items = data[name]
    if not isinstance(items, list):
        raise MergeError(f"{name}: not a collection")
    return {str(item["key"]): item for item in items if isinstance(item, dict)}


# Differences


def _changes(old: Item, new: Item) -> Iterable[Change]:
    for name in old:
        if name not in COLLECTIONS and old[name] != new[name]:
            yield Change(name, "changed", old[name], new[name])
    for name in COLLECTIONS:
        yield from _collection_changes(name, _items(old, name), _items(new, name))


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


# Applying


def _apply_one(data: Item, change: Change) -> None:
    parts = change.path.split("/")
    name = parts[0]
    if name not in data or name in ("schema", "key"):
        raise MergeError(f"{change.path}: a lab has no such field that can change")
    if name not in COLLECTIONS:
        if len(parts) != 1:
            raise MergeError(f"{change.path}: {name} has no parts")
        data[name] = change.new
        return
    items = _items(data, name)
    if change.kind == "moved":
        data[name] = [dict(items[key]) for key in _in_order(list(items), change.new)]
    elif len(parts) == _FIELD_PARTS and parts[1] in items and parts[2] in items[parts[1]]:
        if parts[2] == "key":
            raise MergeError(f"{change.path}: a key never changes")
        items[parts[1]][parts[2]] = change.new
    elif len(parts) == _ITEM_PARTS:
        data[name] = _with_item_change(items, parts[1], change)
    else:
        raise MergeError(f"{change.path}: not in this profile")


def _with_item_change(items: dict[str, Item], key: str, change: Change) -> list[Json]:
    if change.kind == "removed":
        if key not in items:
            raise MergeError(f"{change.path}: not in this profile")
        return [dict(item) for other, item in items.items() if other != key]
    if not isinstance(change.new, dict) or change.new.get("key") != key:
        raise MergeError(f"{change.path}: the value is not an item of that key")
    if change.kind == "added" and key in items:
        raise MergeError(f"{change.path}: is in this profile already")
    added = dict(change.new)
    if key in items:
        return [added if other == key else dict(item) for other, item in items.items()]
    result: list[Json] = [dict(item) for item in items.values()]
    result.insert(list(items).index(change.after) + 1 if change.after in items else 0, added)
    return result


def _in_order(keys: list[str], wanted: Json) -> list[str]:
    """`keys` in the wanted order; a key the order does not name stays behind its neighbour."""
    named = [str(key) for key in wanted] if isinstance(wanted, list) else []
    return _with_insertions([key for key in named if key in set(keys)], keys)


def _with_insertions(order: list[str], others: list[str]) -> list[str]:
    """`order`, with each further key of `others` put behind the key that precedes it there."""
    result = list(order)
    known = set(order)
    before = ""
    for key in others:
        if key not in known:
            result.insert(result.index(before) + 1 if before else 0, key)
            known.add(key)
        before = key
    return result


# Three-way


def _merge_fields(prefix: str, base: Item, ours: Item, theirs: Item, conflicts: list[Conflict]) -> Item:
    """Every field of an item (or the plain fields of a lab) by itself."""
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
    kept = ours or theirs
    if kept is None or _same_facts(base, kept):
        return None
    conflicts.append(Conflict(path, base, ours, theirs))
    return ours


def _empty_like(item: Item) -> Item:
    """The base of an item that both sides added: where one says nothing, the other's word is taken."""
    nothing: dict[type, Json] = {str: "", list: []}
    return {name: nothing.get(type(value)) for name, value in item.items()}


def _same_facts(one: Item, other: Item) -> bool:
    return {**one, "origins": None} == {**other, "origins": None}


def _merge_order(
    name: str, base: list[str], ours: list[str], theirs: list[str], conflicts: list[Conflict]
) -> list[str]:
    """The order of all keys of both sides: of the side that reordered, else of theirs with ours put in."""
    common = set(base) & set(ours) & set(theirs)
    was, mine, other = ([key for key in side if key in common] for side in (base, ours, theirs))
    if mine == was:
        return _with_insertions(theirs, ours)
    if other not in (was, mine):
        conflicts.append(Conflict(name, list(was), list(mine), list(other)))
    return _with_insertions(ours, theirs)


def _merge_field_origins(base: Item, ours: Item, theirs: Item, merged: Item) -> Json:
    """Where each plain field is from: the origin goes with the side whose value was taken."""
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
    kept = _items(merged, "works")
    lost = (set(_items(ours, "works")) | set(_items(theirs, "works"))) - set(kept)
    for system in _items(merged, "systems").values():
        works = system["works"]
        if lost and isinstance(works, list):
            system["works"] = [key for key in works if key not in lost]
