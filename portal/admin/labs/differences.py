"""Differences of two profiles as people read them: words of texts, and items by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from portal.admin.labs.forms import ITEM_LABELS, PROFILE_LABELS
from portal.admin.labs.sections import (
    SECTIONS,
    VALUE_LABELS,
    Collection,
    Item,
    Section,
    edited_fields,
    item_name,
    item_of,
    items_of,
    section_named,
    value_at,
)
from portal.seeding.records import LabRecord, Link
from portal.web.word_diff import Kind, word_diff

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


ItemChange = Literal["added", "removed", "changed"]
MOST_ITEMS_SHOWN = 200  # per section; a page with thousands of new works says how many more there are


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field whose value changed: its path in the profile, its label and the parts of its text."""

    path: str
    label: str
    parts: Sequence[tuple[Kind, str]]


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """An item that was added, removed or changed, with the fields that differ."""

    path: str
    name: str
    kind: ItemChange
    fields: tuple[FieldDifference, ...]


@dataclass(frozen=True, slots=True)
class SectionDifference:
    """The changes of one collection. `reordered`: the items that stayed are in another order."""

    path: str
    title: str
    items: tuple[ItemDifference, ...]
    not_shown: int
    reordered: bool


@dataclass(frozen=True, slots=True)
class Differences:
    """All visible differences of two profiles."""

    fields: tuple[FieldDifference, ...]
    sections: tuple[SectionDifference, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing visible changed."""
        return not self.fields and not self.sections


def differences(old: LabRecord, new: LabRecord) -> Differences:
    """The differences from `old` to `new`, in the order of a profile."""
    names = _works_by_key(old) | _works_by_key(new)
    fields = tuple(
        FieldDifference(name, PROFILE_LABELS[name], word_diff(*(_text_at(side, name, names) for side in (old, new))))
        for name in edited_fields(LabRecord)
        if value_at(old, name) != value_at(new, name)
    )
    sections = [_section_difference(section, old, new, names) for section in SECTIONS.values()]
    shown = tuple(section for section in sections if section.items or section.reordered)
    return Differences(fields, shown)


def text_at(record: LabRecord, path: str) -> str:
    """The value at a field's path as text; "" if there is none."""
    return _text_at(record, path, _works_by_key(record))


def item_fields(record: LabRecord, path: str) -> list[tuple[str, str]]:
    """Label and text of each field that holds something, of the item at a path."""
    collection, key = path.split("/")
    section = section_named(collection)
    item = item_of(record, section.name, key) if section else None
    if section is None or item is None:
        return []
    texts = _item_texts(section.name, item, _works_by_key(record))
    return [(ITEM_LABELS[section.name][name], text) for name, text in texts.items() if text]


def _works_by_key(record: LabRecord) -> dict[str, str]:
    return {work.key: item_name(work) for work in record.works}


def _text_at(record: LabRecord, path: str, works: Mapping[str, str]) -> str:
    name, *rest = path.split("/")
    return _text(f"{name}/{rest[1]}" if rest else name, value_at(record, path), works)


def _text(field: str, value: object, works: Mapping[str, str]) -> str:
    """A value as text; lists have one entry a line."""
    if isinstance(value, bool):
        return VALUE_LABELS[field]["yes" if value else "no"]
    if isinstance(value, tuple):
        return "\n".join(_entry(field, entry, works) for entry in value)
    if isinstance(value, str) and field in VALUE_LABELS:
        return VALUE_LABELS[field].get(value, value)
    return "" if value is None else str(value)


def _entry(field: str, entry: object, works: Mapping[str, str]) -> str:
    if isinstance(entry, Link):
        return f"{entry.label} {entry.url}".strip()
    if isinstance(entry, tuple):
        return " ".join(map(str, entry))
    return works.get(str(entry), str(entry)) if field == "systems/works" else str(entry)


def _item_texts(collection: Collection, item: Item, works: Mapping[str, str]) -> dict[str, str]:
    record_fields = edited_fields(type(item))
    return {name: _text(f"{collection}/{name}", getattr(item, name), works) for name in record_fields}


def _section_difference(
    section: Section, old: LabRecord, new: LabRecord, works: Mapping[str, str]
) -> SectionDifference:
    before = {item.key: item for item in items_of(old, section.name)}
    after = {item.key: item for item in items_of(new, section.name)}
    changed: list[tuple[str, ItemChange]] = []
    for key, item in after.items():
        if key not in before:
            changed.append((key, "added"))
        elif item != before[key] and _differs(item, before[key]):
            changed.append((key, "changed"))
    changed += [(key, "removed") for key in before if key not in after]
    shown = [
        _item_difference(section.name, before.get(key), after.get(key), kind, works)
        for key, kind in changed[:MOST_ITEMS_SHOWN]
    ]
    reordered = [key for key in before if key in after] != [key for key in after if key in before]
    return SectionDifference(section.name, section.title, tuple(shown), len(changed) - len(shown), reordered)


def _differs(item: Item, other: Item) -> bool:
    return any(getattr(item, name) != getattr(other, name) for name in edited_fields(type(item)))


def _item_difference(
    collection: Collection, old: Item | None, new: Item | None, kind: ItemChange, works: Mapping[str, str]
) -> ItemDifference:
    before = _item_texts(collection, old, works) if old else {}
    after = _item_texts(collection, new, works) if new else {}
    labels = ITEM_LABELS[collection]
    present = new or old
    if present is None:
        raise ValueError(f"{collection}: an item that is on neither side")
    path = f"{collection}/{present.key}"
    fields = tuple(
        FieldDifference(f"{path}/{name}", labels[name], word_diff(before.get(name, ""), after.get(name, "")))
        for name in labels
        if before.get(name, "") != after.get(name, "")
    )
    return ItemDifference(path, item_name(present), kind, fields)
