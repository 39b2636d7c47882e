"""Text scraped from a personal page: plain headings, prose, and publications of a few lines each.

A publication is a line of people, possibly with a title above, a line "[VENUE YEAR (class) | author's part] venue", and
its abstract. Site builders often print every publication twice (once in a hidden copy); equal ones are merged.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from portal.seeding.headings import Topic, classify
from portal.seeding.names import Keys, are_names, looks_like_name, same_person, slug, split_authors, untitled_key
from portal.seeding.pages import Ledger, Reading
from portal.seeding.people import introduction, place_of, role_of_rank
from portal.seeding.records import ActivityRecord, LabRecord, MemberRecord, Origin, WorkRecord
from portal.seeding.texts import latest_year, links_in, years
from portal.seeding.topics import distinct, topics_in_list, topics_in_prose
from portal.seeding.values import repaired, widget_lines

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
_TITLE_LIMIT = 300
_WORDS_OF_A_HEADING = 3


class Line(NamedTuple):
    """A non-empty line of the page, with its number from 1."""

    number: int
    text: str


class Publication(NamedTuple):
    """A work, and who among its authors the page's person may be ("First Author")."""

    work: WorkRecord
    part: tuple[str, ...]


def looks_like(lines: list[str]) -> bool:
    """Whether a page is of this kind: a line with a venue below people."""
    stripped = [" ".join(line.split()) for line in lines if line.strip()]
    return any(
        VENUE_LINE.match(line) and (are_names(EQUAL_NOTE.sub("", above)) or years(line))
        for above, line in pairwise(stripped)
    )


def parse(page: str, text: str) -> Reading:
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
    is_title = len(above) <= _TITLE_LIMIT and not above.endswith((".", ":")) and not is_heading
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
        authors, complete = split_authors(people)
        year = latest_year(short)
        venue = re.sub(r"[\s,]*(?:19|20)\d{2}\s*$", "", _CLASS.sub("", short)).strip()
        abstract = " ".join(line.text for line in lines[index + 1 : end])
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
            origins=(Origin(page, lines[start].number),),
        )
        # The person is one of those with a star, of all, or the one in that place.
        said, starred = (
            part.casefold(),
            tuple(name for name in authors if re.search(rf"{re.escape(name)}\s*[*†]", people)),
        )
        at = next((index for index, ordinal in enumerate(_ORDINALS) if ordinal in said), len(authors))
        is_equal = "co-first" in said or "equal" in said
        publications.append(Publication(work, (starred or authors) if is_equal else authors[at : at + 1]))
    return publications


def _merged(ledger: Ledger, publications: list[Publication]) -> list[WorkRecord]:
    """The works without duplicates; every merged copy is listed as a problem."""
    works: dict[tuple[object, ...], WorkRecord] = {}
    keys = Keys()
    for work in (item.work for item in publications):
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
        key=slug(subject),
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
    keys = Keys()
    remarks: list[ActivityRecord] = []
    for heading, body in sections:
        is_other = classify(heading.text) is None or _PROJECTS.search(heading.text)
        if heading.text and body and heading.text != person and is_other:
            text = " ".join(line.text for line in body)
            key = keys.give(slug(f"news {heading.text}"))
            origins = (Origin(page, heading.number),)
            remarks.append(
                ActivityRecord(key, "news", heading.text, person, note=text, links=links_in(text), origins=origins)
            )
    return remarks


def _subject(publications: list[Publication], opening: list[str]) -> str:
    """The only person that fits every "First Author" remark; else the page's first line, if it is a name."""
    parts = [item.part for item in publications if item.part]
    candidates = parts[0] if parts else ()
    for names in parts[1:]:
        candidates = tuple(name for name in candidates if any(same_person(name, other) for other in names))
    if len(candidates) == 1:
        return candidates[0]
    return next((text for text in opening if looks_like_name(text) and classify(text) is None), "")


def _note_stated(ledger: Ledger, lines: list[Line], printed: int) -> None:
    said = next(((line, match[1]) for line in lines if (match := _STATED.search(line.text))), None)
    if said is not None and 0 < printed < int(said[1]):
        reason = f"the page speaks of {said[1]} published papers and prints {printed}"
        ledger.note("question", said[0].text, reason, line=said[0].number)
