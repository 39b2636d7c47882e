"""A text of the query → its terms, with misspelt words read as what was probably meant."""

from __future__ import annotations

from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from portal.matching.spelling import Correction
from portal.matching.stretches import Layout
from portal.matching.terms import Phrase, Term, placed, placed_terms, units
from portal.matching.text import clean
from portal.matching.words import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.lexicon import Lexicon
    from portal.matching.results import Span
    from portal.matching.terms import PlacedUnit, PlainTerm
    from portal.matching.words import Word

    Mended = tuple[Span, Correction]


class Reading:
    """A text as it is read.

    `units` are those of every sentence, `found` all terms as plain tuples, `corrected` the spans of misspelt words
    with what they were read as. Words are put together when they are asked for.
    """

    def __init__(
        self,
        text: str,
        units: Sequence[Sequence[PlacedUnit]],
        words: Layout | list[tuple[Word, ...]],
        corrected: Sequence[Mended] = (),
    ) -> None:
        self.text = text
        self.units = units
        self.corrected = corrected
        self.found: list[PlainTerm] = []
        for of_sentence in units:
            self.found += placed_terms(of_sentence)
        self._words = words

    @cached_property
    def lines(self) -> list[tuple[Word, ...]]:
        """The words of every sentence, corrected."""
        return self._words.lines() if isinstance(self._words, Layout) else self._words

    @cached_property
    def terms(self) -> list[Term]:
        """All terms."""
        return list(map(Term._make, self.found))

    @cached_property
    def words(self) -> list[Phrase]:
        """All words as phrases are looked up."""
        return [Phrase(unit.key, start, end) for of_sentence in self.units for unit, start, end in of_sentence]

    def as_typed(self, first: int, last: int) -> str:
        """A stretch as it stands in the text."""
        return " ".join(self.text[first:last].split())

    def as_read(self, first: int, last: int) -> str:
        """A stretch with its misspelt words corrected."""
        written = self.text[first:last]
        for (start, end), correction in reversed(self.corrected):
            if first <= start and end <= last:
                written = written[: start - first] + correction.used + written[end - first :]
        return " ".join(written.split())

    def is_corrected(self, first: int, last: int) -> bool:
        """Whether a misspelt word is in a stretch."""
        return any(first <= start and end <= last for (start, end), _ in self.corrected)


def read(text: str, lexicon: Lexicon | None = None) -> Reading:
    """Read `text`; a `lexicon` says which words are misspelt and what was meant."""
    layout = Layout.of(clean(text))
    if layout is not None and (lexicon is None or lexicon.are_right(layout.stretches)):
        return Reading(text, layout.units, layout)
    lines = layout.lines() if layout is not None else [sentence.words for sentence in sentences(text)]
    corrected: list[Mended] = []
    if lexicon is not None:
        for place, words in enumerate(lines):
            lines[place], mended = _mended(text, words, lexicon)
            corrected += mended
    return Reading(text, [list(map(placed, units(words))) for words in lines], lines, corrected)


def _mended(text: str, words: tuple[Word, ...], lexicon: Lexicon) -> tuple[tuple[Word, ...], list[Mended]]:
    """The words of a sentence with the misspelt ones replaced, and what was replaced."""
    words, mended = _joined(text, words, lexicon)
    forms = ["", *(word.form for word in words), ""]
    read_as: list[Word] = []
    for place, word in enumerate(words):
        used = None if word.unspaced else lexicon.correct(*forms[place : place + 3])
        if used is None:
            read_as.append(word)
            continue
        first, *others = used.split()
        read_as += (word._replace(form=first), *(word._replace(form=form, joined=False) for form in others))
        mended.append(((word.start, word.end), Correction(text[word.start : word.end], used)))
    return tuple(read_as), sorted(mended, key=itemgetter(0))


def _joined(text: str, words: tuple[Word, ...], lexicon: Lexicon) -> tuple[tuple[Word, ...], list[Mended]]:
    """The words of a sentence with those made one that were written apart, and what was made one."""
    found: list[Word] = []
    mended: list[Mended] = []
    for word in words:
        if found and not word.joined and not word.unspaced and text[found[-1].end : word.start] == " ":
            used = lexicon.joined(found[-1].form, word.form)
            if used is not None:
                before = found.pop()
                found.append(before._replace(form=used, end=word.end))
                mended.append(((before.start, word.end), Correction(text[before.start : word.end], used)))
                continue
        found.append(word)
    return tuple(found), mended
