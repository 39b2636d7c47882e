"""What may be a value: the rules that everything a reader proposes obeys, applied in one place.

A value that breaks a rule is left out, and its line is listed as one to look at.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from portal.seeding.leftovers import is_code
from portal.seeding.names import are_names, looks_like_name, why_no_name
from portal.seeding.pages import Problem, excerpt
from portal.seeding.texts import MONTHS, sentences
from portal.seeding.venues import is_name_of_venue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.records import LabRecord, MemberRecord, Origin, WorkRecord


_NO_VENUE = re.compile(
    rf"\W*(?:in|at|to|on|by|pp?|vol|no|eds?|accepted|(?:to )?appear|under review|submitted|"
    r"(?:in )?(?:press|submission|preparation|revision)|links?|pdf|code|"
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


_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SITES = (
    r"(?:google )?scholar|dblp|researchgate|orcid|github|semantic scholar|web of science|scopus|academia|linkedin|"
    r"publons|arxiv|zenodo|openreview|curriculum vitae|cv|resume"
)
_ARTICLES = r"(?:(?:my|our|the|see|view|visit|check|here|on|a|an|for|is|in|please|also|click)\s+)*"
_WHICH = r"(?:(?:full|complete|all|more|further|other|selected|recent|older|past|entire|up[- ]to[- ]date)\s+)*"
_LIST = r"(?:lists?(?: of)?|publications?|papers?|articles?|works?|pubs)"
_BEHIND_LIST = r"(?:\s+(?:lists?|pages?|here|of .{0,30}|by .{0,20}|on .{0,30}))*"
# A link or a line whose words are about a list or a site.
_OF_A_LIST = re.compile(
    rf"\W*{_ARTICLES}(?:(?:{_SITES})\b.{{0,60}}|{_WHICH}{_LIST}{_BEHIND_LIST}|"
    r"(?:show|read|see|view|load) (?:more|all|less|details).{0,60}|back to top|"
    r"(?:group |lab |personal |project |academic )?(?:home ?)?(?:page|website|web site|site))\W*",
    re.IGNORECASE,
)
_ABOUT_A_LIST = re.compile(
    r"\b(?:you can (?:also )?find|can be found|(?:full|complete|up-to-date) list|"
    rf"list of (?:all )?(?:my |our )?publications|see (?:also )?my|my (?:{_SITES}))\b",
    re.IGNORECASE,
)
_OF_KINDS = re.compile(
    r"\W*(?:(?:(?:peer[- ]?)?(?:refereed|reviewed)|journals?|conferences?|papers?|articles?|proceedings|books?|"
    r"chapters?|theses|thesis|workshops?|preprints?|patents?|publications?|technical reports?|posters?|demos?|"
    r"abstracts?|talks?|manuscripts?|selected|recent|other|international|national|invited|accepted|forthcoming|"
    r"submitted|in|press|under|review|and|of|to|appear)\b[\s,:&/()-]*)+\W*",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\W*(?:to appear|accepted|(?:re)?submitted|under (?:review|revision|submission)|"
    r"in (?:press|preparation|submission)|forthcoming|(?:equal|corresponding|co-?first|denotes)\b.*|"
    r"(?:authors?|abstract|keywords?|copyright)\b[^a-z]*|last (?:updated|modified)\b.*|pages?\s+[\d–-]+|"
    r"vol(?:ume|\.)?\s*\d.*|pp?\.\s*\d.*|doi\b.*|https?:.*|www\..*)\W*",
    re.IGNORECASE,
)
_HAS_INITIAL = re.compile(r"\b[A-Z]\.\s*[A-Z]")
_LONGEST = 200
_SHORTEST = 2  # words, or pairs of East Asian letters


def words_in(text: str) -> int:
    """The number of words, two East Asian letters counting as one."""
    return len(_EAST_ASIAN.sub(" ", text).split()) + len(_EAST_ASIAN.findall(text)) // 2


def is_about_a_list(text: str) -> bool:
    """Whether a short text is about a list or a site ("You can also find my articles on Google Scholar")."""
    return len(text) <= _LONGEST and bool(_OF_A_LIST.fullmatch(text) or _ABOUT_A_LIST.search(text))


def why_no_title(text: str) -> str:
    """The rule that the title of a work on a page breaks, "" for what may be one."""
    letters = sum(map(str.isalpha, text))
    rules = (
        (is_code(text), "a variable of the site generator or code, not a title"),
        (words_in(text) < _SHORTEST or letters * 2 < len(text.replace(" ", "")), "too few words for a title"),
        (is_about_a_list(text), "words about a list or a site, not a title"),
        (_OF_KINDS.fullmatch(text), "words about kinds of publications, not a title"),
        (_REMARK.fullmatch(text), "a remark on a publication, not a title"),
        (is_name_of_venue(text), "the name of a venue, not a title"),
        (_HAS_INITIAL.search(text) and are_names(text), "people, not a title"),
    )
    return next((reason for broken, reason in rules if broken), "")
