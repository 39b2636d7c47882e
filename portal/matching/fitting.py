"""Labs → vocabulary and matrices. scikit-learn does the counting."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.matrices import Rows, empty_rows, weighed
from portal.matching.segment import Segment, build_segment, in_order, profile_keys, work_keys
from portal.matching.spelling import Speller
from portal.matching.vocabulary import KeyTable, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching.records import LabDoc


def fit(labs: Iterable[LabDoc]) -> tuple[Vocabulary, Segment, Speller]:
    """The vocabulary of all works and profiles with idf over the works, all labs in it, and the words used.

    Raises:
        ValueError: two labs have the same key.
    """
    ordered = in_order(labs)
    works = sum(len(lab.works) for lab in ordered)
    seen: Counter[str] = Counter()
    keys, counts = _count(_bags(ordered, seen), works + len(ordered))
    frequency = np.bincount(counts.columns[: counts.starts[works]], minlength=len(keys))
    vocabulary = Vocabulary(KeyTable.build(keys), frequency.astype(np.int32), works)
    rows = weighed(counts, vocabulary)
    cut = rows.starts[works]
    of_works = Rows(rows.starts[: works + 1], rows.columns[:cut], rows.data[:cut])
    of_profiles = Rows(rows.starts[works:] - cut, rows.columns[cut:], rows.data[cut:])
    return vocabulary, build_segment(ordered, of_works, of_profiles, len(keys)), Speller(seen, works + len(ordered))


def _bags(labs: tuple[LabDoc, ...], seen: Counter[str]) -> Iterator[list[str]]:
    """The keys of every work, then of every profile; counts in `seen` how many of them have a word."""
    words: set[str] = set()
    for lab in labs:
        for work in lab.works:
            yield work_keys(work, words)
            seen.update(words)
            words.clear()
    for lab in labs:
        yield profile_keys(lab, words)
        seen.update(words)
        words.clear()


def _count(bags: Iterable[list[str]], size: int) -> tuple[list[str], Rows]:
    """All keys of `size` bags in alphabetical order, and the counts of every bag."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=list, dtype=np.float32)
    try:
        matrix = vectorizer.fit_transform(bags)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        return [], empty_rows(size)
    matrix.sort_indices()
    keys: list[str] = vectorizer.get_feature_names_out().tolist()
    return keys, Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)
