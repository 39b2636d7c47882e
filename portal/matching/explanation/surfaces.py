"""Terms as people write them: which passages read as phrases, and the usual spelling of each."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching.language.stemming import stem
from portal.matching.language.terms import stop_words
from portal.matching.language.word_cache import cached_by_word
from portal.matching.language.words import fold
from portal.matching.query.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching.language.terms import PlainTerm

_LONGEST_PHRASE = 40
# Words with which papers speak of themselves, in every field.
_OF_PAPERS = (
    "abstract achieve address allow approach art available based challenge code compare consider contribution "
    "demonstrate design different effective enable evaluate evaluation existing experiment experimental extensive "
    "focus furthermore general github give however idea implement improve improvement including introduce known "
    "main method moreover new novel obtain outperform paper present previous prior problem propose provide "
    "reach recent recently require result show significant significantly simple solution state study technique "
    "thus towards use used using utilize various way work"
)
_MOSTLY = 0.6
_NOT_IN_PHRASES = frozenset(',;:()[]{}"“”/\\$')


class Spellings:
    """Counts how the terms of some texts are written, and which words usually follow pairs."""

    def __init__(self) -> None:
        self._written: dict[str, Counter[str]] = {}
        self._longer: dict[str, Counter[str]] = {}

    def add(self, text: str) -> set[str]:
        """Count the phrases of `text`. Returns their keys."""
        seen = set()
        for key, written, longer in phrases(text):
            self._written.setdefault(key, Counter())[written] += 1
            if longer:
                self._longer.setdefault(key, Counter())[longer] += 1
            seen.add(key)
        return seen

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """(key, text): the usual spelling, with the next word if it is mostly the same one."""
        for key, written in self._written.items():
            yield key, usual(written, self._longer.get(key))


def usual(written: Counter[str], longer: Counter[str] | None) -> str:
    """The usual spelling of a term, including the next word if it is mostly the same one."""
    if longer and longer.total() >= max(2, _MOSTLY * written.total()):
        goes_on = most_common(longer)
        alike = sum(count for text, count in longer.items() if _alike(text, goes_on))
        if alike >= _MOSTLY * written.total():
            return goes_on
    return most_common(written)


def _alike(first: str, second: str) -> bool:
    """Whether two phrases end with forms of the same word."""
    return stem(fold(first.rsplit(maxsplit=1)[-1])) == stem(fold(second.rsplit(maxsplit=1)[-1]))


def phrases(text: str) -> Iterator[tuple[str, str, str]]:
    """(key, as written, with the next word) of every term of `text` that reads as a phrase.

    A phrase contains no stop word and no comma. The last item is empty for single words and if no phrase follows.
    """
    found_terms = _found(text)
    for place, term in enumerate(found_terms):
        phrase = _phrase(text, found_terms, place)
        if phrase is not None:
            yield (term[0], *phrase)


def _found(text: str) -> list[PlainTerm]:
    """The terms of a text, without those that are only a part of a word."""
    return [term for term in read(text).found if term[3] != "part"]


def _phrase(text: str, found_terms: Sequence[PlainTerm], position: int) -> tuple[str, str] | None:
    """A term as `phrases` yields it; None if it does not read as a phrase."""
    _, start, end, kind = found_terms[position]
    written = " ".join(text[start:end].split())
    if not reads_as_phrase(written):
        return None
    if kind == "pair":
        following = next(
            (found_terms[later] for later in range(position + 1, len(found_terms)) if found_terms[later][3] == "pair"),
            None,
        )
        if following is not None and start < following[1] < end < following[2]:
            longer = " ".join(text[start : following[2]].split())
            if reads_as_phrase(longer):
                return written, longer
    return written, ""


@cached_by_word(65_536)
def reads_as_phrase(written: str) -> bool:
    """Whether a passage reads as a phrase, that is, contains no stop word and no comma."""
    return (
        2 <= len(written) <= _LONGEST_PHRASE  # noqa: PLR2004 - one letter says nothing
        and _NOT_IN_PHRASES.isdisjoint(written)
        and not any(map(_says_nothing, written.casefold().replace("-", " ").split()))
    )


@cached_by_word(65_536)
def _says_nothing(word: str) -> bool:
    return word in stop_words() or stem(word) in _boilerplate()


@lru_cache(maxsize=1)
def _boilerplate() -> frozenset[str]:
    return frozenset(stem(word) for word in _OF_PAPERS.split())


def most_common(counter: Counter[str]) -> str:
    """The most frequent spelling; ties go to fewer capitals, then to alphabetical order."""
    return min(counter, key=lambda text: (-counter[text], sum(map(str.isupper, text[:1])), text))
