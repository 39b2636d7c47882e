"""The sections of a Markdown home page, by their headings → the parts of a lab profile."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from portal.seeding.activities import read_activities
from portal.seeding.citations import read_citation
from portal.seeding.headings import Topic, classify
from portal.seeding.home_sections import with_bold_headings, with_boxes_joined
from portal.seeding.leftovers import is_about_the_page, leftover_reason
from portal.seeding.markdown import Entry, Section, read_sections
from portal.seeding.names import slug, unique
from portal.seeding.news import read_paper_news
from portal.seeding.pages import Problem, ProblemKind, UnreadablePage, excerpt
from portal.seeding.people import read_member
from portal.seeding.phrases import is_open_address, years
from portal.seeding.records import ActivityRecord, MemberRecord, Origin, WorkRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.seeding.headings import SectionKind
    from portal.seeding.records import ActivityKind, MemberRole

ENTRY_LIMIT = 4000

_ACTIVITIES: dict[SectionKind, ActivityKind] = {
    "talks": "talk",
    "teaching": "course",
    "education": "education",
    "employment": "employment",
    "service": "service",
    "awards": "award",
    "news": "news",
}
_ENOUGH_WORKS = 2
_UNTITLED = Topic("about")


@dataclass(slots=True)
class Prose:
    """The text of all sections of one kind, as entries in order."""

    entries: list[Entry] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Paragraphs separated by blank lines; list items on lines of their own."""
        parts: list[str] = []
        for entry in self.entries:
            flat = entry.flat
            parts.append(f"- {flat}" if entry.is_item else flat)
            parts.extend(f"- {child.flat}" for child in entry.children)
        return "\n\n".join(part for part in parts if part.strip("- "))

    @property
    def line(self) -> int:
        """The first line (1 if there is no text)."""
        return self.entries[0].line if self.entries else 1


@dataclass(slots=True)
class HomePage:
    """A home page in parts, filled section by section."""

    page: str
    about: Prose = field(default_factory=Prose)
    interests: Prose = field(default_factory=Prose)
    openings: Prose = field(default_factory=Prose)
    contact: Prose = field(default_factory=Prose)
    members: list[MemberRecord] = field(default_factory=list)
    works: list[WorkRecord] = field(default_factory=list)
    work_entries: list[Entry] = field(default_factory=list)
    activities: list[ActivityRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)

    def note(self, kind: ProblemKind, line: int, text: str, reason: str) -> None:
        """Add a problem of this page."""
        self.problems.append(Problem(kind, self.page, line, excerpt(text), reason))


def read_home_page(page: str, body: str, first_line: int) -> HomePage:
    """The parts of a Markdown text; template leftovers are rejected.

    Raises:
        UnreadablePage: A paragraph is unreasonably long, or the last publication is cut off.
    """
    home = HomePage(page)
    stack: list[tuple[int, Topic, int | None]] = []
    last: list[Entry] = []
    for section in with_bold_headings(read_sections(page, body, first_line)):
        while stack and stack[-1][0] >= section.level:
            stack.pop()
        topic = classify(section.title) if section.title else _UNTITLED
        year = next(iter(years(section.title)), None)
        if topic is None and stack:
            _, topic, outer_year = stack[-1]
            year = year or outer_year
        elif topic is not None and topic.kind == "members" and topic.role is None and stack:
            outer = stack[-1][1]
            if outer.kind == "members":
                topic = Topic("members", outer.role, topic.former or outer.former)
        if topic is None:
            home.titles.append(section.title)
            last = []
            if section.entries:
                home.note("ignored", section.line, section.title, "a section that is not part of a lab profile")
            continue
        stack.append((section.level, topic, year))
        _read_section(home, section, topic, year)
        listed = [entry for entry in section.entries if not is_about_the_page(entry.flat)]
        last = listed[-1:] if topic.kind == "publications" else []
    _check_last_work(home, last)
    _merge_same_titles(home)
    return home


def _check_last_work(home: HomePage, last: list[Entry]) -> None:
    """If the page ends with publications, the last one must be as complete as all the others."""
    others = [work for work in home.works if not last or work.origins[0].line != last[0].line]
    if not last or not last[0].is_item or len(others) < _ENOUGH_WORKS or leftover_reason(last[0].flat):
        return
    read = [work for work in home.works if work.origins[0].line == last[0].line]
    says_when = bool(read) and (read[0].year is not None or bool(read[0].venue))
    if not says_when and all(work.year is not None for work in others):
        raise UnreadablePage(f"{home.page}: the last publication (line {last[0].line}) is cut off")


def _read_section(home: HomePage, section: Section, topic: Topic, year: int | None) -> None:
    prose = {"about": home.about, "interests": home.interests, "openings": home.openings, "contact": home.contact}
    for entry in _entries(home, section, boxes=topic.kind == "publications"):
        target = prose.get(topic.kind)
        if target is not None:
            target.entries.append(entry)
        elif len(entry.text) > ENTRY_LIMIT:
            home.note("rejected", entry.line, entry.flat, f"longer than {ENTRY_LIMIT:,} characters: not a single entry")
        elif topic.kind == "members":
            _read_member(home, entry, topic)
        elif topic.kind == "publications":
            _read_work(home, entry, year)
        else:
            _read_activity(home, entry, topic.kind)


def _entries(home: HomePage, section: Section, *, boxes: bool) -> Iterator[Entry]:
    """The non-empty entries of a section without leftovers; a "paper-box" is one entry."""
    entries = list(with_boxes_joined(section.entries)) if boxes else section.entries
    for entry in entries:
        addresses = " ".join([entry.raw_html, *(href for _, href in entry.links())])
        whole = " ".join([entry.flat, *(child.flat for child in entry.children)])
        reason = leftover_reason(whole, addresses)
        if reason:
            home.note("rejected", entry.line, whole, reason)
        elif is_about_the_page(whole):
            home.note("ignored", entry.line, whole, "a line about the page itself")
        elif whole.strip():
            yield entry


def _read_member(home: HomePage, entry: Entry, topic: Topic) -> None:
    nested = [child for child in entry.children if read_member(child)]
    line = read_member(entry)
    if line is None and nested:
        inner = classify(entry.flat.strip(" :"))
        sub = inner if inner is not None and inner.kind == "members" else topic
        for child in nested:
            _read_member(home, child, Topic("members", sub.role or topic.role, sub.former or topic.former))
        return
    if line is None:
        home.note("ignored", entry.line, entry.flat, "no person's name at its beginning")
        return
    member = MemberRecord(
        key=unique(slug(line.name), [member.key for member in home.members]),
        name=line.name,
        role=topic.role or line.role or _role_of(line.degrees),
        current=not topic.former and not line.now,
        term=line.term,
        degrees=line.degrees,
        homepage=line.homepage,
        co_supervisor=line.co_supervisor,
        now=line.now,
        origins=(Origin(home.page, entry.line),),
    )
    home.members.append(member)


def _role_of(degrees: tuple[str, ...]) -> MemberRole:
    """Former members are listed with the degree they got here, such as "PhD 2021"."""
    return "phd_student" if any(re.match(r"Ph\.?\s?D\.?\s+(?:19|20)\d{2}$", degree) for degree in degrees) else "member"


def _read_work(home: HomePage, entry: Entry, year: int | None) -> None:
    citation = read_citation(entry)
    if citation is None:
        home.note("ignored", entry.line, entry.flat, "no title of a publication can be recognised")
        return
    _note_relative_links(home, entry)
    home.work_entries.append(entry)
    home.works.append(
        WorkRecord(
            key=slug(citation.title),
            title=citation.title,
            authors=citation.authors,
            authors_complete=citation.authors_complete,
            venue=citation.venue,
            venue_full=citation.venue_full,
            year=citation.year or year,
            links=citation.links,
            awards=citation.awards,
            origins=(Origin(home.page, entry.line),),
        )
    )


def _read_activity(home: HomePage, entry: Entry, kind: SectionKind) -> None:
    if kind == "news":
        work = read_paper_news(home.page, entry)
        if work is not None:
            home.works.append(work)
            home.work_entries.append(entry)
    _note_relative_links(home, entry)
    activities = read_activities(home.page, _ACTIVITIES[kind], entry, "")
    for activity in activities:
        key = unique(activity.key, [other.key for other in home.activities])
        home.activities.append(replace(activity, key=key))
    if not activities:
        home.note("ignored", entry.line, entry.flat, "it has nothing but dates and links")


def _note_relative_links(home: HomePage, entry: Entry) -> None:
    for label, href in entry.links():
        if not is_open_address(href) and not re.match(r"(?i)mailto:|#", href):
            home.note(
                "ignored", entry.line, f"{label}: {href}", "the link is relative to an address the page does not give"
            )


def _merge_same_titles(home: HomePage) -> None:
    """Merges works listed twice (in the news and among the publications)."""
    works_by_key: dict[str, WorkRecord] = {}
    for work in home.works:
        first = works_by_key.get(work.key)
        if first is None:
            works_by_key[work.key] = work
            continue
        if first.venue and work.venue and first.year != work.year and first.venue.lower() != work.venue.lower():
            key = unique(work.key, works_by_key)
            works_by_key[key] = replace(work, key=key)
            continue
        home.note("merged", work.origins[0].line, work.title, f"the same work as at line {first.origins[0].line}")
        works_by_key[work.key] = replace(
            first,
            authors=first.authors or work.authors,
            authors_complete=first.authors_complete if first.authors else work.authors_complete,
            venue=first.venue or work.venue,
            venue_full=first.venue_full or work.venue_full,
            year=first.year or work.year,
            date=first.date or work.date,
            abstract=first.abstract or work.abstract,
            awards=tuple(dict.fromkeys([*first.awards, *work.awards])),
            links=tuple(dict.fromkeys([*first.links, *work.links])),
            origins=(*first.origins, *work.origins),
        )
    home.works = list(works_by_key.values())
