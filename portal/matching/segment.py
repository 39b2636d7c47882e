"""A set of labs as matrices over the columns of a vocabulary. Immutable."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.matrices import centroids, count_with, weighed
from portal.matching.names import name_key, names_of
from portal.matching.postings import Postings, bound_postings
from portal.matching.records import LabDoc
from portal.matching.terms import compact, keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.matrices import Rows
    from portal.matching.records import WorkDoc
    from portal.matching.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Segment:
    """Labs in the order of their keys, their works in the order of theirs.

    `works` and `focus` are the vectors of single works and of whole labs (the centroid of works and
    profile), `postings` an upper bound of every lab's score by term. `first_work[i]` is the row of the first
    work of lab i. `names` maps the keys of the systems' names to how they are written.
    """

    keys: tuple[str, ...]
    labs: Sequence[LabDoc]
    first_work: NDArray[np.int64]
    works: Rows
    focus: Rows
    postings: Postings
    names: Mapping[str, frozenset[str]]
    positions: Mapping[str, int]


def in_order(labs: Iterable[LabDoc]) -> tuple[LabDoc, ...]:
    """`labs` by key, each with its works by key, so that nothing depends on the order of arrival.

    Raises:
        ValueError: two labs have the same key.
    """
    ordered = tuple(
        LabDoc(lab.key, lab.profile, sorted(lab.works, key=lambda work: work.key), lab.facets)
        for lab in sorted(labs, key=lambda lab: lab.key)
    )
    twice = sorted(key for key, count in Counter(lab.key for lab in ordered).items() if count > 1)
    if twice:
        raise ValueError(f"more than one lab has the key {', '.join(twice)}")
    return ordered


def work_keys(work: WorkDoc, words: set[str] | None = None) -> list[str]:
    """The keys of all terms of a work: title, systems, abstract, and one term per system's name.

    The folded words are put into `words`.
    """
    return keys((work.title, *work.systems, work.abstract), words) + [
        name_key(name) for name in work.systems if compact(name)
    ]


def profile_keys(lab: LabDoc, words: set[str] | None = None) -> list[str]:
    """The keys of all terms of a lab's profile; the folded words are put into `words`."""
    return keys((lab.profile,), words)


def build_segment(labs: Sequence[LabDoc], works: Rows, profiles: Rows, columns: int) -> Segment:
    """A segment of `labs` (in order) from the weighed rows of their works and profiles."""
    first_work = np.array(list(accumulate((len(lab.works) for lab in labs), initial=0)), dtype=np.int64)
    focus = centroids(first_work, works, profiles)
    lab_keys = tuple(lab.key for lab in labs)
    return Segment(
        lab_keys,
        labs,
        first_work,
        works,
        focus,
        bound_postings(first_work, works, focus, columns),
        collect_names(labs),
        {key: position for position, key in enumerate(lab_keys)},
    )


def collect_names(labs: Iterable[LabDoc]) -> dict[str, frozenset[str]]:
    """The keys of all systems' names of `labs`, with how they are written."""
    names: dict[str, frozenset[str]] = {}
    for lab in labs:
        for key, spelling in names_of(lab).items():
            names[key] = names.get(key, frozenset()) | {spelling}
    return names


def segment_of(labs: Iterable[LabDoc], vocabulary: Vocabulary) -> Segment:
    """A segment of `labs` in the vocabulary of an index, which gains their new terms."""
    ordered = in_order(labs)
    works = [work_keys(work) for lab in ordered for work in lab.works]
    profiles = [profile_keys(lab) for lab in ordered]
    vocabulary.add(key for bag in (*works, *profiles) for key in bag)
    return build_segment(
        ordered,
        weighed(count_with(vocabulary, works), vocabulary),
        weighed(count_with(vocabulary, profiles), vocabulary),
        len(vocabulary),
    )
