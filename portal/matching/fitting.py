"""Labs → vocabulary and matrices. scikit-learn does the counting."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.segment import Rows, Segment, build_segment, in_order, profile_keys, weighed, work_keys
from portal.matching.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.matching.records import LabDoc


def fit(labs: Iterable[LabDoc]) -> tuple[Vocabulary, Segment]:
    """The vocabulary of all works and profiles with idf over the works, and all labs in it.

    Raises:
        ValueError: two labs have the same key.
    """
    ordered = in_order(labs)
    works = sum(len(lab.works) for lab in ordered)
    keys, counts = _count(
        chain(
            (work_keys(work) for lab in ordered for work in lab.works),
            (profile_keys(lab) for lab in ordered),
        ),
        works + len(ordered),
    )
    frequency = np.bincount(counts.columns[: counts.starts[works]], minlength=len(keys))
    vocabulary = Vocabulary(keys, frequency.astype(np.int64), works)
    rows = weighed(counts, vocabulary)
    cut = rows.starts[works]
    of_works = Rows(rows.starts[: works + 1], rows.columns[:cut], rows.data[:cut])
    of_profiles = Rows(rows.starts[works:] - cut, rows.columns[cut:], rows.data[cut:])
    return vocabulary, build_segment(ordered, of_works, of_profiles, len(keys))


def _count(bags: Iterable[list[str]], size: int) -> tuple[list[str], Rows]:
    """All keys of `size` bags in alphabetical order, and the counts of every bag."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=list, dtype=np.float32)
    try:
        matrix = vectorizer.fit_transform(bags)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        return [], Rows(np.zeros(size + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
    matrix.sort_indices()
    keys: list[str] = vectorizer.get_feature_names_out().tolist()
    return keys, Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)
