"""Restores one place of a profile from an earlier revision: a field, an item, or an order. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portal.admin.profiles.disputes import item_as_in
from portal.admin.profiles.editing import changed_item, item_of, items_of, value_at, with_item, with_values
from portal.admin.profiles.wording import section_named
from portal.seeding.changes import Change, apply

if TYPE_CHECKING:
    from portal.admin.profiles.wording import Collection
    from portal.seeding.records import LabRecord

_FIELD_OF_ITEM = 3  # parts of a path


class LostPlaceError(ValueError):
    """The item whose field should come back is gone on one side; the message says what to do."""


def restored(record: LabRecord, earlier: LabRecord, path: str) -> LabRecord:
    """`record` with the value of `earlier` at `path`, and with its origins if the whole fact is restored.

    Raises:
        KeyError: A profile has no such place.
        LostPlaceError: The path is a field of an item that one of the two does not have.
    """
    name, *rest = path.split("/")
    section = section_named(name)
    if section is None:
        return _with_field(record, earlier, path)
    if not rest:
        order = [item.key for item in items_of(earlier, section.name)]
        return apply(record, [Change(path, "moved", None, list(order))])
    if len(rest) == 1:
        if item_of(record, section.name, rest[0]) is None and item_of(earlier, section.name, rest[0]) is None:
            raise KeyError(path)
        return item_as_in(record, earlier, section.name, rest[0])
    if len(rest) >= _FIELD_OF_ITEM:
        raise KeyError(path)
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
        raise LostPlaceError(
            "This entry is not in both revisions any more. Bring the whole entry back, or take it out, instead."
        )
    value = value_at(earlier, path)
    if value == value_at(record, path):
        return record
    changed = changed_item(item, {field: value})
    is_as_before = replace(changed, origins=earlier_item.origins) == earlier_item
    return with_item(record, collection, replace(changed, origins=earlier_item.origins if is_as_before else ()))
