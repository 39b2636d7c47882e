"""Text scraped from a personal page: plain headings, prose, and publications of a few lines each.

A publication is a line of people, a line "[VENUE YEAR (class) | author's part] full venue", and its abstract, possibly
with a title above. Site builders often print every publication twice (once in a hidden copy); equal ones are merged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from portal.seeding.headings import classify
from portal.seeding.leftovers import leftover_reason, widget_lines
from portal.seeding.names import are_names, looks_like_name, same_person, slug, split_authors, unique, untitled_key
from portal.seeding.pages import ParsedPage, Problem, UnreadablePage, check_number, excerpt
from portal.seeding.people import introduction, place_of, role_of_rank
from portal.seeding.phrases import latest_year, links_in, years
from portal.seeding.records import ActivityRecord, LabRecord, MemberRecord, Origin, WorkRecord
from portal.seeding.repair import repair
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
