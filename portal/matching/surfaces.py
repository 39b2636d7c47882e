"""Terms as people write them: a lab's most typical phrases, and suggestions from the whole corpus."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.reading import read
from portal.matching.stemming import stem
from portal.matching.terms import stop_words
from portal.matching.words import fold

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from portal.matching.records import LabDoc
    from portal.matching.terms import PlainTerm

_LONGEST_PHRASE = 40
# What papers say of themselves, whatever they are about.
_OF_PAPERS = (
    "abstract achieve address allow approach art available based challenge code compare consider contribution "
    "demonstrate design different effective enable evaluate evaluation existing experiment experimental extensive "
    "focus furthermore general github give however idea implement improve improvement including introduce known "
    "main method moreover new novel obtain outperform paper present previous prior problem propose provide "
    "reach recent recently require result show significant significantly simple solution state study technique "
    "thus towards use used using utilize various way work"
)
_PROFILE = ""
_MOSTLY = 0.6
_NOT_IN_PHRASES = frozenset(',;:()[]{}"“”/\\$')


class WrittenForm(NamedTuple):
    """How a term is written most often, and the works that have it (none for the profile alone)."""

    text: str
    words: frozenset[str]
    works: tuple[str, ...]
    texts: int


class Spellings:
    """How the terms of some texts are written, and what pairs of words usually go on with."""

    def __init__(self) -> None:
        self._written: dict[str, Counter[str]] = {}
        self._longer: dict[str, Counter[str]] = {}

    def add(self, text: str) -> set[str]:
        """Note the phrases of `text`; returns their keys."""
        found = _found(text)
        return self.add_some(text, found, {term[0] for term in found})

    def add_some(self, text: str, found: Sequence[PlainTerm], wanted: Container[str]) -> set[str]:
        """Note those phrases among the terms `found` in `text` whose keys are `wanted`; returns their keys."""
        seen = set()
        for key, written, longer in _phrases(text, found, wanted):
            self._written.setdefault(key, Counter())[written] += 1
            if longer:
                self._longer.setdefault(key, Counter())[longer] += 1
            seen.add(key)
        return seen

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """(key, text): the usual spelling, with the next word where that mostly is the same one."""
        return self.of(self._written)

    def of(self, keys: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The same for some keys that were noted."""
        for key in keys:
            counter = self._written[key]
            longer = self._longer.get(key)
            if longer and longer.total() >= max(2, _MOSTLY * counter.total()):
                goes_on = most_common(longer)
                alike = sum(count for text, count in longer.items() if _alike(text, goes_on))
                if alike >= _MOSTLY * counter.total():
                    yield key, goes_on
                    continue
            yield key, most_common(counter)


def _alike(one: str, other: str) -> bool:
    return stem(fold(one.rsplit(maxsplit=1)[-1])) == stem(fold(other.rsplit(maxsplit=1)[-1]))


@lru_cache(maxsize=32)
def _forms_of_lab(lab: _ById, least: int) -> Mapping[str, WrittenForm]:
    read_texts = [(work, text, _found(text)) for work, text in _texts(lab.doc)]
    times: Counter[str] = Counter()
    for _, of_work in groupby(read_texts, key=itemgetter(0)):
        times.update({term[0] for _, _, found in of_work for term in found})
    wanted = {key for key, count in times.items() if count >= least}
    spellings = Spellings()
    works: dict[str, dict[str, None]] = {}
    for work, text, found in read_texts:
        for key in spellings.add_some(text, found, wanted):
            works.setdefault(key, {})[work] = None
    return {
        key: WrittenForm(
            written,
            frozenset(stem(fold(word)) for word in written.replace("-", " ").split()),
            tuple(work for work in works[key] if work != _PROFILE),
            len(works[key]),
        )
        for key, written in spellings.of(key for key, found in works.items() if len(found) >= least)
    }


class _ById:
    """A lab as a cache key: the object itself, which is immutable."""

    __slots__ = ("doc",)

    def __init__(self, doc: LabDoc) -> None:
        self.doc = doc

    def __hash__(self) -> int:
        return id(self.doc)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.doc is self.doc


def written_forms(lab: LabDoc, least: int = 1) -> Mapping[str, WrittenForm]:
    """Key → written form of every term that reads as a phrase and is in at least `least` of the lab's texts.

    The texts are the works and the profile.
    """
    return _forms_of_lab(_ById(lab), least)


def phrases(text: str) -> Iterator[tuple[str, str, str]]:
    """(key, as written, with the next word) of every term of `text` that reads as a phrase.

    No stop word and no comma is inside. The last is empty for single words and where no phrase goes on.
    """
    found = _found(text)
    return _phrases(text, found, {term[0] for term in found})


def _found(text: str) -> list[PlainTerm]:
    """The terms of a text, without those that are only a part of a word."""
    return [term for term in read(text).found if term[3] != "part"]


def _phrases(text: str, found: Sequence[PlainTerm], wanted: Container[str]) -> Iterator[tuple[str, str, str]]:
    """`phrases` of the terms `found` in `text`, for the keys `wanted`."""
    pairs = [term for term in found if term[3] == "pair"]
    next_end = {one: other[2] for one, other in pairwise(pairs) if one[1] < other[1] < one[2] < other[2]}
    for term in found:
        key, start, end, _ = term
        if key not in wanted:
            continue
        written = " ".join(text[start:end].split())
        if _reads_as_phrase(written):
            longer = " ".join(text[start : next_end[term]].split()) if term in next_end else ""
            yield key, written, longer if _reads_as_phrase(longer) else ""


@lru_cache(maxsize=65_536)
def _reads_as_phrase(written: str) -> bool:
    return (
        2 <= len(written) <= _LONGEST_PHRASE  # noqa: PLR2004 - one letter says nothing
        and _NOT_IN_PHRASES.isdisjoint(written)
        and not any(
            word in stop_words() or stem(word) in _boilerplate()
            for word in written.casefold().replace("-", " ").split()
        )
    )


@lru_cache(maxsize=1)
def _boilerplate() -> frozenset[str]:
    return frozenset(stem(word) for word in _OF_PAPERS.split())


def most_common(counter: Counter[str]) -> str:
    """The most frequent spelling; among equals the one with fewer capitals, then by alphabet."""
    return min(counter, key=lambda text: (-counter[text], sum(map(str.isupper, text[:1])), text))


def _texts(lab: LabDoc) -> Iterable[tuple[str, str]]:
    yield _PROFILE, lab.profile
    for work in lab.works:
        yield work.key, work.title
        yield work.key, work.abstract
