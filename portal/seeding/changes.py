"""The differences between two profiles, and applying them: the basis of history, merging and proposals.

A path identifies a part of a lab profile: a field ("about"), an item of a collection ("works/flexgen") or a field of an
item ("members/ran-yan/term"). Values are JSON as written by `portal.seeding.snapshots.to_json`. Texts, lists of plain
values and pairs are replaced as a whole.
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
