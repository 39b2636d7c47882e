"""Differences of two profiles as people read them: words of texts, and items by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from portal.admin.labs.sections import PROFILE_FIELDS, SECTIONS, item_name, item_of, items_of, section_named, text_at
from portal.web.word_diff import Kind, word_diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.admin.labs.fields import FieldSpec
    from portal.admin.labs.sections import Item, Section
    from portal.seeding.records import LabRecord


ItemChange = Literal["added", "removed", "changed"]
MOST_ITEMS_SHOWN = 200  # per section; a page with thousands of new works says how many more there are


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field whose value changed: its label and the parts of its text."""

    label: str
    parts: Sequence[tuple[Kind, str]]


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """An item that was added, removed or changed, with the fields that differ."""

    name: str
    kind: ItemChange
    fields: tuple[FieldDifference, ...]


@dataclass(frozen=True, slots=True)
class SectionDifference:
    """The changes of one collection. `reordered`: the items that stayed are in another order."""

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
    sections = [_section_difference(section, old, new) for section in SECTIONS.values()]
    shown = tuple(section for section in sections if section.items or section.reordered)
    return Differences(_field_differences(PROFILE_FIELDS, (old, new), (old, new)), shown)


def item_fields(record: LabRecord, path: str) -> list[tuple[str, str]]:
    """Label and text of each field that holds something, of the item at a path."""
    collection, key = path.split("/")
    section = section_named(collection)
    if section is None or item_of(record, section.name, key) is None:
        return []
    texts = [(spec.label, text_at(record, f"{path}/{spec.name}")) for spec in section.fields]
    return [(label, text) for label, text in texts if text]


def _field_differences(
    specs: Sequence[FieldSpec], parts: tuple[LabRecord | Item | None, ...], sides: tuple[LabRecord, LabRecord]
) -> tuple[FieldDifference, ...]:
    """The fields that differ between two parts of the profiles `sides`; None for a part that one does not have."""
    found = []
    for spec in specs:
        was, now = (getattr(part, spec.name) if part else None for part in parts)
        if was == now:
            continue
        before, after = (
            "" if value is None else spec.kind_in(side).shown(value)
            for value, side in zip((was, now), sides, strict=True)
        )
        if before != after or None not in parts:
            found.append(FieldDifference(spec.label, word_diff(before, after)))
    return tuple(found)


def _section_difference(section: Section, old: LabRecord, new: LabRecord) -> SectionDifference:
    before = {item.key: item for item in items_of(old, section.name)}
    after = {item.key: item for item in items_of(new, section.name)}
    changed: list[tuple[str, ItemChange]] = []
    for key, item in after.items():
        if key not in before:
            changed.append((key, "added"))
        elif any(getattr(item, spec.name) != getattr(before[key], spec.name) for spec in section.fields):
            changed.append((key, "changed"))
    changed += [(key, "removed") for key in before if key not in after]
    shown = tuple(
        ItemDifference(
            item_name(after.get(key) or before[key]),
            kind,
            _field_differences(section.fields, (before.get(key), after.get(key)), (old, new)),
        )
        for key, kind in changed[:MOST_ITEMS_SHOWN]
    )
    reordered = [key for key in before if key in after] != [key for key in after if key in before]
    return SectionDifference(section.title, shown, len(changed) - len(shown), reordered)
