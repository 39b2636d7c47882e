"""A page → the draft of a profile, with the outcome of each of its entries."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.identifiers import distinct_links
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading, works_of
from portal.seeding.imports.latex import title_of
from portal.seeding.leftovers import repair
from portal.seeding.markdown_page import profile_of_page, read_markdown
from portal.seeding.names import are_names, slug, split_authors
from portal.seeding.page_blocks import read_html
from portal.seeding.pages import Problem, UnreadablePage
from portal.seeding.reader import checked_text, parse_page
from portal.seeding.records import Link
from portal.seeding.values import vetted
from portal.seeding.venues import short_venue

if TYPE_CHECKING:
    from portal.seeding.imports.imported import Outcome
    from portal.seeding.pages import ParsedPage
    from portal.seeding.records import WorkRecord

_LONGEST_LINE = 20_000
_WRONGLY_DECODED = re.compile(r"[ÃÂ][\u0080-\u00bf]|â€|ï¬|[ðğ]Ÿ")
_IN = re.compile(r"^(?:in|at)[:\s]+(?:the\s+)?", re.IGNORECASE)
_MORE_AUTHORS = re.compile(r"\s*(?:and\s+)?\d{1,3} more authors?\W*", re.IGNORECASE)
_WITH = re.compile(r"\W*(?:joint(?: work)? )?with ([^()]{3,300}?)(?:\)|\.(?=\s|$)|$)", re.IGNORECASE)
_CUT_BRACKET = re.compile(r"\s*\[[^\]\n]*$")
_OUTCOMES: dict[str, Outcome] = {"rejected": "problem", "merged": "merged", "ignored": "ignored"}
_PROBLEMS = {
    "no title of a publication can be recognised": (
        "no title of a publication can be recognised; enter the work by hand, or import it as BibTeX"
    ),
    "no person's name at its beginning": "no person’s name at its beginning; enter the person by hand",
}


def read_seed_page(filename: str, text: str) -> Reading:
    """The draft of a page of a kind that is only text, as seeding reads it.

    Raises:
        UnreadablePage: The page is cut off.
        UnknownPage: It is of no such kind.
    """
    return _reading(parse_page(filename, text))


def read_page(filename: str, text: str, *, is_markdown: bool) -> Reading:
    """The draft of any home page in HTML or Markdown.

    Raises:
        ImportRefused: It is empty, too large, or has nothing of a home page.
    """
    try:
        parsed = read_markdown(filename, checked_text(filename, text)) if is_markdown else _html(filename, text)
    except UnreadablePage as error:
        advice = "; save only the part with the content" if "at most" in str(error) else ""
        raise ImportRefused(f"{error}{advice}") from None
    ledger = Ledger()
    works = works_of([(_tidy(work), work.origins[0].line, "") for work in parsed.draft.works], ledger)
    merged = tuple(
        Problem("merged", filename, entry.line, entry.said, entry.reason)
        for entry in ledger.entries
        if entry.outcome == "merged"
    )
    draft, refused = vetted(replace(parsed.draft, works=works.labs[0].works), filename, is_page=True)
    return _reading(replace(parsed, draft=draft, problems=(*parsed.problems, *merged, *refused)))


def _html(filename: str, text: str) -> ParsedPage:
    problems: list[Problem] = []
    if _WRONGLY_DECODED.search(text) and max(map(len, text.split("\n"))) <= _LONGEST_LINE:
        repaired = repair(filename, text)
        text, problems = repaired.text, list(repaired.problems)
    page = read_html(filename, text)
    parsed = profile_of_page(filename, page, kind="jekyll_home", matter={}, problems=problems)
    if page.cut_at:
        reason = "tags nest more than 2,000 levels deep here; what follows was not read"
        cut = Problem("rejected", filename, page.cut_at, f"line {page.cut_at}", reason)
        parsed = replace(parsed, problems=(*parsed.problems, cut))
    return parsed


def _reading(parsed: ParsedPage) -> Reading:
    """What was read, with every item of the draft, and the reader's problems with the rest of the page."""
    draft = parsed.draft
    ledger = Ledger()
    for field, origin in draft.origins:
        ledger.note("taken", str(getattr(draft, field)), line=origin.line, item=field)
    taken: set[int] = set()
    for collection in ("members", "works", "activities", "openings"):
        for item in getattr(draft, collection):
            line = item.origins[0].line if item.origins else 0
            taken.add(line)
            text = getattr(item, "title", "") or getattr(item, "name", "") or getattr(item, "text", "") or item.key
            ledger.note("taken", text, line=line, item=f"{collection}/{item.key}")
    for problem in parsed.problems:
        outcome = _OUTCOMES.get(problem.kind)
        if problem.reason in _PROBLEMS:
            ledger.note("problem", problem.text, _PROBLEMS[problem.reason], line=problem.line)
        elif outcome is None or problem.reason.startswith("the link is relative"):
            ledger.remark(problem.text, problem.reason, line=problem.line)
        else:
            ledger.note(outcome, problem.text, problem.reason, line=problem.line)
    return Reading((draft,), ledger, subject=parsed.subject, role=parsed.role)


def _tidy(work: WorkRecord) -> WorkRecord:
    """A work without links to its authors' pages and without TeX, with the short name of its venue."""
    people = {author.casefold() for author in work.authors}
    title = title_of(work.title) or work.title
    more = _MORE_AUTHORS.match(work.venue_full)
    full = _IN.sub("", work.venue_full[more.end() :]) if more else work.venue_full
    venue = _IN.sub("", work.venue)
    venue += ")" if venue.count("(") > venue.count(")") else ""
    full = _CUT_BRACKET.sub("", full).rstrip(" ,.;")
    short = short_venue(venue) if venue else ""
    # A badge or a summary repeats the venue and its year.
    full = re.sub(rf"\s+{re.escape(work.venue)} {work.year}$", "", full) if work.venue and work.year else full
    full = "" if short and re.match(rf"{re.escape(work.venue)},? {work.year}(?=\W|$)", full) else full
    with_others = _WITH.match(full) if not work.authors else None
    authors = split_authors(with_others[1])[0] if with_others and are_names(with_others[1]) else work.authors
    if authors != work.authors and with_others:
        full = full[with_others.end() :].strip(" .,;")
        short = "" if full in (str(work.year), "") else short_venue(re.split(r"[,.]", full)[0])
    return replace(
        work,
        key=slug(title) if title != work.title else work.key,
        title=title,
        authors=authors,
        authors_complete=work.authors_complete and more is None and authors == work.authors,
        venue=short,
        venue_full=full if re.search(r"[A-Za-z]{3}", full) else (venue if short != venue else ""),
        links=distinct_links(
            Link(_label(link.label, work.title), link.url)
            for link in work.links
            if link.label.casefold().strip("*†‡. ") not in people
        ),
    )


def _label(label: str, title: str) -> str:
    """A link's label without the title before it, if both lead to the same place."""
    if label.strip("“” .") == title:
        return "paper"
    rest = label.removeprefix(title).strip(" .:")
    return rest if label != title and rest else label
