"""Counts the terms of sentences: each distinct word and pair of words is spelt once, everything else is numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from portal.matching.language.terms import facts, short_enough
from portal.matching.layers import KEYS, is_new

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from portal.matching.language.sentences import Sentences
    from portal.matching.language.terms import Facts

    Array = NDArray[Any]
    Ints = NDArray[np.int64]

_AT_ONCE = 50_000
"""Pairs that are spelt together."""


class Counted(NamedTuple):
    """How often each text has each term.

    `terms` are the keys of the columns of `counts`, sorted; `words` the columns of the words of all sentences, and
    `pairs` those of the pairs that they form with the words behind them, -1 for none. A word with the column `whole[i]`
    may contain the word with the column `part[i]` ("GPT-3"); the latter rise.
    """

    terms: Array
    counts: csr_array
    words: NDArray[np.int32]
    pairs: NDArray[np.int32]
    whole: NDArray[np.int32]
    part: NDArray[np.int32]


def counted(sentences: Sentences) -> Counted:
    """The terms of some texts."""
    from scipy.sparse import csr_array

    known = list(map(facts, sentences.forms))
    keys, number_of = _numbered(key for fact in known for key in fact.terms)
    codes, places, spelt = _pairs(sentences, known)
    distinct, numbers = _distinct(codes)
    terms, columns = _distinct(np.concatenate((np.array(keys, dtype=KEYS), spelt(distinct))), "stable")
    of_forms = [[number_of[key] for key in fact.terms] for fact in known]
    lengths = np.array([len(each) for each in of_forms], dtype=np.int32)
    flat = columns[np.array([number for each in of_forms for number in each], dtype=np.int64)]
    firsts = np.concatenate(([0], lengths.cumsum()))[:-1].astype(np.int64)
    main = flat[firsts] if len(firsts) else flat
    words = main[sentences.words]
    pairs = np.full(len(words), -1, dtype=np.int32)
    pairs[places] = columns[len(keys) :][numbers]
    in_word = lengths[sentences.words]
    before = np.concatenate(([0], in_word.cumsum(dtype=np.int64)))
    all_words = flat[np.repeat(firsts[sentences.words] - before[:-1], in_word) + np.arange(before[-1])]
    edges = sentences.first_word[sentences.first_sentence]
    shape = len(edges) - 1, len(terms)
    counts = csr_array(_ones(all_words, before[edges]), shape=shape)
    of_pairs = csr_array(_ones(pairs[places], places.searchsorted(edges)), shape=shape)
    counts.sum_duplicates()
    of_pairs.sum_duplicates()
    is_part = np.ones(len(flat), dtype=bool)
    is_part[firsts] = False
    whole, part = np.repeat(main, lengths)[is_part], flat[is_part]
    order = np.argsort(part, kind="stable")
    return Counted(terms, csr_array(counts + of_pairs), words, pairs, whole[order], part[order])


def _ones(columns: Array, edges: Ints) -> tuple[Array, Array, Array]:
    in_32_bits = edges.astype(np.int32) if len(columns) <= np.iinfo(np.int32).max else edges
    return np.ones(len(columns), dtype=np.float32), columns, in_32_bits


def _numbered(keys: Iterable[str]) -> tuple[list[bytes], dict[str, int]]:
    """Distinct keys, sorted, and the place of each."""
    distinct = {key: key.encode("utf-8", "surrogatepass") for key in keys}
    ordered = sorted(distinct, key=distinct.__getitem__)
    return [distinct[key] for key in ordered], {key: number for number, key in enumerate(ordered)}


def _pairs(sentences: Sentences, known: Sequence[Facts]) -> tuple[Ints, Ints, Any]:
    """A code of each pair, the word with which it begins, and what spells codes that rise."""
    heads, number_of_head = _numbered(fact.head for fact in known)
    tails, number_of_tail = _numbered(fact.tail for fact in known)
    head = np.array([number_of_head[fact.head] if fact.head else -1 for fact in known], dtype=np.int32)
    tail = np.array([number_of_tail[fact.tail] for fact in known], dtype=np.int32)
    in_words = head[sentences.words]
    is_pair = in_words >= 0
    is_pair[:-1] &= is_pair[1:]
    is_pair[sentences.first_word[1:] - 1] = False
    places = np.flatnonzero(is_pair)
    codes = in_words[places].astype(np.int64) * max(len(tails), 1) + tail[sentences.words[places + 1]]

    def spelt(distinct: Ints) -> Array:
        found = np.empty(len(distinct), dtype=KEYS)
        longer = np.dtype(f"S{KEYS.itemsize + 1}")  # a longer tail makes a pair too long as well
        of_heads, of_tails = np.array(heads, dtype=KEYS), np.array(tails, dtype=longer)
        for begin in range(0, len(distinct), _AT_ONCE):
            first, second = np.divmod(distinct[begin : begin + _AT_ONCE], len(tails))
            joined = np.strings.add(of_heads[first], of_tails[second])
            found[begin : begin + _AT_ONCE] = joined
            for place in np.flatnonzero(np.strings.str_len(joined) > KEYS.itemsize).tolist():
                whole = heads[int(first[place])] + tails[int(second[place])]
                found[begin + place] = short_enough(whole.decode("utf-8", "surrogatepass")).encode(
                    "utf-8", "surrogatepass"
                )
        return found

    return codes, places, spelt


def _distinct(values: Array, kind: Literal["stable"] | None = None) -> tuple[Array, NDArray[np.int32]]:
    """The distinct values, sorted, and the place of each value among them; "stable" is quick for nearly sorted ones."""
    order = values.argsort(kind=kind)
    in_order = values[order]
    new = is_new(in_order)
    places = np.empty(len(values), dtype=np.int32)
    places[order] = new.cumsum() - 1
    return in_order[new], places
