"""Reads short texts of ordinary words by a shorter way than all rules, with the same result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.stemming import stem, stems_and_tails
from portal.matching.language.terms import BOUND_PREFIXES, SAME_SECOND_HALVES, stop_words
from portal.matching.language.word_cache import LONGEST_WORD
from portal.matching.query.expansion import SHORT_TEXT_WORDS
from portal.matching.query.filling_words import KEYS as FILLING
from portal.matching.query.other_languages import SMALL_WORDS
from portal.matching.query.parts import QueryPart, part_term
from portal.matching.query.scaffolding import FEWEST_LISTED, does_on_pages
from portal.matching.query.weighed_terms import are_only_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.language.terms import PlainTerm
    from portal.matching.query.lexicon import Lexicon
    from portal.matching.results import Source

_CACHED = 100_000
_DOING_MORE = SAME_SECOND_HALVES | SMALL_WORDS | BOUND_PREFIXES


class _Word(NamedTuple):
    """What a word adds to a text: its key, and its contribution to a pair as the last word.

    Stop words have the key "", words that need all rules have None.
    """

    key: str | None
    tail: str


_STOP, _OTHER = _Word("", ""), _Word(None, "")


class OrdinaryTexts:
    """Reads texts that are nothing but words of labs (and a few stop words) that do nothing else in a query.

    Such a text certainly has nothing to correct, names no system, gets no further terms, and is neither boilerplate nor
    about something else. Caches words as they are written.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._known: dict[str, _Word] = {}
        self._stop_words = stop_words()

    def part(self, source: Source, text: str) -> QueryPart | None:
        """A stated text as a part of a query; None if it is not ordinary."""
        written = text.split(" ")
        if len(written) > SHORT_TEXT_WORDS:
            return None
        known = self._known  # another thread may begin a new cache meanwhile
        new = [word for word in written if word not in known]
        if new and not (text.isascii() and all(map(str.isalpha, new))):
            return None
        words = [known[word] for word in written] if not new else self._stemmed(written, new, known)
        terms = _terms(written, words)
        if not terms or words.count(_STOP) >= FEWEST_LISTED:
            return None
        keys = [term[0] for term in terms]
        pairs = keys[2::2]
        if len(frozenset(keys)) < len(keys) or not FILLING.isdisjoint(pairs):
            return None
        lexicon = self._lexicon
        weights = lexicon.weights.of_few(keys)
        if new and not self._learn(new, dict(zip(written, words, strict=True))):
            return None
        length = math.sqrt(math.fsum([weight * weight for weight in weights]))
        part_terms = tuple(
            [
                part_term((key, weight / length, start, end, "", source, kind, "", False))
                for (key, start, end, kind), weight in zip(terms, weights, strict=True)
            ]
        )
        is_apart = not any(map(lexicon.uses, pairs)) and are_only_apart(part_terms, text, lexicon)
        return QueryPart(source, text, 1.0, part_terms, (), (), is_apart)

    def _stemmed(self, written: Sequence[str], new: Sequence[str], known: dict[str, _Word]) -> list[_Word]:
        """The words of a text: the `new` ones as if they were ordinary, the others as `known`."""
        forms = list(map(str.lower, new))
        stemmed = dict(zip(new, map(_Word, *stems_and_tails(forms)), strict=True))
        for word, form in zip(new, forms, strict=True):
            if form in self._stop_words:
                stemmed[word] = _STOP
        return [stemmed[word] if word in stemmed else known[word] for word in written]

    def _learn(self, new: Sequence[str], stemmed: dict[str, _Word]) -> bool:
        """Cache new words whose keys were looked up; whether all are ordinary."""
        known = {} if len(self._known) > _CACHED else self._known
        are_ordinary = True
        for written in new:
            word = stemmed[written]
            if self._does_more(written.lower(), word):
                word, are_ordinary = _OTHER, False
            if len(written) <= LONGEST_WORD:
                known[written] = word
        self._known = known
        return are_ordinary

    def _does_more(self, form: str, word: _Word) -> bool:
        """Whether a folded word of ASCII letters needs all rules; it is read as `word` if not."""
        lexicon = self._lexicon
        key = word.key or stem(form)
        if form in _DOING_MORE or lexicon.is_short(key) or lexicon.expander.knows(key) or lexicon.may_name((form,)):
            return True
        if word is _STOP:
            return False
        return key in FILLING or len(form) == 1 or not lexicon.uses(key) or does_on_pages(form) > 0


def _terms(written: Sequence[str], words: Sequence[_Word]) -> list[PlainTerm]:
    """The terms of a text: every word but the first is followed by its pair. Empty if a word needs all rules."""
    terms: list[PlainTerm] = []
    end, before, begin = -1, "", 0
    for word, (key, last) in zip(written, words, strict=True):
        start = end + 1
        end = start + len(word)
        if key is None:
            return []
        if key:
            terms.append((key, start, end, "word"))
            if before:
                terms.append((before + last, begin, end, "pair"))
            before, begin = key, start
    return terms
