"""Names of the parts of a lab profile on the administrators' pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from portal.seeding.records import ActivityRecord, MemberRecord, OpeningRecord, SystemRecord, WorkRecord, work_label

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

PROFILE_LABELS: Mapping[str, str] = {
    "name": "Name of the lab",
    "leader": "Leader",
    "leader_title": "Title of the leader",
    "institution": "Institution",
    "department": "Department",
    "place": "Place",
    "homepage": "Home page",
    "about": "About",
    "interests": "Research interests",
    "recruiting": "Recruiting",
    "recruiting_focus": "Recruiting focus",
    "contact": "Contact",
    "topics": "Topics",
    "hardware": "Hardware",
    "figures": "Figures",
}

ITEM_LABELS: Mapping[Collection, Mapping[str, str]] = {
    "members": {
        "name": "Name",
        "role": "Role",
        "current": "In the lab now",
        "term": "Term of entry",
        "degrees": "Degrees",
        "homepage": "Home page",
        "co_supervisor": "Co-supervisor",
        "now": "Where they are now",
        "interests": "Research interests",
    },
    "works": {
        "title": "Title",
        "authors": "Authors",
        "authors_complete": "List of authors",
        "venue": "Venue",
        "venue_full": "Venue in full",
        "year": "Year",
        "date": "Date as printed",
        "subject": "Subject class",
        "abstract": "Abstract",
        "links": "Links",
        "awards": "Awards",
        "question": "Open question",
    },
    "systems": {
        "name": "Name",
        "description": "Description",
        "url": "Web address",
        "works": "Works that tell of it",
    },
    "activities": {
        "kind": "Kind",
        "title": "Title",
        "person": "Whose it is",
        "organisation": "Where",
        "when": "When, as printed",
        "year": "Year",
        "note": "Note",
        "links": "Links",
    },
    "openings": {
        "degree": "Degree or position",
        "text": "Text",
        "seats": "Seats",
        "funding": "Funding",
        "start": "Start",
        "deadline": "Deadline",
    },
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


def field_label(path: str) -> str:
    """The label of a path's field: "about" → "About", "members/<key>/term" → "Term of entry".

    Raises:
        KeyError: The profile has no such field.
    """
    name, *rest = path.split("/")
    section = section_named(name)
    if section is None:
        return PROFILE_LABELS[name]
    return ITEM_LABELS[section.name][rest[1]]
