"""What the lab works on and the query does not mention, with what mentioning it would bring."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.explanation.typical import typical
from portal.matching.language.hashing import term_number
from portal.matching.results import Gap
from portal.matching.scoring import Asked, scores_of_one

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.matching.query.analysis import AnalysedQuery
    from portal.matching.segments.segment import Segment

_SHOWN = 5
_TRIED = 12


def gaps(
    query: AnalysedQuery, topic_vector: Callable[[str], Mapping[str, float]], segment: Segment, position: int
) -> tuple[Gap, ...]:
    """The lab's typical terms that the query lacks, those first that would raise the score most.

    `topic_vector` gives the vector of a text stated as a topic; every gain is the difference to the score
    of the query with that topic added.
    """
    tried = list(islice(typical(segment, position, set(map(term_number, query.vector))), _TRIED))
    vectors = [query.vector, *(_with_topic(query, topic_vector(term.text)) for term in tried)]
    keys = sorted({key for vector in vectors for key in vector})
    asked = Asked.of(keys, np.array([[vector.get(key, 0.0) for key in keys] for vector in vectors]))
    before, *after = scores_of_one(segment, position, asked).scores[:, 0].tolist()
    found = [
        Gap(term.text, score - before, term.works)
        for term, score in zip(tried, after, strict=True)
        if score > before
    ]
    return tuple(sorted(found, key=lambda gap: (-gap.gain, gap.term))[:_SHOWN])


def _with_topic(query: AnalysedQuery, topic: Mapping[str, float]) -> dict[str, float]:
    """The vector of the query with one more topic of weight 1."""
    mixed = {key: query.length * weight for key, weight in query.vector.items()}
    for key, weight in topic.items():
        mixed[key] = mixed.get(key, 0.0) + weight
    length = math.sqrt(math.fsum(weight * weight for weight in mixed.values()))
    return {key: weight / length for key, weight in mixed.items()}
