"""One entry of a list of publications → a `WorkRecord`, in any of the common citation formats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.seeding.names import are_names, looks_like_name, split_authors
from portal.seeding.phrases import is_open_address, latest_year, sentences
from portal.seeding.records import Link

if TYPE_CHECKING:
    from portal.seeding.markdown import Entry

LINK_LABELS = re.compile(
    r"^\W*(?:(?:the )?(?:paper|pdf|code|codes|link|links|arxiv|preprint|project(?: page)?|page|website|slides?|video|"
    r"poster|data|dataset|demo|bib|bibtex|doi|abs|abstract|html|github|appendix|supp\w*|talk|blog|openreview|"
    r"proceedings|acm|ieee|springer|full text|source|ps|postscript|dvi)\W*)+$",
    re.IGNORECASE,
)
VENUE = re.compile(
    r"(?<![\w-])(?!(?:In|At|The|To|Proc)\b)(?P<name>[A-Z][A-Za-z+/-]*(?:&[A-Z][A-Za-z+/-]*)?"
    r"(?:\s+(?:[Ww]orkshop|[A-Z][A-Z]+))?)"
    r"[\s,]{0,3}(?P<mark>['’]?)(?P<year>(?:19|20)\d{2}|\d{2})(?!\d)"
)
_QUOTED = re.compile(r"[“\"]([^“”\"]{8,500})[”\"]|‘([^‘’]{12,500})’(?!\w)|``([^`']{8,500})''")
_AWARD_WORDS = re.compile(
    r"award|\boral\b|spotlight|highlight|\bbest\b|honou?rable|distinguished|outstanding|prize|nominat|finalist",
    re.IGNORECASE,
)
_AWARD = re.compile(
    r"(?:(?:Best|Outstanding|Distinguished)\s+(?:[A-Z]\w+\s+){0,2}(?:Paper|Poster|Demo|Artifact)"
    r"(?:\s+(?:Award|Honorable|Mention|Runner-?[Uu]p|Finalist|Nominat\w+)){0,3}|Spotlight|Oral(?:\s+Presentation)?|"
    r"Test[- ]of[- ]Time\s+Award|Honorable\s+Mention|Research\s+Highlight)(?![\w-])"
)
_ET_AL = re.compile(r"(.{3,300}?\bet\.?\s+al\b\.?),?:?\s+")
_NOT_VENUES = frozenset(("In", "Vol", "Issue", "PMLR", "ACM", "Article", "Pages", "Proceedings", "arXiv", "No", "DOI"))
_TAG = re.compile(r"^\s*[\[(]\s*([^\[\]()]{3,40}?)\s*[\])]\s*[:.,–—|-]?\s*")
_TITLE_WORDS = 3
_SHORT_YEAR_PIVOT = 50


@dataclass(frozen=True, slots=True)
class Citation:
    """The parts of a publication entry; empty where the entry lacks them."""

    title: str
    authors: tuple[str, ...]
    authors_complete: bool
    venue: str
    venue_full: str
    year: int | None
    awards: tuple[str, ...]
    links: tuple[Link, ...]


def read_citation(entry: Entry) -> Citation | None:
    """The publication of an entry, or None if no title can be identified.

    The title is the first quoted text; else a linked or strong text of three words or more that is neither people nor a
    venue; else the first line or sentence that is not a list of people.
    """
    text, tag = _without_tag(_without_link_marks(_plain(entry.text)))
    parts = _quoted_title(text) or _marked_title(entry, text) or _title_by_parts(text)
    if parts is None:
        return None
    before, title, after = parts
    people, after = _authors(before, after)
    authors, complete = split_authors(people) if people else ((), False)
    venue, year = tag or _venue(entry, after)
    return Citation(
        title=clean_title(title),
        authors=authors,
        authors_complete=complete,
        venue=venue,
        venue_full=_venue_full(_without_labels(after, entry), venue),
        year=year or latest_year(after) or latest_year(before),
        awards=_awards(entry, after),
        links=tuple(
            Link("paper", link.url) if link.label.strip(" .") == title.strip(" .") else link
            for link in open_links(entry)
        ),
    )


def clean_title(text: str) -> str:
    """A title on one line without surrounding punctuation; "Ph.D." keeps its full stop."""
    title = re.sub(r"^\s*[\[(](?:19|20)\d{2}[\])]\s*", "", " ".join(text.split())).strip(' ,;:“”"')
    is_stop = title.endswith(".") and not title.endswith("...") and not re.search(r"(?:^|\s)(?:\w+\.){2,}$", title)
    return title[:-1].rstrip() if is_stop else title


def open_links(entry: Entry) -> tuple[Link, ...]:
    """The absolute web links of an entry."""
    return tuple(Link(label or "link", href) for label, href in entry.links() if is_open_address(href))


def read_venue(text: str) -> tuple[str, int | None]:
    """A venue and its year: "ICLR 2024", "FL-AAAI workshop '22"; without a year, the text itself and None."""
    venue = " ".join(text.split()).strip(" .,;:()")
    match = re.fullmatch(r"(.*?)[\s,]*(?:['’](\d{2})|((?:19|20)\d{2}))", venue)
    if match and match[1]:
        return match[1].strip(" ,"), _full_year(match[2] or match[3])
    return venue, None


def _without_link_marks(text: str) -> str:
    """An entry without "[pdf] [code]", which would confuse sentence splitting."""
    return re.sub(r"\s*\[+([^\[\]]{1,40})\]+", lambda mark: "" if LINK_LABELS.match(mark[1]) else mark[0], text)


def _without_tag(text: str) -> tuple[str, tuple[str, int | None] | None]:
    """An entry without a leading venue in brackets ("[VLDB'25] …"), and that venue."""
    match = _TAG.match(text)
    venue, year = read_venue(match[1]) if match else ("", None)
    return (text[match.end() :], (venue, year)) if match and year and venue[:1].isupper() else (text, None)


def _plain(text: str) -> str:
    return text.translate({0xFF08: "(", 0xFF09: ")", 0x00A0: " "})


def _full_year(digits: str) -> int:
    if len(digits) > 2:  # noqa: PLR2004 - four digits are a full year
        return int(digits)
    return (2000 if int(digits) < _SHORT_YEAR_PIVOT else 1900) + int(digits)


def _quoted_title(text: str) -> tuple[str, str, str] | None:
    match = _QUOTED.search(text)
    if match is None:
        return None
    return text[: match.start()], match[1] or match[2] or match[3], text[match.end() :]


def _marked_title(entry: Entry, text: str) -> tuple[str, str, str] | None:
    links = [label for label, _ in entry.links()]
    for candidate in [*links, *entry.marked(strong=True)]:
        title = _plain(" ".join(candidate.split()))
        if len(title.split()) < _TITLE_WORDS or title.startswith("(") or LINK_LABELS.match(title) or are_names(title):
            continue
        if _AWARD_WORDS.search(title) or VENUE.fullmatch(title):
            continue
        before, separator, after = text.partition(title)
        if separator:
            return before, title, after
    return None


def _title_by_parts(text: str) -> tuple[str, str, str] | None:
    """The title among lines or, if there is one, sentences: people come first or second, the title is the other."""
    parts = [part for part in text.split("\n") if part]
    if len(parts) == 1:
        cut = _ET_AL.match(text)
        parts = [cut[1], *sentences(text[cut.end() :])] if cut and are_names(cut[1]) else sentences(text)
    if len(parts) < 2:  # noqa: PLR2004 - a title and something else
        people = _leading_names(text)
        title, _, after = text[len(people) :].partition(",")
        return (people, title, after) if people and after and len(title.split()) >= _TITLE_WORDS else None
    first = re.sub(r"[\s.,]*\((?:19|20)\d{2}[a-z]?\)\W*$", "", parts[0])
    if are_names(first) and not _is_title_before_people(first, parts[1]):
        if re.fullmatch(r"\(?(?:19|20)\d{2}[a-z]?\)?\.?", parts[1]) and len(parts) > 2:  # noqa: PLR2004
            return " ".join(parts[:2]), parts[2], "\n".join(parts[3:])
        return parts[0], parts[1], "\n".join(parts[2:])
    if are_names(parts[1]) and len(parts[0].split()) >= _TITLE_WORDS:
        return "", parts[0], "\n".join(parts[1:])
    return None


def _is_title_before_people(first: str, second: str) -> bool:
    """Whether a capitalised title that could be one person ("Indexing Without Regret") precedes several people."""
    several = are_names(second) and len(split_authors(second)[0]) > 1
    return several and len(split_authors(first)[0]) == 1 and len(first.split()) >= _TITLE_WORDS


def _authors(before: str, after: str) -> tuple[str, str]:
    """The text that names the authors, and the rest of `after`."""
    people = re.sub(r"\((?:19|20)\d{2}[a-z]?\)", " ", before).strip(" .,:;\n-")
    if people and are_names(people):
        return people, after
    remainder = after.lstrip(" .,:;\n-–—|")
    for part in (remainder.partition("\n")[0], (sentences(remainder) or [""])[0]):
        if part and are_names(part):
            return part, remainder[len(part) :]
    names = _leading_names(remainder)
    return (names, remainder[len(names) :]) if names else (people, after)


def _leading_names(text: str) -> str:
    """The leading people of a comma-separated text."""
    end = 0
    for item in re.finditer(r"([^,;]+?)(?:\s*[,;]\s*(?:and\s+)?|\s+and\s+|\s*&\s*|$)", text):
        if item.start() != end or not looks_like_name(item[1].strip("*†. ")):
            break
        end = item.end()
    return text[:end]


def _venue(entry: Entry, after: str) -> tuple[str, int | None]:
    """The short venue and its year: "ICLR 2025" in emphasis or in brackets first, then longer names."""
    emphasised = _runs(entry, after, strong=False)
    for run in (*emphasised, *_runs(entry, after, strong=True)):
        match = VENUE.fullmatch(run)
        if match:
            return match["name"].strip(), _full_year(match["year"])
    groups = re.findall(r"\(([^()]{2,60})\)", after)
    short = _acronym([*reversed(groups), after])
    if short is not None:
        return short
    for run in emphasised:
        if not are_names(run) and not _AWARD_WORDS.search(run):
            return read_venue(run)
    for group in reversed(groups):
        name, year = read_venue(group)
        if year and len(name.split()) > 1 and name[0].isupper():
            return name, year
    return ("arXiv", latest_year(after)) if "arxiv" in after.lower() else _first_phrase(after)


def _runs(entry: Entry, after: str, *, strong: bool) -> list[str]:
    """The emphasised runs after the title."""
    runs = [_plain(run).strip("() .,") for run in entry.marked(strong=strong)]
    return [run for run in runs if run and run in after]


def _acronym(texts: list[str]) -> tuple[str, int | None] | None:
    """The first "NAME 2024" or "NAME'24" with at least two capitals."""
    for text in texts:
        for match in VENUE.finditer(text):
            name = match["name"].strip()
            year_is_sure = len(match["year"]) > 2 or match["mark"]  # noqa: PLR2004
            if year_is_sure and name not in _NOT_VENUES and sum(char.isupper() for char in name) > 1:
                return name, _full_year(match["year"])
    return None


def _first_phrase(after: str) -> tuple[str, int | None]:
    """The first words ("In Proceedings of X, pp. 1–9, 2020" gives Proceedings of X), or nothing."""
    match = re.match(r"[\s.,;:]*(?:In[: ]\s*|To appear in\s+)?(?:the\s+)?([A-Z][^.,;()\n]{2,120})", after)
    if match is None or LINK_LABELS.match(match[1]):
        return "", None
    return read_venue(match[1])


def _without_labels(after: str, entry: Entry) -> str:
    for label, _ in entry.links():
        if LINK_LABELS.match(label):
            after = after.replace(label, " ", 1)
    return re.sub(r"[\[(]\s*(?:[,;|/]\s*)*[\])]", " ", after)


def _venue_full(after: str, venue: str) -> str:
    text = (
        re.sub(r"\([^()]*[A-Za-z][^()]*\)\s*\.?\s*$", "", " ".join(after.split())) if venue else " ".join(after.split())
    )
    text = re.sub(r"^[\s.,;:]*(?:In[: ]\s*)?", "", text).strip(" .,;:|[]")
    return "" if text == venue or not re.search(r"[A-Za-z]{3}", text) else text


def _awards(entry: Entry, after: str) -> tuple[str, ...]:
    """Awards in strong text or with common wording; one that follows a second venue is named with it."""
    marked = [_plain(run).strip("() .,") for run in entry.marked(strong=True)]
    strong = [run for run in marked if run in after and _AWARD_WORDS.search(run)]
    awards_at = [(after.index(run), run) for run in strong]
    for match in _AWARD.finditer(after):
        if not any(match[0] in run for _, run in awards_at):
            awards_at.append((match.start(), match[0]))
    venues = [(match.start(), match[0]) for match in VENUE.finditer(after) if len(match["year"]) > 2]  # noqa: PLR2004
    short = [venue for venue in venues if any(venue[1] in _plain(run) for run in entry.marked(strong=False))]
    awards: list[str] = []
    for position, award in sorted(awards_at):
        name = re.sub(r"^(?:selected\s+)?as\s+|^selected\s+", "", award, flags=re.IGNORECASE).strip()
        name = "Oral" if name.lower() == "oral presentation" else name
        before = [venue for start, venue in short if start < position]
        awards.append(f"{before[-1]} {name}" if len(before) > 1 else name)
    return tuple(dict.fromkeys(awards))
