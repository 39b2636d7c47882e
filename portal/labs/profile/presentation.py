"""A lab's profile as values for its page, section by section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.profile.views import (
    ActivityGroup,
    OpeningView,
    PeopleGroup,
    PersonView,
    Sourced,
    SystemView,
    activities_of,
    openings_of,
    people_before,
    people_now,
    systems_of,
)
from portal.labs.web_links import web_address
from portal.labs.wording import statement_beside_focus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from portal.labs.freshness import Freshness
    from portal.labs.profile.work_views import WorksOfLab
    from portal.labs.related import Nearby
    from portal.models import Lab
    from portal.seeding.records import LabRecord

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
    nearby: Nearby
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
            (self.nearby.related, Section("related", "Related labs", len(self.nearby.related))),
            (self.nearby.elsewhere, Section("elsewhere", "Who else works on this")),
        )
        return [section for content, section in present if content]


def lab_page(
    record: LabRecord,
    lab: Lab,
    works: WorksOfLab,
    sources: Mapping[str, Sequence[str]],
    nearby: Nearby,
    today: date,
    freshness: Freshness,
) -> LabPage:
    """The page of a lab.

    Args:
        record: Its profile.
        lab: Its row, which has the date of the last change.
        works: The works to show.
        sources: Where each fact comes from, by its path.
        nearby: Related labs.
        today: The day for judging deadlines.
        freshness: When the profile was last confirmed.
    """
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
        nearby=nearby,
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
