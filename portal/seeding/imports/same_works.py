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
from portal.seeding.joining import same_work, venues_agree
from portal.seeding.names import name_words
from portal.seeding.venues import abbreviates, is_preprint

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
    """The index of the record of the same publication, and the sign by which it was recognised."""

    index: int
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
        index = len(self.works) - 1
        self._note(work, index)
        title = title_of(work)
        self._folded.append(title)
        if not title:
            self._untitled.append(index)
            return index
        if len(self._beginnings[_beginning(title)]) < _CANDIDATES:
            self._beginnings[_beginning(title)].append(index)
        self._titles[title].append(index)
        for word in set(title.split()):
            self._words[word].append(index)
        return index

    def replace(self, index: int, work: WorkRecord) -> None:
        """Replace the work at an index; it can also be found by its new identifiers."""
        self.works[index] = work
        self._note(work, index)

    def find(self, work: WorkRecord) -> Match | None:
        """The work that is the same publication, by the surest sign."""
        for sign in SIGNS:
            index = next(self.candidates(work, sign), None)
            if index is not None:
                return Match(index, sign)
        return None

    def candidates(self, work: WorkRecord, sign: str) -> Iterator[int]:
        """Indices of works that are the same publication by one of the `SIGNS`, likeliest first."""
        return _BY_SIGN[sign](self, work)

    def _note(self, work: WorkRecord, index: int) -> None:
        for doi in dois_of(work.links):
            if index not in self._dois[doi]:
                self._dois[doi].append(index)
        for arxiv in arxivs_of(work.links):
            if index not in self._arxivs[arxiv]:
                self._arxivs[arxiv].append(index)

    def _by_doi(self, work: WorkRecord) -> Iterator[int]:
        indexes = (index for doi in sorted(dois_of(work.links)) for index in self._dois.get(doi, ()))
        yield from (index for index in indexes if _may_share_doi(work, self.works[index]))

    def _by_arxiv(self, work: WorkRecord) -> Iterator[int]:
        indexes = (index for arxiv in sorted(arxivs_of(work.links)) for index in self._arxivs.get(arxiv, ()))
        yield from (index for index in indexes if _may_share_doi(work, self.works[index]))

    def _by_key(self, work: WorkRecord) -> Iterator[int]:
        yield from (index for index in self._same_title(work) if self.works[index].key == work.key)

    def _by_edition(self, work: WorkRecord) -> Iterator[int]:
        for index in self._same_title(work):
            other = self.works[index]
            if other.year == work.year and (other.venue.casefold() == work.venue.casefold()):
                yield index

    def _by_title(self, work: WorkRecord) -> Iterator[int]:
        yield from self._same_title(work)

    def _same_title(self, work: WorkRecord) -> Iterator[int]:
        title = title_of(work)
        for index in self._titles.get(title, ()) if title else ():
            other = self.works[index]
            if _people_agree(work, other) and not are_two_publications(work, other):
                yield index

    def _by_alike_title(self, work: WorkRecord) -> Iterator[int]:
        title = title_of(work)
        if len(title) < _SHORTEST:
            return
        near = {index: self._folded[index] for index in self._near(title)}
        alike = process.extract(title, near, scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=_BEST)
        # One title is the other without its subtitle.
        heads = [index for index, other in self._of_one_beginning(title) if _is_head(title, other)]
        for index in [*(index for _, _, index in alike), *heads]:
            other = self.works[index]
            if _numbers(title) != _numbers(self._folded[index]):
                continue  # parts of a series
            if _people_agree(work, other) and _years_agree(work, other) and not are_two_publications(work, other):
                yield index

    def _of_one_beginning(self, title: str) -> Iterator[tuple[int, str]]:
        for index in self._beginnings.get(_beginning(title), ()):
            yield index, self._folded[index]

    def _near(self, title: str) -> list[int]:
        """Works that share one of the rarest words of a title."""
        words_by_frequency = sorted(
            (len(self._words[word]), word) for word in set(title.split()) if word in self._words
        )
        near: dict[int, None] = {}
        for _, word in words_by_frequency[:_RAREST]:
            near.update(dict.fromkeys(self._words[word][:_CANDIDATES]))
        return list(near)

    def _by_people(self, work: WorkRecord) -> Iterator[int]:
        """A work without a title is identified by people, year, venue and the words of its abstract."""
        indexes: Iterable[int] = self._untitled if work.title else range(len(self.works))
        for index in indexes:
            other = self.works[index]
            if not (work.title and other.title) and same_work(other, work):
                yield index


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


def pairs(present: Sequence[WorkRecord], new: Sequence[WorkRecord]) -> dict[int, Match]:
    """For each new work (by index) the present one that it matches, by the surest sign; each matches at most once."""
    index = WorkIndex(present)
    matches: dict[int, Match] = {}
    matched: set[int] = set()
    for sign in SIGNS:
        for new_index, work in enumerate(new):
            if new_index in matches:
                continue
            match_index = next((other for other in index.candidates(work, sign) if other not in matched), None)
            if match_index is not None:
                matches[new_index] = Match(match_index, sign)
                matched.add(match_index)
    return matches


def title_of(work: WorkRecord) -> str:
    """The words of the title without case, accents and punctuation."""
    return _folded(work.title)


def are_two_publications(work: WorkRecord, other: WorkRecord) -> bool:
    """Whether two records with one title are separate publications, such as a paper and its journal version."""
    if is_preprint(work.venue or work.venue_full) or is_preprint(other.venue or other.venue_full):
        return False
    first, second = dois_of(work.links), dois_of(other.links)
    if same_venue(work, other):
        return bool(work.year and other.year and abs(work.year - other.year) > _YEARS_APART)
    if first and second and not first & second:
        return True
    return bool(work.year and other.year and work.year != other.year)


def same_venue(first: WorkRecord, second: WorkRecord) -> bool:
    """Whether two records may have the same venue, possibly once abbreviated."""
    if not (first.venue or first.venue_full) or not (second.venue or second.venue_full):
        return True
    names = [(work.venue, f"{work.venue} {work.venue_full}") for work in (first, second)]
    return venues_agree(first, second) or abbreviates(names[0][0], names[1][1]) or abbreviates(names[1][0], names[0][1])


@lru_cache(maxsize=32_768)
def _folded(title: str) -> str:
    decomposed = unicodedata.normalize("NFKD", title.casefold().replace("&", " and "))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(re.findall(r"\w+", bare.replace("’", "").replace("'", "")))


def _may_share_doi(work: WorkRecord, other: WorkRecord) -> bool:
    """Whether the titles permit equal DOIs to mean one work: chapters often have that of their book."""
    a, b = title_of(work), title_of(other)
    return not a or not b or a in b or b in a or fuzz.token_set_ratio(a, b) >= _SAME_DOI


def _beginning(title: str) -> str:
    return " ".join(title.split(" ", _WORDS_OF_A_TITLE)[:_WORDS_OF_A_TITLE])


def _is_head(title: str, other: str) -> bool:
    """Whether one title is the beginning of the other and long enough to be specific."""
    shorter, longer = sorted((title, other), key=len)
    return len(shorter) >= _SHORTEST and longer.startswith(f"{shorter} ")


@lru_cache(maxsize=32_768)
def _numbers(title: str) -> tuple[str, ...]:
    """What distinguishes parts of a series: numbers, including Roman ones, and single letters."""
    return tuple(
        sorted(word for word in title.split() if word.isdigit() or word in _ROMAN or (len(word) == 1 and word != "a"))
    )


def _people_agree(work: WorkRecord, other: WorkRecord) -> bool:
    """Whether the longer list contains half of the shorter one's people; without people, whether the rest agrees."""
    if work.authors and work.authors == other.authors:
        return True
    if not work.authors or not other.authors:
        return len(title_of(work).split()) >= _WORDS_OF_A_TITLE or _years_agree(work, other)
    shorter, longer = sorted((work.authors, other.authors), key=len)
    longer_words = _words_of(longer)
    hits = sum(any(word in longer_words for word in _words_of((name,))) for name in shorter)
    return hits * 2 >= len(shorter)


@lru_cache(maxsize=32_768)
def _words_of(names: tuple[str, ...]) -> frozenset[str]:
    """The words of names; initials count only where a name has nothing else."""
    result: set[str] = set()
    for name in names:
        words = name_words(name)
        result |= {word for word in words if len(word) > 1} or words
    return frozenset(result)


def _years_agree(work: WorkRecord, other: WorkRecord) -> bool:
    return not work.year or not other.year or abs(work.year - other.year) <= _YEARS_APART
