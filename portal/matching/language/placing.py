"""Texts → all their terms with where each stands, many texts at once: what `terms.terms` finds, in arrays."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.chunks import UNSPACED, known_chunks
from portal.matching.language.counting import Pieces, Units, has, sentences_of
from portal.matching.language.hashing import term_numbers
from portal.matching.language.terms import SAME_WORDS, Unit, character_pairs, sentence_terms
from portal.matching.language.text import CleanText, clean, is_clean
from portal.matching.language.words import sentences
from portal.matching.segments.rows import ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.language.chunks import Chunks
    from portal.matching.results import Span

    Ints = NDArray[np.int64]
    Numbers = NDArray[np.uint64]

WORD, PART, PAIR = range(3)
_KINDS = {"word": WORD, "part": PART, "pair": PAIR}
_NONE = np.zeros(0, dtype=np.int64)


class _Columns(NamedTuple):
    """`PlacedTerms` of some of the texts."""

    numbers: Numbers
    text: Ints
    kind: NDArray[np.uint8]
    sentence: Ints
    begin: Ints
    end: Ints
    within: Ints
    following: Ints


@dataclass(frozen=True, slots=True)
class PlacedTerms:
    """Every term of some texts.

    Term t has the number `numbers[t]` and is in the text `text[t]`, of the `kind` WORD, PART or PAIR, in the sentence
    `sentence[t]` (they rise), from `begin[t]` to `end[t]` of the clean text. `following[t]` is the next pair of words in
    its text, -1 if there is none, or if the term is no pair. `within` says of pairs of characters the how manieth of its
    stretch each is, which is what then stands from `begin` to `end`; of other terms it is -1.
    """

    texts: Sequence[str]
    numbers: Numbers
    text: Ints
    kind: NDArray[np.uint8]
    sentence: Ints
    begin: Ints
    end: Ints
    within: Ints
    following: Ints
    _cleaned: Sequence[CleanText]
    _sentences: dict[int, Span]
    _cuts: tuple[Ints, Ints, Ints]

    @classmethod
    def of(cls, texts: Sequence[str]) -> PlacedTerms:
        """The terms of `texts`."""
        simple = is_clean("|".join(texts))
        cleaned = [CleanText(text) if simple else clean(text) for text in texts]
        pieces, known = Pieces.of([(text.text,) for text in cleaned]), known_chunks()
        ids = known.numbers(pieces.chunks)
        sentence = sentences_of(ids, known, pieces.lengths)
        text = pieces.row.repeat(pieces.lengths)
        begin = _begins(cleaned, pieces.chunks, known.length[ids].astype(np.int64), text)
        plain = known.plain[ids]
        if plain.all():
            found = _terms(known, ids, text, sentence, begin)
            return cls(texts, *found, cleaned, {}, (sentence, text, begin))
        # Sentences end inside chunks of these texts: they are read word by word.
        odd = np.unique(text[~plain])
        kept = ~np.isin(text, odd)
        ids, text, sentence, begin = ids[kept], text[kept], sentence[kept], begin[kept]
        found = _terms(known, ids, text, sentence, begin)
        spans: dict[int, Span] = {}
        others = _word_by_word([(number, texts[number]) for number in odd.tolist()], int(sentence.max(initial=0)), spans)
        shift = np.where(others.following < 0, 0, len(found.numbers))
        both = zip(found, others._replace(following=others.following + shift), strict=True)
        for number in odd.tolist():
            cleaned[number] = CleanText(texts[number])
        return cls(texts, *map(np.concatenate, both), cleaned, spans, (sentence, text, begin))

    def span(self, term: int) -> Span:
        """Where a term stands in its text."""
        return self.stretch(term, term)

    def stretch(self, first: int, last: int) -> Span:
        """What stands from one term to another of the same text."""
        cleaned = self._cleaned[self.text.item(first)]
        begin, end, within = self.begin.item(first), self.end.item(last), self.within.item(first)
        if cleaned.pieces:
            begin, end = cleaned.original_span(begin, end)
        if within < 0:
            return begin, end
        form = cleaned.text[self.begin.item(first) : self.end.item(first)]
        placed = list(character_pairs(Unit(form, begin, end)))[within]
        return placed.start, placed.end

    def sentence_span(self, sentence: int) -> Span:
        """Where a sentence stands in its text."""
        if sentence in self._sentences:
            return self._sentences[sentence]
        of_chunk, text, begins = self._cuts
        first = int(of_chunk.searchsorted(sentence))
        behind = int(of_chunk.searchsorted(sentence, side="right"))
        cleaned = self._cleaned[text.item(first)]
        goes_on = behind < len(text) and text[behind] == text[first]
        begin = begins.item(first)
        end = begins.item(behind) if goes_on else len(cleaned.text)
        stretch = cleaned.text[begin:end].replace("\x00", " ").rstrip()
        return cleaned.original_span(begin, begin + len(stretch))


def _begins(cleaned: Sequence[CleanText], chunks: Sequence[str], lengths: Ints, text: Ints) -> Ints:
    """Where every chunk begins in its text."""
    behind = (lengths + 1).cumsum()
    edges = text.searchsorted(np.arange(len(cleaned) + 1))
    before = np.concatenate((np.zeros(1, np.int64), behind))[edges]
    found: Ints = behind - lengths - 1 - before[text]
    # As long as the chunks with one space between: then nothing else is there.
    whole = (before[1:] - before[:-1] - 1).tolist()
    for number, (first, last) in enumerate(pairwise(edges.tolist())):
        written = cleaned[number].text
        if first < last and whole[number] != len(written):
            place = 0
            for at in range(first, last):
                found[at] = place = written.index(chunks[at], place)
                place += len(chunks[at])
    return found


def _terms(known: Chunks, ids: Ints, text: Ints, sentence: Ints, begin: Ints) -> _Columns:
    """The terms of some chunks: the single words, the pairs, what is found besides them."""
    counts = known.units[ids]
    unit = ranges(known.first_unit[ids], counts)
    if not (counts == 1).all():
        text, sentence, begin = text.repeat(counts), sentence.repeat(counts), begin.repeat(counts)
    starts, ends = begin + known.begin[unit], begin + known.end[unit]
    found = Units.of(known, unit, sentence, np.arange(len(unit)))
    first, second = found.place, found.second
    last = first + (found.unit < len(SAME_WORDS))  # units of two words written apart end with the second of them
    parts, of_unit, within = found.parts(known)
    unspaced = has(found.kind[of_unit], UNSPACED)
    starting = np.concatenate((first[found.single], first[second - 1], first[of_unit]))
    ending = np.concatenate((last[found.single], last[second], last[of_unit]))
    kind = np.repeat(np.array([WORD, PAIR, PART], np.uint8), [int(found.single.sum()), len(second), len(parts)])
    of_characters = np.full(len(kind), -1)
    following = np.full(len(kind), -1)
    if len(parts):
        kind[-len(parts) :][unspaced] = WORD
        of_characters[-len(parts) :][unspaced] = within[unspaced]
    if len(second) > 1:
        at = int(found.single.sum())
        of_pair = text[first[second]]
        next_pair = np.arange(at + 1, at + len(second))
        following[at : at + len(second) - 1] = np.where(of_pair[1:] == of_pair[:-1], next_pair, -1)
    return _Columns(
        np.concatenate((found.numbers(known), parts)),
        text[starting],
        kind,
        sentence[starting],
        starts[starting],
        ends[ending],
        of_characters,
        following,
    )


def _word_by_word(texts: Iterable[tuple[int, str]], sentence: int, spans: dict[int, Span]) -> _Columns:
    """The terms of texts that are read word by word, their sentences numbered on and put into `spans`."""
    keys: list[str] = []
    rows: list[tuple[int, int, int, int, int, int]] = []
    for number, text in texts:
        before = -1
        for found in sentences(text):
            sentence += 1
            spans[sentence] = found.start, found.end
            for key, start, end, kind in sentence_terms(found):
                if kind == "pair":
                    if before >= 0:
                        rows[before] = (*rows[before][:5], len(rows))
                    before = len(rows)
                keys.append(key)
                rows.append((number, _KINDS[kind], sentence, start, end, -1))
    text_of, kind_of, sentence_of, begin, end_of, following = np.array(rows, np.int64).reshape(len(rows), 6).T
    nothing = np.full(len(rows), -1)
    return _Columns(
        term_numbers(keys), text_of, kind_of.astype(np.uint8), sentence_of, begin, end_of, nothing, following
    )
