"""A text of the query → its terms, with misspelt words read as what was probably meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.matching.spelling import Correction
from portal.matching.terms import phrase_keys, sentence_terms
from portal.matching.words import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from portal.matching.results import Span
    from portal.matching.terms import Phrase, Term
    from portal.matching.words import Sentence, Word

    Correct = Callable[[str, str, str], str | None]


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, its sentences (with corrected words) and its terms.

    `corrected` are the spans of misspelt words with what they were read as.
    """

    text: str
    sentences: Sequence[Sentence]
    terms: Sequence[Term]
    corrected: Sequence[tuple[Span, Correction]]

    @property
    def words(self) -> list[Phrase]:
        """All words as phrases are looked up."""
        return [word for sentence in self.sentences for word in phrase_keys(sentence)]

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


def read(text: str, correct: Correct | None = None) -> Reading:
    """Read `text`; `correct` gives for a word between its neighbours the word that was meant, if it is wrong."""
    read_as: list[Sentence] = []
    found: list[Term] = []
    corrected: list[tuple[Span, Correction]] = []
    for sentence in sentences(text):
        words = sentence.words
        if correct is not None:
            words, mended = _mended(text, words, correct)
            corrected += mended
        read_as.append(sentence._replace(words=words))
        found += sentence_terms(read_as[-1])
    return Reading(text, read_as, found, corrected)


def _mended(
    text: str, words: tuple[Word, ...], correct: Correct
) -> tuple[tuple[Word, ...], list[tuple[Span, Correction]]]:
    """The words of a sentence with the misspelt ones replaced, and what was replaced."""
    forms = ["", *(word.form for word in words), ""]
    meant = [correct(*forms[place : place + 3]) for place in range(len(words))]
    read_as = tuple(word if used is None else word._replace(form=used) for word, used in zip(words, meant, strict=True))
    return read_as, [
        ((word.start, word.end), Correction(text[word.start : word.end], used))
        for word, used in zip(words, meant, strict=True)
        if used is not None
    ]
