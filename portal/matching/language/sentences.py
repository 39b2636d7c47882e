"""The sentences of many texts at once, as arrays: the same that `terms.read` finds in one text.

Texts are kept as the numbers of their chunks (stretches without spaces). What is known of a chunk, whatever stands
beside it, is looked up once for each distinct one; only sentences with a number, a letter or a name are read word by
word.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from portal.matching.language.terms import CHUNKS, ENDS, GOES_ON, LONGEST_SENTENCE, blocks, units
from portal.matching.language.text import CHUNK, masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from portal.matching.language.terms import Chunk

    Ints = NDArray[np.int64]
    Numbers = NDArray[np.int32]

_LONGEST = np.iinfo(np.uint8).max
"""Characters of a word that are marked."""


class Sentences(NamedTuple):
    """The sentences of some texts, those with at least one word that counts.

    Text t has the sentences `first_sentence[t]` up to that of t + 1, and sentence s the words `first_word[s]` up to
    that of s + 1. `ends` has where each sentence begins and ends in its text, in characters. `words` are numbers of
    `forms`; each has its place in the sentence in `starts` and `lengths`, and length 0 if it is farther away than fits.
    """

    first_sentence: Ints
    ends: Numbers
    first_word: Ints
    words: Numbers
    starts: NDArray[np.uint16]
    lengths: NDArray[np.uint8]
    forms: list[str]


class _Words(NamedTuple):
    """Words in the order of the texts: their forms, the chunks in which they begin, and where in these; the lengths."""

    forms: Numbers
    chunks: Numbers
    starts: Numbers
    lengths: NDArray[np.uint8]


class SentenceReader:
    """Takes texts one by one."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._chunks = array("i")
        self._blocks = array("q", [0])
        self._texts = array("q", [0])
        self._text_of_blocks = array("q")
        self._places: dict[int, list[int]] = {}

    def add(self, text: str) -> None:
        """Take a text."""
        clean = masked(text)
        number = len(self._texts) - 1
        regular = []
        for block in blocks(clean):
            self._chunks.fromlist(list(map(self._numbers.__getitem__, block)))
            self._blocks.append(len(self._chunks))
            self._text_of_blocks.append(number)
            regular.append(" ".join(block))
        self._texts.append(len(self._chunks))
        if "\n\n".join(regular) != clean or not all(regular):
            self._places[number] = [match.start() for match in CHUNK.finditer(clean)]

    def read(self) -> Sentences:
        """The sentences of all texts that were taken."""
        known = list(map(CHUNKS.__getitem__, self._numbers))
        ids = np.frombuffer(self._chunks, np.int32) if self._chunks else np.zeros(0, np.int32)
        texts = np.array(self._texts, dtype=np.int64)
        lengths = np.array([len(chunk) for chunk in self._numbers], dtype=np.int64)
        places = self._starts(lengths[ids], texts)
        firsts, stops = self._cuts(ids, known)
        forms = _Forms(known)
        counts, words = forms.of(ids, places, firsts, stops)
        kept = counts > 0
        firsts, stops, counts = firsts[kept], stops[kept], counts[kept]
        begins = places[firsts]
        starts = places[words.chunks]
        starts += words.starts
        starts -= np.repeat(begins, counts)
        far = np.flatnonzero(starts > np.iinfo(np.uint16).max)
        starts[far], words.lengths[far] = 0, 0
        return Sentences(
            np.append(firsts.searchsorted(texts[:-1]), len(firsts)),
            np.stack((begins, places[stops - 1] + lengths[ids[stops - 1]]), axis=1).astype(np.int32),
            np.concatenate(([0], counts.cumsum())),
            words.forms,
            starts.astype(np.uint16),
            words.lengths,
            list(forms.numbers),
        )

    def _starts(self, lengths: Ints, texts: Ints) -> Numbers:
        """Where each chunk begins in its text; `lengths` are those of the chunks."""
        before = (lengths + 1).cumsum() - lengths - 1
        # Of texts whose chunks have a space between them, and two line breaks between blocks.
        text, blocks_before = np.array(self._text_of_blocks, dtype=np.int64), np.arange(len(self._text_of_blocks))
        first_of_text = np.minimum(texts[text], max(len(lengths) - 1, 0))
        shifts = blocks_before - text.searchsorted(text) - (before[first_of_text] if len(before) else 0)
        starts = (before + np.repeat(shifts, np.diff(np.array(self._blocks)))).astype(np.int32)
        for number, places in self._places.items():
            starts[texts[number] : texts[number + 1]] = places
        return starts

    def _cuts(self, ids: Numbers, known: Sequence[Chunk]) -> tuple[Ints, Ints]:
        """The first chunk of each sentence, and the one after its last."""
        last = np.zeros(len(ids) + 1, dtype=bool)
        last[np.array(self._blocks) - 1] = True
        end = np.array([chunk.end for chunk in known], dtype=np.uint8)[ids]
        opens = np.array([chunk.opens for chunk in known], dtype=bool)[ids]
        cut = end != GOES_ON
        cut[:-1] &= (end[:-1] == ENDS) | opens[1:]
        stops = np.flatnonzero(cut | last[:-1]) + 1
        firsts = np.concatenate(([0], stops))[:-1]
        for sentence in np.flatnonzero(stops - firsts > LONGEST_SENTENCE).tolist():
            cut[firsts[sentence] + LONGEST_SENTENCE - 1 : stops[sentence] - 1 : LONGEST_SENTENCE] = True
        stops = np.flatnonzero(cut | last[:-1]) + 1
        return np.concatenate(([0], stops))[:-1], stops


class _Forms:
    """The words of sentences, from what is known of each distinct chunk."""

    def __init__(self, known: Sequence[Chunk]) -> None:
        self._known = known
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        flat = [
            (self.numbers[form], start, min(end - start, _LONGEST))
            for chunk in known
            if chunk.forms
            for form, (start, end) in zip(chunk.forms, chunk.places(), strict=True)
        ]
        forms, starts, lengths = np.array(flat, dtype=np.int32).reshape(-1, 3).T
        self._flat = forms.copy(), starts.copy(), lengths.astype(np.uint8)
        self._counts = np.array([-1 if chunk.forms is None else len(chunk.forms) for chunk in known], dtype=np.int32)
        self._firsts = np.concatenate(([0], np.maximum(self._counts, 0).cumsum()))[:-1].astype(np.int32)

    def of(self, ids: Numbers, places: Numbers, firsts: Ints, stops: Ints) -> tuple[Ints, _Words]:
        """The number of words of each sentence, and the words; chunks have numbers and places in their texts."""
        if not len(ids):
            nothing = np.zeros(0, np.int64)
            return nothing, _Words(*(nothing.astype(np.int32),) * 3, nothing.astype(np.uint8))
        counts = self._counts[ids]
        slowly = np.flatnonzero(np.minimum.reduceat(counts, firsts) < 0)
        for first, stop in zip(firsts[slowly].tolist(), stops[slowly].tolist(), strict=True):
            counts[first:stop] = 0
        of_sentences = np.add.reduceat(counts, firsts, dtype=np.int64)
        before = counts.cumsum(dtype=np.int64) - counts
        flat = np.repeat(self._firsts[ids] - before, counts) + np.arange(counts.sum())
        chunks = np.repeat(np.arange(len(ids), dtype=np.int32), counts)
        words = _Words(self._flat[0][flat], chunks, *(values[flat] for values in self._flat[1:]))
        if not len(slowly):
            return of_sentences, words
        slow: list[tuple[int, int, int, int]] = []
        for sentence in slowly.tolist():
            first = int(firsts[sentence])
            found = units([self._known[number] for number in ids[first : stops[sentence]].tolist()])
            of_sentences[sentence] = len(found)
            for form, chunk, start, last, end in found:
                length = (
                    end - start if last == chunk else int(places[first + last] - places[first + chunk]) + end - start
                )
                slow.append((self.numbers[form], first + chunk, start, min(length, _LONGEST)))
        is_slow = np.zeros(len(firsts), dtype=bool)
        is_slow[slowly] = True
        is_slow = np.repeat(is_slow, of_sentences)
        joined: list[Any] = []
        of_words: list[Any] = list(words)
        for quickly, others in zip(of_words, np.array(slow, dtype=np.int64).reshape(-1, 4).T, strict=True):
            both = np.empty(len(is_slow), dtype=quickly.dtype)
            both[is_slow], both[~is_slow] = others, quickly
            joined.append(both)
        return of_sentences, _Words(*joined)
