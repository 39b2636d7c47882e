"""Which terms of a resume count: its words that no lab uses must not move a score.

Such words match nothing, but they would count in the length, and so who somebody is would change every score: a club, a
village, a scholarship or the word for "thesis" in another language. What `redact` misses is mostly such a word.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.spelling import is_common
from portal.matching.language.words import fold
from portal.matching.privacy.redacting import blank
from portal.matching.query.reading import read
from portal.matching.results import ADDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.language.terms import PlainTerm
    from portal.matching.query.lexicon import Lexicon
    from portal.matching.query.reading import Reading
    from portal.matching.query.weighed_terms import Weighed
    from portal.matching.results import Span


class Unused(NamedTuple):
    """The squared weights of terms of a part that no lab uses, where those that count in its score have the sum 1.

    `words` is the sum for single words, `terms` for words and pairs.
    """

    words: float = 0.0
    terms: float = 0.0


NOTHING_UNUSED = Unused()


def read_known_words(text: str, lexicon: Lexicon) -> Reading:
    """`text` of a resume as it is read with blanks instead of words that neither labs nor concepts know, as `redact`
    leaves of names.

    Common words in small letters stay. Others are names that `redact` missed, or say nothing to any lab; how many there
    are must not decide what is added for the rest.
    """
    reading = read(text, None)
    words = {key for key, _, _, kind in reading.found if kind == "word"}
    in_concepts, expands = lexicon.expander.scattered_words.knows, lexicon.expander.knows
    unknown = {key for key in words if not (lexicon.uses(key) or in_concepts(key) or expands(key))}
    kept: list[str] = []
    last = 0
    for key, start, end, kind in reading.found if unknown else ():
        if key in unknown and kind == "word" and not _is_plain(text[start:end]):
            kept += (text[last:start], blank(text[start:end]))
            last = end
    return read("".join((*kept, text[last:])), None) if kept else reading


def without_strange_words(
    weighed: list[Weighed], occurrences: Sequence[PlainTerm], text: str, lexicon: Lexicon
) -> list[Weighed]:
    """The terms of a resume without those of words that no lab uses, unless they are common words in small letters.

    Others are names that `redact` missed, or words of another language. `occurrences` are all terms of `text`.
    """
    unused = _unused_words(weighed, lexicon)
    strange = _Edges(span for span in _spans(unused, occurrences) if not _is_plain(text[slice(*span)]))
    capitalised = {span for span in {(term[2], term[3]) for term in weighed} if _has_capital(text[slice(*span)])}
    return [
        term
        for term in weighed
        if not (strange.touch(term) or (term[2], term[3]) in capitalised) or lexicon.uses(term[0])
    ]


def without_unused_words(
    weighed: list[Weighed], occurrences: Sequence[PlainTerm], text: str, lexicon: Lexicon
) -> tuple[list[Weighed], Unused]:
    """The terms of a resume that count in its score, and how much its words that no lab uses would weigh beside them.

    A word for which a term was added counts.
    """
    unused = _unused_words(weighed, lexicon)
    stood_for = "\n".join(dict.fromkeys(term[7] for term in weighed if term[5] in ADDED)) if unused else ""
    idle = _Edges(span for span in _spans(unused, occurrences) if text[slice(*span)] not in stood_for)
    if not idle:
        return weighed, NOTHING_UNUSED
    counted: list[Weighed] = []
    words: list[float] = []
    pairs: list[float] = []
    for term in weighed:
        if term[5] in ADDED or not idle.touch(term) or lexicon.uses(term[0]):
            counted.append(term)
        else:
            (pairs if term[6] == "pair" else words).append(term[1] ** 2)
    total = math.fsum([term[1] ** 2 for term in counted])
    if not total:
        return counted, NOTHING_UNUSED
    return counted, Unused(math.fsum(words) / total, math.fsum(words + pairs) / total)


def _unused_words(weighed: Iterable[Weighed], lexicon: Lexicon) -> frozenset[str]:
    """The keys of words that no lab uses. None weighs less than a word that occurs nowhere."""
    unseen = lexicon.weights.unseen
    return frozenset(
        [term[0] for term in weighed if term[1] >= unseen and term[6] != "pair" and not lexicon.uses(term[0])]
    )


def _spans(keys: frozenset[str], occurrences: Iterable[PlainTerm]) -> set[Span]:
    """Where terms with these keys stand, each passage once: of a long run of letters, all pairs may stand in one."""
    return {(start, end) for key, start, end, _ in occurrences if key in keys}


class _Edges:
    """Where words begin and end in a text."""

    def __init__(self, spans: Iterable[Span]) -> None:
        places = list(spans)
        self._begins = frozenset(start for start, _ in places)
        self._ends = frozenset(end for _, end in places)

    def __bool__(self) -> bool:
        return bool(self._begins)

    def touch(self, term: Weighed) -> bool:
        """Whether a term is one of the words, or a pair that begins or ends with one."""
        return term[2] in self._begins or term[3] in self._ends


def _is_plain(written: str) -> bool:
    """Whether a word is a common word in small letters, so hardly a name."""
    return not _has_capital(written) and is_common(fold(written))


def _has_capital(written: str) -> bool:
    """Whether not all words are in small letters. Scripts without capitals have no small letters either."""
    return not (written.islower() and (written.isascii() or all(map(str.islower, written.split()))))
