"""Whether two records are the same publication: by DOI, by arXiv number, then by title with people, year and venue."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process

from portal.seeding.imports.identifiers import arxivs_of, dois_of
from portal.seeding.imports.venues import abbreviates, is_preprint
from portal.seeding.joining import same_work, venues_agree
from portal.seeding.names import name_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from portal.seeding.records import WorkRecord

_ALIKE = 93.0
_SAME_DOI = 55.0
_SHORTEST = 20
_YEARS_APART = 2
_RAREST = 4
_CANDIDATES = 60
_BEST = 5
_WORDS_OF_A_TITLE = 4
_ROMAN = frozenset(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"))


@dataclass(frozen=True, slots=True)
class Match:
    """The record of the same publication, and the sign that told so."""

    place: int
    by: str


class WorkIndex:
    """Works that can be searched for a publication. Grows by `add`."""

    def __init__(self, works: Iterable[WorkRecord] = ()) -> None:
        self.works: list[WorkRecord] = []
        self._dois: defaultdict[str, list[int]] = defaultdict(list)
        self._arxivs: defaultdict[str, list[int]] = defaultdict(list)
        self._titles: defaultdict[str, list[int]] = defaultdict(list)
        self._words: defaultdict[str, list[int]] = defaultdict(list)
        self._untitled: list[int] = []
        self._folded: list[str] = []
        self._beginnings: defaultdict[str, list[int]] = defaultdict(list)
        for work in works:
            self.add(work)

    def add(self, work: WorkRecord) -> int:
        """Add a work; returns its index."""
        self.works.append(work)
        place = len(self.works) - 1
        self._note(work, place)
        title = title_of(work)
        self._folded.append(title)
        if not title:
            self._untitled.append(place)
            return place
        if len(self._beginnings[_beginning(title)]) < _CANDIDATES:
            self._beginnings[_beginning(title)].append(place)
        self._titles[title].append(place)
        for word in set(title.split()):
            self._words[word].append(place)
        return place

    def replace(self, place: int, work: WorkRecord) -> None:
        """Replace the work at an index; it can also be found by its new identifiers."""
        self.works[place] = work
        self._note(work, place)

    def find(self, work: WorkRecord) -> Match | None:
        """The work that is the same publication, by the surest sign."""
        for sign in SIGNS:
            found = next(self.candidates(work, sign), None)
            if found is not None:
                return Match(found, sign)
        return None

    def candidates(self, work: WorkRecord, sign: str) -> Iterator[int]:
        """Indices of works that are the same publication by one of the `SIGNS`, likeliest first."""
        return _BY_SIGN[sign](self, work)

    def _note(self, work: WorkRecord, place: int) -> None:
        for doi in dois_of(work.links):
            if place not in self._dois[doi]:
                self._dois[doi].append(place)
        for number in arxivs_of(work.links):
            if place not in self._arxivs[number]:
                self._arxivs[number].append(place)

    def _by_doi(self, work: WorkRecord) -> Iterator[int]:
        places = (place for doi in sorted(dois_of(work.links)) for place in self._dois.get(doi, ()))
        yield from (place for place in places if _may_share_doi(work, self.works[place]))

    def _by_arxiv(self, work: WorkRecord) -> Iterator[int]:
        places = (place for number in sorted(arxivs_of(work.links)) for place in self._arxivs.get(number, ()))
        yield from (place for place in places if _may_share_doi(work, self.works[place]))

    def _by_key(self, work: WorkRecord) -> Iterator[int]:
        yield from (place for place in self._same_title(work) if self.works[place].key == work.key)

    def _by_edition(self, work: WorkRecord) -> Iterator[int]:
        for place in self._same_title(work):
            other = self.works[place]
            if other.year == work.year and (other.venue.casefold() == work.venue.casefold()):
                yield place

    def _by_title(self, work: WorkRecord) -> Iterator[int]:
        yield from self._same_title(work)

    def _same_title(self, work: WorkRecord) -> Iterator[int]:
        title = title_of(work)
        for place in self._titles.get(title, ()) if title else ():
            other = self.works[place]
            if _people_agree(work, other) and not are_two_publications(work, other):
                yield place

    def _by_alike_title(self, work: WorkRecord) -> Iterator[int]:
        title = title_of(work)
        if len(title) < _SHORTEST:
            return
        near = {place: self._folded[place] for place in self._near(title)}
        alike = process.extract(title, near, scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=_BEST)
        # One title is the other without its subtitle.
        heads = [place for place, other in self._of_one_beginning(title) if _is_head(title, other)]
        for place in [*(place for _, _, place in alike), *heads]:
            other = self.works[place]
            if _numbers(title) != _numbers(self._folded[place]):
                continue  # parts of a series
            if _people_agree(work, other) and _years_agree(work, other) and not are_two_publications(work, other):
                yield place

    def _of_one_beginning(self, title: str) -> Iterator[tuple[int, str]]:
        for place in self._beginnings.get(_beginning(title), ()):
            yield place, self._folded[place]

    def _near(self, title: str) -> list[int]:
        """Works that share one of the rarest words of a title."""
        known = sorted((len(self._words[word]), word) for word in set(title.split()) if word in self._words)
        found: dict[int, None] = {}
        for _, word in known[:_RAREST]:
            found.update(dict.fromkeys(self._words[word][:_CANDIDATES]))
        return list(found)

    def _by_people(self, work: WorkRecord) -> Iterator[int]:
        """A work without a title is identified by people, year, venue and the words of its abstract."""
        places: Iterable[int] = self._untitled if work.title else range(len(self.works))
        for place in places:
            other = self.works[place]
            if not (work.title and other.title) and same_work(other, work):
                yield place


_BY_SIGN: dict[str, Callable[[WorkIndex, WorkRecord], Iterator[int]]] = {
    "DOI": WorkIndex._by_doi,  # noqa: SLF001 - a table of the class's own methods
    "arXiv number": WorkIndex._by_arxiv,  # noqa: SLF001
    "title, people and key": WorkIndex._by_key,  # noqa: SLF001
    "title, people, year and venue": WorkIndex._by_edition,  # noqa: SLF001
    "title and people": WorkIndex._by_title,  # noqa: SLF001
    "nearly the same title and people": WorkIndex._by_alike_title,  # noqa: SLF001
    "people, year, venue and abstract": WorkIndex._by_people,  # noqa: SLF001
}
SIGNS = tuple(_BY_SIGN)


def pairs(known: Sequence[WorkRecord], new: Sequence[WorkRecord]) -> dict[int, Match]:
    """For each new work (by index) the known one, each known one at most once, surest signs first."""
    index = WorkIndex(known)
    found: dict[int, Match] = {}
    taken: set[int] = set()
    for sign in SIGNS:
        for place, work in enumerate(new):
            if place in found:
                continue
            at = next((other for other in index.candidates(work, sign) if other not in taken), None)
            if at is not None:
                found[place] = Match(at, sign)
                taken.add(at)
    return found


def title_of(work: WorkRecord) -> str:
    """The words of the title without case, accents and punctuation."""
    return _folded(work.title)


def are_two_publications(one: WorkRecord, other: WorkRecord) -> bool:
    """Whether two records with one title are separate publications, such as a paper and its journal version."""
    if is_preprint(one.venue or one.venue_full) or is_preprint(other.venue or other.venue_full):
        return False
    first, second = dois_of(one.links), dois_of(other.links)
    if same_venue(one, other):
        return bool(one.year and other.year and abs(one.year - other.year) > _YEARS_APART)
    if first and second and not first & second:
        return True
    return bool(one.year and other.year and one.year != other.year)


def same_venue(one: WorkRecord, other: WorkRecord) -> bool:
    """Whether two records may have the same venue, possibly once abbreviated."""
    if not (one.venue or one.venue_full) or not (other.venue or other.venue_full):
        return True
    names = [(work.venue, f"{work.venue} {work.venue_full}") for work in (one, other)]
    return venues_agree(one, other) or abbreviates(names[0][0], names[1][1]) or abbreviates(names[1][0], names[0][1])


@lru_cache(maxsize=32_768)
def _folded(title: str) -> str:
    decomposed = unicodedata.normalize("NFKD", title.casefold().replace("&", " and "))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(re.findall(r"\w+", bare.replace("’", "").replace("'", "")))


def _may_share_doi(one: WorkRecord, other: WorkRecord) -> bool:
    """Whether the titles permit equal DOIs to mean one work: chapters often have that of their book."""
    a, b = title_of(one), title_of(other)
    return not a or not b or a in b or b in a or fuzz.token_set_ratio(a, b) >= _SAME_DOI


def _beginning(title: str) -> str:
    return " ".join(title.split(" ", _WORDS_OF_A_TITLE)[:_WORDS_OF_A_TITLE])


def _is_head(one: str, other: str) -> bool:
    """Whether one title is the beginning of the other and long enough to be specific."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _SHORTEST and longer.startswith(f"{shorter} ")


@lru_cache(maxsize=32_768)
def _numbers(title: str) -> tuple[str, ...]:
    """What distinguishes parts of a series: numbers, including Roman ones, and single letters."""
    return tuple(
        sorted(word for word in title.split() if word.isdigit() or word in _ROMAN or (len(word) == 1 and word != "a"))
    )


def _people_agree(one: WorkRecord, other: WorkRecord) -> bool:
    """Whether the longer list contains half of the shorter one's people; without people, whether the rest agrees."""
    if one.authors and one.authors == other.authors:
        return True
    if not one.authors or not other.authors:
        return len(title_of(one).split()) >= _WORDS_OF_A_TITLE or _years_agree(one, other)
    shorter, longer = sorted((one.authors, other.authors), key=len)
    words = _words_of(longer)
    hits = sum(any(word in words for word in _words_of((name,))) for name in shorter)
    return hits * 2 >= len(shorter)


@lru_cache(maxsize=32_768)
def _words_of(names: tuple[str, ...]) -> frozenset[str]:
    """The words of names; initials count only where a name has nothing else."""
    found: set[str] = set()
    for name in names:
        words = name_words(name)
        found |= {word for word in words if len(word) > 1} or words
    return frozenset(found)


def _years_agree(one: WorkRecord, other: WorkRecord) -> bool:
    return not one.year or not other.year or abs(one.year - other.year) <= _YEARS_APART
