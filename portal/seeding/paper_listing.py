"""An author's page of a paper-listing site: category and date run together, then title, people, abstract."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from portal.seeding.names import are_names, looks_like_name, plain_name, slug, split_authors, unique, untitled_key
from portal.seeding.pages import ParsedPage, Problem, UnreadablePage, check_number, excerpt
from portal.seeding.phrases import MONTHS, latest_year, links_in
from portal.seeding.records import LabRecord, Origin, WorkRecord
from portal.seeding.repair import repair
from portal.seeding.topics import ARXIV_SUBJECTS

HEAD = re.compile(
    rf"^\s*([A-Za-z][A-Za-z.-]{{0,18}}?)\s*((?:{MONTHS})[a-z]{{0,6}}\.?\s+\d{{1,2}}(?:,\s*(?:19|20)\d{{2}})?)(Code)?\s*$"
)
_FIGURE = re.compile(r"^\s*(?:(h-index)\s*([\d,]+)|([\d,]+)\s*(papers|citations))\s*$", re.IGNORECASE)
_OWN_FIGURE = re.compile(r"^\s*(Novelty|AI Score|Rank\w*|Score)\s*[\d.,]+\s*%?\s*$", re.IGNORECASE)
_COUNT = re.compile(r"^\s*([\d,]+)\s+Papers?\s*$")
_ENOUGH = 2
_TITLE_LIMIT = 400


@dataclass(frozen=True, slots=True)
class _Block:
    """One paper: the line of its head, the head's parts, and the lines below."""

    line: int
    subject: str
    date: str
    has_code: bool
    lines: tuple[str, ...]


def looks_like(lines: list[str]) -> bool:
    """Whether a page is of this kind: heads such as "DCOct 28, 2023Code" below a count of papers."""
    heads = sum(bool(HEAD.match(line)) for line in lines)
    figures = sum(bool(_FIGURE.match(line) or _COUNT.match(line)) for line in lines)
    return bool(figures) and (heads > 0 or figures >= _ENOUGH)


def parse(page: str, text: str) -> ParsedPage:
    """The papers of an author's page with its figures.

    Raises:
        UnreadablePage: It has fewer papers than stated, or the last one is cut off.
    """
    repaired = repair(page, text)
    lines = repaired.text.split("\n")
    problems = [*repaired.problems]
    heads = [index for index, line in enumerate(lines) if HEAD.match(line)]
    check_number(page, len(heads))
    if not heads:
        raise UnreadablePage(f"{page}: the page lists no paper; the file seems cut off")
    top = lines[: heads[0]]
    works: list[WorkRecord] = []
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        _add_work(page, _block(lines, start, end), works, problems)
    figures = _figures(page, top, problems)
    _check_count(page, top, lines, works, [problem for problem in problems if problem.kind == "merged"])
    person = _person(top)
    draft = LabRecord(
        key="",
        name="",
        leader=person,
        topics=_topics(works),
        figures=figures,
        works=tuple(works),
        origins=_origins(page, top, works),
    )
    return ParsedPage(page, "paper_listing", person, "author", draft, tuple(problems))


def _block(lines: list[str], start: int, end: int) -> _Block:
    match = HEAD.match(lines[start])
    subject, date, code = (match[1], match[2], match[3]) if match else ("", "", None)
    body = tuple(" ".join(line.split()) for line in lines[start + 1 : end] if line.strip())
    return _Block(start + 1, subject, date, bool(code), body)


def _add_work(page: str, block: _Block, works: list[WorkRecord], problems: list[Problem]) -> None:
    """Append the paper of a block; an invalid or duplicate one becomes a problem."""
    if not block.lines or len(block.lines[0]) > _TITLE_LIMIT:
        problems.append(Problem("rejected", page, block.line, f"{block.subject} {block.date}", "no title below it"))
        return
    work = _work(page, block, problems)
    twin = next((other for other in works if other.key == work.key), None)
    if twin is not None and twin.abstract == work.abstract:
        reason = f"printed twice: see line {twin.origins[0].line}"
        problems.append(Problem("merged", page, block.line, excerpt(work.title), reason))
        return
    if block.has_code and not any(link.label == "code" for link in work.links):
        reason = "marked “Code”, but the address of the code is not printed"
        problems.append(Problem("ignored", page, block.line, excerpt(work.title), reason))
    works.append(replace(work, key=unique(work.key, [other.key for other in works])))


def _work(page: str, block: _Block, problems: list[Problem]) -> WorkRecord:
    """The paper of a block: its title, perhaps its authors, and its abstract. A remark after the authors becomes a
    problem.
    """
    title, *rest = block.lines
    authors: tuple[str, ...] = ()
    complete = False
    if rest and are_names(rest[0].partition("·")[0]):
        people, dot, aside = rest.pop(0).partition("·")
        authors, complete = split_authors(people)
        if dot and aside.strip():
            reason = "a remark after the authors that the page does not explain"
            problems.append(Problem("ignored", page, block.line, aside.strip(), reason))
    abstract = " ".join(rest)
    return WorkRecord(
        key=slug(title) or untitled_key(authors, "", None, abstract),
        title=title,
        authors=authors,
        authors_complete=complete,
        year=latest_year(block.date),
        date=block.date,
        subject=block.subject,
        abstract=abstract,
        links=links_in(abstract),
        origins=(Origin(page, block.line),),
    )


def _figures(page: str, top: list[str], problems: list[Problem]) -> tuple[tuple[str, int], ...]:
    figures: dict[str, int] = {}
    for line_number, line in enumerate(top, start=1):
        match = _FIGURE.match(line)
        if match:
            figures.setdefault((match[1] or match[4]).lower(), int((match[2] or match[3]).replace(",", "") or 0))
        elif _OWN_FIGURE.match(line):
            problems.append(
                Problem("ignored", page, line_number, line.strip(), "a figure that only the listing site uses")
            )
    return tuple(figures.items())


def _person(top: list[str]) -> str:
    first = next((line.strip() for line in top if line.strip()), "")
    name = plain_name(first)
    return name if looks_like_name(name) else ""


def _topics(works: list[WorkRecord]) -> tuple[str, ...]:
    """Subject classes with at least two papers, in words, most frequent first."""
    counts = Counter(work.subject.rpartition(".")[2].upper() for work in works)
    return tuple(
        ARXIV_SUBJECTS[code] for code, count in counts.most_common() if count >= _ENOUGH and code in ARXIV_SUBJECTS
    )


def _origins(page: str, top: list[str], works: list[WorkRecord]) -> tuple[tuple[str, Origin], ...]:
    line = next((line_number for line_number, text in enumerate(top, start=1) if text.strip()), 1)
    origins = [("leader", Origin(page, line)), ("figures", Origin(page, line))]
    if _topics(works):
        origins.append(("topics", works[0].origins[0]))
    return tuple(origins)


def _check_count(page: str, top: list[str], lines: list[str], works: list[WorkRecord], merged: list[Problem]) -> None:
    counts = [int(match[1].replace(",", "") or 0) for line in top if (match := _COUNT.match(line))]
    stated = [
        int((match[3]).replace(",", "") or 0)
        for line in top
        if (match := _FIGURE.match(line)) and match[3] and match[4].lower() == "papers"
    ]
    expected = (counts or stated or [0])[-1]
    if len(works) + len(merged) < expected:
        raise UnreadablePage(
            f"{page}: the page says {expected} papers, but {len(works)} can be read; the file seems cut off or damaged"
        )
    if not works:
        raise UnreadablePage(f"{page}: no paper on the page can be read; the file seems damaged")
    non_empty = [line for line in lines if line.strip()]
    if not re.search(r"[.!?)\]\"”…]\s*$|https?://\S+\s*$", non_empty[-1]):
        raise UnreadablePage(f"{page}: the last paper (line {works[-1].origins[0].line}) is cut off")
