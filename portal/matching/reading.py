"""A text of the query → its terms, with misspelt words read as what was probably meant."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from portal.matching.spelling import Correction
from portal.matching.terms import phrases_of, terms_of, units
from portal.matching.words import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.lexicon import Lexicon
    from portal.matching.results import Span
    from portal.matching.terms import Phrase, Term, Unit
    from portal.matching.words import Sentence, Word


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, its sentences (with corrected words), the units of each, and its terms.

    `corrected` are the spans of misspelt words with what they were read as.
    """

    text: str
    sentences: Sequence[Sentence]
    units: Sequence[Sequence[Unit]]
    terms: Sequence[Term]
    corrected: Sequence[tuple[Span, Correction]]

    @property
    def words(self) -> list[Phrase]:
        """All words as phrases are looked up."""
        return [word for found in self.units for word in phrases_of(found)]

    def as_typed(self, term: Term) -> str:
        """The term as it stands in the text."""
        return " ".join(self.text[term.start : term.end].split())

    def as_read(self, term: Term) -> str:
        """The term with its misspelt words corrected."""
        written = self.text[term.start : term.end]
        for (start, end), correction in reversed(self.corrected):
            if term.start <= start and end <= term.end:
                written = written[: start - term.start] + correction.used + written[end - term.start :]
        return " ".join(written.split())

    def is_corrected(self, term: Term) -> bool:
        """Whether a misspelt word is in the term."""
        return any(term.start <= start and end <= term.end for (start, end), _ in self.corrected)


def read(text: str, lexicon: Lexicon | None = None) -> Reading:
    """Read `text`; a `lexicon` says which words are misspelt and what was meant."""
    read_as: list[Sentence] = []
    found: list[Term] = []
    all_units: list[list[Unit]] = []
    corrected: list[tuple[Span, Correction]] = []
    for sentence in sentences(text):
        words = sentence.words
        if lexicon is not None:
            words, mended = _mended(text, words, lexicon)
            corrected += mended
            sentence = sentence._replace(words=words)  # noqa: PLW2901 - the same one, as it is read
        read_as.append(sentence)
        all_units.append(units(sentence.words))
        found += terms_of(all_units[-1])
    return Reading(text, read_as, all_units, found, corrected)


def _mended(
    text: str, words: tuple[Word, ...], lexicon: Lexicon
) -> tuple[tuple[Word, ...], list[tuple[Span, Correction]]]:
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


def _joined(
    text: str, words: tuple[Word, ...], lexicon: Lexicon
) -> tuple[tuple[Word, ...], list[tuple[Span, Correction]]]:
    """The words of a sentence with those made one that were written apart, and what was made one."""
    found: list[Word] = []
    mended: list[tuple[Span, Correction]] = []
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
