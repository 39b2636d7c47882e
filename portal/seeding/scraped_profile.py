"""Text scraped from a personal page: plain headings, prose, and publications of a few lines each.

A publication is a line of people, a line "[VENUE YEAR (class) | author's part] full venue", and its abstract, possibly
with a title above. Site builders often print every publication twice (once in a hidden copy); equal ones are merged.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from portal.seeding.headings import classify
from portal.seeding.leftovers import leftover_reason, widget_lines
from portal.seeding.names import are_names, looks_like_name, same_person, slug, unique
from portal.seeding.pages import ParsedPage, Problem, check_number, excerpt
from portal.seeding.people import introduction, place_of, role_of_rank
from portal.seeding.phrases import links_in, years
from portal.seeding.records import ActivityRecord, LabRecord, MemberRecord, Origin, WorkRecord
from portal.seeding.repair import repair
from portal.seeding.scraped_publications import (
    EQUAL_NOTE,
    VENUE_LINE,
    Line,
    Publication,
    merge_equal,
    read_publications,
    starts_publication,
)
from portal.seeding.topics import distinct, topics_in_list, topics_in_prose

_PLAIN_HEADING = 40
_DETAILS = re.compile(r"^(?:details|more|see more|read more|show all)\b.{0,40}$", re.IGNORECASE)
_NUMBERED = re.compile(r"^\(?\d{1,2}[).]\s*")
_STATED = re.compile(r"\bpublished (\d{1,3}) papers\b", re.IGNORECASE)
_PROJECTS = re.compile(r"\b(?:projects?|systems?|software)\b", re.IGNORECASE)
_SINCE = re.compile(r"\bsince ((?:19|20)\d{2})\b")
_DEGREE = re.compile(r"\b(?:received|obtained|got|earned|hold) (?:my|a|an|his|her) (.{3,160}?)\.?$")


def parse(page: str, text: str) -> ParsedPage:
    """The person of the page as a member of their adviser's lab, and the works.

    Raises:
        UnreadablePage: The last publication is cut off.
    """
    repaired = repair(page, text)
    raw = repaired.text.split("\n")
    problems = [*repaired.problems]
    lines = _clean_lines(page, raw, problems)
    check_number(page, len(lines))
    first = next((index for index in range(len(lines)) if starts_publication(lines, index)), len(lines))
    publications = read_publications(page, lines[first:], problems)
    works = merge_equal(page, publications, problems)
    return _profile(page, lines[:first], works, publications, problems)


def _clean_lines(page: str, raw: list[str], problems: list[Problem]) -> list[Line]:
    """The non-empty lines; leftovers of the site generator are rejected as one problem."""
    widget = widget_lines(raw)
    if widget:
        quoted = excerpt(" ".join(raw[line_number - 1].strip() for line_number in sorted(widget)))
        where = f"lines {min(widget)}–{max(widget)}"
        problems.append(
            Problem(
                "rejected", page, min(widget), quoted, f"leftover of the site generator's debugging widget, {where}"
            )
        )
    lines: list[Line] = []
    for line_number, line in enumerate(raw, start=1):
        text = " ".join(line.split())
        reason = leftover_reason(text, text)
        if reason:
            problems.append(Problem("rejected", page, line_number, excerpt(text), reason))
        elif text and line_number not in widget:
            lines.append(Line(line_number, text))
    return lines


def _topics(interests: list[Line]) -> tuple[str, ...]:
    """The topics in the sentences on interests and in the numbered lines among them."""
    numbered = [_NUMBERED.sub("", line.text) for line in interests if _NUMBERED.match(line.text)]
    prose = [topic for line in interests for topic in topics_in_prose(line.text)]
    return distinct([*prose, *topics_in_list(numbered)])


def _profile(
    page: str, lines: list[Line], works: list[WorkRecord], publications: list[Publication], problems: list[Problem]
) -> ParsedPage:
    sections = _sections(lines)
    biography = " ".join(line.text for _, body in sections for line in body)
    intro = introduction(biography)
    subject = intro.name or _subject(publications, [line.text for line in lines[:1]])
    interests = [line for heading, body in sections if _is(heading, "interests") for line in body]
    problems.extend(_stated_more(page, lines, works))
    origin = Origin(page, lines[0].number if lines else 1)
    topics = _topics(interests)
    since = _SINCE.search(biography)
    degrees = tuple(match[1] for line in lines if (match := _DEGREE.search(line.text)))
    leads = intro.leads
    member = MemberRecord(
        key=slug(subject) if subject else "person",
        name=subject,
        role="leader" if leads else role_of_rank(intro.rank),
        term=since[1] if since else "",
        degrees=degrees,
        interests="\n".join(line.text for line in interests),
        origins=(origin,),
    )
    place = place_of(intro.institution)
    facts = {"institution": intro.institution, "department": intro.department, "place": place}
    origins = [(name, origin) for name, value in facts.items() if value]
    if topics:
        origins.append(("topics", Origin(page, interests[0].number)))
    draft = LabRecord(
        key="",
        name=intro.lab_name,
        leader=subject if leads else intro.adviser,
        leader_title=intro.rank[:1].upper() + intro.rank[1:] if leads else "",
        institution=intro.institution,
        department=intro.department,
        place=place,
        interests=member.interests if leads else "",
        topics=topics,
        members=(member,) if subject else (),
        works=tuple(works),
        activities=tuple(_remarks(page, sections, subject)),
        origins=tuple(origins),
    )
    return ParsedPage(
        page=page,
        kind="scraped_profile",
        subject=subject,
        role="leader" if leads or not (intro.adviser or intro.rank) else "member",
        draft=draft,
        problems=tuple(problems),
        adviser="" if leads else intro.adviser,
    )


def _sections(lines: list[Line]) -> list[tuple[Line, list[Line]]]:
    """(heading line, lines below) in order; a heading is a short line in title case without a full stop."""
    sections: list[tuple[Line, list[Line]]] = [(Line(0, ""), [])]
    for line in lines:
        if _DETAILS.match(line.text):
            continue
        if len(line.text) <= _PLAIN_HEADING and re.match(
            r"^[A-Z][\w&'’/-]*(?:\s+(?:of|and|&|in|[A-Z][\w&'’/-]*)){0,4}$", line.text
        ):
            sections.append((line, []))
        else:
            sections[-1][1].append(line)
    return sections


def _is(heading: Line, kind: str) -> bool:
    topic = classify(heading.text)
    return topic is not None and topic.kind == kind


def _remarks(page: str, sections: list[tuple[Line, list[Line]]], person: str) -> list[ActivityRecord]:
    """Sections of prose that fit no field (projects, industrial applications), as the person's news."""
    remarks: list[ActivityRecord] = []
    for heading, body in sections:
        if not heading.text or not body or heading.text == person:
            continue
        if classify(heading.text) is None or _PROJECTS.search(heading.text):
            text = " ".join(line.text for line in body)
            remarks.append(
                ActivityRecord(
                    key=slug(f"news {heading.text}"),
                    kind="news",
                    title=heading.text,
                    person=person,
                    note=text,
                    links=links_in(text),
                    origins=(Origin(page, heading.number),),
                )
            )
    return [
        replace(item, key=unique(item.key, [other.key for other in remarks[:index]]))
        for index, item in enumerate(remarks)
    ]


def _subject(publications: list[Publication], opening: list[str]) -> str:
    """The only person that fits every "First Author" remark; else the page's first line, if it is a name."""
    candidates: list[str] | None = None
    for item in publications:
        if item.part:
            names = item.part.split("|")
            candidates = (
                names
                if candidates is None
                else [name for name in candidates if any(same_person(name, other) for other in names)]
            )
    if candidates and len(candidates) == 1:
        return candidates[0]
    return next((text for text in opening if looks_like_name(text) and classify(text) is None), "")


def _stated_more(page: str, lines: list[Line], works: list[WorkRecord]) -> list[Problem]:
    for line in lines:
        match = _STATED.search(line.text)
        if match and works and int(match[1]) > len(works):
            reason = f"the page speaks of {match[1]} published papers and prints {len(works)}"
            return [Problem("question", page, line.number, excerpt(line.text), reason)]
    return []


def looks_like(lines: list[str]) -> bool:
    """Whether a page is of this kind: a venue line below people, or first-person text under plain headings."""
    stripped = [" ".join(line.split()) for line in lines if line.strip()]
    for above, line in pairwise(stripped):
        if VENUE_LINE.match(line) and (are_names(EQUAL_NOTE.sub("", above)) or years(line)):
            return True
    headings = sum(classify(line) is not None and len(line) <= _PLAIN_HEADING for line in stripped)
    first_person = sum(bool(re.match(r"(?:I am|I'm|I’m|My) ", line)) for line in stripped)
    return headings > 1 and first_person > 0
