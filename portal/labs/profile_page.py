"""A lab's profile as values for its page, section by section."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from portal.labs.profile_works import LinkView, WorkLine, anchor, links, work_line
from portal.labs.texts import (
    ACTIVITIES,
    PEOPLE,
    ROLES,
    deadline_words,
    degree_name,
    is_open,
    statement_beside_focus,
    web_address,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from portal.labs.catalogue import RelatedLab
    from portal.labs.freshness import Freshness
    from portal.labs.profile_works import WorksOfLab
    from portal.models import Lab
    from portal.seeding.records import (
        ActivityKind,
        ActivityRecord,
        LabRecord,
        MemberRecord,
        OpeningRecord,
        SystemRecord,
        WorkRecord,
    )


LONGEST_REMARK = 60  # characters; longer notes are paragraphs of their own


@dataclass(frozen=True, slots=True)
class Sourced:
    """The name of a fact and where it comes from, in words."""

    fact: str
    sources: Sequence[str]


@dataclass(frozen=True, slots=True)
class PersonView:
    """A person of the lab; `role` is set where a list mixes roles."""

    name: str
    anchor: str
    role: str
    homepage: str
    details: Sequence[str]
    interests: str


@dataclass(frozen=True, slots=True)
class PeopleGroup:
    """The current people of one role."""

    heading: str
    people: Sequence[PersonView]


@dataclass(frozen=True, slots=True)
class SystemView:
    """A system of the lab with its works, the strongest evidence first."""

    name: str
    anchor: str
    description: str
    url: str
    works: Sequence[WorkLine]


@dataclass(frozen=True, slots=True)
class OpeningView:
    """A position; `closed` if its deadline has passed."""

    degree: str
    text: str
    facts: Sequence[tuple[str, str]]
    closed: bool


@dataclass(frozen=True, slots=True)
class ActivityView:
    """A course, talk, service, degree, employment, award or piece of news."""

    title: str
    details: Sequence[str]
    note: str
    links: Sequence[LinkView]


@dataclass(frozen=True, slots=True)
class ActivityGroup:
    """Activities of one kind, with their sources."""

    kind: ActivityKind
    heading: str
    items: Sequence[ActivityView]
    sources: Sequence[Sourced]


def people_now(record: LabRecord) -> list[PeopleGroup]:
    """The current people, by role."""
    return [
        PeopleGroup(heading, [_person(member) for member in members])
        for role, heading in PEOPLE.items()
        if (members := [member for member in record.members if member.current and member.role == role])
    ]


def people_before(record: LabRecord) -> list[PersonView]:
    """The former people, each with the role they had."""
    return [_person(member, ROLES[member.role]) for member in record.members if not member.current]


def _person(member: MemberRecord, role: str = "") -> PersonView:
    facts = (
        member.term,
        *member.degrees,
        f"co-supervised with {member.co_supervisor}" if member.co_supervisor else "",
        f"now {member.now}" if member.now else "",
    )
    details = [part for part in facts if part]
    return PersonView(
        member.name, anchor("member", member.key), role, web_address(member.homepage), details, member.interests
    )


def systems_of(record: LabRecord) -> list[SystemView]:
    """The systems by name."""
    works = {work.key: work for work in record.works}
    return [
        SystemView(
            name=system.name,
            anchor=anchor("system", system.key),
            description=new_description(system, works),
            url=web_address(system.url),
            works=[work_line(works[key]) for key in system.works if key in works],
        )
        for system in sorted(record.systems, key=lambda system: system.name.casefold())
    ]


def new_description(system: SystemRecord, works: Mapping[str, WorkRecord]) -> str:
    """The description of a system, unless the title of one of its works, shown beside it, says the same."""
    titles = (works[key].title.casefold() for key in system.works if key in works)
    return "" if any(system.description.casefold() in title for title in titles) else system.description


def openings_of(record: LabRecord, today: date) -> list[OpeningView]:
    """The positions, open ones first."""
    openings = [_opening(opening, record.recruiting, today) for opening in record.openings]
    return sorted(openings, key=lambda opening: opening.closed)


def _opening(opening: OpeningRecord, statement: str, today: date) -> OpeningView:
    """A position for its page, without a text that is part of the recruiting statement shown above."""
    facts = (
        ("Seats", "" if opening.seats is None else f"{opening.seats:,}"),
        ("Funding", opening.funding),
        ("Start", opening.start),
        ("Deadline", deadline_words(date.fromisoformat(opening.deadline)) if opening.deadline else ""),
    )
    stated = [(name, value) for name, value in facts if value]
    text = "" if opening.text in statement else opening.text
    return OpeningView(degree_name(opening.degree), text, stated, closed=not is_open(opening, today))


def activities_of(record: LabRecord, sources: Mapping[str, Sequence[str]]) -> list[ActivityGroup]:
    """Courses, talks and so on, each kind newest first."""
    groups = []
    for kind, heading in ACTIVITIES.items():
        items = [activity for activity in record.activities if activity.kind == kind]
        items.sort(key=lambda activity: (activity.year is None, -(activity.year or 0)))
        if items:
            stated = [Sourced(item.title, sources.get(f"activities/{item.key}", ())) for item in items]
            views = [_activity(item, record.leader) for item in items]
            groups.append(ActivityGroup(kind, heading, views, [line for line in stated if line.sources]))
    return groups


def _activity(activity: ActivityRecord, leader: str) -> ActivityView:
    """An activity for its page; its person is named unless that is the lab's leader."""
    whose = activity.person if activity.person != leader else ""
    when = activity.when or (str(activity.year) if activity.year else "")
    remark = activity.note if len(activity.note) <= LONGEST_REMARK and "\n" not in activity.note else ""
    details = [part for part in (whose, remark, activity.organisation, when) if part]
    return ActivityView(activity.title, details, "" if remark else activity.note, links(activity.links))


LONGEST_DESCRIPTION = 200  # characters

# The plain fields of each section, by their names on the page.
PLAIN_FACTS = {
    "lab": {
        "name": "Name",
        "leader": "Leader",
        "leader_title": "Title",
        "institution": "Institution",
        "department": "Department",
        "place": "Place",
        "homepage": "Home page",
    },
    "about": {"about": "Text"},
    "recruiting": {"recruiting_focus": "Focus", "recruiting": "Statement", "contact": "Contact"},
    "interests": {"interests": "Text", "topics": "Topics", "hardware": "Hardware"},
    "figures": {"figures": "Figures"},
}


@dataclass(frozen=True, slots=True)
class Section:
    """An entry of the table of contents; `count` is None where a count is meaningless."""

    id: str
    title: str
    count: int | None = None


@dataclass(frozen=True)
class LabPage:
    """Everything on the page of a lab."""

    record: LabRecord
    home: Sequence[str]
    homepage: str
    open_positions: Sequence[str]
    recruiting: str
    openings: Sequence[OpeningView]
    people: Sequence[PeopleGroup]
    former: Sequence[PersonView]
    works: WorksOfLab
    systems: Sequence[SystemView]
    activities: Sequence[ActivityGroup]
    related: Sequence[RelatedLab]
    sources: Mapping[str, Sequence[Sourced]]
    changed_at: datetime
    freshness: Freshness
    revision: int

    @property
    def description(self) -> str:
        """The page in one sentence, for search engines and previews."""
        record = self.record
        text = " ".join((record.recruiting_focus or record.interests or record.about or record.name).split())
        return text if len(text) <= LONGEST_DESCRIPTION else text[: LONGEST_DESCRIPTION - 1].rstrip() + "…"

    @property
    def sections(self) -> list[Section]:
        """The table of contents, without empty sections, in the order of the page."""
        record = self.record
        present = (
            (record.about, Section("about", "About")),
            (
                record.recruiting_focus or self.recruiting or record.contact or self.openings,
                Section("recruiting", "Joining the lab", len(self.openings) or None),
            ),
            (record.interests or record.topics or record.hardware, Section("interests", "Research interests")),
            (record.members, Section("people", "People", len(record.members))),
            (record.works, Section("works", "Works", len(record.works))),
            (self.systems, Section("systems", "Systems", len(self.systems))),
            *((True, Section(group.kind, group.heading, len(group.items))) for group in self.activities),
            (record.figures, Section("figures", "Figures")),
            (self.related, Section("related", "Related labs", len(self.related))),
        )
        return [section for content, section in present if content]


def lab_page(
    record: LabRecord,
    lab: Lab,
    works: WorksOfLab,
    sources: Mapping[str, Sequence[str]],
    related: Sequence[RelatedLab],
    today: date,
    freshness: Freshness,
) -> LabPage:
    """The page of a lab. `sources` says where each fact comes from, by its path; `today` judges deadlines."""
    openings = openings_of(record, today)
    return LabPage(
        record=record,
        home=tuple(dict.fromkeys(part for part in (record.department, record.institution, record.place) if part)),
        homepage=web_address(record.homepage),
        open_positions=tuple(dict.fromkeys(opening.degree for opening in openings if not opening.closed)),
        recruiting=statement_beside_focus(record.recruiting, record.recruiting_focus),
        openings=openings,
        people=people_now(record),
        former=people_before(record),
        works=works,
        systems=systems_of(record),
        activities=activities_of(record, sources),
        related=related,
        sources=_sources_by_section(record, sources),
        changed_at=lab.changed_at,
        freshness=freshness,
        revision=lab.revision_number,
    )


def _sources_by_section(record: LabRecord, sources: Mapping[str, Sequence[str]]) -> dict[str, list[Sourced]]:
    sections = {
        section: [Sourced(words, sources[name]) for name, words in facts.items() if sources.get(name)]
        for section, facts in PLAIN_FACTS.items()
    }
    openings = ((f"openings/{item.key}", f"Position {index}") for index, item in enumerate(record.openings, 1))
    sections["recruiting"].extend(_stated(openings, sources))
    sections["people"] = _stated(((f"members/{item.key}", item.name) for item in record.members), sources)
    sections["systems"] = _stated(((f"systems/{item.key}", item.name) for item in record.systems), sources)
    return sections


def _stated(items: Iterable[tuple[str, str]], sources: Mapping[str, Sequence[str]]) -> list[Sourced]:
    return [Sourced(name, sources[path]) for path, name in items if sources.get(path)]
