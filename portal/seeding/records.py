"""The lab profile as plain data: what parsers yield, people edit, revisions keep and tables project.

A `LabRecord` is the whole of one lab's profile. It is immutable, compares by value and travels as JSON
(`to_json`, `from_json` in `portal.seeding.snapshots`). Every item of a collection has a `key` that is
unique within its collection of the lab and stays the same when its text is corrected, so that edits and
pages can be merged item by item.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

MemberRole = Literal["leader", "phd_student", "mphil_student", "research_assistant", "visiting", "member"]
ActivityKind = Literal["course", "talk", "service", "education", "employment", "award", "news"]

MEMBER_ROLES: tuple[MemberRole, ...] = (
    "leader",
    "phd_student",
    "mphil_student",
    "research_assistant",
    "visiting",
    "member",
)
ACTIVITY_KINDS: tuple[ActivityKind, ...] = (
    "course",
    "talk",
    "service",
    "education",
    "employment",
    "award",
    "news",
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a fact is from: a file under seeds/ and the line (from 1) it starts on."""

    page: str
    line: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link as a page gives it: `label` is what it was called there ("paper", "code", "Slides")."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class MemberRecord:
    """A person of the lab, current or former.

    `term` is the term of entry as printed ("2023-Fall"); `degrees` as printed ("BS@Peking University");
    `now` is where a former member went; `interests` is the person's own statement, if a page has one.
    """

    key: str
    name: str
    role: MemberRole
    current: bool = True
    term: str = ""
    degrees: tuple[str, ...] = ()
    homepage: str = ""
    co_supervisor: str = ""
    now: str = ""
    interests: str = ""
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """A publication. An empty `title` means that no source prints one.

    `authors_complete` is False where the source cut the list short ("et al."). `year` is None where no
    source states it; `venue` is its short name ("ICML"), `venue_full` the long one as printed, with volume
    and pages; `date` is the date as printed ("Oct 28, 2023", "May 24"). `subject` is the source's own
    subject class (an arXiv category). `question` is what a person has to decide about the work ("does this
    belong to the lab?"); a work with a question is kept, and shown to admins as open.
    """

    key: str
    title: str
    authors: tuple[str, ...] = ()
    authors_complete: bool = True
    venue: str = ""
    venue_full: str = ""
    year: int | None = None
    date: str = ""
    subject: str = ""
    abstract: str = ""
    links: tuple[Link, ...] = ()
    awards: tuple[str, ...] = ()
    question: str = ""
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemRecord:
    """A named artefact of the lab; `works` are keys of works of the same lab, the evidence first."""

    key: str
    name: str
    description: str = ""
    url: str = ""
    works: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class ActivityRecord:
    """A course, talk, service, degree, employment, award or piece of news.

    `person` names whose it is. `when` is the time as printed ("Spring 2024, Spring 2025",
    "2016/08 - 2020/12"); `year` the latest year in it, for sorting. `organisation` is where: the
    school, event or journal.
    """

    key: str
    kind: ActivityKind
    title: str
    person: str = ""
    organisation: str = ""
    when: str = ""
    year: int | None = None
    note: str = ""
    links: tuple[Link, ...] = ()
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class OpeningRecord:
    """A position the lab recruits for. `degree` is "phd", "mphil", "ra" or "postdoc".

    `start` and `funding` are free text; `deadline` is an ISO date ("2026-12-15") or empty.
    """

    key: str
    degree: str
    text: str = ""
    seats: int | None = None
    funding: str = ""
    start: str = ""
    deadline: str = ""
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class LabRecord:
    """The whole profile of one lab.

    `key` is the slug in addresses and never changes. `about`, `interests`, `recruiting`, `contact` are
    texts in paragraphs; `recruiting_focus` is the one sentence on whom the lab looks for now; `topics`
    and `hardware` are short phrases for facets and matching. `figures` are counts a page states
    ("h-index", "citations"). `origins` maps a scalar field's name to where its value is from; a field
    without an entry came from a person's edit or is empty.
    """

    key: str
    name: str
    leader: str = ""
    leader_title: str = ""
    institution: str = ""
    department: str = ""
    place: str = ""
    homepage: str = ""
    about: str = ""
    interests: str = ""
    recruiting: str = ""
    recruiting_focus: str = ""
    contact: str = ""
    topics: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    figures: tuple[tuple[str, int], ...] = ()
    members: tuple[MemberRecord, ...] = ()
    works: tuple[WorkRecord, ...] = ()
    systems: tuple[SystemRecord, ...] = ()
    activities: tuple[ActivityRecord, ...] = ()
    openings: tuple[OpeningRecord, ...] = ()
    origins: tuple[tuple[str, Origin], ...] = field(default=())
