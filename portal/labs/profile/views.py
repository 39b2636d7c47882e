"""People, systems, positions and activities of a lab as values for its page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from portal.labs.catalogue import is_open
from portal.labs.profile.work_views import LinkView, WorkLine, anchor, links, work_line
from portal.labs.web_links import web_address
from portal.labs.wording import ACTIVITIES, PEOPLE, ROLES, deadline_words, degree_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
