"""The parts of a lab profile: their names on pages, and changes of one of them as pure functions on `LabRecord`."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from portal.seeding.names import slug, unique
from portal.seeding.records import (
    ActivityRecord,
    LabRecord,
    MemberRecord,
    OpeningRecord,
    SystemRecord,
    WorkRecord,
    without_lost_references,
    work_label,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


Collection = Literal["members", "works", "systems", "activities", "openings"]
Item: TypeAlias = MemberRecord | WorkRecord | SystemRecord | ActivityRecord | OpeningRecord


@dataclass(frozen=True, slots=True)
class Section:
    """One collection of a profile: its heading, its singular and plural noun, and the class of its items."""

    name: Collection
    title: str
    one: str
    many: str
    record: type[Item]


SECTIONS: Mapping[Collection, Section] = {
    "members": Section("members", "People", "person", "people", MemberRecord),
    "works": Section("works", "Works", "work", "works", WorkRecord),
    "systems": Section("systems", "Systems", "system", "systems", SystemRecord),
    "activities": Section("activities", "Activities", "activity", "activities", ActivityRecord),
    "openings": Section("openings", "Openings", "opening", "openings", OpeningRecord),
}

# Values of fields that take one of a few.
MEMBER_ROLE_LABELS: Mapping[str, str] = {
    "leader": "Leader",
    "phd_student": "Ph.D. student",
    "mphil_student": "M.Phil. student",
    "research_assistant": "Research assistant",
    "visiting": "Visiting",
    "member": "Member",
}
ACTIVITY_KIND_LABELS: Mapping[str, str] = {
    "course": "Course",
    "talk": "Talk",
    "service": "Service",
    "education": "Education",
    "employment": "Employment",
    "award": "Award",
    "news": "News",
}
DEGREE_LABELS: Mapping[str, str] = {
    "phd": "Ph.D. student",
    "mphil": "M.Phil. student",
    "ra": "Research assistant",
    "postdoc": "Postdoctoral researcher",
}
CURRENT_LABELS: Mapping[str, str] = {"yes": "Yes, a current member", "no": "No, a former member"}
COMPLETE_LABELS: Mapping[str, str] = {"yes": "Complete", "no": "Cut short (“et al.”)"}

VALUE_LABELS: Mapping[str, Mapping[str, str]] = {
    "members/role": MEMBER_ROLE_LABELS,
    "members/current": CURRENT_LABELS,
    "works/authors_complete": COMPLETE_LABELS,
    "activities/kind": ACTIVITY_KIND_LABELS,
    "openings/degree": DEGREE_LABELS,
}

# Where a revision came from; see `portal.models.lab.RevisionSource`.
REVISION_SOURCES: Mapping[str, str] = {
    "form": "in the form",
    "pages": "from seed pages",
    "import": "from an imported file",
    "question": "by deciding a question",
    "api": "through the JSON interface",
    "command": "on the command line",
    "undo": "by an undo",
    "": "",
}


def section_named(name: str) -> Section | None:
    """The section of this name, or None."""
    return SECTIONS.get(cast("Collection", name))


def item_name(item: Item) -> str:
    """The name of an item in lists, headings and differences; never empty."""
    if isinstance(item, MemberRecord | SystemRecord):
        return item.name or "(without a name)"
    if isinstance(item, OpeningRecord):
        return ", ".join(part for part in (DEGREE_LABELS.get(item.degree, item.degree), item.start) if part)
    if isinstance(item, WorkRecord):
        return work_label(item)
    return item.title or "(without a title)"


# Values of fields by their names, as validated forms and snapshots give them.
Values: TypeAlias = "Mapping[str, Any]"
# A key never changes, and origins are set by the edit itself.
NOT_EDITED = frozenset({"key", "origins"})


def edited_fields(record: type[LabRecord | Item]) -> tuple[str, ...]:
    """The names of the fields that a person edits in an item, or in a profile besides its collections."""
    # A system has a field "works" too, the keys of its works; that one is edited in its form.
    left_out = NOT_EDITED | SECTIONS.keys() if record is LabRecord else NOT_EDITED
    return tuple(spec.name for spec in fields(record) if spec.name not in left_out)


def items_of(record: LabRecord, collection: Collection) -> tuple[Item, ...]:
    """All items of a collection."""
    collections: dict[Collection, tuple[Item, ...]] = {
        "members": record.members,
        "works": record.works,
        "systems": record.systems,
        "activities": record.activities,
        "openings": record.openings,
    }
    return collections[collection]


def item_of(record: LabRecord, collection: Collection, key: str) -> Item | None:
    """The item with this key, or None."""
    return next((item for item in items_of(record, collection) if item.key == key), None)


def with_items(record: LabRecord, collection: Collection, items: tuple[Item, ...]) -> LabRecord:
    """The profile with other items in one collection."""
    return with_values(record, {collection: items})


def value_at(record: LabRecord, path: str) -> object:
    """The value at a path: a field's value, an item, or a collection's items; None if there is no such item.

    Raises:
        KeyError: A profile or an item has no such field.
    """
    name, *rest = path.split("/")
    section = section_named(name)
    if section is None:
        return _field(record, name)
    if not rest:
        return items_of(record, section.name)
    item = item_of(record, section.name, rest[0])
    return item if item is None or len(rest) == 1 else _field(item, rest[1])


def _field(record: LabRecord | Item, name: str) -> object:
    known = edited_fields(type(record))
    if name not in known:
        raise KeyError(f"{name} is no field that is edited; known: {', '.join(known)}")
    return getattr(record, name)


def with_item(record: LabRecord, collection: Collection, item: Item) -> LabRecord:
    """The profile with `item` in the place of the one with its key, or behind the others if it is new."""
    present = items_of(record, collection)
    if item.key in {other.key for other in present}:
        return with_items(record, collection, tuple(item if other.key == item.key else other for other in present))
    return with_items(record, collection, (*present, item))


def without_item(record: LabRecord, collection: Collection, key: str) -> LabRecord:
    """The profile without an item; systems no longer name a work that is removed."""
    remaining = tuple(item for item in items_of(record, collection) if item.key != key)
    return without_lost_references(with_items(record, collection, remaining))


def with_values(record: LabRecord, values: Values) -> LabRecord:
    """The profile with some of its own fields (not its collections) replaced."""
    return replace(record, **values)


def changed_item(item: Item, values: Values) -> Item:
    """The item with some fields replaced."""
    return replace(item, **values)


def new_item(record: LabRecord, collection: Collection, values: Values) -> Item:
    """An item made from a form's values, with a key made from its name.

    The same form sent twice gives the same key, so that the second submission is recognised.
    """
    kind = SECTIONS[collection].record
    nameless = kind(**{"key": "new", **values})
    key = unique(slug(item_name(nameless)), (item.key for item in items_of(record, collection)))
    return replace(nameless, key=key)
