"""The typical terms of a lab in its own spelling, and those that a query lacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.spelling import is_common
from portal.matching.language.terms import stop_words, terms
from portal.matching.language.words import cached_by_word, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from portal.matching.layers import Layer
    from portal.matching.records import LabDoc

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
_NOT_IN_PHRASES = frozenset(',;:()[]{}"“”/\\$')
_PHRASE_FAVOUR = 2.0
"""The factor by which pairs are preferred: they say more to a reader than one word, but weigh less."""
_ENOUGH_WORKS = 4
"""In a lab of so many works, a term of one of them is not typical."""
_MOST = 120
"""The number of terms considered."""


class TypicalTerm(NamedTuple):
    """A term that stands out in a lab: its key, the lab's most frequent spelling, and the works that have it."""

    key: str
    text: str
    works: tuple[str, ...]


class _Written:
    """How a lab writes its terms, and in which works."""

    def __init__(self, lab: LabDoc) -> None:
        self.spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.works: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.rows: Counter[str] = Counter()
        texts = [(lab.profile, ""), *((f"{work.title}\n\n{work.abstract}", work.key) for work in lab.works)]
        for text, work in texts:
            seen = set()
            for key, written in phrases(text):
                self.spellings[key][written] += 1
                seen.add(key)
                if work:
                    self.works[key][work] = None
            self.rows.update(seen)


def missing(layer: Layer, place: int, have: Collection[str]) -> Iterator[TypicalTerm]:
    """The lab's terms that a query with the keys `have` lacks, most typical first: phrases, and words that are not
    everyday ones, such as names, unless they are half of a phrase that it has.
    """

    def says_more(key: str, text: str) -> bool:
        is_part = any(mine.startswith(key) or mine.endswith(key) for mine in have)
        return " " in text or not (is_part or is_common(text.casefold()))

    return typical(layer, place, lambda key, text: key not in have and says_more(key, text))


def typical(
    layer: Layer, place: int, counts: Callable[[str, str], bool] = lambda _key, _text: True
) -> Iterator[TypicalTerm]:
    """The lab's terms for whose key and text `counts` holds, most typical first, no two sharing a word."""
    written: _Written = layer.keep(("written", place), lambda: _Written(layer.lab(place)))
    matrix = layer.foci
    begin, end = int(matrix.indptr[place]), int(matrix.indptr[place + 1])
    weights = matrix.data[begin:end]
    least = 2 if len(layer.lab(place).works) >= _ENOUGH_WORKS else 1
    ranked = []
    for column in weights.argsort(kind="stable")[::-1].tolist():
        key = layer.terms[matrix.indices[begin + column]].decode("utf-8", "surrogatepass")
        text = usual(written.spellings[key]) if written.rows[key] >= least else ""
        if text and counts(key, text):
            favour = _PHRASE_FAVOUR if len(text.replace("-", " ").split()) > 1 else 1.0
            ranked.append((-favour * float(weights[column]), key, text))
        if len(ranked) >= _MOST:
            break
    used: set[str] = set()
    for _, key, text in sorted(ranked):
        words = set(map(stem, text.casefold().replace("-", " ").split()))
        if used.isdisjoint(words):
            used |= words
            yield TypicalTerm(key, text, tuple(written.works[key]))


def first_typical(layer: Layer, place: int, k: int) -> list[str]:
    """The `k` most typical terms of a lab."""
    return [term.text for term in islice(typical(layer, place), max(k, 0))]


def phrases(text: str) -> Iterator[tuple[str, str]]:
    """(key, as written) of every term of `text` that reads as a phrase: without a stop word or a comma."""
    for term in terms(text):
        if term.kind != "part":
            written = " ".join(text[term.start : term.end].split())
            if reads_as_phrase(written):
                yield term.key, written


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


def usual(written: Counter[str]) -> str:
    """The most frequent spelling; ties go to fewer capitals, then to alphabetical order."""
    return min(written, key=lambda text: (-written[text], sum(map(str.isupper, text[:1])), text))
