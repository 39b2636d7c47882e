"""What a lab works on and the query does not mention, with the gain from mentioning it."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.explanation.typical import typical
from portal.matching.language.hashing import term_number
from portal.matching.results import Gap
from portal.matching.scoring import QueryVectors, scores_of_lab

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.query.parts import AnalysedQuery
    from portal.matching.segments.segment import Segment

_SHOWN = 5
_TRIED = 12


def gaps(
    query: AnalysedQuery, topic_vector: Callable[[str], Mapping[str, float]], segment: Segment, position: int
) -> tuple[Gap, ...]:
    """The lab's typical terms that the query lacks, largest gain first.

    `topic_vector` returns the vector of a text stated as a topic. A gain is the difference between the scores of the
    query with that topic added and without it.
    """
    tried = list(islice(typical(segment, position, frozenset(map(term_number, query.vector))), _TRIED))
    keys, vectors = _with_topics(query, [topic_vector(term.text) for term in tried])
    before, *after = scores_of_lab(segment, position, QueryVectors.of(keys, vectors)).scores[:, 0].tolist()
    gaining = [
        Gap(term.text, score - before, term.works) for term, score in zip(tried, after, strict=True) if score > before
    ]
    return tuple(sorted(gaining, key=lambda gap: (-gap.gain, gap.term))[:_SHOWN])


def _with_topics(
    query: AnalysedQuery, topics: Sequence[Mapping[str, float]]
) -> tuple[Sequence[str], NDArray[np.float64]]:
    """The keys of all terms, and the vectors of the query and of the query with each of the topics, of weight 1."""
    keys = list({key: None for vector in (query.vector, *topics) for key in vector})
    places = dict(zip(keys, range(len(keys)), strict=True))
    vectors = np.zeros((1 + len(topics), len(keys)))
    own = np.array(list(query.vector.values()))
    vectors[0, : len(own)] = own
    mixed = vectors[1:]
    mixed[:, : len(own)] = query.length * own
    for row, topic in zip(mixed, topics, strict=True):
        for key, weight in topic.items():
            row[places[key]] += weight
    lengths = [math.sqrt(math.fsum(squares)) for squares in (mixed * mixed).tolist()]
    mixed /= np.array(lengths).reshape(len(topics), 1)
    return keys, vectors
