"""The sections of a home page → the parts of a lab profile."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from portal.seeding.activities import read_activities
from portal.seeding.citations import read_citation
from portal.seeding.headings import Topic, names_people
from portal.seeding.names import Keys, slug, unique
from portal.seeding.news import read_paper_news
from portal.seeding.pages import Problem, ProblemKind, UnreadablePage, excerpt
from portal.seeding.people import read_member
from portal.seeding.phrases import is_open_address
from portal.seeding.records import ActivityRecord, MemberRecord, Origin, WorkRecord

if TYPE_CHECKING:
    from portal.seeding.headings import SectionKind
    from portal.seeding.page_blocks import Block
    from portal.seeding.page_outline import Outline, Section
    from portal.seeding.people import MemberLine
    from portal.seeding.records import ActivityKind, MemberRole

_ACTIVITIES: dict[SectionKind, ActivityKind] = {
    "talks": "talk",
    "teaching": "course",
    "education": "education",
    "employment": "employment",
    "service": "service",
    "awards": "award",
    "news": "news",
}
_IGNORED = ("a line", "a link", "a number", "the first row")
_ENOUGH_WORKS = 2
_STUDENTS = ("phd_student", "mphil_student")


@dataclass(slots=True)
class Prose:
    """The text of all sections of one kind, as entries in order."""

    entries: list[Block] = field(default_factory=list)

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
    work_entries: list[Block] = field(default_factory=list)
    activities: list[ActivityRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    notes_links: bool = False
    leaders: set[str] = field(default_factory=set)
    _keys: dict[str, Keys] = field(default_factory=lambda: {"members": Keys(), "activities": Keys()})

    def key(self, collection: str, key: str) -> str:
        """A key that no item of the collection has yet."""
        return self._keys[collection].give(key)

    def note(self, kind: ProblemKind, line: int, text: str, reason: str) -> None:
        """Add a problem of this page."""
        self.problems.append(Problem(kind, self.page, line, excerpt(text), reason))


def read_home_page(page: str, outline: Outline, *, notes_links: bool, may_be_cut: bool = False) -> HomePage:
    """The parts of a page. With `may_be_cut`, its last publication is checked; `notes_links` notes links that are
    relative to an address that is not known.

    Raises:
        UnreadablePage: The last publication is cut off.
    """
    home = HomePage(page, titles=outline.titles, notes_links=notes_links)
    for line, text, reason in outline.left_out:
        home.note("ignored" if reason.startswith(_IGNORED) else "rejected", line, text, reason)
    for section in outline.sections:
        if section.topic is not None:
            _read_section(home, section, section.topic)
        elif section.entries:
            home.note("ignored", section.line, section.title, "a section that is not part of a lab profile")
    if may_be_cut:
        last = outline.sections[-1]
        is_list = last.topic is not None and last.topic.kind == "publications"
        _check_last_work(home, last.entries[-1:] if is_list else [])
    _merge_same_titles(home)
    _choose_leader(home)
    home.problems.sort(key=lambda problem: problem.line)
    return home


def _check_last_work(home: HomePage, last: list[Block]) -> None:
    """If the page ends with publications, the last one must be as complete as all the others."""
    others = [work for work in home.works if not last or work.origins[0].line != last[0].line]
    if not last or not last[0].is_item or len(others) < _ENOUGH_WORKS:
        return
    read = [work for work in home.works if work.origins[0].line == last[0].line]
    says_when = bool(read) and (read[0].year is not None or bool(read[0].venue))
    if not says_when and all(work.year is not None for work in others):
        raise UnreadablePage(f"{home.page}: the last publication (line {last[0].line}) is cut off")


def _read_section(home: HomePage, section: Section, topic: Topic) -> None:
    prose = {"about": home.about, "interests": home.interests, "openings": home.openings, "contact": home.contact}
    for entry in section.entries:
        if topic.kind in prose:
            prose[topic.kind].entries.append(entry)
        elif topic.kind == "members":
            _read_member(home, entry, topic)
        elif topic.kind == "publications":
            _read_work(home, entry, section)
        else:
            _read_activity(home, entry, topic.kind)


def _read_member(home: HomePage, entry: Block, topic: Topic) -> None:
    nested = [child for child in entry.children if read_member(child)]
    line = read_member(entry)
    if line is None and nested:
        sub = names_people(entry.flat.strip(" :")) or topic
        for child in nested:
            _read_member(home, child, Topic("members", sub.role or topic.role, sub.former or topic.former))
        return
    if line is None:
        home.note("ignored", entry.line, entry.flat, "no person's name at its beginning")
        return
    role = _role(topic, line)
    member = MemberRecord(
        key=home.key("members", slug(line.name)),
        name=line.name,
        role=role,
        current=not topic.former and not line.former and not line.now,
        term=line.term,
        degrees=line.degrees,
        homepage=line.homepage,
        co_supervisor=line.co_supervisor,
        now=line.now,
        interests=line.interests if role in _STUDENTS else "",
        origins=(Origin(home.page, entry.line),),
    )
    home.members.append(member)
    if line.role == "leader":
        home.leaders.add(member.key)


def _role(topic: Topic, line: MemberLine) -> MemberRole:
    """What a person says of themselves, below a heading that does not say it or speaks of all who teach."""
    if topic.role in (None, "leader") and line.role is not None:
        return line.role
    return topic.role or _role_of(line.degrees)


def _choose_leader(home: HomePage) -> None:
    """Of several people below a heading such as "Faculty", those lead who say so; if nobody does, the only one."""
    leaders = [member for member in home.members if member.role == "leader"]
    sure = [member for member in leaders if member.key in home.leaders]
    lead = {member.key for member in (sure or (leaders if len(leaders) == 1 else []))}
    home.members = [
        replace(member, role="member") if member.role == "leader" and member.key not in lead else member
        for member in home.members
    ]


def _role_of(degrees: tuple[str, ...]) -> MemberRole:
    """Former members are listed with the degree they got here, such as "PhD 2021"."""
    return "phd_student" if any(re.match(r"Ph\.?\s?D\.?\s+(?:19|20)\d{2}$", degree) for degree in degrees) else "member"


def _read_work(home: HomePage, entry: Block, section: Section) -> None:
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
            venue=citation.venue or section.venue,
            venue_full=citation.venue_full,
            year=citation.year or section.year,
            links=citation.links,
            awards=citation.awards,
            origins=(Origin(home.page, entry.line),),
        )
    )


def _read_activity(home: HomePage, entry: Block, kind: SectionKind) -> None:
    if kind == "news":
        work = read_paper_news(home.page, entry)
        if work is not None:
            home.works.append(work)
            home.work_entries.append(entry)
    _note_relative_links(home, entry)
    activities = read_activities(home.page, _ACTIVITIES[kind], entry, "")
    for activity in activities:
        home.activities.append(replace(activity, key=home.key("activities", activity.key)))
    if not activities:
        home.note("ignored", entry.line, entry.flat, "it has nothing but dates and links")


def _note_relative_links(home: HomePage, entry: Block) -> None:
    for label, href in entry.links() if home.notes_links else ():
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
