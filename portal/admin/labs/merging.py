"""Merging two edits of one profile: the places where they conflict, and the profile that results from the choices.

Pure, on top of `portal.seeding.merging.three_way`. "Mine" is the edit that came second, "theirs" the saved profile.
Beside the conflicts of fields, items and orders there are *twins*: both sides added an item under one key. They may
be one thing entered twice or two people of the same name, so a person is asked, and both can stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from portal.admin.labs.sections import (
    SECTIONS,
    Collection,
    Item,
    changed_item,
    item_of,
    items_of,
    section_named,
    value_at,
    with_item,
    with_items,
    with_values,
    without_item,
)
from portal.seeding.changes import Change, apply
from portal.seeding.merging import three_way
from portal.seeding.names import unique
from portal.seeding.records import without_lost_references

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.admin.labs.sections import Collection
    from portal.seeding.records import LabRecord


DisputeKind = Literal["field", "item", "order", "twins"]
Choice = Literal["mine", "theirs", "both"]
Twin: TypeAlias = "tuple[Collection, str]"

LONG_TEXTS = frozenset({"about", "interests", "recruiting", "contact", "abstract", "description", "note", "text"})
"""The fields that hold paragraphs, so that those of both sides can stay."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """One place that both sides changed differently; `can_be_both`: what both say can stay."""

    path: str
    kind: DisputeKind
    can_be_both: bool = False


@dataclass(frozen=True, slots=True)
class Merging:
    """Three states of one profile, and their merge.

    `merged` holds the changes of both sides, with mine where they disagree; `twins` maps an item that both added
    (its collection and key) to the key that mine has in `merged`.
    """

    base: LabRecord
    mine: LabRecord
    theirs: LabRecord
    merged: LabRecord
    disputes: tuple[Dispute, ...]
    twins: Mapping[Twin, str]


def merge(base: LabRecord, mine: LabRecord, theirs: LabRecord) -> Merging:
    """Take the changes of both sides since `base` and list what a person has to decide."""
    twins = _twins(base, mine, theirs)
    separate = mine
    for (collection, key), own in twins.items():
        separate = _renamed(separate, collection, key, own)
    merged = three_way(base, separate, theirs)
    disputes = [Dispute(f"{collection}/{key}", "twins", can_be_both=True) for collection, key in twins]
    for conflict in merged.conflicts:
        kind = _kind_of(conflict.path)
        long = kind == "field" and _can_be_both(mine, theirs, conflict.path)
        disputes.append(Dispute(conflict.path, kind, can_be_both=long))
    return Merging(base, mine, theirs, merged.record, tuple(disputes), twins)


def resolved(merging: Merging, choices: Mapping[str, Choice]) -> LabRecord:
    """The merged profile with every dispute settled as chosen; `choices` go by path.

    Raises:
        KeyError: A dispute has no choice.
        ValueError: A dispute does not take that choice.
    """
    record = merging.merged
    for dispute in merging.disputes:
        choice = choices[dispute.path]
        if choice == "both" and not dispute.can_be_both:
            raise ValueError(f"{dispute.path}: both cannot stay; choose mine or theirs")
        if dispute.kind == "twins":
            record = _twins_settled(record, merging, *_place(dispute.path), choice)
        elif choice == "both":
            record = _with_value(record, dispute.path, _both(merging, dispute.path))
        else:
            side = merging.mine if choice == "mine" else merging.theirs
            if dispute.kind == "item":  # one side removed it, the other changed it
                record = _item_as_in(record, side, *_place(dispute.path))
            else:
                record = restored(record, side, dispute.path)
    return without_lost_references(record)  # a system of one side may name a work that the other side removed


def _can_be_both(mine: LabRecord, theirs: LabRecord, path: str) -> bool:
    values = (value_at(mine, path), value_at(theirs, path))
    return all(isinstance(value, tuple) for value in values) or (
        path.rpartition("/")[2] in LONG_TEXTS and all(isinstance(value, str) and value for value in values)
    )


def _both(merging: Merging, path: str) -> object:
    """The entries of both lists, each once, or the paragraphs of both texts; what is saved comes first."""
    mine, theirs = value_at(merging.mine, path), value_at(merging.theirs, path)
    if isinstance(mine, tuple) and isinstance(theirs, tuple):
        return tuple(dict.fromkeys((*theirs, *mine)))
    return f"{theirs}\n\n{mine}"


def _with_value(record: LabRecord, path: str, value: object) -> LabRecord:
    if "/" not in path:
        return with_values(record, {path: value})
    place, _, field = path.rpartition("/")
    collection, key = _place(place)
    item = item_of(record, collection, key)
    return record if item is None else with_item(record, collection, changed_item(item, {field: value}))


def _kind_of(path: str) -> DisputeKind:
    parts = path.split("/")
    if parts[0] not in SECTIONS:
        return "field"
    return ("order", "item", "field")[len(parts) - 1]


def _place(path: str) -> Twin:
    name, key = path.split("/")
    section = section_named(name)
    if section is None:
        raise ValueError(f"{path}: a profile has no collection {name}")
    return section.name, key


def _item_as_in(record: LabRecord, side: LabRecord, collection: Collection, key: str) -> LabRecord:
    """`record` with one item as in `side`: at its place there, referred to by the same systems, or removed."""
    item = item_of(side, collection, key)
    if item is None:
        return without_item(record, collection, key)
    with_item_back = _put_back(record, collection, item, items_of(side, collection))
    return _with_references(with_item_back, side, key) if collection == "works" else with_item_back


def _twins_settled(record: LabRecord, merging: Merging, collection: Collection, key: str, choice: Choice) -> LabRecord:
    """Both sides added an item under this key; in the merged profile, mine has a key of its own."""
    own = merging.twins[collection, key]
    mine = item_of(record, collection, own)
    if choice == "both" or mine is None:
        return record
    if choice == "mine":
        record = with_item(record, collection, replace(mine, key=key))
    remaining = with_items(record, collection, tuple(item for item in items_of(record, collection) if item.key != own))
    return _with_renamed_references(remaining, own, key) if collection == "works" else remaining


def _twins(base: LabRecord, mine: LabRecord, theirs: LabRecord) -> dict[Twin, str]:
    """Items that both sides added under one key and describe differently, with a free key for mine."""
    twins: dict[Twin, str] = {}
    for collection in SECTIONS:
        base_items, own_items, their_items = (
            {item.key: item for item in items_of(side, collection)} for side in (base, mine, theirs)
        )
        taken = {*base_items, *own_items, *their_items}
        for key in own_items.keys() & their_items.keys() - base_items.keys():
            if replace(own_items[key], origins=()) != replace(their_items[key], origins=()):
                twins[collection, key] = unique(key, taken)
                taken.add(twins[collection, key])
    return twins


def _renamed(record: LabRecord, collection: Collection, key: str, new_key: str) -> LabRecord:
    items = tuple(replace(item, key=new_key) if item.key == key else item for item in items_of(record, collection))
    renamed = with_items(record, collection, items)
    return _with_renamed_references(renamed, key, new_key) if collection == "works" else renamed


def _with_renamed_references(record: LabRecord, work: str, new_key: str) -> LabRecord:
    systems = tuple(
        replace(system, works=tuple(dict.fromkeys(new_key if key == work else key for key in system.works)))
        for system in record.systems
    )
    return replace(record, systems=systems)


def _with_references(record: LabRecord, side: LabRecord, work: str) -> LabRecord:
    """Restore the references to `work` from the systems that have them in `side`."""
    naming = {system.key: system.works for system in side.systems if work in system.works}
    systems = tuple(
        replace(system, works=_inserted(system.works, work, naming[system.key])) if system.key in naming else system
        for system in record.systems
    )
    return replace(record, systems=systems)


def _put_back(record: LabRecord, collection: Collection, item: Item, order: Sequence[Item]) -> LabRecord:
    """The profile with `item`, placed behind the item that precedes it in `order`."""
    present: dict[str, Item] = {other.key: other for other in items_of(record, collection)} | {item.key: item}
    keys = [key for key in present if key != item.key]
    placed = _inserted(keys, item.key, [other.key for other in order])
    return with_items(record, collection, tuple(present[key] for key in placed))


def _inserted(keys: Sequence[str], key: str, order: Sequence[str]) -> tuple[str, ...]:
    """`keys` with `key` behind the last of those that precede it in `order`."""
    if key in keys:
        return tuple(keys)
    predecessors = set(order[: list(order).index(key)])
    place = max((number for number, other in enumerate(keys, start=1) if other in predecessors), default=0)
    return (*keys[:place], key, *keys[place:])


def restored(record: LabRecord, earlier: LabRecord, path: str) -> LabRecord:
    """`record` with the value of `earlier` at `path`, and with its origins if the whole fact is restored.

    Raises:
        KeyError: One of the two profiles has no such place.
    """
    name, *rest = path.split("/")
    section = section_named(name)
    if section is None:
        return _with_field(record, earlier, path)
    if not rest:
        order = [item.key for item in items_of(earlier, section.name)]
        return apply(record, [Change(path, "moved", None, list(order))])
    if len(rest) == 1:
        return _item_as_in(record, earlier, section.name, rest[0])
    return _with_item_field(record, earlier, section.name, path)


def _with_field(record: LabRecord, earlier: LabRecord, name: str) -> LabRecord:
    value = value_at(earlier, name)
    if value == value_at(record, name):
        return record
    origins = tuple(pair for pair in record.origins if pair[0] != name)
    restored_origins = tuple(pair for pair in earlier.origins if pair[0] == name)
    order = [place for place, _ in earlier.origins]
    all_origins = sorted(
        origins + restored_origins, key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order)
    )
    return replace(with_values(record, {name: value}), origins=tuple(all_origins))


def _with_item_field(record: LabRecord, earlier: LabRecord, collection: Collection, path: str) -> LabRecord:
    _, key, field = path.split("/")
    item, earlier_item = item_of(record, collection, key), item_of(earlier, collection, key)
    if item is None or earlier_item is None:
        raise KeyError(path)
    value = value_at(earlier, path)
    if value == value_at(record, path):
        return record
    changed = changed_item(item, {field: value})
    is_as_before = replace(changed, origins=earlier_item.origins) == earlier_item
    return with_item(record, collection, replace(changed, origins=earlier_item.origins if is_as_before else ()))
