"""Why a query and a lab match: shares of terms that add up to the score, evidence, gaps, facets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from portal.matching.evidence import evidence_of
from portal.matching.floor import Floor
from portal.matching.gaps import gaps
from portal.matching.postings import BEST_WORKS, FOCUS_SHARE
from portal.matching.results import Explanation, FacetCheck, TermShare
from portal.matching.scoring import asked, best_rows, lab_score, work_cosines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from portal.matching.matrices import Rows
    from portal.matching.query import AnalysedQuery
    from portal.matching.records import Facets, LabDoc
    from portal.matching.results import Source
    from portal.matching.segment import Segment
    from portal.matching.vocabulary import Vocabulary


def explain(
    query: AnalysedQuery,
    wanted: Facets,
    topic_vector: Callable[[str], Mapping[str, float]],
    segment: Segment,
    position: int,
    vocabulary: Vocabulary,
) -> Explanation:
    """The whole account of one match; `position` is that of the lab in its segment.

    `topic_vector` gives the vector of a text stated as a topic (for what further topics would bring).
    """
    lab = segment.labs[position]
    vector = asked(query.vector, vocabulary)
    cosines = work_cosines(segment, position, vector)
    best = best_rows(cosines)
    first = int(segment.first_work[position])
    focus = _values(segment.focus, position)
    works = {lab.works[row].key: _values(segment.works, first + row) for row in best}
    score = lab_score(segment, position, vector)
    met, missed = _facets(wanted, lab)
    return Explanation(
        lab.key,
        score,
        Floor.of(query, vocabulary).fits(segment, position, score),
        _shares(query, focus, works, vocabulary),
        tuple(
            evidence_of(
                lab.works[row],
                float(cosines[row]),
                query,
                _carried(query, works[lab.works[row].key], vocabulary),
            )
            for row in best
        ),
        gaps(query, topic_vector, segment, position, vocabulary),
        met,
        missed,
    )


def _values(rows: Rows, number: int) -> dict[int, float]:
    columns, values = rows.row(number)
    return dict(zip(columns.tolist(), values.tolist(), strict=True))


def _carried(query: AnalysedQuery, row: dict[int, float], vocabulary: Vocabulary) -> dict[str, float]:
    """Key → its part of the cosine, for the keys that the query shares with one row."""
    carried = {}
    for key, weight in query.vector.items():
        column = vocabulary.column(key)
        if column is not None and column in row:
            carried[key] = weight * row[column]
    return carried


def _shares(
    query: AnalysedQuery,
    focus: dict[int, float],
    works: dict[str, dict[int, float]],
    vocabulary: Vocabulary,
) -> tuple[TermShare, ...]:
    """One share per term and source, the largest first; they add up to the score."""
    per_work = (1 - FOCUS_SHARE) / BEST_WORKS
    shares: dict[tuple[str, Source, str], list[float]] = {}
    written: dict[tuple[str, Source, str], str] = {}
    carriers: dict[tuple[str, Source, str], tuple[str, ...]] = {}
    for part in query.parts:
        for term in part.terms:
            column = vocabulary.column(term.key)
            if column is None:
                continue
            in_works = {key: row[column] for key, row in works.items() if column in row}
            value = FOCUS_SHARE * focus.get(column, 0.0) + per_work * math.fsum(in_works.values())
            if not value:
                continue
            label = (term.key, term.source, term.via)
            shares.setdefault(label, []).append(part.mix * term.weight * value)
            written.setdefault(label, term.surface)
            carriers[label] = tuple(sorted(in_works, key=lambda key: (-in_works[key], key)))
    found = [
        TermShare(written[label], math.fsum(values), label[1], carriers[label], label[2])
        for label, values in shares.items()
    ]
    return tuple(sorted(found, key=lambda share: (-share.share, share.term, share.source, share.via)))


def _facets(wanted: Facets, lab: LabDoc) -> tuple[tuple[FacetCheck, ...], tuple[FacetCheck, ...]]:
    """Wanted facets that the lab has at least one value of, and the others."""
    met: list[FacetCheck] = []
    missed: list[FacetCheck] = []
    for name in sorted(wanted):
        if not wanted[name]:
            continue
        has = tuple(lab.facets.get(name, ()))
        check = FacetCheck(name, tuple(wanted[name]), has)
        (met if _folded(has) & _folded(wanted[name]) else missed).append(check)
    return tuple(met), tuple(missed)


def _folded(values: Iterable[str]) -> set[str]:
    return {" ".join(value.casefold().split()) for value in values}
