"""A lab's profile as values for its page: what an applicant decides by first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING

from portal.labs.profile_works import (
    LinkView,
    SystemView,
    WorksOfLab,
    anchor,
    links,
    sources_of,
    systems_of,
    works_of_lab,
)
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

    from portal.labs.profile_works import Sources, WorkView
    from portal.seeding.records import ActivityKind, ActivityRecord, LabRecord, MemberRecord, OpeningRecord


LONGEST_REMARK = 60  # characters; longer notes are paragraphs of their own
RECENT_WORKS = 10


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


@dataclass(frozen=True)
class LabPage:
    """What the page of a lab shows beside its record: activities by kind and heading, newest first; `sources` has each
    fact with where it comes from, in words.
    """

    home: Sequence[str]
    homepage: str
    links: Sequence[LinkView]
    recruiting: str
    openings: Sequence[OpeningView]
    people: Mapping[str, Sequence[PersonView]]
    former: Sequence[PersonView]
    works: WorksOfLab
    systems: Sequence[SystemView]
    activities: Sequence[tuple[ActivityKind, str, Sequence[ActivityView]]]
    sources: Sequence[tuple[str, Sources]]

    @property
    def recent_works(self) -> list[WorkView]:
        """The works that the page lists, newest first."""
        return list(chain.from_iterable(self.works.years.values()))


def lab_page(record: LabRecord, today: date) -> LabPage:
    """The page of a lab; `today` judges deadlines."""
    sources = sources_of(record)
    return LabPage(
        home=_home(record),
        links=[link for link in links(record.links) if link.href],
        homepage=web_address(record.homepage),
        recruiting=statement_beside_focus(record.recruiting, record.recruiting_focus),
        openings=openings_of(record, today),
        people=people_now(record),
        former=[_person(member, ROLES[member.role]) for member in record.members if not member.current],
        works=works_of_lab(record, "", 1, sources, per_page=RECENT_WORKS),
        systems=systems_of(record),
        activities=activities_of(record),
        sources=[(fact, sources[path]) for path, fact in _facts(record) if sources.get(path)],
    )


def _home(record: LabRecord) -> tuple[str, ...]:
    """Where the lab is, each part once: "Hong Kong" is a place and may be a country."""
    parts = (record.department, record.institution, record.place, record.country)
    return tuple(dict.fromkeys(part for part in parts if part))


def people_now(record: LabRecord) -> dict[str, list[PersonView]]:
    """The current people, by role in words, without the leader, whom the head of the page names."""
    others = [member for member in record.members if member.current and member.name != record.leader]
    people = {
        heading: [_person(member) for member in others if member.role == role] for role, heading in PEOPLE.items()
    }
    return {heading: members for heading, members in people.items() if members}


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


def activities_of(record: LabRecord) -> list[tuple[ActivityKind, str, list[ActivityView]]]:
    """Courses, talks and so on by kind and heading, newest first."""
    groups = []
    for kind, heading in ACTIVITIES.items():
        items = [activity for activity in record.activities if activity.kind == kind]
        items.sort(key=lambda activity: (activity.year is None, -(activity.year or 0)))
        if items:
            groups.append((kind, heading, [_activity(item, record.leader) for item in items]))
    return groups


def _activity(activity: ActivityRecord, leader: str) -> ActivityView:
    """An activity for its page; its person is named unless that is the lab's leader."""
    whose = activity.person if activity.person != leader else ""
    when = activity.when or (str(activity.year) if activity.year else "")
    remark = activity.note if len(activity.note) <= LONGEST_REMARK and "\n" not in activity.note else ""
    details = [part for part in (whose, remark, activity.organisation, when) if part]
    return ActivityView(activity.title, details, "" if remark else activity.note, links(activity.links))


PLAIN_FACTS = {
    "name": "Name",
    "leader": "Leader",
    "leader_title": "Title",
    "institution": "Institution",
    "department": "Department",
    "place": "Place",
    "country": "Country",
    "homepage": "Home page",
    "links": "Profiles elsewhere",
    "recruiting_focus": "Focus",
    "recruiting": "Joining",
    "contact": "Contact",
    "stipend": "Stipend",
    "duration": "Duration",
    "languages": "Languages",
    "recent_hires": "Where recent members went",
    "interests": "Research interests",
    "topics": "Topics",
    "hardware": "Hardware",
    "about": "About",
    "figures": "Figures",
}
"""The plain fields of a profile by what the page calls them."""


def _facts(record: LabRecord) -> Iterable[tuple[str, str]]:
    """The path of each fact but the works, which say for themselves where they are from, and its name."""
    yield from PLAIN_FACTS.items()
    yield from ((f"openings/{item.key}", f"Position {index}") for index, item in enumerate(record.openings, 1))
    yield from ((f"members/{item.key}", item.name) for item in record.members)
    yield from ((f"systems/{item.key}", item.name) for item in record.systems)
    yield from ((f"activities/{item.key}", item.title) for item in record.activities)
