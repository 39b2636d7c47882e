"""Terms of the concepts that are near to a text by the words of their phrases, with little weight.

Nobody can list all phrases, and the phrase that a text has may be of a concept beside the point: "patient data stay"
is of federated learning, also where somebody asks for questions to a database in plain words.

Nothing is added to a text in the labs' own terms: "large language model inference on GPUs" shares words with phrases
for privacy attacks, but says what it means.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.matching.query.added import for_words, written_terms
from portal.matching.query.scattered import content
from portal.matching.query.sorted_spans import SortedSpans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from portal.matching.query.added import Added, AddedTerm
    from portal.matching.query.reading import Reading
    from portal.matching.query.scattered import NearConcept

MOST_NEAR = 8
"""Concepts; with fewer, one that is near by chance weighs too much."""
LEAST_COSINE = 0.2
LEAST_SHARED = 2
"""The least cosine of a concept that adds terms, and the least number of words that it shares with the text."""
_FEW_WORDS = 5
_LEAST_COSINE_OF_FEW = 0.35
"""The same for a text of few words that has neither a phrase nor a pair of words of a lab, as two are soon shared."""
_LEAST_PLAIN = 0.5
"""The least share of plain words among those of a text that say something."""
_CAPITALS = 2
"""In a word that is written as an abbreviation."""
_FAR = 0.5
"""What remains of the strength of a concept that is not near to a long text."""


def near_terms(
    near: Sequence[NearConcept], reading: Reading, additions: Sequence[Added], uses: Callable[[str], bool]
) -> Iterator[Added]:
    """The terms of concepts `near` to a text in plain words, each for the words that it shares with the concepts.

    The nearness of a term is the root of the sum of its concepts' squared cosines. Its strength is its nearness
    squared, divided by that of the nearest term. `uses` says which terms some lab uses.

    A text of few words is certainly of the field if it has `additions`, for phrases, or a pair of a lab; otherwise labs
    must use all of its words. What one of its phrases says need not be guessed, nor what a long form in it means with
    one other word.
    """
    text_keys = dict.fromkeys(word.key for word in reading.words)
    plain, telling = _plain_words(reading, uses), content(text_keys)
    if len(plain.intersection(telling)) < _LEAST_PLAIN * len(telling):
        return
    least_cosine = LEAST_COSINE
    phrases: Sequence[Added] = ()
    if len(reading.words) <= _FEW_WORDS:
        phrases = additions
        typed = {term[0] for term in reading.found}
        if not any(added.adds_to(typed, uses) for added in additions) and not reading.has_pair(uses):
            if not all(map(uses, telling)):
                return
            least_cosine = _LEAST_COSINE_OF_FEW
    nearness: dict[str, float] = {}
    shared: dict[str, dict[str, None]] = {}
    for concept in near:
        words = [key for key in text_keys if key in concept.keys]
        if any(_says(added, words) for added in phrases):
            continue
        if concept.cosine >= least_cosine and len(words) >= LEAST_SHARED and not plain.isdisjoint(words):
            for term in concept.terms:
                nearness[term] = math.hypot(nearness.get(term, 0.0), concept.cosine)
                shared.setdefault(term, {}).update(dict.fromkeys(words))
    nearest = max(nearness.values(), default=0.0)
    for term in sorted(nearness, key=lambda term: (-nearness[term], term)):
        yield for_words(term, shared[term], reading, nearness[term] ** 2 / nearest)


def _says(added: Added, words: Sequence[str]) -> bool:
    """Whether a phrase has all of the `words`, or is a long form that has all but one of them."""
    others = sum(word not in added.stands_for for word in words)
    return others == 0 or (others == 1 < len(words) and len(added.stands_for) > 1 and not added.is_for_plain_words)


def _plain_words(reading: Reading, uses: Callable[[str], bool]) -> frozenset[str]:
    """The keys of the words that are neither written as abbreviations ("GPUs") nor in a pair that some lab uses."""
    pairs = SortedSpans([(start, end) for key, start, end, kind in reading.found if kind == "pair" and uses(key)])
    return frozenset(
        word.key
        for word in reading.words
        if not pairs.hold(word.start, word.end)
        and sum(map(str.isupper, reading.as_typed(word.start, word.end))) < _CAPITALS
    )


def weighed_by_nearness(additions: Sequence[Added], near: Sequence[NearConcept]) -> list[Added]:
    """What was added to a long text, with the strength of concepts for plain words reduced the less `near` they are."""
    nearest = max((concept.cosine for concept in near), default=0.0)
    if not nearest:
        return list(additions)
    cosines: dict[frozenset[str], float] = {}
    for concept in near:
        for term in concept.terms:
            keys = _keys_of(written_terms(term))
            cosines[keys] = max(cosines.get(keys, 0.0), concept.cosine)
    weighed: list[Added] = []
    for added in additions:
        share = cosines.get(_keys_of(added.terms), 0.0) / nearest if added.is_for_plain_words else 1.0
        weighed.append(replace(added, strength=added.strength * (_FAR + (1 - _FAR) * share)))
    return weighed


def _keys_of(terms: Iterable[AddedTerm]) -> frozenset[str]:
    return frozenset(term.key for term in terms)
