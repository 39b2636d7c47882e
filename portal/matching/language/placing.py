"""Finds all terms of many texts with their places, as arrays: the same terms as `terms.terms`."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.language.chunk_records import BARE, UNSPACED
from portal.matching.language.chunks import known_chunks
from portal.matching.language.counting import Pieces, Units, has, sentences_of
from portal.matching.language.hashing import term_numbers
from portal.matching.language.terms import SAME_WORDS, place_of_pair, sentence_terms
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


@dataclass(frozen=True, slots=True)
class _Columns:
    """Terms of some texts.

    Term t has the number `numbers[t]` and the `kind` WORD, PART or PAIR; it is in the text `text[t]`, in the sentence
    `sentence[t]`, from `begin[t]` to `end[t]` of the clean text. For a pair, `following[t]` is the next pair in its
    text, -1 if there is none. For a pair of characters, `within[t]` is its ordinal within the passage from `begin` to
    `end`; else it is -1. `first[t]` and `last[t]` identify the words with which a term begins and ends, -1 for words
    that are not BARE.
    """

    numbers: Numbers
    text: Ints
    kind: NDArray[np.uint8]
    sentence: Ints
    begin: Ints
    end: Ints
    within: Ints
    following: Ints
    first: Ints
    last: Ints

    def by_name(self) -> dict[str, Any]:
        """All columns by name."""
        return {column.name: getattr(self, column.name) for column in fields(_Columns)}

    def followed_by(self, others: _Columns) -> _Columns:
        """These terms, followed by the others."""
        following = others.by_name()
        return _Columns(**{name: np.concatenate((column, following[name])) for name, column in self.by_name().items()})


@dataclass(frozen=True, slots=True)
class PlacedTerms(_Columns):
    """Every term of some texts, which can be located, as can its sentence, in the texts as written.

    `_cleaned` has the clean texts, `_rewritten` the way back for those that cleaning changed. `_sentences` has the
    spans of sentences that were read word by word, `_cuts` the sentence, the text and the beginning of every chunk.
    """

    texts: Sequence[str]
    _cleaned: Sequence[str]
    _rewritten: dict[int, CleanText]
    _sentences: dict[int, Span]
    _cuts: tuple[Ints, Ints, Ints]

    @classmethod
    def of(cls, texts: Sequence[str]) -> PlacedTerms:
        """The terms of `texts`."""
        cleaned: list[str] = list(texts)
        rewritten: dict[int, CleanText] = {}
        if not is_clean("|".join(texts)):
            for text_id, written in enumerate(texts):
                cleaned_text = clean(written)
                if cleaned_text.text != written:
                    cleaned[text_id], rewritten[text_id] = cleaned_text.text, cleaned_text
        pieces, chunks = Pieces.of([(written,) for written in cleaned]), known_chunks()
        ids = chunks.numbers(pieces.chunks)
        sentence = sentences_of(ids, chunks, pieces.lengths)
        text = pieces.row.repeat(pieces.lengths)
        begin = _begins(cleaned, pieces.chunks, chunks.records["length"][ids], text)
        plain = chunks.records["plain"][ids]
        # Texts in which a sentence ends inside a chunk are read word by word.
        irregular_texts = [] if plain.all() else np.unique(text[~plain]).tolist()
        if irregular_texts:
            is_regular = ~np.isin(text, irregular_texts)
            ids, text, sentence, begin = ids[is_regular], text[is_regular], sentence[is_regular], begin[is_regular]
        terms = _terms(chunks, ids, text, sentence, begin)
        spans: dict[int, Span] = {}
        if irregular_texts:
            of_irregular = _word_by_word(
                [(text_id, texts[text_id]) for text_id in irregular_texts], int(sentence.max(initial=0)), spans
            )
            offset = np.where(of_irregular.following < 0, 0, len(terms.numbers))
            terms = terms.followed_by(replace(of_irregular, following=of_irregular.following + offset))
        for text_id in irregular_texts:
            rewritten.pop(text_id, None)
        return cls(
            **terms.by_name(),
            texts=texts,
            _cleaned=cleaned,
            _rewritten=rewritten,
            _sentences=spans,
            _cuts=(sentence, text, begin),
        )

    def spans(self, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Where passages begin and end in their texts, each from one term to another (or the same)."""
        begin, end = self.begin[first], self.end[last]
        changed = self.within[first] >= 0
        if self._rewritten:
            changed |= np.isin(self.text[first], list(self._rewritten))
        for place in np.flatnonzero(changed).tolist():
            begin[place], end[place] = self.stretch(first.item(place), last.item(place))
        return begin, end

    def stretch(self, first: int, last: int) -> Span:
        """The passage from one term to another of the same text."""
        text = self.text.item(first)
        begin, end, within = self.begin.item(first), self.end.item(last), self.within.item(first)
        length = self.end.item(first) - begin
        if text in self._rewritten:
            begin, end = self._rewritten[text].original_span(begin, end)
        return (begin, end) if within < 0 else place_of_pair(within, length, begin, end)

    def sentence_span(self, sentence: int) -> Span:
        """Where a sentence begins and ends in its text."""
        if sentence in self._sentences:
            return self._sentences[sentence]
        of_chunk, text, begins = self._cuts
        first = int(of_chunk.searchsorted(sentence))
        after = int(of_chunk.searchsorted(sentence, side="right"))
        text_id = text.item(first)
        cleaned = self._cleaned[text_id]
        text_continues = after < len(text) and text[after] == text_id
        begin = begins.item(first)
        end = begins.item(after) if text_continues else len(cleaned)
        end = begin + len(cleaned[begin:end].replace("\x00", " ").rstrip())
        return self._rewritten[text_id].original_span(begin, end) if text_id in self._rewritten else (begin, end)


def _begins(cleaned: Sequence[str], chunks: Sequence[str], lengths: NDArray[np.int32], text: Ints) -> Ints:
    """Where every chunk begins in its text."""
    after_each = (lengths + 1).cumsum(dtype=np.int64)
    edges = text.searchsorted(np.arange(len(cleaned) + 1))
    before_text = np.concatenate((np.zeros(1, np.int64), after_each))[edges]
    chunk_begins: Ints = after_each - lengths - 1 - before_text[text]
    # If the text is as long as its chunks with single spaces between them, it contains nothing else.
    expected_lengths = (before_text[1:] - before_text[:-1] - 1).tolist()
    for text_id, (first, last) in enumerate(pairwise(edges.tolist())):
        written = cleaned[text_id]
        if first < last and expected_lengths[text_id] != len(written):
            position = 0
            for chunk in range(first, last):
                chunk_begins[chunk] = position = written.index(chunks[chunk], position)
                position += len(chunks[chunk])
    return chunk_begins


def _terms(chunks: Chunks, ids: Ints, text: Ints, sentence: Ints, begin: Ints) -> _Columns:
    """The terms of some chunks: single words, then pairs, then parts."""
    counts = chunks.records["units"][ids]
    unit = ranges(chunks.records["first_unit"][ids], counts)
    if not (counts == 1).all():
        text, sentence, begin = text.repeat(counts), sentence.repeat(counts), begin.repeat(counts)
    starts, ends = begin + chunks.units["begin"][unit], begin + chunks.units["end"][unit]
    bare = np.where(has(chunks.units["kind"][unit], BARE), unit, -1)
    units = Units.of(chunks, unit, sentence, np.arange(len(unit)))
    place, second = units.place, units.second
    is_joined = units.unit < len(SAME_WORDS)  # two words written apart; the second one follows
    if is_joined.any():
        bare[place[is_joined]] = -1
    parts, of_unit, within = units.parts(chunks)
    single = np.flatnonzero(units.single)
    opening, closing = np.concatenate((single, second - 1, of_unit)), np.concatenate((single, second, of_unit))
    starting, ending = place[opening], (place + is_joined)[closing]
    kind = np.repeat(np.array([WORD, PAIR, PART], np.uint8), [len(single), len(second), len(parts)])
    of_characters, following = np.full((2, len(kind)), -1)
    if len(parts):
        unspaced = has(units.kind[of_unit], UNSPACED)
        kind[-len(parts) :][unspaced] = WORD
        of_characters[-len(parts) :][unspaced] = within[unspaced]
    if len(second) > 1:
        of_pair = text[place[second]]
        next_pair = np.arange(len(single) + 1, len(single) + len(second))
        following[next_pair - 1] = np.where(of_pair[1:] == of_pair[:-1], next_pair, -1)
    return _Columns(
        np.concatenate((units.numbers(chunks), parts)),
        text[starting],
        kind,
        sentence[starting],
        starts[starting],
        ends[ending],
        of_characters,
        following,
        bare[starting],
        bare[place[closing]],
    )


def _word_by_word(texts: Iterable[tuple[int, str]], sentence: int, spans: dict[int, Span]) -> _Columns:
    """Read texts word by word. Numbers their sentences from `sentence` on and adds them to `spans`."""
    keys: list[str] = []
    rows: list[list[int]] = []
    for text_id, text in texts:
        previous_pair = -1
        for sentence_of_text in sentences(text):
            sentence += 1
            spans[sentence] = sentence_of_text.start, sentence_of_text.end
            for key, start, end, kind in sentence_terms(sentence_of_text):
                if kind == "pair":
                    if previous_pair >= 0:
                        rows[previous_pair][-1] = len(rows)
                    previous_pair = len(rows)
                keys.append(key)
                rows.append([text_id, _KINDS[kind], sentence, start, end, -1])
    of_text, kinds, in_sentence, begin, end_of, following = np.array(rows, np.int64).reshape(len(rows), 6).T
    no_column = np.full(len(rows), -1)
    numbers = term_numbers(keys)
    return _Columns(
        numbers, of_text, kinds.astype(np.uint8), in_sentence, begin, end_of, no_column, following, no_column, no_column
    )
