"""The parts of a lab profile: how each field is called, shown and typed, and changes of a part as pure functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from portal.admin.labs.fields import (
    ADDRESS,
    DAY,
    FIGURES,
    LINKS,
    PARAGRAPHS,
    PERSON_NAME,
    PHRASE,
    PHRASES,
    SEATS,
    WORDS,
    YEAR,
    FieldSpec,
    labelled,
    works_of,
)
from portal.labs.texts import ROLES
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
    from collections.abc import Iterable, Mapping


Collection = Literal["members", "works", "systems", "activities", "openings"]
Item: TypeAlias = MemberRecord | WorkRecord | SystemRecord | ActivityRecord | OpeningRecord

# Values of fields that take one of a few.
MEMBER_ROLE_LABELS: Mapping[str, str] = {role: name[0].upper() + name[1:] for role, name in ROLES.items()}
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
# Where a revision came from; see `portal.models.lab.RevisionSource`.
REVISION_SOURCES: Mapping[str, str] = {
    "form": "in the form",
    "pages": "from seed pages",
    "import": "from an imported file",
    "question": "by deciding a question",
    "command": "on the command line",
    "undo": "by an undo",
    "": "",
}
_LINKS_HELP = "One link per line: what it is called, a space, the address, such as “code https://github.com/…”."


@dataclass(frozen=True, slots=True)
class Section:
    """One collection of a profile: its heading, its singular and plural noun, an empty item and the fields of one."""

    name: Collection
    title: str
    one: str
    many: str
    blank: Item
    fields: tuple[FieldSpec, ...]


PROFILE_FIELDS = (
    FieldSpec("name", "Name of the lab", WORDS, required="Give the lab a name."),
    FieldSpec("leader", "Leader", WORDS, limit=200),
    FieldSpec("leader_title", "Title of the leader", WORDS, "Such as “Assistant Professor”."),
    FieldSpec("institution", "Institution", WORDS),
    FieldSpec("department", "Department", WORDS),
    FieldSpec("place", "Place", WORDS, "Such as “Hong Kong”.", 200),
    FieldSpec("country", "Country", WORDS, "Such as “Switzerland”."),
    FieldSpec("homepage", "Home page", ADDRESS),
    FieldSpec(
        "links",
        "Profiles elsewhere",
        LINKS,
        _LINKS_HELP.replace("code https://github.com", "Google Scholar https://scholar.google.com"),
    ),
    FieldSpec(
        "recruiting_focus",
        "Recruiting focus",
        PARAGRAPHS,
        "One sentence: whom the lab looks for now. Counts in matching.",
    ),
    FieldSpec("recruiting", "Recruiting", PARAGRAPHS, "What applicants should know. Counts in matching."),
    FieldSpec("interests", "Research interests", PARAGRAPHS, "Counts in matching."),
    FieldSpec("about", "About", PARAGRAPHS, "Does not count in matching."),
    FieldSpec("contact", "Contact", PARAGRAPHS, "How to write to the lab, and whether to."),
    FieldSpec("stipend", "Stipend", WORDS, "What a Ph.D. student is paid, such as “HKD 18,000 a month”."),
    FieldSpec("duration", "Duration", WORDS, "How long a Ph.D. takes here, such as “4 years”."),
    FieldSpec("languages", "Languages of work", PHRASES, "One per line.", PHRASE),
    FieldSpec("recent_hires", "Where recent members went", PARAGRAPHS, "Does not count in matching."),
    FieldSpec("topics", "Topics", PHRASES, "One topic per line.", PHRASE),
    FieldSpec("hardware", "Hardware", PHRASES, "One kind per line, such as GPU, TPU, NPU.", PHRASE),
    FieldSpec(
        "figures",
        "Figures",
        FIGURES,
        "As a page states them, one per line: what is counted, a space, the number (“citations 1219”).",
    ),
)
_MEMBER_FIELDS = (
    FieldSpec("name", "Name", WORDS, limit=200, required="Give the person’s name."),
    FieldSpec("role", "Role", labelled(MEMBER_ROLE_LABELS)),
    FieldSpec("current", "In the lab now", labelled({"yes": "Yes, a current member", "no": "No, a former member"})),
    FieldSpec("term", "Term of entry", WORDS, "As printed, such as “2023-Fall”."),
    FieldSpec("degrees", "Degrees", PHRASES, "One degree per line, such as “BS@Peking University”."),
    FieldSpec("homepage", "Home page", ADDRESS),
    FieldSpec("co_supervisor", "Co-supervisor", WORDS),
    FieldSpec("now", "Where they are now", WORDS, "For former members, such as “PhD@University of Cambridge”."),
    FieldSpec("interests", "Research interests", PARAGRAPHS, "The person’s own statement. Counts in matching."),
)
_WORK_FIELDS = (
    FieldSpec("title", "Title", WORDS, limit=1000, required="Give the title of the work."),
    FieldSpec("authors", "Authors", PHRASES, "One author per line, in order.", PERSON_NAME),
    FieldSpec("authors_complete", "List of authors", labelled({"yes": "Complete", "no": "Cut short (“et al.”)"})),
    FieldSpec("venue", "Venue", WORDS, "The short name, such as “ICML”.", 500),
    FieldSpec("venue_full", "Venue in full", WORDS, "As printed, with volume and pages.", 500),
    FieldSpec("year", "Year", YEAR),
    FieldSpec("date", "Date as printed", WORDS, "Such as “Oct 28, 2023”."),
    FieldSpec("subject", "Subject class", WORDS, "The source’s own subject class, such as “DC”."),
    FieldSpec("abstract", "Abstract", PARAGRAPHS, "Counts in matching."),
    FieldSpec("links", "Links", LINKS, _LINKS_HELP),
    FieldSpec("awards", "Awards", PHRASES, "One award per line."),
    FieldSpec(
        "question",
        "Open question",
        WORDS,
        "What a person has to decide about this work. While it has a question it does not count in matching; empty it "
        "once it is decided.",
        500,
    ),
)
_SYSTEM_FIELDS = (
    FieldSpec("name", "Name", WORDS, limit=200, required="Give the name of the system."),
    FieldSpec("description", "Description", PARAGRAPHS),
    FieldSpec("url", "Web address", ADDRESS),
    FieldSpec(
        "works",
        "Works that tell of it",
        works_of,
        "One work of the lab per line, the strongest evidence first: its title, or words of it that no other has.",
    ),
)
_ACTIVITY_FIELDS = (
    FieldSpec("kind", "Kind", labelled(ACTIVITY_KIND_LABELS)),
    FieldSpec("title", "Title", WORDS, required="Say what it is.", limit=1000),
    FieldSpec("person", "Whose it is", WORDS, "The person’s name; empty for the lab itself."),
    FieldSpec("organisation", "Where", WORDS, "The school, event or journal."),
    FieldSpec("when", "When, as printed", WORDS, "Such as “Spring 2024, Spring 2025” or “2016/08 - 2020/12”."),
    FieldSpec("year", "Year", YEAR, "The latest year in it, for sorting."),
    FieldSpec("note", "Note", PARAGRAPHS),
    FieldSpec("links", "Links", LINKS, _LINKS_HELP),
)
_OPENING_FIELDS = (
    FieldSpec("degree", "Degree or position", labelled(DEGREE_LABELS)),
    FieldSpec("text", "Text", PARAGRAPHS, "Counts in matching."),
    FieldSpec("seats", "Seats", SEATS, "Leave it empty where the number is not given."),
    FieldSpec("funding", "Funding", WORDS, "Such as “full scholarship”."),
    FieldSpec("start", "Start", WORDS, "Such as “Fall 2027”.", 100),
    FieldSpec("deadline", "Deadline", DAY),
)
SECTIONS: Mapping[Collection, Section] = {
    section.name: section
    for section in (
        Section("members", "People", "person", "people", MemberRecord("new", "", "phd_student"), _MEMBER_FIELDS),
        Section("works", "Works", "work", "works", WorkRecord("new", ""), _WORK_FIELDS),
        Section("systems", "Systems", "system", "systems", SystemRecord("new", ""), _SYSTEM_FIELDS),
        Section(
            "activities", "Activities", "activity", "activities", ActivityRecord("new", "course", ""), _ACTIVITY_FIELDS
        ),
        Section("openings", "Openings", "opening", "openings", OpeningRecord("new", "phd"), _OPENING_FIELDS),
    )
}
_SPECS = {
    **{spec.name: spec for spec in PROFILE_FIELDS},
    **{f"{section.name}/{spec.name}": spec for section in SECTIONS.values() for spec in section.fields},
}


def section_named(name: str) -> Section | None:
    """The section of this name, or None."""
    return SECTIONS.get(cast("Collection", name))


def spec_at(path: str) -> FieldSpec:
    """The field at a path: "about", "members/<key>/term".

    Raises:
        KeyError: A profile or an item has no such field.
    """
    name, *rest = path.split("/")
    return _SPECS[f"{name}/{rest[1]}" if rest else name]


def item_name(item: Item) -> str:
    """The name of an item in lists, headings and differences; never empty."""
    if isinstance(item, MemberRecord | SystemRecord):
        return item.name or "(without a name)"
    if isinstance(item, OpeningRecord):
        return ", ".join(part for part in (DEGREE_LABELS.get(item.degree, item.degree), item.start) if part)
    if isinstance(item, WorkRecord):
        return work_label(item)
    return item.title or "(without a title)"


def item_detail(item: Item) -> str:
    """Details that distinguish an item from others of the same name."""
    if isinstance(item, WorkRecord):
        parts = [", ".join(item.authors[:3]), " ".join(part for part in (item.venue, str(item.year or "")) if part)]
    elif isinstance(item, MemberRecord):
        parts = [MEMBER_ROLE_LABELS[item.role], item.term, "" if item.current else "former"]
    elif isinstance(item, ActivityRecord):
        parts = [ACTIVITY_KIND_LABELS[item.kind], item.organisation, item.when or str(item.year or "")]
    elif isinstance(item, SystemRecord):
        parts = [item.description]
    else:
        seats = "" if item.seats is None else f"{item.seats} {'seat' if item.seats == 1 else 'seats'}"
        parts = [seats, item.funding, f"deadline {item.deadline}" if item.deadline else ""]
    return " · ".join(part for part in parts if part)


def place_of(sides: Iterable[LabRecord], path: str) -> str:
    """The name of a path: "About", "People: Ran Yan: Term of entry"; items have their name on the first side that has
    them.
    """
    name, *rest = path.split("/")
    section = section_named(name)
    if section is None:
        return spec_at(path).label
    if not rest:
        return f"{section.title}: their order"
    items_there = (item for side in sides if (item := item_of(side, section.name, rest[0])) is not None)
    place = f"{section.title}: {next(map(item_name, items_there), rest[0])}"
    return f"{place}: {spec_at(path).label}" if len(rest) > 1 else place


def items_of(record: LabRecord, collection: Collection) -> tuple[Item, ...]:
    """All items of a collection."""
    return cast("tuple[Item, ...]", getattr(record, collection))


def item_of(record: LabRecord, collection: Collection, key: str) -> Item | None:
    """The item with this key, or None."""
    return next((item for item in items_of(record, collection) if item.key == key), None)


def value_at(record: LabRecord, path: str) -> object:
    """The value at a path: a field's value, an item, or a collection's items; None if there is no such item.

    Raises:
        KeyError: A profile or an item has no such field.
    """
    name, *rest = path.split("/")
    section = section_named(name)
    if section is None:
        return getattr(record, spec_at(path).name)
    if not rest:
        return items_of(record, section.name)
    item = item_of(record, section.name, rest[0])
    return item if item is None or len(rest) == 1 else getattr(item, spec_at(path).name)


def text_at(record: LabRecord, path: str) -> str:
    """The value at a field's path as text, or the names of a collection's items; "" if there is none."""
    value = value_at(record, path)
    if path in SECTIONS:
        return "\n".join(map(item_name, items_of(record, cast("Collection", path))))
    return "" if value is None else spec_at(path).kind_in(record).shown(value)


def with_items(record: LabRecord, collection: Collection, items: tuple[Item, ...]) -> LabRecord:
    """The profile with other items in one collection."""
    changed: Any = {collection: items}
    return replace(record, **changed)


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


def new_item(record: LabRecord, section: Section, values: Mapping[str, Any]) -> Item:
    """An item made from a form's values, with a key made from its name.

    The same form sent twice gives the same key, so that the second submission is recognised.
    """
    nameless = replace(section.blank, **values)
    return replace(
        nameless, key=unique(slug(item_name(nameless)), (item.key for item in items_of(record, section.name)))
    )
