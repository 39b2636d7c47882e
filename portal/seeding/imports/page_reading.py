"""A page in Markdown → the draft of a profile, with the outcome of each block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from portal.seeding.home_page import HomePage, read_home_page
from portal.seeding.home_profile import profile_of
from portal.seeding.imports.identifiers import distinct_links
from portal.seeding.imports.imported import ImportRefused, Keys, Ledger, Reading, works_of
from portal.seeding.imports.latex import title_of
from portal.seeding.imports.page_markdown import Piece, write
from portal.seeding.imports.venues import short_venue
from portal.seeding.names import are_names, slug, split_authors
from portal.seeding.pages import Problem, SeedError
from portal.seeding.records import ActivityRecord, Link, MemberRecord, OpeningRecord, Origin, WorkRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.seeding.imports.blocks import Block, Page
    from portal.seeding.imports.imported import Outcome
    from portal.seeding.pages import ParsedPage
    from portal.seeding.records import LabRecord


_T = TypeVar("_T", ActivityRecord, MemberRecord, OpeningRecord, WorkRecord)

BLOCKS_LIMIT = 20_000
TEXT_LIMIT = 2_000_000

# read_home_page accepts at most 2,000 blocks, and an entry counts as two.
_AT_ONCE = 600
# An unknown heading at the end, so that the last entry is never taken for a truncated one.
_END = "\n\n# ·\n"
_UNREAD = "a section that is not part of a lab profile"
_OF_A_MEMBER = "a text about a member; the profile of a lab has no place for it"
_IN = re.compile(r"^(?:in|at)[:\s]+(?:the\s+)?", re.IGNORECASE)
_MORE_AUTHORS = re.compile(r"\s*(?:and\s+)?\d{1,3} more authors?\W*", re.IGNORECASE)
_WITH = re.compile(r"\W*(?:joint(?: work)? )?with ([^()]{3,300}?)(?:\)|\.(?=\s|$)|$)", re.IGNORECASE)
_CUT_BRACKET = re.compile(r"\s*\[[^\]\n]*$")
_PLACES = {"about": "about", "interests": "interests", "openings": "recruiting", "contact": "contact"}
_PROBLEMS = {
    "no title of a publication can be recognised": (
        "no title of a publication can be recognised; enter the work by hand, or import it as BibTeX"
    ),
    "no person's name at its beginning": "no person’s name at its beginning; enter the person by hand",
    "it has nothing but dates and links": "it has nothing but dates and links",
}


@dataclass(slots=True)
class _Outcomes:
    """The outcome of each line of the Markdown: the item it became, or why it became none."""

    items: dict[int, str] = field(default_factory=dict)
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)


def read_page(filename: str, page: Page) -> Reading:
    """The draft of a page's profile.

    Raises:
        ImportRefused: It shows no text, or has more than 2,000,000 characters or 20,000 blocks.
    """
    blocks = page.blocks
    if not blocks:
        raise ImportRefused(
            f"{filename}: the page shows no text; if a program builds it in the browser, paste its text"
        )
    size = sum(len(run.text) for block in blocks for run in block.runs)
    if len(blocks) > BLOCKS_LIMIT or size > TEXT_LIMIT:
        raise ImportRefused(
            f"{filename}: the page shows {size:,} characters in {len(blocks):,} blocks; at most {TEXT_LIMIT:,} in "
            f"{BLOCKS_LIMIT:,} can be read – save only the part with the content"
        )
    written = write(page)
    if not written.has_sections and not written.person:
        raise ImportRefused(
            f"{filename}: the page has no section of a home page (such as Publications, Students, Teaching) and names "
            "nobody; check that it is the right one"
        )
    home, pieces_by_line = _read(filename, written.pieces)
    home.titles = [title for title in home.titles if title != "·"]
    parsed = profile_of(home, "jekyll_home", {"author": written.person} if written.person else {}, [])
    draft = parsed.draft
    if not draft.name and written.lab and parsed.role == "leader":
        draft = replace(draft, name=written.lab)
    ledger = Ledger()
    works = [(_tidy(work), work.origins[0].line, "") for work in draft.works]
    reading = works_of(works, ledger)
    draft = replace(draft, works=reading.labs[0].works)
    outcomes = _outcomes_of(parsed, home, draft, ledger)
    ledger_of_page = Ledger()
    _record_outcomes(ledger_of_page, pieces_by_line, outcomes, written.left_out)
    if page.cut_at:
        reason = "tags nest more than 2,000 levels deep here; what follows was not read"
        ledger_of_page.note("problem", f"line {page.cut_at}", reason, line=page.cut_at)
    lines = {line: piece.block.line for line, piece in pieces_by_line.items()}
    return Reading((_with_lines(draft, lines),), ledger_of_page, subject=parsed.subject, role=parsed.role)


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


def _read(filename: str, pieces: Sequence[Piece]) -> tuple[HomePage, dict[int, Piece]]:
    """The home page of all pieces, parsed in parts, and the piece that starts on each line of the Markdown."""
    pieces_by_line: dict[int, Piece] = {}
    starts: list[int] = []
    line = 1
    for piece in pieces:
        starts.append(line)
        if not piece.level:
            pieces_by_line[line] = piece
        line += len(piece.lines) + 1
    whole = HomePage(filename)
    context: Sequence[Piece] = []
    begin = 0
    while begin < len(pieces):
        end = min(len(pieces), begin + _AT_ONCE)
        _read_part(whole, pieces[begin:end], starts[begin:end], context)
        context = _context_after(pieces[begin:end], context)
        begin = end
    return whole, pieces_by_line


def _context_after(pieces: Sequence[Piece], context: Sequence[Piece]) -> Sequence[Piece]:
    """The headings above what follows `pieces`, where those above the pieces are `context`."""
    for piece in pieces:
        if piece.level:
            context = [*(other for other in context if other.level < piece.level), piece]
    return context


def _read_part(whole: HomePage, pieces: Sequence[Piece], starts: Sequence[int], context: Sequence[Piece]) -> None:
    """Parse some pieces with the headings above them; unparseable parts are bisected down to one piece."""
    above = [text for piece in context for text in (*piece.lines, "")]
    body = [text for piece in pieces for text in (*piece.lines, "")]
    try:
        part = read_home_page(whole.page, "\n".join([*above, *body]) + _END, starts[0] - len(above))
    except SeedError as error:
        if len(pieces) == 1:
            reason = str(error).partition(": ")[2]
            whole.problems.append(Problem("rejected", whole.page, starts[0], pieces[0].block.text, reason))
            return
        half = len(pieces) // 2
        _read_part(whole, pieces[:half], starts[:half], context)
        _read_part(whole, pieces[half:], starts[half:], _context_after(pieces[:half], context))
        return
    _add(whole, part)


def _add(whole: HomePage, part: HomePage) -> None:
    for name in ("about", "interests", "openings", "contact"):
        getattr(whole, name).entries.extend(getattr(part, name).entries)
    whole.members += part.members
    whole.works += part.works
    whole.work_entries += part.work_entries
    whole.activities += part.activities
    whole.problems += part.problems
    whole.titles += part.titles
    _make_keys_unique(whole)


def _make_keys_unique(whole: HomePage) -> None:
    """Parts are parsed separately, so two of them may give the same key."""
    members, activities = Keys(), Keys()
    whole.members = [replace(item, key=members.give(item.key)) for item in whole.members]
    whole.activities = [replace(item, key=activities.give(item.key)) for item in whole.activities]


def _outcomes_of(parsed: ParsedPage, home: HomePage, draft: LabRecord, works: Ledger) -> _Outcomes:
    outcomes = _Outcomes()
    has_lab_texts = bool(draft.about or draft.recruiting or draft.contact)
    has_interests = bool(draft.interests or any(member.interests for member in draft.members))
    for name, section in _PLACES.items():
        lines = [entry.line for entry in getattr(home, name).entries]
        if has_interests if name == "interests" else has_lab_texts:
            outcomes.items.update(dict.fromkeys(lines, section))
        else:
            outcomes.reasons.update(dict.fromkeys(lines, _OF_A_MEMBER))
    for collection, items in (("members", draft.members), ("activities", draft.activities)):
        outcomes.items.update({origin.line: f"{collection}/{item.key}" for item in items for origin in item.origins})
    for entry in works.entries:
        if entry.outcome == "taken":
            outcomes.items.setdefault(entry.line, entry.item)
            continue
        problem = Problem("merged", home.page, entry.line, entry.said, entry.reason)
        outcomes.problems.setdefault(entry.line, []).append(problem)
    for problem in parsed.problems:
        outcomes.problems.setdefault(problem.line, []).append(problem)
    return outcomes


def _record_outcomes(
    ledger: Ledger, pieces_by_line: dict[int, Piece], outcomes: _Outcomes, left_out: Iterable[tuple[Block, str]]
) -> None:
    """Record every piece and every omitted block, once each."""
    for line, piece in pieces_by_line.items():
        outcome, reason, item = _outcome(line, outcomes, ledger, piece)
        ledger.note(outcome, piece.text, reason, line=piece.block.line, item=item)
    for block, why in left_out:
        ledger.note("problem" if why.startswith("longer") else "ignored", block.text, why, line=block.line)


def _outcome(line: int, outcomes: _Outcomes, ledger: Ledger, piece: Piece) -> tuple[Outcome, str, str]:
    problems = outcomes.problems.get(line, [])
    merged = next((problem for problem in problems if problem.kind == "merged"), None)
    item = outcomes.items.get(line, "")
    if merged and not item.startswith("activities/"):
        return "merged", "the same work as another entry of the page; what it adds was taken", item
    if item:
        for problem in problems:
            if problem.kind != "merged":
                ledger.remark(problem.text, problem.reason, line=piece.block.line)
        return "taken", "", item
    if piece.is_outer:
        return "taken", "", "activities"
    for problem in problems:
        if problem.reason in _PROBLEMS:
            return "problem", _PROBLEMS[problem.reason], ""
        if problem.kind in ("rejected", "question"):
            return "problem", problem.reason, ""
    return "ignored", next((problem.reason for problem in problems), outcomes.reasons.get(line, _UNREAD)), ""


def _with_lines(draft: LabRecord, lines: dict[int, int]) -> LabRecord:
    """The draft with line numbers of the file instead of the generated Markdown."""

    def moved(origins: tuple[Origin, ...]) -> tuple[Origin, ...]:
        return tuple(Origin(origin.page, lines.get(origin.line, 1)) for origin in origins)

    def all_moved(items: tuple[_T, ...]) -> tuple[_T, ...]:
        return tuple(replace(item, origins=moved(item.origins)) for item in items)

    return replace(
        draft,
        members=all_moved(draft.members),
        works=all_moved(draft.works),
        activities=all_moved(draft.activities),
        openings=all_moved(draft.openings),
        origins=tuple((name, Origin(origin.page, lines.get(origin.line, 1))) for name, origin in draft.origins),
    )
