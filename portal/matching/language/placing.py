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
        behind = others.by_name()
        return _Columns(**{name: np.concatenate((column, behind[name])) for name, column in self.by_name().items()})


@dataclass(frozen=True, slots=True)
class PlacedTerms(_Columns):
    """Every term of some texts; also finds terms and their sentences in the texts as written."""

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
            for number, written in enumerate(texts):
                found = clean(written)
                if found.text != written:
                    cleaned[number], rewritten[number] = found.text, found
        pieces, known = Pieces.of([(written,) for written in cleaned]), known_chunks()
        ids = known.numbers(pieces.chunks)
        sentence = sentences_of(ids, known, pieces.lengths)
        text = pieces.row.repeat(pieces.lengths)
        begin = _begins(cleaned, pieces.chunks, known.chunks["length"][ids], text)
        plain = known.chunks["plain"][ids]
        # Texts in which sentences end inside chunks are read word by word.
        odd = [] if plain.all() else np.unique(text[~plain]).tolist()
        if odd:
            kept = ~np.isin(text, odd)
            ids, text, sentence, begin = ids[kept], text[kept], sentence[kept], begin[kept]
        terms = _terms(known, ids, text, sentence, begin)
        spans: dict[int, Span] = {}
        if odd:
            others = _word_by_word([(number, texts[number]) for number in odd], int(sentence.max(initial=0)), spans)
            behind = np.where(others.following < 0, 0, len(terms.numbers))
            terms = terms.followed_by(replace(others, following=others.following + behind))
        for number in odd:
            rewritten.pop(number, None)
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
        form = self._cleaned[text][begin : self.end.item(first)] if within >= 0 else ""
        if text in self._rewritten:
            begin, end = self._rewritten[text].original_span(begin, end)
        if within < 0:
            return begin, end
        placed = list(character_pairs(Unit(form, begin, end)))[within]
        return placed.start, placed.end

    def sentence_span(self, sentence: int) -> Span:
        """Where a sentence begins and ends in its text."""
        if sentence in self._sentences:
            return self._sentences[sentence]
        of_chunk, text, begins = self._cuts
        first = int(of_chunk.searchsorted(sentence))
        behind = int(of_chunk.searchsorted(sentence, side="right"))
        number = text.item(first)
        cleaned = self._cleaned[number]
        goes_on = behind < len(text) and text[behind] == number
        begin = begins.item(first)
        end = begins.item(behind) if goes_on else len(cleaned)
        end = begin + len(cleaned[begin:end].replace("\x00", " ").rstrip())
        return self._rewritten[number].original_span(begin, end) if number in self._rewritten else (begin, end)


def _begins(cleaned: Sequence[str], chunks: Sequence[str], lengths: NDArray[np.int32], text: Ints) -> Ints:
    """Where every chunk begins in its text."""
    behind = (lengths + 1).cumsum(dtype=np.int64)
    edges = text.searchsorted(np.arange(len(cleaned) + 1))
    before = np.concatenate((np.zeros(1, np.int64), behind))[edges]
    found: Ints = behind - lengths - 1 - before[text]
    # If the text is as long as its chunks with single spaces between them, it contains nothing else.
    whole = (before[1:] - before[:-1] - 1).tolist()
    for number, (first, last) in enumerate(pairwise(edges.tolist())):
        written = cleaned[number]
        if first < last and whole[number] != len(written):
            place = 0
            for at in range(first, last):
                found[at] = place = written.index(chunks[at], place)
                place += len(chunks[at])
    return found


def _terms(known: Chunks, ids: Ints, text: Ints, sentence: Ints, begin: Ints) -> _Columns:
    """The terms of some chunks: single words, then pairs, then parts."""
    counts = known.chunks["units"][ids]
    unit = ranges(known.chunks["first_unit"][ids], counts)
    if not (counts == 1).all():
        text, sentence, begin = text.repeat(counts), sentence.repeat(counts), begin.repeat(counts)
    starts, ends = begin + known.units["begin"][unit], begin + known.units["end"][unit]
    bare = np.where(has(known.units["kind"][unit], BARE), unit, -1)
    found = Units.of(known, unit, sentence, np.arange(len(unit)))
    place, second = found.place, found.second
    together = found.unit < len(SAME_WORDS)  # two words written apart; the second one follows
    if together.any():
        bare[place[together]] = -1
    parts, of_unit, within = found.parts(known)
    single = np.flatnonzero(found.single)
    opening, closing = np.concatenate((single, second - 1, of_unit)), np.concatenate((single, second, of_unit))
    starting, ending = place[opening], (place + together)[closing]
    kind = np.repeat(np.array([WORD, PAIR, PART], np.uint8), [len(single), len(second), len(parts)])
    of_characters, following = np.full((2, len(kind)), -1)
    if len(parts):
        unspaced = has(found.kind[of_unit], UNSPACED)
        kind[-len(parts) :][unspaced] = WORD
        of_characters[-len(parts) :][unspaced] = within[unspaced]
    if len(second) > 1:
        of_pair = text[place[second]]
        next_pair = np.arange(len(single) + 1, len(single) + len(second))
        following[next_pair - 1] = np.where(of_pair[1:] == of_pair[:-1], next_pair, -1)
    return _Columns(
        np.concatenate((found.numbers(known), parts)),
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
    for number, text in texts:
        before = -1
        for found in sentences(text):
            sentence += 1
            spans[sentence] = found.start, found.end
            for key, start, end, kind in sentence_terms(found):
                if kind == "pair":
                    if before >= 0:
                        rows[before][-1] = len(rows)
                    before = len(rows)
                keys.append(key)
                rows.append([number, _KINDS[kind], sentence, start, end, -1])
    of_text, kinds, in_sentence, begin, end_of, following = np.array(rows, np.int64).reshape(len(rows), 6).T
    nothing = np.full(len(rows), -1)
    numbers = term_numbers(keys)
    return _Columns(
        numbers, of_text, kinds.astype(np.uint8), in_sentence, begin, end_of, nothing, following, nothing, nothing
    )
