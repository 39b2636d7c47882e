"""The sentences of many texts at once, as arrays: the same that `terms.read` finds in one text.

Texts are kept as the numbers of their chunks (stretches without spaces). What is known of a chunk, whatever stands
beside it, is looked up once for each distinct one; only sentences with a number, a letter or a name are read word by
word.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.language.terms import CHUNK, CHUNKS, ENDS, GOES_ON, LONGEST_SENTENCE, blocks, units
from portal.matching.language.text import masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from portal.matching.language.terms import Chunk

    Ints = NDArray[np.int64]
    Numbers = NDArray[np.int32]


class Sentences(NamedTuple):
    """The sentences of some texts, those with at least one word that counts.

    Text t has the sentences `first_sentence[t]` up to that of t + 1, and sentence s the words `first_word[s]` up to
    that of s + 1. `ends` has where each sentence begins and ends in its text, in characters; minus one less if the text
    has markup, so that its words are not simply what stands between spaces. `words` are numbers of `forms`, `chunks`
    the number of the chunk in its sentence with which each word begins.
    """

    first_sentence: Ints
    ends: Numbers
    first_word: Ints
    words: Numbers
    chunks: NDArray[np.uint8]
    forms: list[str]


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
        self._with_markup: list[int] = []

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
        if clean is not text and clean != text:
            self._with_markup.append(number)

    def read(self) -> Sentences:
        """The sentences of all texts that were taken."""
        known = list(map(CHUNKS.__getitem__, self._numbers))
        ids = np.frombuffer(self._chunks, np.int32) if self._chunks else np.zeros(0, np.int32)
        firsts, stops = self._cuts(ids, known)
        forms = _Forms(known)
        counts, words, chunks = forms.of(ids, firsts, stops)
        kept = counts > 0
        firsts, stops = firsts[kept], stops[kept]
        texts = np.array(self._texts, dtype=np.int64)
        return Sentences(
            np.append(firsts.searchsorted(texts[:-1]), len(firsts)),
            self._ends(ids, firsts, stops, texts),
            np.concatenate(([0], counts[kept].cumsum())),
            words,
            chunks,
            list(forms.numbers),
        )

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

    def _ends(self, ids: Numbers, firsts: Ints, stops: Ints, texts: Ints) -> Numbers:
        lengths = np.array([len(chunk) for chunk in self._numbers], dtype=np.int64)
        # Of texts whose chunks have a space between them, and two line breaks between blocks.
        places = np.concatenate(([0], (lengths[ids] + 1).cumsum()))
        block = np.array(self._blocks).searchsorted(firsts, side="right") - 1
        text = texts.searchsorted(firsts, side="right") - 1
        begin = places[firsts] - places[texts[text]] + block - np.array(self._text_of_blocks).searchsorted(text)
        ends = np.stack((begin, begin + places[stops] - places[firsts] - 1), axis=1)
        for number, starts in self._places.items():
            for sentence in range(*text.searchsorted((number, number + 1)).tolist()):
                last = int(stops[sentence]) - 1
                end = starts[last - int(texts[number])] + int(lengths[ids[last]])
                ends[sentence] = starts[int(firsts[sentence] - texts[number])], end
        of_markup = np.isin(text, self._with_markup)
        ends[of_markup] = -1 - ends[of_markup]
        return ends.astype(np.int32)


class _Forms:
    """The words of sentences, from what is known of each distinct chunk."""

    def __init__(self, known: Sequence[Chunk]) -> None:
        self._known = known
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        flat = list(chain.from_iterable([chunk.forms or () for chunk in known]))
        self._flat = np.array(list(map(self.numbers.__getitem__, flat)), dtype=np.int32)
        self._counts = np.array([-1 if chunk.forms is None else len(chunk.forms) for chunk in known], dtype=np.int32)
        self._firsts = np.concatenate(([0], np.maximum(self._counts, 0).cumsum()))[:-1].astype(np.int32)

    def of(self, ids: Numbers, firsts: Ints, stops: Ints) -> tuple[Ints, Numbers, NDArray[np.uint8]]:
        """The number of words of each sentence, the words, and the chunk of each in its sentence."""
        if not len(ids):
            return np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint8)
        counts = self._counts[ids]
        slowly = np.flatnonzero(np.minimum.reduceat(counts, firsts) < 0)
        for first, stop in zip(firsts[slowly].tolist(), stops[slowly].tolist(), strict=True):
            counts[first:stop] = 0
        of_sentences = np.add.reduceat(counts, firsts, dtype=np.int64)
        before = counts.cumsum(dtype=np.int64) - counts
        words = self._flat[np.repeat(self._firsts[ids] - before, counts) + np.arange(counts.sum())]
        in_sentence = np.arange(len(ids), dtype=np.int64) - np.repeat(firsts, stops - firsts)
        chunks = np.repeat(in_sentence.astype(np.uint8), counts)
        if not len(slowly):
            return of_sentences, words, chunks
        slow_words, slow_chunks = array("i"), array("B")
        for sentence in slowly.tolist():
            before_it = len(slow_words)
            for unit in units([self._known[number] for number in ids[firsts[sentence] : stops[sentence]].tolist()]):
                slow_words.append(self.numbers[unit.form])
                slow_chunks.append(unit.chunk)
            of_sentences[sentence] = len(slow_words) - before_it
        is_slow = np.zeros(len(firsts), dtype=bool)
        is_slow[slowly] = True
        is_slow = np.repeat(is_slow, of_sentences)
        all_words, all_chunks = np.empty(len(is_slow), np.int32), np.empty(len(is_slow), np.uint8)
        all_words[is_slow], all_words[~is_slow] = slow_words, words
        all_chunks[is_slow], all_chunks[~is_slow] = slow_chunks, chunks
        return of_sentences, all_words, all_chunks
