"""Pages as text that labs are seeded from: lists of works of a repository or a site for papers, a personal page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from portal.seeding import names
from portal.seeding.headings import Topic, classify
from portal.seeding.pages import Ledger, Reading, UnreadablePage
from portal.seeding.people import introduction, place_of, role_of_rank
from portal.seeding.records import ActivityRecord, LabRecord, MemberRecord, Origin, WorkRecord
from portal.seeding.texts import MONTHS, latest_year, links_in, years
from portal.seeding.topics import ARXIV_SUBJECTS, distinct, topics_in_list, topics_in_prose
from portal.seeding.values import repaired, widget_lines

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
    keys = names.Keys()
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
    for label, value in pairwise(texts):
        if label.casefold() in _LABELS and value.casefold() not in _LABELS:
            values.setdefault(label.casefold(), value)
    full = f"{values.get('first name', '')} {values.get('last name', '')}".strip()
    person = next(filter(names.looks_like_name, (full, names.plain_name(texts[0]))), "")
    draft = LabRecord(key="", name="", leader=person, works=tuple(works))
    return Reading(page, "dspace_listing", (draft,), tuple(ledger.notes), person, "author")


def _record(origin: Origin, record: list[str], keys: names.Keys) -> WorkRecord | None:
    """Parses a record: [title,] people (year), venue, abstract; all but the people may be missing."""
    at, match = next(((at, match) for at, line in enumerate(record[:2]) if (match := _PEOPLE.match(line))), (0, None))
    if match is None:
        return None
    authors, complete = names.split_authors(match[1])
    title = record[0] if at else ""
    below = record[at + 1 :]
    has_venue = below and len(below[0]) <= _VENUE_LIMIT and (len(below) > 1 or not below[0].endswith("."))
    venue = below.pop(0) if has_venue else ""
    abstract = " ".join(below)
    # The acronym at the beginning of a proceedings line: "SIGMOD '22: …".
    acronym = _ACRONYM.match(venue)
    short = acronym[1] if acronym else venue
    return WorkRecord(
        key=keys.give(names.slug(title) if title else names.untitled_key(authors, short, int(match[2]), abstract)),
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
    keys = names.Keys()
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
    person = names.plain_name(line) if names.looks_like_name(names.plain_name(line)) else ""
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
    if rest and names.are_names(rest[0].partition("·")[0]):
        people, _, aside = rest.pop(0).partition("·")
        authors, complete = names.split_authors(people)
        if aside.strip():
            reason = "a remark after the authors that the page does not explain"
            ledger.note("ignored", aside, reason, line=origin.line)
    abstract = " ".join(rest)
    links = links_in(abstract)
    if head[3] and not any(link.label == "code" for link in links):
        reason = "marked “Code”, but the address of the code is not printed"
        ledger.note("ignored", title, reason, line=origin.line)
    return WorkRecord(
        key=names.slug(title),
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


VENUE_LINE = re.compile(r"^\[([^\[\]|]{2,80}?(?:19|20)\d{2}[^\[\]|]{0,40})(?:\|([^\[\]]{0,60}))?\]\s*(.*)$")
EQUAL_NOTE = re.compile(r"\s*\([^()]*(?:equal|contribut|correspond)[^()]*\)", re.IGNORECASE)
_CLASS = re.compile(r"\s*\([^()]*\)\s*$")
_PLAIN_HEADING = re.compile(r"[A-Z][\w&'’/-]*(?:\s+(?:of|and|&|in|[A-Z][\w&'’/-]*)){0,4}")
_DETAILS = re.compile(r"^(?:details|more|see more|read more|show all)\b.{0,40}$", re.IGNORECASE)
_NUMBERED = re.compile(r"^\(?\d{1,2}[).]\s*")
_STATED = re.compile(r"\bpublished (\d{1,3}) papers\b", re.IGNORECASE)
_PROJECTS = re.compile(r"\b(?:projects?|systems?|software)\b", re.IGNORECASE)
_SINCE = re.compile(r"\bsince ((?:19|20)\d{2})\b")
_DEGREE = re.compile(r"\b(?:received|obtained|got|earned|hold) (?:my|a|an|his|her) (.{3,160}?)\.?$")
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_LONGEST_HEADING = 40
_LONGEST_TITLE = 300
_WORDS_OF_A_HEADING = 3


class Line(NamedTuple):
    """A non-empty line of the page, with its number from 1."""

    number: int
    text: str


# A work, and who among its authors the page's person may be ("First Author").
Publication = tuple[WorkRecord, tuple[str, ...]]


def is_scraped(lines: list[str]) -> bool:
    """Whether a page is of this kind: a line with a venue below people."""
    stripped = [" ".join(line.split()) for line in lines if line.strip()]
    return any(
        VENUE_LINE.match(line) and (names.are_names(EQUAL_NOTE.sub("", above)) or years(line))
        for above, line in pairwise(stripped)
    )


def read_scraped(page: str, text: str) -> Reading:
    """The person of the page as a member of their adviser's lab, and the works."""
    ledger = Ledger(page)
    lines = _clean_lines(ledger, repaired(ledger, text).split("\n"))
    venues = [index for index, line in enumerate(lines) if index and VENUE_LINE.match(line.text)]
    publications = _publications(page, lines, venues)
    works = _merged(ledger, publications)
    _note_stated(ledger, lines[: _start(lines, venues[0])] if venues else lines, len(works))
    return _profile(ledger, lines[: _start(lines, venues[0])] if venues else lines, works, publications)


def _clean_lines(ledger: Ledger, raw: list[str]) -> list[Line]:
    """The non-empty lines; leftovers of the site generator are rejected as one problem."""
    widget = sorted(widget_lines(raw))
    if widget:
        quoted = " ".join(raw[number - 1] for number in widget)
        reason = f"leftover of the site generator's debugging widget, lines {widget[0]}–{widget[-1]}"
        ledger.note("problem", quoted, reason, line=widget[0])
    lines = (Line(number, " ".join(line.split())) for number, line in enumerate(raw, start=1) if number not in widget)
    return [line for line in lines if line.text]


def _start(lines: list[Line], venue: int) -> int:
    """Where the publication of a line with a venue begins: at its people, or at a title above them."""
    above = lines[venue - 2].text if venue > 1 else "."
    is_heading = len(above.split()) <= _WORDS_OF_A_HEADING and classify(above) is not None
    is_title = len(above) <= _LONGEST_TITLE and not above.endswith((".", ":")) and not is_heading
    return venue - 2 if is_title else venue - 1


def _publications(page: str, lines: list[Line], venues: list[int]) -> list[Publication]:
    """All publications in order: a title if there is one, people, the line with the venue, and the abstract."""
    publications: list[Publication] = []
    for index, following in zip(venues, [*venues[1:], None], strict=True):
        start, end = _start(lines, index), _start(lines, following) if following else len(lines)
        title = lines[start].text if start < index - 1 else ""
        match = VENUE_LINE.match(lines[index].text)
        short, part, full = (match[1], match[2] or "", match[3]) if match else ("", "", "")
        people = EQUAL_NOTE.sub("", lines[index - 1].text)
        authors, complete = names.split_authors(people)
        year = latest_year(short)
        venue = re.sub(r"[\s,]*(?:19|20)\d{2}\s*$", "", _CLASS.sub("", short)).strip()
        abstract = " ".join(line.text for line in lines[index + 1 : end])
        work = WorkRecord(
            key=names.slug(title) if title else names.untitled_key(authors, venue, year, abstract),
            title=title,
            authors=authors,
            authors_complete=complete,
            venue=venue,
            venue_full=re.sub(r"\s+(?:19|20)\d{2}$", "", full),
            year=year,
            abstract=abstract,
            links=links_in(abstract),
            origins=(Origin(page, lines[start].number),),
        )
        # The person is one of those with a star, of all, or the one in that place.
        said = part.casefold()
        starred = tuple(name for name in authors if re.search(rf"{re.escape(name)}\s*[*†]", people))
        at = next((index for index, ordinal in enumerate(_ORDINALS) if ordinal in said), len(authors))
        is_equal = "co-first" in said or "equal" in said
        publications.append((work, (starred or authors) if is_equal else authors[at : at + 1]))
    return publications


def _merged(ledger: Ledger, publications: list[Publication]) -> list[WorkRecord]:
    """The works without duplicates; every merged copy is listed as a problem."""
    works: dict[tuple[object, ...], WorkRecord] = {}
    keys = names.Keys()
    for work, _ in publications:
        identity = (work.title, work.authors, work.venue, work.year, work.abstract)
        first = works.get(identity)
        if first is None:
            works[identity] = replace(work, key=keys.give(work.key))
            continue
        works[identity] = replace(first, origins=(*first.origins, *work.origins))
        reason = f"printed twice: the same as at line {first.origins[0].line}"
        ledger.note("merged", work.abstract or work.title, reason, line=work.origins[0].line)
    return list(works.values())


def _profile(ledger: Ledger, lines: list[Line], works: list[WorkRecord], publications: list[Publication]) -> Reading:
    page = ledger.page
    sections = _sections(lines)
    biography = " ".join(line.text for _, body in sections for line in body)
    intro = introduction(biography)
    subject = intro.name or _subject(publications, [line.text for line in lines[:1]])
    interests = [line for heading, body in sections if classify(heading.text) == Topic("interests") for line in body]
    origin = Origin(page, lines[0].number if lines else 1)
    numbered = [_NUMBERED.sub("", line.text) for line in interests if _NUMBERED.match(line.text)]
    topics = distinct([*(t for line in interests for t in topics_in_prose(line.text)), *topics_in_list(numbered)])
    since = _SINCE.search(biography)
    member = MemberRecord(
        key=names.slug(subject),
        name=subject,
        role="leader" if intro.leads else role_of_rank(intro.rank),
        term=since[1] if since else "",
        degrees=tuple(match[1] for line in lines if (match := _DEGREE.search(line.text))),
        interests="\n".join(line.text for line in interests),
        origins=(origin,),
    )
    facts: dict[str, Any] = {
        "institution": intro.institution,
        "department": intro.department,
        "place": place_of(intro.institution),
    }
    draft = LabRecord(
        key="",
        name=intro.lab_name,
        leader=subject if intro.leads else intro.adviser,
        leader_title=intro.rank[:1].upper() + intro.rank[1:] if intro.leads else "",
        **facts,
        interests=member.interests if intro.leads else "",
        topics=topics,
        members=(member,) if subject else (),
        works=tuple(works),
        activities=tuple(_remarks(page, sections, subject)),
        origins=(
            *((name, origin) for name, value in facts.items() if value),
            *((("topics", Origin(page, interests[0].number)),) if topics else ()),
        ),
    )
    return Reading(
        page,
        "scraped_profile",
        (draft,),
        tuple(ledger.notes),
        subject,
        "leader" if intro.leads or not (intro.adviser or intro.rank) else "member",
        "" if intro.leads else intro.adviser,
    )


def _sections(lines: list[Line]) -> list[tuple[Line, list[Line]]]:
    """(heading line, lines below) in order; a heading is a short line in title case without a full stop."""
    sections: list[tuple[Line, list[Line]]] = [(Line(0, ""), [])]
    for line in lines:
        if len(line.text) <= _LONGEST_HEADING and _PLAIN_HEADING.fullmatch(line.text) and not _DETAILS.match(line.text):
            sections.append((line, []))
        elif not _DETAILS.match(line.text):
            sections[-1][1].append(line)
    return sections


def _remarks(page: str, sections: list[tuple[Line, list[Line]]], person: str) -> list[ActivityRecord]:
    """Sections of prose that fit no field (projects, industrial applications), as the person's news."""
    keys = names.Keys()
    remarks: list[ActivityRecord] = []
    for heading, body in sections:
        is_other = classify(heading.text) is None or _PROJECTS.search(heading.text)
        if heading.text and body and heading.text != person and is_other:
            text = " ".join(line.text for line in body)
            key = keys.give(names.slug(f"news {heading.text}"))
            origins = (Origin(page, heading.number),)
            links = links_in(text)
            remarks.append(ActivityRecord(key, "news", heading.text, person, note=text, links=links, origins=origins))
    return remarks


def _subject(publications: list[Publication], opening: list[str]) -> str:
    """The only person that fits every "First Author" remark; else the page's first line, if it is a name."""
    parts = [part for _, part in publications if part]
    candidates = parts[0] if parts else ()
    for others in parts[1:]:
        candidates = tuple(name for name in candidates if any(names.same_person(name, other) for other in others))
    if len(candidates) == 1:
        return candidates[0]
    return next((text for text in opening if names.looks_like_name(text) and classify(text) is None), "")


def _note_stated(ledger: Ledger, lines: list[Line], printed: int) -> None:
    said = next(((line, match[1]) for line in lines if (match := _STATED.search(line.text))), None)
    if said is not None and 0 < printed < int(said[1]):
        reason = f"the page speaks of {said[1]} published papers and prints {printed}"
        ledger.note("question", said[0].text, reason, line=said[0].number)
