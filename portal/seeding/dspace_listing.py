"""A person's listing in a DSpace repository, as text: authors and year, venue, abstract, often without titles."""

from __future__ import annotations

import itertools
import re

from portal.seeding.leftovers import repair
from portal.seeding.names import Keys, looks_like_name, plain_name, slug, split_authors, untitled_key
from portal.seeding.pages import ParsedPage, Problem, UnreadablePage, check_number, excerpt
from portal.seeding.records import LabRecord, Origin, WorkRecord
from portal.seeding.texts import links_in

RANGE = re.compile(r"^\s*(?:[A-Z]\w*(?:\s\w+){0,2}\s+)?(\d{1,5})\s*[-–]\s*(\d{1,5})\s+of\s+(\d{1,6})\s*$")
BULLET = re.compile(r"^\s*[•·▪‣*-]\s+(\S.*)$")
_PEOPLE = re.compile(r"^(.{2,600}?)\s*\(((?:19|20)\d{2})(?:[-/.]\d{1,2}){0,2}\)\s*$")
_LABELS = frozenset(("last name", "first name", "organisational unit", "organizational unit", "name", "search results"))
_VENUE_LIMIT = 220


def looks_like(lines: list[str]) -> bool:
    """Whether a page is a listing: a line "1 - 10 of 11" and a bullet with people and a year."""
    bullets = [match[1] for line in lines if (match := BULLET.match(line))]
    is_listing = any(map(_PEOPLE.match, bullets)) or "Search Results" in map(str.strip, lines)
    return is_listing and any(map(RANGE.match, lines))


def parse(page: str, text: str) -> ParsedPage:
    """The works of a listing, and its person.

    Raises:
        UnreadablePage: It has fewer records than stated ("1 - 10 of 11").
    """
    repaired, problems = repair(page, text)
    lines = repaired.split("\n")
    records = _records(lines)
    check_number(page, len(records))
    works: list[WorkRecord] = []
    keys = Keys()
    for line, record in records:
        work = _work(Origin(page, line), record, keys)
        if work is not None:
            works.append(work)
        else:
            problems.append(Problem("ignored", page, line, excerpt(record[0]), "no people and year at its beginning"))
    problems += _missing_records(page, lines, len(works))
    person = _person([line.strip() for line in lines if line.strip()])
    draft = LabRecord(key="", name="", leader=person, works=tuple(works))
    return ParsedPage(page, "dspace_listing", person, "author", draft, tuple(problems))


def _records(lines: list[str]) -> list[tuple[int, list[str]]]:
    """The number of the first line of each record, which has the bullet, and its lines."""
    records: list[tuple[int, list[str]]] = []
    is_open = False
    for position, line in enumerate(lines, start=1):
        bullet = BULLET.match(line)
        if bullet:
            records.append((position, [bullet[1].strip()]))
        elif is_open and line.strip() and not RANGE.match(line):
            records[-1][1].append(" ".join(line.split()))
        is_open = bool(bullet) or (is_open and not RANGE.match(line))
    return records


def _work(origin: Origin, record: list[str], keys: Keys) -> WorkRecord | None:
    """Parses a record: [title,] people (year), venue, abstract; all but the people may be missing."""
    people = [(index, match) for index, line in enumerate(record[:2]) if (match := _PEOPLE.match(line))]
    if not people:
        return None
    people_at, match = people[0]
    authors, complete = split_authors_by_semicolon(match[1])
    title = record[0] if people_at else ""
    below = record[people_at + 1 :]
    has_venue = below and len(below[0]) <= _VENUE_LIMIT and (len(below) > 1 or not below[0].endswith("."))
    venue = below.pop(0) if has_venue else ""
    abstract = " ".join(below)
    # The acronym at the beginning of a proceedings line: "SIGMOD '22: …".
    acronym = re.match(
        r"([A-Z][\w&-]*[A-Z][\w&-]*|[A-Z][a-z]+[A-Z]\w*)\s*['’]?(?:\d{2}|(?:19|20)\d{2})\s*[:–-]\s", venue
    )
    short = acronym[1] if acronym else venue
    return WorkRecord(
        key=keys.give(slug(title) if title else untitled_key(authors, short, int(match[2]), abstract)),
        title=title,
        authors=authors,
        authors_complete=complete,
        venue=short,
        venue_full=venue if venue != short else "",
        year=int(match[2]),
        abstract=abstract,
        links=links_in(abstract),
        origins=(origin,),
    )


def split_authors_by_semicolon(text: str) -> tuple[tuple[str, ...], bool]:
    """Splits "Last, First; Last, First; et al.", where commas are part of names."""
    parts = [part.strip() for part in text.split(";") if part.strip()]
    people = [part for part in parts if not re.fullmatch(r"et\.?\s*al\.?|and others", part, re.IGNORECASE)]
    if len(people) == 1 and people[0].count(",") > 1:
        return split_authors(text)
    return tuple(plain_name(part) for part in people), len(people) == len(parts)


def _person(texts: list[str]) -> str:
    """The person of the listing: the values below "First Name" and "Last Name", or its first line."""
    values: dict[str, str] = {}
    for line, following in itertools.pairwise(texts):
        if line.casefold() in _LABELS and following.casefold() not in _LABELS:
            values.setdefault(line.casefold(), following)
    full = f"{values.get('first name', '')} {values.get('last name', '')}".strip()
    return next((name for name in (full, plain_name(texts[0]) if texts else "") if looks_like_name(name)), "")


def _missing_records(page: str, lines: list[str], count: int) -> list[Problem]:
    """A question about the records that are not on this page."""
    ranges = [(number, match) for number, line in enumerate(lines, start=1) if (match := RANGE.match(line))]
    if not ranges:
        raise UnreadablePage(f"{page}: the listing states no range of records; the file seems cut off")
    number, match = ranges[0]
    first, last, total = (int(group) for group in match.groups())
    expected = last - first + 1
    if count < expected:
        raise UnreadablePage(
            f"{page}: the listing says it shows {first} to {last} of {total}, but {count} records can be read; "
            "the file seems cut off or damaged"
        )
    missing = total - expected
    reason = (
        f"the listing shows {expected} of {total} records; {missing} {'is' if missing == 1 else 'are'} not on this page"
    )
    return [Problem("question", page, number, match[0].strip(), reason)] if missing > 0 else []
