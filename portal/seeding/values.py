"""What may be a value: the rules that everything a reader proposes obeys, applied in one place.

A value that breaks a rule is left out, and its line is listed as one to look at.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from portal.seeding.leftovers import is_code
from portal.seeding.names import looks_like_name, why_no_name
from portal.seeding.pages import Problem, excerpt
from portal.seeding.phrases import MONTHS, sentences
from portal.seeding.titles import why_no_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.records import LabRecord, MemberRecord, Origin, WorkRecord

_NO_VENUE = re.compile(
    rf"\W*(?:in|at|to|on|by|pp?|vol|no|eds?|accepted|(?:to )?appear|under review|submitted|in press|links?|pdf|code|"
    rf"IS[SB]N.*|doi.*|(?:{MONTHS})[a-z]*|[\d\W]*)\W*",
    re.IGNORECASE,
)
_TEXTS = ("about", "interests", "recruiting", "recruiting_focus", "contact")
_NAMES = ("name", "leader_title", "institution", "department", "place")
_FIRST_YEAR, _LAST_YEAR = 1800, 2100
_LONGEST_VENUE = 250


def vetted(draft: LabRecord, page: str, *, is_page: bool, account: str = "") -> tuple[LabRecord, list[Problem]]:
    """The draft without what breaks a rule, and a problem for each person and work that was left out.

    For a page (not a file of works) a work must also have people, a venue, a year or a link beside its title. `account`
    stands for the name of a person whom the page does not name.
    """
    problems: list[Problem] = []

    def refuse(origins: Sequence[Origin], text: str, reason: str) -> None:
        line = origins[0].line if origins else 0
        problems.append(Problem("rejected", page, line, excerpt(text), reason))

    members: list[MemberRecord] = []
    for member in draft.members:
        reason = why_no_name(member.name) if member.name != account else ""
        if reason:
            refuse(member.origins, member.name, f"no name of a person: {reason}; enter the person by hand")
        else:
            members.append(
                replace(member, co_supervisor="" if why_no_name(member.co_supervisor) else member.co_supervisor)
            )
    works: list[WorkRecord] = []
    for work in draft.works:
        reason = (why_no_title(work.title) or _why_no_work(work)) if is_page and work.title else ""
        if reason:
            refuse(work.origins, work.title, f"{reason}; enter the work by hand, or import it as BibTeX")
        else:
            works.append(_work(work, is_page=is_page))
    changed: dict[str, Any] = {name: _without_code(getattr(draft, name)) for name in _TEXTS}
    changed |= {name: "" for name in _NAMES if is_code(getattr(draft, name))}
    if is_page and draft.leader and not looks_like_name(draft.leader):
        changed["leader"] = ""
    kept = replace(
        draft,
        **changed,
        topics=tuple(topic for topic in draft.topics if not is_code(topic)),
        members=tuple(members),
        works=tuple(works),
        activities=tuple(activity for activity in draft.activities if not is_code(activity.title)),
    )
    filled = {name for name, _ in draft.origins if getattr(kept, name, None)}
    return replace(kept, origins=tuple(pair for pair in draft.origins if pair[0] in filled)), problems


def _why_no_work(work: WorkRecord) -> str:
    has_more = work.authors or work.venue or work.venue_full or work.year or work.links or work.abstract
    return "" if has_more else "nothing beside it that a publication has: people, venue, year or link"


def _work(work: WorkRecord, *, is_page: bool) -> WorkRecord:
    authors = tuple(name for name in work.authors if not why_no_name(name, may_be_group=not is_page))
    venue, full = (
        "" if _NO_VENUE.fullmatch(name) or is_code(name) or len(name) > _LONGEST_VENUE else name
        for name in (work.venue, work.venue_full)
    )
    year = work.year if work.year is not None and _FIRST_YEAR <= work.year <= _LAST_YEAR else None
    complete = work.authors_complete and len(authors) == len(work.authors)
    return replace(work, authors=authors, authors_complete=complete, venue=venue, venue_full=full, year=year)


def _without_code(text: str) -> str:
    """A text without its sentences of style sheets, programs and templates."""
    if not is_code(text):
        return text
    paragraphs = (
        " ".join(part for part in sentences(paragraph) if not is_code(part)) for paragraph in text.split("\n\n")
    )
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
