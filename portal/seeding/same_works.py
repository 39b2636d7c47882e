"""Whether records are the same publication, how two become one, and whether works fit a lab.

Records are the same by DOI or arXiv number where their titles may be one, else by title with people, year and venue; a
record without a title by people, year, venue and the words of its abstract. Never by a link to anything else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rapidfuzz import fuzz

from portal.seeding.names import Keys, name_words, same_person, without_accents
from portal.seeding.texts import distinct_links, identifiers_of
from portal.seeding.venues import abbreviates, is_preprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from portal.seeding.records import WorkRecord

_SAME_DOI = 55.0
_YEARS_APART = 2
_WORDS_OF_A_TITLE = 4
_TITLE_IN_ABSTRACT = 0.25
_VENUE_OVERLAP = 0.5
_FAMILIAR = 1 / 3
_JOURNAL = re.compile(r"\bjournal\b|\btransactions\b|\bmagazine\b|\bletters\b", re.IGNORECASE)
_NO_JOURNAL = re.compile(r"\bproceedings of the (?:vldb endowment|acm on)\b", re.IGNORECASE)
_VENUE_STOP = frozenset(
    """
    a an and annual appear conference endowment for in international journal of on pages pp proceedings proc symposium
    the to transactions vol volume issue workshop acm ieee usenix research advances systems
    """.split()  # noqa: SIM905 - a table, not code
)
_STOP = frozenset(
    """
    the and for that this with are from which can our has have been its not also than into such these their they while
    more both between over under using used use based show shows paper work however further new novel propose proposed
    present approach method methods results result existing however when where were was will would could other many most
    each all any one two three first well via per due given only often may there those then thus about across within
    """.split()  # noqa: SIM905 - a table, not code
)


def are_two_publications(work: WorkRecord, other: WorkRecord) -> bool:
    """Whether two records with one title are separate publications, such as a paper and its journal version."""
    if is_preprint(work.venue or work.venue_full) or is_preprint(other.venue or other.venue_full):
        return False
    if same_venue(work, other):
        return not _years_agree(work, other)
    first, second = ({code for sign, code in identifiers_of(each.links) if sign == "DOI"} for each in (work, other))
    return bool(first and second and not first & second) or bool(work.year and other.year and work.year != other.year)


def same_venue(first: WorkRecord, second: WorkRecord) -> bool:
    """Whether two records may have the same venue, possibly once abbreviated; an unknown one agrees with all."""
    if not (first.venue or first.venue_full) or not (second.venue or second.venue_full):
        return True
    names = [(work.venue, f"{work.venue} {work.venue_full}") for work in (first, second)]
    short = abbreviates(names[0][0], names[1][1]) or abbreviates(names[1][0], names[0][1])
    return short or _venues_agree(first, second)


def combined(work: WorkRecord, other: WorkRecord) -> WorkRecord:
    """One work from two records: the first takes precedence, the second fills gaps."""
    longer = work if len(work.authors) >= len(other.authors) else other
    names = ("title", "venue", "venue_full", "year", "date", "subject", "abstract")
    filled: dict[str, Any] = {name: getattr(work, name) or getattr(other, name) for name in names}
    return replace(
        work,
        **filled,
        authors=longer.authors,
        authors_complete=longer.authors_complete,
        links=tuple(dict.fromkeys([*work.links, *other.links])),
        awards=tuple(dict.fromkeys([*work.awards, *other.awards])),
        origins=(*work.origins, *other.origins),
    )


def join(
    present: Sequence[WorkRecord], new: Sequence[WorkRecord]
) -> tuple[list[WorkRecord], list[tuple[WorkRecord, WorkRecord]]]:
    """(all works without duplicates; pairs of (new, known)). Known works keep their keys and order."""
    works = list(present)
    joined: list[tuple[WorkRecord, WorkRecord]] = []
    matches = pairs(present, new)
    keys = Keys(work.key for work in present)
    for index, work in enumerate(new):
        if index not in matches:
            works.append(replace(work, key=keys.give(work.key)))
            continue
        at = matches[index].index
        joined.append((work, present[at]))
        works[at] = combined(works[at], work)
    return works, joined


def without_duplicates(works: Iterable[WorkRecord]) -> tuple[list[WorkRecord], list[Match]]:
    """The works, of which the same ones are combined; and for each given one its place among them, with the sign by
    which it was recognised as one that is there ("" for others). A publication takes precedence over a preprint.
    """
    known = _Works()
    keys = Keys()
    places: list[Match] = []
    for work in works:
        matches = (Match(index, sign) for sign in SIGNS for index in known.candidates(work, sign))
        places.append(next(matches, Match(len(known.works), "")))
        at = places[-1].index
        if not places[-1].by:
            known.put(at, replace(work, key=keys.give(work.key)))
            continue
        first = known.works[at]
        is_published = is_preprint(first.venue) and work.venue and not is_preprint(work.venue)
        one = combined(work, first) if is_published else combined(first, work)
        # The origin is that of the first one.
        known.put(at, replace(one, key=first.key, links=distinct_links(one.links), origins=first.origins))
    return known.works, places


@dataclass(frozen=True, slots=True)
class Match:
    """The index of the record of the same publication, and the sign by which it was recognised."""

    index: int
    by: str


class _Works:
    """Works that can be searched for a publication."""

    def __init__(self, works: Iterable[WorkRecord] = ()) -> None:
        self.works: list[WorkRecord] = []
        self._by_sign: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for index, work in enumerate(works):
            self.put(index, work)

    def put(self, index: int, work: WorkRecord) -> None:
        """Add a work at the end, or replace the one at an index; that is found by the signs of both."""
        self.works[index : index + 1] = [work]
        for sign in (*identifiers_of(work.links), ("title", title_of(work))):
            if index not in self._by_sign[sign]:
                self._by_sign[sign].append(index)

    def candidates(self, work: WorkRecord, sign: str) -> Iterator[int]:
        """Indices of works that are the same publication by one of the `SIGNS`, likeliest first."""
        title, test = title_of(work), SIGNS[sign]
        if sign in _IDENTIFIED:
            identifiers = (found for found in identifiers_of(work.links) if found[0] == sign)
            near = [index for found in identifiers for index in self._by_sign.get(found, ())]
        elif sign == _UNTITLED:
            near = self._by_sign.get(("title", ""), []) if title else list(range(len(self.works)))
        else:
            near = self._by_sign.get(("title", title), []) if title else []
        yield from (index for index in near if test(work, self.works[index]))


def _one_title(work: WorkRecord, other: WorkRecord) -> bool:
    return _people_agree(work, other) and not are_two_publications(work, other)


def _same_untitled(work: WorkRecord, other: WorkRecord) -> bool:
    """Whether two records, of which one has no title, agree in people, year (or the next), venue and abstract."""
    if (work.title and other.title) or not work.year or not other.year or abs(work.year - other.year) > 1:
        return False
    return _people_lead(work, other) and _venues_agree(work, other) and _title_fits(work, other)


def _may_share_identifier(work: WorkRecord, other: WorkRecord) -> bool:
    """Whether the titles permit equal DOIs to mean one work: chapters often have that of their book."""
    a, b = title_of(work), title_of(other)
    return not a or not b or a in b or b in a or fuzz.token_set_ratio(a, b) >= _SAME_DOI


_IDENTIFIED = ("DOI", "arXiv number")
_UNTITLED = "people, year, venue and abstract"
# The surest first.
SIGNS: dict[str, Callable[[WorkRecord, WorkRecord], bool]] = {
    **dict.fromkeys(_IDENTIFIED, _may_share_identifier),
    "title, people and key": lambda work, other: work.key == other.key and _one_title(work, other),
    "title and people": _one_title,
    _UNTITLED: _same_untitled,
}


def pairs(present: Sequence[WorkRecord], new: Sequence[WorkRecord]) -> dict[int, Match]:
    """For each new work (by index) the present one that it matches, by the surest sign; each matches at most once."""
    known = _Works(present)
    matches: dict[int, Match] = {}
    matched: set[int] = set()
    for sign in SIGNS:
        for new_index, work in enumerate(new):
            if new_index in matches:
                continue
            match_index = next((other for other in known.candidates(work, sign) if other not in matched), None)
            if match_index is not None:
                matches[new_index] = Match(match_index, sign)
                matched.add(match_index)
    return matches


def fits(work: WorkRecord, others: Sequence[WorkRecord], profile: str) -> bool:
    """Whether at least a third of a work's words occur in the lab's profile or its own works."""
    known = _content(" ".join([profile, *(f"{other.title} {other.abstract}" for other in others)]))
    return not others or _share(_content(f"{work.title} {work.abstract}"), known) >= _FAMILIAR


def _venues_agree(record: WorkRecord, other_record: WorkRecord) -> bool:
    """Whether two venues may be the same; an unknown one agrees with all, a journal never with proceedings."""
    first, second = (f"{work.venue} {work.venue_full}".strip() for work in (record, other_record))
    if not first or not second:
        return True
    is_journal = [bool(_JOURNAL.search(venue)) and not _NO_JOURNAL.search(venue) for venue in (first, second)]
    if is_journal[0] != is_journal[1]:
        return False
    a, b = _venue_words(first), _venue_words(second)
    if not a or not b:
        return first.casefold() == second.casefold()
    return len(a & b) / min(len(a), len(b)) >= _VENUE_OVERLAP


def _venue_words(venue: str) -> set[str]:
    words = set(re.findall(r"[a-z]{3,}", venue.casefold()))
    # "SIGKDD" and "KDD" are one name.
    return {word.removeprefix("sig") if word != "sigmod" else word for word in words} - _VENUE_STOP


def _people_lead(first: WorkRecord, second: WorkRecord) -> bool:
    shorter, longer = sorted((first, second), key=lambda work: len(work.authors))
    if not shorter.authors:
        return False
    if shorter.authors_complete and longer.authors_complete and len(shorter.authors) != len(longer.authors):
        return False
    return all(same_person(a, b) for a, b in zip(shorter.authors, longer.authors, strict=False))


def _people_agree(work: WorkRecord, other: WorkRecord) -> bool:
    """Whether the longer list contains half of the shorter one's people; without people, whether the rest agrees."""
    if work.authors and work.authors == other.authors:
        return True
    if not work.authors or not other.authors:
        return len(title_of(work).split()) >= _WORDS_OF_A_TITLE or _years_agree(work, other)
    shorter, longer = sorted((work.authors, other.authors), key=len)
    longer_words = _words_of_names(longer)
    hits = sum(any(word in longer_words for word in _words_of_names((name,))) for name in shorter)
    return hits * 2 >= len(shorter)


@lru_cache(maxsize=32_768)
def _words_of_names(names: tuple[str, ...]) -> frozenset[str]:
    """The words of names; initials count only where a name has nothing else."""
    result: set[str] = set()
    for name in names:
        words = name_words(name)
        result |= {word for word in words if len(word) > 1} or words
    return frozenset(result)


def _years_agree(work: WorkRecord, other: WorkRecord) -> bool:
    return not work.year or not other.year or abs(work.year - other.year) <= _YEARS_APART


def _title_fits(work: WorkRecord, other: WorkRecord) -> bool:
    title, abstract = work.title or other.title, work.abstract if other.title else other.abstract
    if not title or not abstract:
        return work.abstract == other.abstract
    return _share(_content(title), _content(abstract)) >= _TITLE_IN_ABSTRACT


def _share(words: Counter[str], text: Counter[str]) -> float:
    return sum(word in text for word in words) / len(words) if words else 0.0


def _content(text: str) -> Counter[str]:
    """The content words of a text, without plural endings."""
    words = re.findall(r"[a-z][a-z0-9]{2,}", text.casefold())
    return Counter(word.rstrip("s") for word in words if word not in _STOP)


def title_of(work: WorkRecord) -> str:
    """The words of the title without case, accents and punctuation."""
    return _folded(work.title)


@lru_cache(maxsize=32_768)
def _folded(title: str) -> str:
    bare = without_accents(title.casefold().replace("&", " and "))
    return " ".join(re.findall(r"\w+", bare.replace("’", "").replace("'", "")))
