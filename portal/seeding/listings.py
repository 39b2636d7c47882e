"""Lists of a person's works as text: a listing of a DSpace repository, and an author's page of a paper-listing site."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace

from portal.seeding.names import (
    Keys,
    are_names,
    looks_like_name,
    plain_name,
    slug,
    split_authors,
    split_authors_by_semicolon,
    untitled_key,
)
from portal.seeding.pages import Ledger, Reading, UnreadablePage
from portal.seeding.records import LabRecord, Origin, WorkRecord
from portal.seeding.texts import MONTHS, latest_year, links_in
from portal.seeding.topics import ARXIV_SUBJECTS
from portal.seeding.values import repaired

_RANGE = re.compile(r"^\s*(?:[A-Z]\w*(?:\s\w+){0,2}\s+)?(\d{1,5})\s*[-–]\s*(\d{1,5})\s+of\s+(\d{1,6})\s*$")
_BULLET = re.compile(r"^\s*[•·▪‣*-]\s+(\S.*)$")
_PEOPLE = re.compile(r"^(.{2,600}?)\s*\(((?:19|20)\d{2})(?:[-/.]\d{1,2}){0,2}\)\s*$")
_ACRONYM = re.compile(r"([A-Z][\w&-]*[A-Z][\w&-]*|[A-Z][a-z]+[A-Z]\w*)\s*['’]?(?:\d{2}|(?:19|20)\d{2})\s*[:–-]\s")
_LABELS = frozenset(("last name", "first name", "organisational unit", "organizational unit", "name", "search results"))
_VENUE_LIMIT = 220
_HEAD = re.compile(
    rf"^\s*([A-Za-z][A-Za-z.-]{{0,18}}?)\s*((?:{MONTHS})[a-z]{{0,6}}\.?\s+\d{{1,2}}(?:,\s*(?:19|20)\d{{2}})?)(Code)?\s*$"
)
_FIGURE = re.compile(r"^\s*(?:(h-index)\s*([\d,]+)|([\d,]+)\s*(papers|citations))\s*$", re.IGNORECASE)
_OWN_FIGURE = re.compile(r"^\s*(Novelty|AI Score|Rank\w*|Score)\s*[\d.,]+\s*%?\s*$", re.IGNORECASE)
_COUNT = re.compile(r"^\s*([\d,]+)\s+Papers?\s*$")
_ENOUGH = 2
_TITLE_LIMIT = 400


def is_dspace(lines: list[str]) -> bool:
    """Whether a page is a listing: a line "1 - 10 of 11" and a bullet with people and a year."""
    bullets = [match[1] for line in lines if (match := _BULLET.match(line))]
    is_listing = any(map(_PEOPLE.match, bullets)) or "Search Results" in map(str.strip, lines)
    return is_listing and any(map(_RANGE.match, lines))


def read_dspace(page: str, text: str) -> Reading:
    """The works of a DSpace listing (authors and year, venue, abstract, often without titles), and its person.

    It is unreadable with fewer records than it states ("1 - 10 of 11").
    """
    ledger = Ledger(page)
    lines = repaired(ledger, text).split("\n")
    stated, match = next((number, match) for number, line in enumerate(lines, start=1) if (match := _RANGE.match(line)))
    first, last, total = map(int, match.groups())
    records: list[tuple[int, list[str]]] = []
    is_open = False
    for number, line in enumerate(lines, start=1):
        bullet = _BULLET.match(line)
        is_open = bool(bullet) or (is_open and not _RANGE.match(line))
        if bullet:
            records.append((number, [bullet[1].strip()]))
        elif is_open and line.strip():
            records[-1][1].append(" ".join(line.split()))
    keys = Keys()
    works = [work for number, record in records if (work := _record(Origin(page, number), record, keys))]
    expected = last - first + 1
    if len(works) < expected:
        raise UnreadablePage(
            f"{page}: the listing says it shows {first} to {last} of {total}, but {len(works)} records can be read; "
            "the file seems cut off or damaged"
        )
    if total > expected:
        missing = f"{total - expected} {'is' if total - expected == 1 else 'are'} not on this page"
        reason = f"the listing shows {expected} of {total} records; {missing}"
        ledger.note("question", match[0], reason, line=stated)
    # The values below "First Name" and "Last Name", or the first line.
    texts = [line.strip() for line in lines if line.strip()]
    values: dict[str, str] = {}
    for label, value in itertools.pairwise(texts):
        if label.casefold() in _LABELS and value.casefold() not in _LABELS:
            values.setdefault(label.casefold(), value)
    full = f"{values.get('first name', '')} {values.get('last name', '')}".strip()
    person = next(filter(looks_like_name, (full, plain_name(texts[0]))), "")
    draft = LabRecord(key="", name="", leader=person, works=tuple(works))
    return Reading(page, "dspace_listing", (draft,), tuple(ledger.notes), person, "author")


def _record(origin: Origin, record: list[str], keys: Keys) -> WorkRecord | None:
    """Parses a record: [title,] people (year), venue, abstract; all but the people may be missing."""
    at, match = next(((at, match) for at, line in enumerate(record[:2]) if (match := _PEOPLE.match(line))), (0, None))
    if match is None:
        return None
    authors, complete = split_authors_by_semicolon(match[1])
    title = record[0] if at else ""
    below = record[at + 1 :]
    has_venue = below and len(below[0]) <= _VENUE_LIMIT and (len(below) > 1 or not below[0].endswith("."))
    venue = below.pop(0) if has_venue else ""
    abstract = " ".join(below)
    # The acronym at the beginning of a proceedings line: "SIGMOD '22: …".
    acronym = _ACRONYM.match(venue)
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


def is_paper_listing(lines: list[str]) -> bool:
    """Whether a page is of this kind: heads such as "DCOct 28, 2023Code" below a count of papers."""
    figures = sum(bool(_FIGURE.match(line) or _COUNT.match(line)) for line in lines)
    return figures >= _ENOUGH or (figures > 0 and any(map(_HEAD.match, lines)))


def read_paper_listing(page: str, text: str) -> Reading:
    """The papers of an author's page (category and date run together, title, people, abstract) with its figures.

    It is unreadable with fewer papers than it states.
    """
    ledger = Ledger(page)
    lines = repaired(ledger, text).split("\n")
    heads = [(index, match) for index, line in enumerate(lines) if (match := _HEAD.match(line))]
    if not heads:
        raise UnreadablePage(f"{page}: the page lists no paper; the file seems cut off")
    works: list[WorkRecord] = []
    keys = Keys()
    for (start, head), end in zip(heads, [*(index for index, _ in heads[1:]), len(lines)], strict=True):
        body = [" ".join(line.split()) for line in lines[start + 1 : end] if line.strip()]
        if not body or len(body[0]) > _TITLE_LIMIT:
            ledger.note("problem", f"{head[1]} {head[2]}", "no title below it", line=start + 1)
            continue
        work = _paper(Origin(page, start + 1), head, body, ledger)
        works.append(replace(work, key=keys.give(work.key)))
    top = lines[: heads[0][0]]
    figures: dict[str, int] = {}
    for number, line in enumerate(top, start=1):
        match = _FIGURE.match(line)
        if match:
            figures.setdefault((match[1] or match[4]).lower(), int((match[2] or match[3]).replace(",", "") or 0))
        elif _OWN_FIGURE.match(line):
            ledger.note("ignored", line, "a figure that only the listing site uses", line=number)
    counts = [int(match[1].replace(",", "") or 0) for line in top if (match := _COUNT.match(line))]
    expected = counts[-1] if counts else figures.get("papers", 0)
    if len(works) < expected:
        raise UnreadablePage(
            f"{page}: the page says {expected} papers, but {len(works)} can be read; the file seems cut off or damaged"
        )
    first, line = next(((at, line) for at, line in enumerate(top, start=1) if line.strip()), (1, ""))
    person = plain_name(line) if looks_like_name(plain_name(line)) else ""
    # Subject classes with at least two papers, most frequent first.
    subjects = Counter(work.subject.rpartition(".")[2].upper() for work in works).most_common()
    topics = tuple(ARXIV_SUBJECTS[code] for code, count in subjects if count >= _ENOUGH and code in ARXIV_SUBJECTS)
    origin = Origin(page, first)
    draft = LabRecord(
        key="",
        name="",
        leader=person,
        topics=topics,
        figures=tuple(figures.items()),
        works=tuple(works),
        origins=(("leader", origin), ("figures", origin), *((("topics", works[0].origins[0]),) if topics else ())),
    )
    return Reading(page, "paper_listing", (draft,), tuple(ledger.notes), person, "author")


def _paper(origin: Origin, head: re.Match[str], body: list[str], ledger: Ledger) -> WorkRecord:
    """A paper: its title, perhaps its authors, and its abstract; what a profile has no place for becomes a problem."""
    title, *rest = body
    authors: tuple[str, ...] = ()
    complete = False
    if rest and are_names(rest[0].partition("·")[0]):
        people, _, aside = rest.pop(0).partition("·")
        authors, complete = split_authors(people)
        if aside.strip():
            reason = "a remark after the authors that the page does not explain"
            ledger.note("ignored", aside, reason, line=origin.line)
    abstract = " ".join(rest)
    links = links_in(abstract)
    if head[3] and not any(link.label == "code" for link in links):
        reason = "marked “Code”, but the address of the code is not printed"
        ledger.note("ignored", title, reason, line=origin.line)
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors,
        authors_complete=complete,
        year=latest_year(head[2]),
        date=head[2],
        subject=head[1],
        abstract=abstract,
        links=links,
        origins=(origin,),
    )
