"""An author's page of a paper-listing site: category and date run together, then title, people, abstract."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from portal.seeding.leftovers import repair
from portal.seeding.names import Keys, are_names, looks_like_name, plain_name, slug, split_authors
from portal.seeding.pages import ParsedPage, Problem, UnreadablePage, check_number, excerpt
from portal.seeding.records import LabRecord, Origin, WorkRecord
from portal.seeding.texts import MONTHS, latest_year, links_in
from portal.seeding.topics import ARXIV_SUBJECTS

HEAD = re.compile(
    rf"^\s*([A-Za-z][A-Za-z.-]{{0,18}}?)\s*((?:{MONTHS})[a-z]{{0,6}}\.?\s+\d{{1,2}}(?:,\s*(?:19|20)\d{{2}})?)(Code)?\s*$"
)
_FIGURE = re.compile(r"^\s*(?:(h-index)\s*([\d,]+)|([\d,]+)\s*(papers|citations))\s*$", re.IGNORECASE)
_OWN_FIGURE = re.compile(r"^\s*(Novelty|AI Score|Rank\w*|Score)\s*[\d.,]+\s*%?\s*$", re.IGNORECASE)
_COUNT = re.compile(r"^\s*([\d,]+)\s+Papers?\s*$")
_ENOUGH = 2
_TITLE_LIMIT = 400


def looks_like(lines: list[str]) -> bool:
    """Whether a page is of this kind: heads such as "DCOct 28, 2023Code" below a count of papers."""
    figures = sum(bool(_FIGURE.match(line) or _COUNT.match(line)) for line in lines)
    return figures >= _ENOUGH or (figures > 0 and any(map(HEAD.match, lines)))


def parse(page: str, text: str) -> ParsedPage:
    """The papers of an author's page with its figures.

    Raises:
        UnreadablePage: It has fewer papers than stated.
    """
    repaired, problems = repair(page, text)
    lines = repaired.split("\n")
    heads = [(index, match) for index, line in enumerate(lines) if (match := HEAD.match(line))]
    check_number(page, len(heads))
    if not heads:
        raise UnreadablePage(f"{page}: the page lists no paper; the file seems cut off")
    works: list[WorkRecord] = []
    keys = Keys()
    ends = [*(index for index, _ in heads[1:]), len(lines)]
    for (start, head), end in zip(heads, ends, strict=True):
        body = [" ".join(line.split()) for line in lines[start + 1 : end] if line.strip()]
        work = _work(Origin(page, start + 1), head, body, problems)
        if work is not None:
            works.append(replace(work, key=keys.give(work.key)))
    top = lines[: heads[0][0]]
    figures = _figures(page, top, problems)
    _check_count(page, top, len(works))
    first = next((line.strip() for line in top if line.strip()), "")
    person = plain_name(first) if looks_like_name(plain_name(first)) else ""
    origin = Origin(page, top.index(next(line for line in top if line.strip())) + 1 if first else 1)
    topics = _topics(works)
    draft = LabRecord(
        key="",
        name="",
        leader=person,
        topics=topics,
        figures=figures,
        works=tuple(works),
        origins=(("leader", origin), ("figures", origin), *((("topics", works[0].origins[0]),) if topics else ())),
    )
    return ParsedPage(page, "paper_listing", person, "author", draft, tuple(problems))


def _work(origin: Origin, head: re.Match[str], body: list[str], problems: list[Problem]) -> WorkRecord | None:
    """A paper: its title, perhaps its authors, and its abstract; what a profile has no place for becomes a problem."""
    page, line = origin.page, origin.line
    if not body or len(body[0]) > _TITLE_LIMIT:
        problems.append(Problem("rejected", page, line, f"{head[1]} {head[2]}", "no title below it"))
        return None
    title, *rest = body
    authors: tuple[str, ...] = ()
    complete = False
    if rest and are_names(rest[0].partition("·")[0]):
        people, _, aside = rest.pop(0).partition("·")
        authors, complete = split_authors(people)
        if aside.strip():
            reason = "a remark after the authors that the page does not explain"
            problems.append(Problem("ignored", page, line, aside.strip(), reason))
    abstract = " ".join(rest)
    links = links_in(abstract)
    if head[3] and not any(link.label == "code" for link in links):
        reason = "marked “Code”, but the address of the code is not printed"
        problems.append(Problem("ignored", page, line, excerpt(title), reason))
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


def _figures(page: str, top: list[str], problems: list[Problem]) -> tuple[tuple[str, int], ...]:
    figures: dict[str, int] = {}
    for number, line in enumerate(top, start=1):
        match = _FIGURE.match(line)
        if match:
            figures.setdefault((match[1] or match[4]).lower(), int((match[2] or match[3]).replace(",", "") or 0))
        elif _OWN_FIGURE.match(line):
            problems.append(Problem("ignored", page, number, line.strip(), "a figure that only the listing site uses"))
    return tuple(figures.items())


def _topics(works: list[WorkRecord]) -> tuple[str, ...]:
    """Subject classes with at least two papers, in words, most frequent first."""
    counts = Counter(work.subject.rpartition(".")[2].upper() for work in works)
    return tuple(
        ARXIV_SUBJECTS[code] for code, count in counts.most_common() if count >= _ENOUGH and code in ARXIV_SUBJECTS
    )


def _check_count(page: str, top: list[str], read: int) -> None:
    counts = [int(match[1].replace(",", "") or 0) for line in top if (match := _COUNT.match(line))]
    stated = [
        int(match[3].replace(",", "") or 0)
        for line in top
        if (match := _FIGURE.match(line)) and match[3] and match[4].lower() == "papers"
    ]
    expected = (counts or stated or [0])[-1]
    if read < expected:
        raise UnreadablePage(
            f"{page}: the page says {expected} papers, but {read} can be read; the file seems cut off or damaged"
        )
