"""Splits clean text into the units of its sentences. Each stretch between two spaces is read once and cached.

`words.sentences` defines what sentences and words are; this module does the same for most texts many times faster.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.language.stemming import stem, stems_and_tails, tail
from portal.matching.language.terms import SAME_SECOND_HALVES, SAME_WORDS, placed, unit_facts, units, word_facts
from portal.matching.language.words import (
    HARD_BREAK,
    LONGEST_SENTENCE,
    UNSPACED_STOPS,
    Word,
    ends_sentence,
    may_break,
    opens_sentence,
    words_between,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching.language.terms import PlacedUnit
    from portal.matching.language.text import CleanText
    from portal.matching.results import Span

_CACHED = 32_768
_MOST_CHARACTERS = 1_000_000
_FEWEST_AT_ONCE = 3
"""Words. Fewer are not stemmed at once."""


class Stretch(NamedTuple):
    """The units and words of a stretch without spaces, with places counted from its beginning.

    `ends` says whether a sentence ends with it: "perhaps" if one does when the next stretch `opens` a sentence.
    `joins` says that its first unit may form one idea with the unit before.
    """

    units: tuple[PlacedUnit, ...]
    forms: tuple[str, ...]
    words: tuple[Word, ...]
    ends: Literal["no", "perhaps", "yes"]
    opens: bool
    joins: bool


class _Stretches(dict[str, Stretch]):
    """A cache of stretches; a missing one is read on access."""

    def __init__(self) -> None:
        super().__init__()
        self.characters = 0

    def __missing__(self, text: str) -> Stretch:
        stretch = self[text] = _read(text)
        self.characters += len(text)
        return stretch

    def read_words(self, texts: Iterable[str]) -> None:
        """Read at once those of some stretches that are missing and plain words of English letters."""
        words = [text for text in dict.fromkeys(texts) if text not in self and text.isalpha() and text.isascii()]
        if len(words) < _FEWEST_AT_ONCE:
            return
        forms = list(map(str.lower, words))
        self.update(zip(words, map(_of_word, words, forms, *stems_and_tails(forms)), strict=True))
        self.characters += sum(map(len, words))


def _read(text: str) -> Stretch:
    if text.isalpha() and text.isascii():
        form = text.lower()
        return _of_word(text, form, stem(form), tail(form))
    words = tuple(words_between(text, 0, len(text)))
    placed_units = tuple(map(placed, units(words)))
    forms = tuple(word.form for word in words)
    joins = bool(placed_units) and placed_units[0][0].form in SAME_SECOND_HALVES
    return Stretch(placed_units, forms, words, ends_sentence(text), opens_sentence(text), joins)


def _of_word(text: str, form: str, key: str, tail_key: str) -> Stretch:
    """A plain word of English letters."""
    end = len(text)
    word = Word(form, 0, end, joined=False, unspaced=False)
    unit = word_facts(form, key, tail_key), 0, end
    return Stretch((unit,), (form,), (word,), "no", text[0].isupper(), form in SAME_SECOND_HALVES)


_known = _Stretches()


def _known_stretches() -> _Stretches:
    """The current cache of stretches; replaced by an empty one when it has grown too large."""
    global _known  # noqa: PLW0603 - a cache of the process
    if len(_known) >= _CACHED or _known.characters >= _MOST_CHARACTERS:
        _known = _Stretches()
    return _known


class Layout:
    """A clean text as stretches, divided into sentences.

    `units` has the units of every sentence. Stretch i of `stretches` begins at the character `begins[i]`; `cuts` has
    the place of the first stretch of every sentence.
    """

    def __init__(self, text: CleanText) -> None:
        self.units: list[list[PlacedUnit]] = []
        self.stretches: list[Stretch] = []
        self.begins: list[int] = []
        self.cuts: list[int] = []
        self._cleaned = text
        for start, end in _pieces(text.text):
            self._read(text.text, start, end)
        if text.pieces:
            self.units = [
                [(unit, *text.original_span(*span)) for unit, *span in placed_units] for placed_units in self.units
            ]

    @classmethod
    def of(cls, text: CleanText) -> Layout | None:
        """The layout of a text; None if sentences end where there is no space."""
        if not text.text.isascii() and not UNSPACED_STOPS.isdisjoint(text.text):
            return None
        return cls(text)

    def lines(self) -> list[tuple[Word, ...]]:
        """The words of each sentence, with their places in the original text."""
        span = self._cleaned.original_span
        lines: list[tuple[Word, ...]] = []
        for first, last in pairwise((*self.cuts, len(self.stretches))):
            words_of_sentence = [
                (word, span(begin + word.start, begin + word.end))
                for begin, stretch in zip(self.begins[first:last], self.stretches[first:last], strict=True)
                for word in stretch.words
            ]
            if words_of_sentence:
                lines.append(tuple([word._replace(start=start, end=end) for word, (start, end) in words_of_sentence]))
        return lines

    def spans(self) -> list[Span]:
        """Where each sentence begins and ends in the original text."""
        text = self._cleaned.text.replace("\x00", " ")
        begins = [self.begins[cut] for cut in self.cuts]
        stretches = [text[begin:after].rstrip() for begin, after in pairwise((*begins, len(text)))]
        placed_stretches = zip(begins, stretches, strict=True)
        return [self._cleaned.original_span(begin, begin + len(stretch)) for begin, stretch in placed_stretches]

    def _read(self, text: str, start: int, end: int) -> None:
        """Read a piece of text that begins a sentence."""
        cache, begins, stretches = _known_stretches(), self.begins, self.stretches
        ends, words, cuts = "yes", 0, 0
        sentence_units: list[PlacedUnit] = []
        chunks = text[start:end].split()
        cache.read_words(chunks)
        for written in chunks:
            begin = text.index(written, start)
            start = begin + len(written)
            stretch = cache[written]
            of_stretch, forms, _, ends_here, opens, joins = stretch
            begins_sentence = ends == "yes" or (opens and ends == "perhaps")
            if begins_sentence:
                words = cuts = 0
            # As in `words.sentences`: long sentences are cut at the first space after every so many words.
            if begins_sentence or (forms and words // LONGEST_SENTENCE > cuts):
                cuts = words // LONGEST_SENTENCE
                self.cuts.append(len(begins))
                sentence_units = []
                self.units.append(sentence_units)
            stretches.append(stretch)
            begins.append(begin)
            for unit, first, last in of_stretch:
                if joins:
                    joins = False
                    joined_form = SAME_WORDS.get((sentence_units[-1][0].form, unit.form)) if sentence_units else None
                    if joined_form is not None:
                        sentence_units[-1] = unit_facts(joined_form), sentence_units[-1][1], begin + last
                        continue
                sentence_units.append((unit, begin + first, begin + last))
            words += len(forms)
            ends = ends_here


def _pieces(text: str) -> Iterator[Span]:
    """The pieces of text between hard breaks."""
    start = 0
    if may_break(text):
        for match in HARD_BREAK.finditer(text):
            yield start, match.start()
            start = match.end()
    yield start, len(text)
