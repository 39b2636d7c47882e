"""A person's listing in a DSpace repository, as text: authors and year, venue, abstract, often without titles."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from portal.seeding.names import looks_like_name, plain_name, slug, split_authors, unique, untitled_key
from portal.seeding.pages import ParsedPage, Problem, UnreadablePage, check_number, excerpt
from portal.seeding.phrases import links_in
from portal.seeding.records import LabRecord, Origin, WorkRecord
from portal.seeding.repair import repair

RANGE = re.compile(r"^\s*(?:[A-Z]\w*(?:\s\w+){0,2}\s+)?(\d{1,5})\s*[-–]\s*(\d{1,5})\s+of\s+(\d{1,6})\s*$")
BULLET = re.compile(r"^\s*[•·▪‣*-]\s+(\S.*)$")
_PEOPLE = re.compile(r"^(.{2,600}?)\s*\(((?:19|20)\d{2})(?:[-/.]\d{1,2}){0,2}\)\s*$")
_LABELS = frozenset(("last name", "first name", "organisational unit", "organizational unit", "name", "search results"))
_VENUE_LIMIT = 220


@dataclass(frozen=True, slots=True)
class _Block:
    """A record: the number of its first line, which has the bullet, and its lines."""

    line: int
    lines: tuple[str, ...]


def looks_like(lines: list[str]) -> bool:
    """Whether a page is a listing: a line "1 - 10 of 11" and a bullet with people and a year."""
    has_range = any(RANGE.match(line) for line in lines)
    bullets = [match[1] for line in lines if (match := BULLET.match(line))]
    return has_range and (any(_PEOPLE.match(text) for text in bullets) or "Search Results" in map(str.strip, lines))


def parse(page: str, text: str) -> ParsedPage:
    """The works of a listing, and its person.

    Raises:
        UnreadablePage: It has fewer records than stated ("1 - 10 of 11"), or the last one is cut off.
    """
    repaired = repair(page, text)
    lines = repaired.text.split("\n")
    problems = [*repaired.problems]
    blocks = _blocks(lines)
    check_number(page, len(blocks))
    works: list[WorkRecord] = []
    for block in blocks:
        work = _work(page, block)
        if work is None:
            problems.append(
                Problem("ignored", page, block.line, excerpt(block.lines[0]), "no people and year at its beginning")
            )
            continue
        works.append(_with_unique_key(work, works))
    _check_range(page, lines, works, problems)
    person = _person(lines)
    draft = LabRecord(key="", name="", leader=person, works=tuple(works))
    return ParsedPage(page, "dspace_listing", person, "author", draft, tuple(problems))


def _blocks(lines: list[str]) -> list[_Block]:
    blocks: list[_Block] = []
    start_line = 0
    current: list[str] = []
    for position, line in enumerate(lines, start=1):
        bullet = BULLET.match(line)
        if bullet or RANGE.match(line):
            if current:
                blocks.append(_Block(start_line, tuple(current)))
            start_line, current = position, [bullet[1].strip()] if bullet else []
        elif current and line.strip():
            current.append(" ".join(line.split()))
    if current:
        blocks.append(_Block(start_line, tuple(current)))
    return blocks


def _work(page: str, block: _Block) -> WorkRecord | None:
    """Parses a record: [title,] people (year), venue, abstract; all but the people may be missing."""
    people_at = next((index for index, line in enumerate(block.lines[:2]) if _PEOPLE.match(line)), None)
    if people_at is None:
        return None
    match = _PEOPLE.match(block.lines[people_at])
    if match is None:
        return None
    authors, complete = split_authors_by_semicolon(match[1])
    title = block.lines[0] if people_at else ""
    below = list(block.lines[people_at + 1 :])
    venue = (
        below.pop(0)
        if below and len(below[0]) <= _VENUE_LIMIT and (len(below) > 1 or not below[0].endswith("."))
        else ""
    )
    abstract = " ".join(below)
    year = int(match[2])
    short = short_venue(venue)
    return WorkRecord(
        key=slug(title) if title else untitled_key(authors, short, year, abstract),
        title=title,
        authors=authors,
        authors_complete=complete,
        venue=short,
        venue_full=venue if venue != short else "",
        year=year,
        abstract=abstract,
        links=links_in(abstract),
        origins=(Origin(page, block.line),),
    )


def split_authors_by_semicolon(text: str) -> tuple[tuple[str, ...], bool]:
    """Splits "Last, First; Last, First; et al.", where commas are part of names."""
    parts = [part.strip() for part in text.split(";") if part.strip()]
    people = [part for part in parts if not re.fullmatch(r"et\.?\s*al\.?|and others", part, re.IGNORECASE)]
    if len(people) == 1 and people[0].count(",") > 1:
        return split_authors(text)
    return tuple(plain_name(part) for part in people), len(people) == len(parts)


def short_venue(venue: str) -> str:
    """The acronym at the beginning of a proceedings line ("SIGMOD '22: …" gives SIGMOD), else the line itself."""
    match = re.match(
        r"^([A-Z][\w&-]*[A-Z][\w&-]*|[A-Z][a-z]+[A-Z]\w*)\s*['’]?(?:\d{2}|(?:19|20)\d{2})\s*[:–-]\s", venue
    )
    return match[1] if match else venue


def _with_unique_key(work: WorkRecord, works: list[WorkRecord]) -> WorkRecord:
    key = unique(work.key, [other.key for other in works])
    return replace(work, key=key)


def _person(lines: list[str]) -> str:
    """The person of the listing: its first line, or the values below "First Name" and "Last Name"."""
    texts = [line.strip() for line in lines if line.strip()]
    values: dict[str, str] = {}
    for index, line in enumerate(texts[:-1]):
        if line.casefold() in _LABELS and texts[index + 1].casefold() not in _LABELS:
            values.setdefault(line.casefold(), texts[index + 1])
    full = f"{values.get('first name', '')} {values.get('last name', '')}".strip()
    if full and looks_like_name(full):
        return full
    first = plain_name(texts[0]) if texts else ""
    return first if looks_like_name(first) else ""


def _check_range(page: str, lines: list[str], works: list[WorkRecord], problems: list[Problem]) -> None:
    ranges = [(line_number, match) for line_number, line in enumerate(lines, start=1) if (match := RANGE.match(line))]
    if not ranges:
        raise UnreadablePage(f"{page}: the listing states no range of records; the file seems cut off")
    line_number, match = ranges[0]
    first, last, total = (int(group) for group in match.groups())
    expected = last - first + 1
    if len(works) < expected:
        raise UnreadablePage(
            f"{page}: the listing says it shows {first} to {last} of {total}, but {len(works)} records can be read; "
            "the file seems cut off or damaged"
        )
    texts = [line for line in lines if line.strip()]
    if len(ranges) == 1 and texts and not re.search(r"[.!?)\]\"”…]\s*$|https?://\S+\s*$", texts[-1]):
        raise UnreadablePage(f"{page}: the last record is cut off")
    if total > expected:
        missing = total - expected
        problems.append(
            Problem(
                "question",
                page,
                line_number,
                match[0].strip(),
                f"the listing shows {expected} of {total} records; {missing} {'is' if missing == 1 else 'are'} "
                "not on this page",
            )
        )
