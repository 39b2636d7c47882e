from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.formula import PROFILE_WEIGHT
from portal.matching.language.names import name_key
from portal.matching.language.terms import compact, keys
from portal.matching.segments import bounds, common
from portal.matching.segments.bounds import upper_bounds
from portal.matching.segments.located import Located

from .corpus import LABS, corpora, queries


def new_vectorizer() -> Any:  # noqa: ANN401  (scikit-learn has no types)
    """Imported here: not every process that collects these tests runs them."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer=list, sublinear_tf=True)


def work_keys(work: WorkDoc) -> list[str]:
    """The keys of a work, read word by word."""
    return [
        *keys((work.title, *work.systems, work.abstract)),
        *(name_key(name) for name in work.systems if compact(name)),
    ]


def profile_keys(lab: LabDoc) -> list[str]:
    return keys((lab.profile,))


def plain_scores(labs: list[LabDoc], vector: dict[str, float]) -> dict[str, float]:
    """The formula as anybody would write it: dense rows and `cosine_similarity`."""
    from sklearn.metrics.pairwise import cosine_similarity

    works = [work_keys(work) for lab in labs for work in lab.works]
    profiles = [profile_keys(lab) for lab in labs]
    if not any((*works, *profiles)):
        return {}
    vectorizer = new_vectorizer()
    vectorizer.fit([*works, *profiles])
    frequency = np.array([sum(key in work for work in works) for key in vectorizer.get_feature_names_out()])
    vectorizer.idf_ = np.log((1 + len(works)) / (1 + frequency)) + 1
    columns = vectorizer.vocabulary_
    query = np.zeros((1, len(columns) + 1))
    for key, weight in vector.items():
        if key in columns:
            query[0, columns[key]] = weight
    query[0, -1] = np.sqrt(max(0.0, 1 - float(query[0, :-1] @ query[0, :-1])))
    scores = {}
    for lab in labs:
        bags = [work_keys(work) for work in lab.works]
        rows = vectorizer.transform([*bags, profile_keys(lab)]).toarray()
        rows = np.hstack([rows, np.zeros((len(rows), 1))])
        centroid = rows[:-1].sum(axis=0, keepdims=True) + PROFILE_WEIGHT * rows[-1:]
        focus = float(cosine_similarity(query, centroid)[0, 0]) if rows.any() else 0.0
        cosines = sorted(cosine_similarity(query, rows[:-1])[0], reverse=True) if bags else []
        scores[lab.key] = focus / 2 + sum(cosines[:3]) / 6
    return scores


@given(corpora, queries)
def test_scores_are_those_of_the_plain_computation(labs: list[LabDoc], query: Query) -> None:
    index = LabIndex.fit(labs)
    vector = dict(index._question(query, index._state).query.vector)
    expected = plain_scores(labs, vector)
    for lab in labs:
        assert index.explain(query, lab.key).score == pytest.approx(expected.get(lab.key, 0.0), abs=1e-6)


@given(corpora, queries)
def test_the_ranking_is_that_of_all_scores(labs: list[LabDoc], query: Query) -> None:
    index = LabIndex.fit(labs)
    explained = [index.explain(query, lab.key) for lab in labs]
    expected = sorted((-item.score, item.lab) for item in explained if item.fits)
    assert [(-match.score, match.lab) for match in index.rank(query)] == expected
    assert index.rank(query, k=2) == index.rank(query)[:2]


def test_the_vector_of_a_query_is_that_of_the_vectorizer() -> None:
    index = LabIndex.fit(LABS)
    works = [work_keys(work) for lab in LABS for work in lab.works]
    vectorizer = new_vectorizer().fit(works)
    text = "kernel density estimation of clients, clients and clients"
    vector = index._question(Query([Topic(text)], correct_spelling=False), index._state).query.vector
    columns = vectorizer.vocabulary_
    shared = {key: weight for key, weight in vector.items() if key in columns and key != "kde"}
    row = vectorizer.transform([[key for key in shared for _ in range(3 if key == "client" else 1)]]).toarray()[0]
    length = sum(weight**2 for weight in shared.values()) ** 0.5
    assert {key: pytest.approx(row[columns[key]], abs=1e-6) for key in shared} == {
        key: weight / length for key, weight in shared.items()
    }


@given(corpora, queries, st.integers(0, 3), st.floats(0, 1))
def test_a_bound_is_never_below_the_score(labs: list[LabDoc], query: Query, few: int, dense: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common, "FEW_ROWS", few)
        patch.setattr(common, "FEW_LABS", 0)
        patch.setattr(bounds, "_DENSE_FROM", dense)
        index = LabIndex.fit(labs)
        segment = index._state.layers[0].segment
        vectors = index._question(query, index._state).prepared.query_vectors
        bounds_of_labs = upper_bounds(segment, Located.of(segment, vectors.numbers), vectors.vectors[0])
        for position, key in enumerate(segment.keys):
            assert bounds_of_labs[position] >= index.score(query, key)
            assert bounds_of_labs[position] > 0 or not index.score(query, key)


def test_terms_that_no_lab_uses_lower_the_score() -> None:
    index = LabIndex.fit(LABS)
    with_unknown = index.explain(Query([Topic("federated learning zebrafish")], correct_spelling=False), "federated")
    without = index.explain(Query([Topic("federated learning")]), "federated")
    assert 0 < with_unknown.score < without.score


def test_repetition_saturates() -> None:
    index = LabIndex.fit(LABS)
    honest = "I built a scheduler for GPU clusters and studied hashing."
    stuffed = honest + " federated learning" * 500
    once = honest + " federated learning"
    gain_once = index.explain(Query(resume=once), "federated").score
    assert index.explain(Query(resume=stuffed), "federated").score <= 2.5 * gain_once
