"""The publications of a scraped personal page: lines of people, venue and abstract → distinct works."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from portal.seeding.headings import classify
from portal.seeding.names import slug, split_authors, unique
from portal.seeding.pages import Problem, UnreadablePage, excerpt
from portal.seeding.phrases import latest_year, links_in
from portal.seeding.records import Origin, WorkRecord
from portal.seeding.works import untitled_key

VENUE_LINE = re.compile(r"^\[([^\[\]|]{2,80}?(?:19|20)\d{2}[^\[\]|]{0,40})(?:\|([^\[\]]{0,60}))?\]\s*(.*)$")
EQUAL_NOTE = re.compile(r"\s*\([^()]*(?:equal|contribut|correspond)[^()]*\)", re.IGNORECASE)
_CLASS = re.compile(r"\s*\([^()]*\)\s*$")
_TITLE_LIMIT = 300
_HEADING_WORDS = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A non-empty line of the page, with its number from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Publication:
    """A work, and who among its authors the page's person may be ("First Author"), as "|"-joined names."""

    work: WorkRecord
    part: str


def starts_publication(lines: list[Line], index: int) -> bool:
    """Whether a publication begins here: people and then the venue, or a title and then both."""
    if is_heading(lines[index].text):
        return False
    following = [line.text for line in lines[index + 1 : index + 3]]
    if following and VENUE_LINE.match(following[0]) and not VENUE_LINE.match(lines[index].text):
        return True
    return len(following) == 2 and bool(VENUE_LINE.match(following[1])) and not VENUE_LINE.match(following[0])  # noqa: PLR2004


def is_heading(text: str) -> bool:
    """Whether a line is a section's plain heading ("Selected Publications"), hence not the title of a work."""
    return len(text.split()) <= _HEADING_WORDS and not text.endswith((".", ":")) and classify(text) is not None


def read_publications(page: str, lines: list[Line], problems: list[Problem]) -> list[Publication]:
    """All publications in order; venues without people are listed as problems.

    Raises:
        UnreadablePage: The last publication is cut off.
    """
    venues = [index for index, line in enumerate(lines) if VENUE_LINE.match(line.text)]
    publications: list[Publication] = []
    for position, index in enumerate(venues):
        start = venues[position - 1] + 1 if position else 0
        end = venues[position + 1] if position + 1 < len(venues) else len(lines)
        head = _head(lines[start:index], is_first=not position)
        if position + 1 < len(venues):
            body = lines[index + 1 : end]
            body = body[: len(body) - len(_head(body, is_first=False))]
        else:
            body = lines[index + 1 :]
        if not head:
            problems.append(
                Problem("ignored", page, lines[index].number, excerpt(lines[index].text), "no people before it")
            )
            continue
        publications.append(_publication(page, head, lines[index], body))
    if venues and publications:
        _check_end(page, lines, publications)
    return publications


def _head(before: list[Line], *, is_first: bool) -> list[Line]:
    """The first lines of the next publication: its people, with a title above if there is one."""
    if not before:
        return []
    people = before[-1:]
    # Between two publications, the first line is the previous one's abstract.
    above = before[:-1] if is_first else before[1:-1]
    if (
        above
        and len(above[-1].text) <= _TITLE_LIMIT
        and re.match(r"[\w“\"‘]", above[-1].text)
        and not above[-1].text.endswith(".")
        and not is_heading(above[-1].text)
    ):
        return [above[-1], *people]
    return people


def _publication(page: str, head: list[Line], venue_line: Line, body: list[Line]) -> Publication:
    match = VENUE_LINE.match(venue_line.text)
    short, part, full = (match[1], match[2] or "", match[3]) if match else ("", "", "")
    people = EQUAL_NOTE.sub("", head[-1].text)
    authors, complete = split_authors(people)
    title = head[0].text if len(head) > 1 else ""
    year = latest_year(short)
    venue = re.sub(r"[\s,]*(?:19|20)\d{2}\s*$", "", _CLASS.sub("", short)).strip()
    abstract = " ".join(line.text for line in body)
    work = WorkRecord(
        key=slug(title) if title else untitled_key(authors, venue, year, abstract),
        title=title,
        authors=authors,
        authors_complete=complete,
        venue=venue,
        venue_full=re.sub(r"\s+(?:19|20)\d{2}$", "", full),
        year=year,
        abstract=abstract,
        links=links_in(abstract),
        origins=(Origin(page, head[0].number),),
    )
    stars = frozenset(name for name in authors if re.search(rf"{re.escape(name)}\s*[*†]", people))
    return Publication(work, _subject_part(part, authors, stars))


def _subject_part(part: str, authors: tuple[str, ...], stars: frozenset[str]) -> str:
    """Who of the authors the page's person may be, as "|"-joined names, from "First Author" and the like."""
    folded = part.casefold().strip()
    if not folded or not authors:
        return ""
    if "co-first" in folded or "equal" in folded:
        return "|".join(name for name in authors if name in stars) or "|".join(authors)
    ordinals = ("first", "second", "third", "fourth", "fifth")
    for position, ordinal in enumerate(ordinals):
        if ordinal in folded and position < len(authors):
            return authors[position]
    return authors[-1] if "last" in folded or "correspond" in folded or "senior" in folded else ""


def _check_end(page: str, lines: list[Line], publications: list[Publication]) -> None:
    last = lines[-1]
    abstract = publications[-1].work.abstract
    twin = any(
        other.work.abstract.startswith(abstract) and other.work.abstract != abstract for other in publications[:-1]
    )
    cut = VENUE_LINE.match(last.text) and any(item.work.abstract for item in publications[:-1])
    if twin or cut or (abstract and not re.search(r"[.!?)\]\"”…/]$|\bhttps?://\S+$", abstract)):
        raise UnreadablePage(f"{page}: the last publication (line {publications[-1].work.origins[0].line}) is cut off")


def merge_equal(page: str, publications: list[Publication], problems: list[Problem]) -> list[WorkRecord]:
    """The works without duplicates; every merged copy is listed as a problem."""
    work_by_identity: dict[tuple[object, ...], WorkRecord] = {}
    for item in publications:
        work = item.work
        identity = (work.title, work.authors, work.venue, work.year, work.abstract)
        if identity in work_by_identity:
            first = work_by_identity[identity].origins[0].line
            problems.append(
                Problem(
                    "merged",
                    page,
                    work.origins[0].line,
                    excerpt(work.abstract or work.title),
                    f"printed twice: the same as at line {first}",
                )
            )
            work_by_identity[identity] = replace(
                work_by_identity[identity], origins=(*work_by_identity[identity].origins, *work.origins)
            )
        else:
            work_by_identity[identity] = replace(
                work, key=unique(work.key, [other.key for other in work_by_identity.values()])
            )
    return list(work_by_identity.values())
