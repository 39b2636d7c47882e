"""Works and systems as values for pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from portal.labs.lab_docs import settled_works
from portal.labs.texts import folded_name, folded_text, folded_words, readable, web_address
from portal.seeding.records import COLLECTIONS, work_label
from portal.web.paging import Page, page_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from portal.seeding.records import LabRecord, Link, Origin, SystemRecord, WorkRecord

    Sources = Sequence[str]


WORKS_PER_PAGE = 200
ENTERED = "entered by a person"  # the history of the profile, which its leaders see, says who and when
# Abstracts belong to their authors: the page quotes only the beginning, with venue and link.
EXCERPT_WORDS = 60
MOST_AUTHORS = 3  # of a work in one line
_NOT_IN_ANCHORS = re.compile(r"[^0-9A-Za-z.-]")


@dataclass(frozen=True, slots=True)
class LinkView:
    """A labelled link; `href` is empty for an address that is not a web address: then only the label is shown."""

    label: str
    href: str


@dataclass(frozen=True, slots=True)
class WorkLine:
    """A work in one line; if no source states its title, `title` says so and describes the work."""

    title: str
    anchor: str
    venue: str
    year: int | None


@dataclass(frozen=True, slots=True)
class WorkView:
    """A work in full. `excerpt` is the beginning of its abstract; `continues` if there is more.

    `authors` are the names as printed, each with whether it is a member of the lab; `systems` have name and anchor.
    """

    line: WorkLine
    record: WorkRecord
    authors: Sequence[tuple[str, bool]]
    excerpt: str
    continues: bool
    links: Sequence[LinkView]
    systems: Sequence[tuple[str, str]]
    sources: Sources

    @property
    def href(self) -> str:
        """Where the work can be read; empty if no source says."""
        return next((link.href for link in self.links if link.href), "")

    @property
    def authors_in_short(self) -> str:
        """The first authors: "Ada Weaver, 李华 et al."."""
        names = [name for name, _ in self.authors[:MOST_AUTHORS]]
        is_cut = len(self.authors) > MOST_AUTHORS or not self.record.authors_complete
        return ", ".join(names) + (" et al." if names and is_cut else "")


@dataclass(frozen=True)
class WorksOfLab:
    """The filtered works of a lab by year, newest first, in pages; the year is None if no source states it."""

    years: Mapping[int | None, Sequence[WorkView]]
    page: Page[WorkRecord]
    total: int
    filter: str


@dataclass(frozen=True, slots=True)
class SystemView:
    """A system of a lab with its works, the strongest evidence first."""

    name: str
    anchor: str
    description: str
    url: str
    works: Sequence[WorkLine]
    lab: LabRecord


def sources_of(record: LabRecord) -> dict[str, Sources]:
    """Where each fact of a profile comes from, in words: the line of a page, or an entry by a person.

    Keys are the paths of `portal.seeding.merging` ("about", "works/hexgen"); empty facts have no entry.
    """
    stated = dict(record.origins)
    names = (spec.name for spec in fields(record) if spec.name not in {*COLLECTIONS, "origins", "key"})
    facts = {name: (stated[name],) if name in stated else () for name in names if getattr(record, name)}
    for name in COLLECTIONS:
        facts.update((f"{name}/{item.key}", item.origins) for item in getattr(record, name))
    return {path: [_page_words(origin) for origin in pages] or [ENTERED] for path, pages in facts.items()}


def _page_words(origin: Origin) -> str:
    page = f"the portal's corrections, {origin.page}" if origin.page.endswith(".toml") else f"seed page {origin.page}"
    return f"{page}, line {origin.line:,}"


def anchor(kind: str, key: str) -> str:
    """An HTML id for an item: "work-hexgen-2". Different keys give different ids."""
    return f"{kind}-" + _NOT_IN_ANCHORS.sub(lambda sign: f"_{ord(sign.group()):x}_", key)


def links(lab_links: Iterable[Link]) -> list[LinkView]:
    """Links with a label each; only web addresses become links."""
    return [LinkView(link.label.strip() or "link", web_address(link.url)) for link in lab_links]


def work_line(work: WorkRecord) -> WorkLine:
    """A work in one line."""
    return WorkLine(readable(work_label(work)), anchor("work", work.key), work.venue, work.year)


def works_of_lab(
    record: LabRecord, text: str, page_number: int, sources: Mapping[str, Sources], *, per_page: int = WORKS_PER_PAGE
) -> WorksOfLab:
    """One page of the settled works that contain every word of `text`.

    It is searched for in titles, authors, venues, abstracts and names of systems.
    """
    systems, settled = _systems_of_works(record), settled_works(record)
    matching = [work for work in settled if _holds(work, systems.get(work.key, ()), folded_words(text))]
    page = page_of(matching, page_number, per_page)
    people = {folded_name(name) for name in (record.leader, *(member.name for member in record.members))}
    years: dict[int | None, list[WorkView]] = {}
    for work in page.items:
        view = _work_view(work, systems.get(work.key, ()), people, sources.get(f"works/{work.key}", ()))
        years.setdefault(work.year, []).append(view)
    return WorksOfLab(years, page, len(settled), text.strip())


def systems_of(record: LabRecord) -> list[SystemView]:
    """The systems by name."""
    systems = sorted(record.systems, key=lambda system: system.name.casefold())
    return [system_view(system, record) for system in systems]


def system_view(system: SystemRecord, lab: LabRecord) -> SystemView:
    """A system, without a description that the title of one of its works, shown beside it, says as well."""
    works = {work.key: work for work in lab.works}
    mine = [works[key] for key in system.works if key in works]
    is_said = any(system.description.casefold() in work.title.casefold() for work in mine)
    description = "" if is_said else system.description
    address = web_address(system.url)
    lines = [work_line(work) for work in mine if not work.question]
    return SystemView(system.name, anchor("system", system.key), description, address, lines, lab)


def _systems_of_works(record: LabRecord) -> dict[str, list[tuple[str, str]]]:
    """The systems of each work: name and anchor."""
    systems: dict[str, list[tuple[str, str]]] = {}
    for system in record.systems:
        for key in system.works:
            systems.setdefault(key, []).append((system.name, anchor("system", system.key)))
    return systems


def _holds(work: WorkRecord, systems: Iterable[tuple[str, str]], words: Sequence[str]) -> bool:
    if not words:
        return True
    names = [name for name, _anchor in systems]
    parts = (
        readable(work_label(work)),
        *work.authors,
        work.venue,
        work.venue_full,
        str(work.year or ""),
        readable(work.abstract),
        *work.awards,
        *names,
    )
    text = folded_text(" ".join(parts))
    return all(word in text for word in words) or "".join(words) in map(folded_name, names)


def _work_view(
    work: WorkRecord, systems: Sequence[tuple[str, str]], people: Collection[str], sources: Sources
) -> WorkView:
    abstract = readable(work.abstract).split()
    return WorkView(
        line=work_line(work),
        record=work,
        authors=[(name, folded_name(name) in people) for name in work.authors],
        excerpt=" ".join(abstract[:EXCERPT_WORDS]),
        continues=len(abstract) > EXCERPT_WORDS,
        links=links(work.links),
        systems=systems,
        sources=sources,
    )
